"""Problems as Reviewdog's diagnostics (`reviewdog -f=rdjson`), with what would mend them.

The form: `proto/rdf/reviewdog.proto` of reviewdog/reviewdog, as JSON. Columns count bytes of UTF-8
there, so that lines are given alone where a file cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.problem import Problem
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.lines import Lines
from contract_scan.reports.listed import short_reach
from contract_scan.reports.order import problems_in_order
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.repository_path import repository_path
from contract_scan.reports.rule_url import REPOSITORY, rule_url
from contract_scan.reports.summary_text import is_offered

_SEVERITY = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def render(report: Report, setting: Setting) -> Iterator[str]:
    """The whole document as indented JSON in ASCII."""
    lines = Lines(setting.root)
    diagnostics = [_problem(problem, lines, setting) for problem in report.problems]
    for unread in problems_in_order(report.not_analysed):
        diagnostic: dict[str, Any] = {
            "message": f"not analysed: {unread.reason}",
            "location": {"path": repository_path(unread.path or ".", setting)},
            "severity": "ERROR" if unread.is_grave else "WARNING",
            "code": {"value": "not-analysed"},
        }
        if unread.line:
            diagnostic["location"]["range"] = {"start": {"line": unread.line}}
        diagnostics.append(diagnostic)
    source = {"name": "contract-scan", "url": REPOSITORY}
    yield indented_json({"source": source, "diagnostics": diagnostics})


def _problem(problem: Problem, lines: Lines, setting: Setting) -> dict[str, Any]:
    first = problem.places[0]
    affected = short_reach(problem)
    found: dict[str, Any] = {
        "message": f"{problem.title} ({affected})" if affected else problem.title,
        "location": _location(first.origin, lines, setting),
        "severity": _SEVERITY[problem.severity],
        "code": {"value": problem.name, "url": rule_url(problem.name)},
    }
    if first.contract is not None and first.contract != first.origin:
        place = _location(first.contract, lines, setting)
        found["relatedLocations"] = [{"message": "the contract", "location": place}]
    fix = first.fix
    if fix is not None and is_offered(first, setting):
        own = [edit for edit in fix.edits if edit.path == first.origin.path]
        if own and len(own) == len(fix.edits):  # a suggestion holds for the file it stands in
            found["suggestions"] = [
                {"range": _range(edit.span, edit.path, lines), "text": edit.text} for edit in own
            ]
    return found


def _location(origin: Origin, lines: Lines, setting: Setting) -> dict[str, Any]:
    place: dict[str, Any] = {"path": repository_path(origin.path, setting)}
    if origin.span.line:
        place["range"] = _range(origin.span, origin.path, lines)
    return place


def _range(span: Span, path: str, lines: Lines) -> dict[str, Any]:
    return {
        "start": _position(span.line, span.column, path, lines),
        "end": _position(span.end_line, span.end_column, path, lines),
    }


def _position(line: int, column: int, path: str, lines: Lines) -> dict[str, int]:
    """A position, its column in bytes."""
    text = lines.line(path, line)
    if text is None or not column:
        return {"line": line}
    before = text[: column - 1]
    return {"line": line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}
