"""The report as JSON Lines: one object a line, each with its `type`, the summary last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contract_scan.reports.json import (
    SCHEMA_VERSION,
    finding_object,
    not_analysed,
    problem,
    summary,
    undetermined_object,
)
from contract_scan.reports.json_text import one_line
from contract_scan.reports.order import in_order, problems_in_order, undetermined_in_order
from contract_scan.reports.report import Report, Setting


def render(report: Report, setting: Setting) -> Iterator[str]:
    """One line for every problem, finding, undetermined promise, unread file; then the summary."""
    for each in report.problems:
        yield _line("problem", problem(each))
    for item in in_order(report.findings):
        yield _line("finding", finding_object(item))
    for open_question in undetermined_in_order(report.undetermined):
        yield _line("undetermined", undetermined_object(open_question))
    for unread in problems_in_order(report.not_analysed):
        yield _line("not_analysed", not_analysed(unread))
    yield _line("summary", {"schema_version": SCHEMA_VERSION, **summary(report)})


def _line(kind: str, value: dict[str, Any]) -> str:
    return one_line({"type": kind, **value})
