"""Problems as workflow commands of GitHub Actions, which shows them as annotations.

Only the first few of a step are shown, so the worst come first.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.problem import Problem
from contract_scan.ir.violation import Severity
from contract_scan.reports.display import display
from contract_scan.reports.listed import affected_text, fields, listed_problems
from contract_scan.reports.order import problems_in_order
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.repository_path import repository_path

_COMMAND: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, setting: Setting) -> Iterator[str]:
    """One command a line: the problems, then what was not analysed."""
    for problem in listed_problems(report, setting):
        yield _problem(problem, setting)
    for unread in problems_in_order(report.not_analysed):
        yield _not_analysed_line(unread, setting)


def _problem(problem: Problem, setting: Setting) -> str:
    finding = problem.places[0]
    span = finding.origin.span
    properties = {
        "title": f"contract-scan ({problem.name})",
        "file": repository_path(finding.origin.path, setting),
    }
    if span.line:
        properties["line"] = str(span.line)
        if span.end_line == span.line:  # columns mean nothing to GitHub over several lines
            properties["col"] = str(span.column)
        properties["endLine"] = str(max(span.end_line, span.line))
        if span.end_line == span.line:
            properties["endColumn"] = str(max(span.end_column, span.column))
    return command(_COMMAND[problem.severity], properties, _message(problem, setting))


def _message(problem: Problem, setting: Setting) -> str:
    finding = problem.places[0]
    lines = [f"{problem.name} {display(problem.title)}"]
    lines += (f"fields: {listed}" for listed in (fields(problem),) if listed)
    lines += (f"affects {affected}" for affected in (affected_text(problem),) if affected)
    contract = finding.contract
    if contract is not None and contract != finding.origin:
        path = display(repository_path(contract.path, setting))
        lines.append(f"contract: {path}:{contract.span.line}" if contract.span.line else path)
    if finding.help:
        lines.append(f"help: {display(finding.help)}")
    return "\n".join(lines)


def _not_analysed_line(problem: NotAnalysed, setting: Setting) -> str:
    properties = {"title": "contract-scan (not analysed)"}
    if problem.path:
        properties["file"] = repository_path(problem.path, setting)
    if problem.line:
        properties["line"] = str(problem.line)
    level = "error" if problem.is_grave else "warning"
    return command(level, properties, f"not analysed: {display(problem.reason)}")


def command(name: str, properties: dict[str, str], message: str) -> str:
    """A workflow command, with everything escaped that could end it."""
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_data(message)}\n"


def _data(text: str) -> str:
    """Text that can neither end the command nor start one of the older form (`##[…]`)."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace("##[", "## [")


def _property(text: str) -> str:
    return _data(display(text)).replace(":", "%3A").replace(",", "%2C")
