"""Changes as workflow commands of GitHub Actions, which shows them as annotations."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.contract_changes import ChangeLevel, ContractChange, ContractChanges
from contract_scan.ir.origin import Origin
from contract_scan.reports.changes.wording import headline, location_text, subjects
from contract_scan.reports.display import display
from contract_scan.reports.github import command

_COMMANDS: dict[ChangeLevel, str] = {"breaking": "error", "dangerous": "warning", "safe": "notice"}
_MOST = 5


def render(found: ContractChanges, color: bool) -> Iterator[str]:
    """One command a line, the worst first: only the first few of a step are shown."""
    for change in found.changes:
        properties = {"title": f"contract-scan ({change.level} {change.id})"}
        properties |= _file(change.revision if change.revision.path else change.base)
        yield command(_COMMANDS[change.level], properties, _message(change))
    for one in found.undetermined:
        properties = {"title": "contract-scan (undetermined)", **_file(one.revision)}
        yield command("notice", properties, display(f"{one.subject.place}: {one.reason}"))
    for problem in found.problems:
        properties = {"title": "contract-scan (not read)", "file": problem.path}
        if problem.line:
            properties["line"] = str(problem.line)
        yield command("warning", properties, f"not read: {display(problem.reason)}")


def _file(origin: Origin) -> dict[str, str]:
    properties = {"file": origin.path}
    if origin.span.line:
        properties["line"] = str(origin.span.line)
    return properties


def _message(change: ContractChange) -> str:
    shown, more = subjects(change, _MOST)
    lines = [f"{change.id} {headline(change)}", *shown]
    if more:
        lines.append(f"and {more} more")
    if change.base.path:
        lines.append(f"base: {location_text(change.base)}")
    return "\n".join(map(display, lines))
