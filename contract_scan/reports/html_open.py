"""What stayed open: promises of which is undetermined, and what was not read."""

from __future__ import annotations

from contract_scan.ir.violation import Undetermined
from contract_scan.reports.html_elements import Element, element, message_element
from contract_scan.reports.order import absent_in_order, open_in_order, problems_in_order
from contract_scan.reports.place import place_text, problem_place, subject
from contract_scan.reports.report import Report, Setting


def undetermined_section(report: Report, setting: Setting) -> Element | None:
    """The reasons, the commonest first, each with its places."""
    by_reason: dict[str, list[Undetermined]] = {}
    for item in open_in_order(report.undetermined):
        by_reason.setdefault(item.reason, []).append(item)
    if not by_reason:
        return None
    groups = sorted(by_reason.items(), key=lambda group: (-len(group[1]), group[0]))
    return element(
        "section",
        element("h2", "Undetermined"),
        *(_reason(reason, items, setting) for reason, items in groups),
        id="undetermined",
    )


def _reason(reason: str, items: list[Undetermined], setting: Setting) -> Element:
    places = [
        element("li", element("code", subject(item)), " at ", place_text(item.origin, setting))
        for item in items
    ]
    return element(
        "details",
        element("summary", f"{len(items)} × ", message_element(reason)),
        element("ul", *places),
    )


def absent_section(report: Report, setting: Setting) -> Element | None:
    """The shared models that the code does not have."""
    absent = absent_in_order(report.undetermined)
    if not absent:
        return None
    places = [
        element("li", element("code", subject(item)), " at ", place_text(item.origin, setting))
        for item in absent
    ]
    return element(
        "section",
        element("h2", "Not in the code"),
        element(
            "details",
            element("summary", f"{len(absent)} × {absent[0].reason}"),
            element("ul", *places),
        ),
        id="absent",
    )


def not_analysed_section(report: Report, setting: Setting) -> Element | None:
    """Files that were not read, or not wholly."""
    problems = problems_in_order(report.not_analysed)
    if not problems:
        return None
    rows = [
        element(
            "li",
            element("code", problem_place(problem, setting)),
            " ",
            message_element(problem.reason),
        )
        for problem in problems
    ]
    return element(
        "section", element("h2", "Not analysed"), element("ul", *rows, class_="unread"), id="unread"
    )
