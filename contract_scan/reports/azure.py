"""Problems as logging commands of Azure Pipelines, which shows them as issues of the run.

What is escaped and how: `TaskCommand` of microsoft/azure-pipelines-task-lib. Notes have no level
there and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.reports.display import display
from contract_scan.reports.listed import listed_problems, short_reach
from contract_scan.reports.order import problems_in_order
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.repository_path import repository_path


def render(report: Report, setting: Setting) -> Iterator[str]:
    """One command a line: the problems, the worst first, then what was not analysed."""
    for problem in listed_problems(report, setting):
        if problem.severity == "note":
            continue
        origin = problem.places[0].origin
        affected = short_reach(problem)
        properties = {
            "type": problem.severity,
            "sourcepath": repository_path(origin.path, setting),
            "linenumber": str(origin.span.line or ""),
            "columnnumber": str(origin.span.column if origin.span.line else ""),
            "code": problem.name,
        }
        yield _command(properties, f"{problem.title} ({affected})" if affected else problem.title)
    for unread in problems_in_order(report.not_analysed):
        properties = {
            "type": "error" if unread.is_grave else "warning",
            "sourcepath": repository_path(unread.path, setting) if unread.path else "",
            "linenumber": str(unread.line or ""),
            "code": "not-analysed",
        }
        yield _command(properties, f"not analysed: {unread.reason}")


def _command(properties: dict[str, str], message: str) -> str:
    written = "".join(f"{key}={_property(value)};" for key, value in properties.items() if value)
    return f"##vso[task.logissue {written}]{_data(message)}\n"


def _data(text: str) -> str:
    return display(text).replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace("]", "%5D").replace(";", "%3B")
