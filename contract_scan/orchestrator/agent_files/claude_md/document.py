"""`.claude/CLAUDE.md`: a part for each role between delimiters, beside what the user wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from contract_scan.atomic import replace_file
from contract_scan.config.confinement import is_confined
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.agent_files.claude_md.content import generate_claude_md
from contract_scan.orchestrator.config import AgentTeamConfig
from contract_scan.orchestrator.prompts import standards_for
from contract_scan.regular_file import read_regular

CLAUDE_MD: Final = Path(".claude", "CLAUDE.md")

_START: Final = "<!-- AGENT-TEAMS-START -->"
_END: Final = "<!-- AGENT-TEAMS-END -->"
_ROLE: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_LARGEST: Final = 10_000_000


class ClaudeMdError(ContractScanError):
    """CLAUDE.md cannot be read, changed or written; it is as it was."""


def write_teammate_claude_md(
    project_dir: Path,
    role: str,
    service_name: str,
    config: AgentTeamConfig,
    contracts: Sequence[Mapping[str, Any]],
    mcp_servers: Mapping[str, Any],
    *,
    tech_stack: str = "",
    codebase_context: str = "",
) -> Path:
    """Put the instructions for a role into `.claude/CLAUDE.md` (REQ-053): its path.

    All that is ours stands in one delimited block, and in it each role has a part of its own; only
    that part is replaced. Raises ClaudeMdError where the delimiters of the file are not in order,
    and for a file that lies outside of the project.
    """
    file, before = _document_for(project_dir, role)
    providers = {str(contract.get("service_name") or "") for contract in contracts}
    text = generate_claude_md(
        role,
        service_name,
        contracts,
        sorted(providers - {"", service_name}) if service_name in providers else [],
        mcp_servers,
        standards_for(role),
        {"min_convergence_ratio": config.convergence.min_convergence_ratio},
        tech_stack,
        codebase_context,
        contract_limit=config.agent_teams.contract_limit,
    )
    after = with_role(before, role, text, path=str(file))
    if after != before:
        _write(file, after)
    return file


def check_teammate_claude_md(project_dir: Path, roles: Iterable[str]) -> None:
    """Raise what `write_teammate_claude_md` would raise for one of the roles, and write nothing."""
    for role in roles:
        file, before = _document_for(project_dir, role)
        with_role(before, role, "", path=str(file))


def _document_for(project_dir: Path, role: str) -> tuple[Path, str]:
    """The file for the instructions of a role, and its text."""
    file = project_dir / CLAUDE_MD
    if not _ROLE.fullmatch(role):
        raise ClaudeMdError(f"{role!r} cannot be the name of a role", str(file))
    if not is_confined(file, project_dir.resolve()):
        raise ClaudeMdError("lies outside of the project; nothing is written there", str(file))
    return file, _read_document(file)


def put_section(file: Path, name: str, text: str, root: Path) -> None:
    """Put a text into a file of instructions, in a block of its own between delimiters with a name;
    an empty text takes the block away. The rest of the file stays.

    Raises ClaudeMdError where the delimiters are not in order, and for a file that lies outside of
    `root`.
    """
    if not is_confined(file, root.resolve()):
        raise ClaudeMdError("lies outside of the project; nothing is written there", str(file))
    before = _read_document(file)
    after = with_section(before, name, text, path=str(file))
    if after != before:
        _write(file, after)


def with_section(document: str, name: str, text: str, *, path: str = "") -> str:
    """A document with this text in the block of a name, or without that block where the text is
    empty. Line ends are those of the document. Raises ClaudeMdError as `with_role` does."""
    end_of_line = "\r\n" if "\r\n" in document else "\n"
    start, end = f"<!-- {name}-START -->", f"<!-- {name}-END -->"
    lines = [start, *text.rstrip("\n").split("\n"), end, ""] if text else []
    block = end_of_line.join(lines)
    span = _span(document, start, end, path)
    if span is not None:
        before = document[: span[0]]
        if not text and before.endswith(2 * end_of_line):
            before = before.removesuffix(end_of_line)  # the blank line that was put before it
        return before + block + document[span[1] :]
    if not text:
        return document
    gap = "" if not document else end_of_line * (1 if document.endswith("\n") else 2)
    return f"{document}{gap}{block}"


def with_role(document: str, role: str, text: str, *, path: str = "") -> str:
    """A document with this text as the part of a role. Line ends are those of the document.

    Raises ClaudeMdError where delimiters are missing, doubled or in the wrong order.
    """
    end_of_line = "\r\n" if "\r\n" in document else "\n"
    start, end = f"<!-- AGENT-TEAMS-ROLE-START {role} -->", f"<!-- AGENT-TEAMS-ROLE-END {role} -->"
    part = end_of_line.join([start, *text.rstrip("\n").split("\n"), end, ""])
    outer = _span(document, _START, _END, path)
    if outer is None:
        before = document
        if before and not before.endswith("\n"):
            before += end_of_line
        if before:
            before += end_of_line
        return f"{before}{_START}{end_of_line}{part}{_END}{end_of_line}"
    inner = _span(document, start, end, path)
    if inner is None:
        last = document.rindex(_END, 0, outer[1])
        return document[:last] + part + document[last:]
    if not outer[0] < inner[0] <= inner[1] < outer[1]:
        raise ClaudeMdError(f"`{start}` stands outside of `{_START}`; mend it first", path)
    return document[: inner[0]] + part + document[inner[1] :]


def _span(document: str, start: str, end: str, path: str) -> tuple[int, int] | None:
    """From where the line of `start` begins to where that of `end` ends; None without both."""
    starts, ends = _lines_of(document, start), _lines_of(document, end)
    if not starts and not ends:
        return None
    if len(starts) != 1 or len(ends) != 1 or starts[0][0] > ends[0][0]:
        raise ClaudeMdError(f"`{start}` and `{end}` have to be there once, in this order", path)
    return starts[0][0], ends[0][1]


def _lines_of(document: str, line: str) -> list[tuple[int, int]]:
    pattern = rf"^{re.escape(line)}[ \t]*(?:\r?\n|\Z)"
    return [found.span() for found in re.finditer(pattern, document, re.MULTILINE)]


def _read_document(file: Path) -> str:
    try:
        raw = read_regular(file, _LARGEST + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ClaudeMdError(f"cannot be read: {error.strerror}", str(file)) from None
    if len(raw) > _LARGEST:
        raise ClaudeMdError("is too large for instructions", str(file))
    return raw.decode("utf-8", "surrogateescape")


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise ClaudeMdError(f"cannot be written: {error.strerror}", str(file)) from None
