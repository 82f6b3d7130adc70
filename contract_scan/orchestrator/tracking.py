"""The documents that a build keeps for people and for other programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

from contract_scan.compliance import Violation
from contract_scan.counted import counted
from contract_scan.errors import ContractScanError
from contract_scan.ir.promise import State
from contract_scan.orchestrator.contract_results import ContractResult, ContractScanResults, Kind
from contract_scan.reports.markdown_text import code, prose

CONTRACT_COMPLIANCE_MATRIX_FILE: Final = "CONTRACT_COMPLIANCE_MATRIX.md"

_TABLES: Final[tuple[tuple[Kind, str, str], ...]] = (
    ("openapi", "OpenAPI contracts", "Endpoints"),
    ("asyncapi", "AsyncAPI contracts", "Channels"),
    ("json_schema", "Shared models", "Models"),
)
_COLUMNS: Final = ("Contract", "{names}", "Provider", "Implemented", "Verified", "Status", "Broken")
_ID, _IMPLEMENTED, _VERIFIED, _STATUS = 0, 3, 4, 5
_YES, _NO = "YES", "NO"
_PENDING: Final = "pending"
"""The status of a contract that no scan has looked at."""
_STATUSES: Final = (*get_args(State), _PENDING)
_IMPLEMENTED_STATES: Final = ("verified", "partly", "violated", "undetermined")
_MOST_NAMES: Final = 10
_CELL: Final = re.compile(r"(?<!\\)\|")
FIX_CYCLE_LOG_FILE: Final = "FIX_CYCLE_LOG.md"
_TITLE: Final = "# Fix cycles\n"
_MOST_ROUNDS: Final = 100


class MatrixError(ContractScanError):
    """A compliance matrix cannot be changed as wanted."""


def generate_contract_compliance_matrix(
    project_dir: Path, contracts: Sequence[Mapping[str, Any]], scan_results: ContractScanResults
) -> str:
    """The matrix as Markdown (REQ-075). Contracts that the scans say nothing of are pending."""
    scanned = {result.contract_id: result for result in scan_results.contracts}
    rows = {**{result.contract_id: result for result in map(_pending_result, contracts)}, **scanned}
    lines = [f"# Contract compliance matrix of {code(project_dir.name)}"]
    for kind, title, names in _TABLES:
        results = [result for result in rows.values() if result.kind == kind]
        columns = [column.format(names=names) for column in _COLUMNS]
        lines += ["", f"## {title}", "", _row(columns), _row("---" for _ in columns)]
        lines += (_row(_cells(result)) for result in sorted(results, key=_by_id))
    return "\n".join(lines) + "\n"


def parse_contract_compliance_matrix(content: str) -> dict[str, int]:
    """How many contracts a matrix has in `total`, and how many of them are `implemented`,
    `verified` and `violated` (REQ-076). Missing contracts are violated ones as well."""
    rows = [cells for _, cells in _entries(content)]
    return {
        "total": len(rows),
        "implemented": sum(cells[_IMPLEMENTED] == _YES for cells in rows),
        "verified": sum(cells[_VERIFIED] == _YES for cells in rows),
        "violated": sum(cells[_STATUS] in ("violated", "missing") for cells in rows),
    }


def update_contract_compliance_entry(content: str, contract_id: str, status: str) -> str:
    """The matrix with another status for one contract (REQ-077); all else stays as it is.

    Raises MatrixError for a contract that is not in it, and for a status that there is not.
    """
    if status not in _STATUSES:
        raise MatrixError(f"`{status}` is no status; there are {', '.join(_STATUSES)}")
    lines = content.splitlines(keepends=True)
    shown = _in_cell(code(contract_id))
    for number, cells in _entries(content):
        if cells[_ID] == shown:
            cells[_IMPLEMENTED] = _YES if status in _IMPLEMENTED_STATES else _NO
            cells[_VERIFIED] = _YES if status == "verified" else _NO
            cells[_STATUS] = status
            end = lines[number][len(lines[number].rstrip("\r\n")) :]
            lines[number] = _row(cells) + end
            return "".join(lines)
    raise MatrixError(f"the matrix has no contract `{contract_id}`")


def _pending_result(contract: Mapping[str, Any]) -> ContractResult:
    kind = contract.get("type")
    known = [known for known, _, _ in _TABLES if known == kind]
    return ContractResult(
        contract_id=str(contract.get("id", "")),
        kind=known[0] if known else "openapi",
        provider=str(contract.get("service_name", "")),
    )


def _cells(result: ContractResult) -> Iterator[str]:
    state = result.state if result.promises else _PENDING
    names = [_in_cell(code(promise.name)) for promise in result.promises]
    more = f", and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    yield _in_cell(code(result.contract_id))
    yield ", ".join(names[:_MOST_NAMES]) + more
    yield _in_cell(code(result.provider)) if result.provider else ""
    yield _YES if state in _IMPLEMENTED_STATES else _NO
    yield _YES if state == "verified" else _NO
    yield state
    yield str(result.broken)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def _entries(content: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of contracts, each with the number of its line from 0."""
    for number, line in enumerate(content.splitlines()):
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in _CELL.split(line.strip())[1:-1]]
        if len(cells) == len(_COLUMNS) and cells[_STATUS] in _STATUSES:
            yield number, cells


def _by_id(result: ContractResult) -> str:
    return result.contract_id


def with_fix_cycle(
    content: str, loop: str, round_number: int, violations: Sequence[Violation], remedy: str
) -> str:
    """The log with one more round: the findings that it began with, and what was done."""
    lines = [
        "",
        f"## {loop}, round {round_number}",
        "",
        f"{counted(len(violations), 'finding')}; {remedy}.",
        "",
        *(
            f"- {code(violation.check)} in {code(f'{violation.file_path}:{violation.line}')}:"
            f" {prose(violation.message)}"
            for violation in violations[:_MOST_ROUNDS]
        ),
    ]
    if len(violations) > _MOST_ROUNDS:
        lines.append(f"- and {len(violations) - _MOST_ROUNDS} more")
    return (content or _TITLE) + "\n".join(lines) + "\n"
