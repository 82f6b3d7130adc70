"""What contracts could be changed to, where the code does more than they say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from contract_scan.errors import ContractError
from contract_scan.fixes.change import AddOperation, AddProperty, addition
from contract_scan.fixes.edit_session import open_file
from contract_scan.fixes.parsing import CONTRACTS
from contract_scan.fixes.renamed import renamed_fields
from contract_scan.ir.fix import Fix
from contract_scan.ir.violation import Finding, OperationRef

if TYPE_CHECKING:
    from contract_scan.fixes.contracts import Addition, OpenContract

Additions: TypeAlias = Mapping[OperationRef, AddOperation]
"""What contracts would say of the routes that they lack, by the operation a finding names."""


def in_contracts(
    root: Path,
    findings: Sequence[Finding],
    since: int,
    additions: Callable[[], Additions] | None,
) -> tuple[Finding, ...]:
    """The findings, those without a fix with one of the contract where there is one. Arguments as
    for `plan`."""
    lacking = additions() if additions is not None and any(map(_is_new, findings)) else {}
    elsewhere = renamed_fields(findings)
    asked: dict[str, dict[int, AddProperty | AddOperation]] = {}
    for index, finding in enumerate(findings):
        # A field beside one that is missing may be that one, by another name.
        is_asked = finding.fix is None and index not in elsewhere
        change = _addition_of(finding, lacking) if is_asked else None
        path = _contract_of(change, finding)
        if change is not None and path.endswith(CONTRACTS):
            asked.setdefault(path, {})[index] = change
    mended = list(findings)
    for path, changes in sorted(asked.items()):
        for index, fix in _fixes(root, path, changes, findings, since).items():
            mended[index] = msgspec.structs.replace(findings[index], fix=fix)
    return tuple(mended)


def _fixes(
    root: Path,
    path: str,
    changes: Mapping[int, AddProperty | AddOperation],
    findings: Sequence[Finding],
    since: int,
) -> dict[int, Fix]:
    """The fixes of one contract, by the index of the finding."""
    file = open_file(root, path, since)
    if file is None:
        return {}
    from contract_scan.fixes.contracts import OpenContract

    try:
        contract = OpenContract(file.text, path)
    except ContractError:
        return {}
    found: dict[int, Addition] = {}
    for index, change in changes.items():
        each = _addition(contract, change, findings[index], changes.values())
        if each is not None:
            found[index] = each
    proven = {
        each.keys: file.fix(each.draft) for each in contract.provable_additions(found.values())
    }
    return {index: proven[each.keys] for index, each in found.items() if each.keys in proven}


def _addition(
    contract: OpenContract,
    change: AddProperty | AddOperation,
    finding: Finding,
    changes: Collection[AddProperty | AddOperation],
) -> Addition | None:
    match change:
        case AddOperation():
            new = [each for each in changes if isinstance(each, AddOperation)]
            return contract.operation(change, [each for each in new if each.path == change.path])
        case AddProperty():
            pointer = finding.contract.pointer if finding.contract is not None else ""
            return contract.property(change, pointer)


def _is_new(finding: Finding) -> bool:
    return finding.kind == "undocumented-endpoint"


def _addition_of(finding: Finding, lacking: Additions) -> AddProperty | AddOperation | None:
    """What a finding requires the contract to add."""
    if _is_new(finding) and finding.operation is not None:
        return lacking.get(finding.operation)
    return addition(finding)


def _contract_of(change: AddProperty | AddOperation | None, finding: Finding) -> str:
    if isinstance(change, AddOperation):
        return change.document
    return finding.contract.path if finding.contract is not None else ""
