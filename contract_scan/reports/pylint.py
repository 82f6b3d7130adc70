"""Problems as Pylint prints messages, which many tools read: `path:line: [CODE] text`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.reports.display import display
from contract_scan.reports.listed import listed_problems, short_reach
from contract_scan.reports.order import problems_in_order
from contract_scan.reports.place import shown_path
from contract_scan.reports.report import Report, Setting


def render(report: Report, setting: Setting) -> Iterator[str]:
    """One problem a line, then what was not analysed."""
    for problem in listed_problems(report, setting):
        origin = problem.places[0].origin
        affected = short_reach(problem)
        text = f"{problem.title} ({affected})" if affected else problem.title
        yield _line(origin.path, origin.span.line, problem.name, text, setting)
    for unread in problems_in_order(report.not_analysed):
        yield _line(unread.path, unread.line, "not-analysed", unread.reason, setting)


def _line(path: str, line: int, code: str, text: str, setting: Setting) -> str:
    return f"{shown_path(path, setting)}:{max(line, 1)}: [{code}] {display(text)}\n"
