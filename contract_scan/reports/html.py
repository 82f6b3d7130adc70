"""The report as one page that needs nothing else: no network, no file beside it.

What the page may do is said in its first lines: no source of anything is allowed but the one style
sheet and the one script in it, by their hashes. So nothing that was read from a repository could
act, even if it came through.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from contract_scan.ir.promise import State
from contract_scan.ir.violation import Undetermined
from contract_scan.reports.html_elements import Element, element, join, message_element, raw
from contract_scan.reports.html_findings import findings_section, outcome_line
from contract_scan.reports.html_map import map_section
from contract_scan.reports.html_matrix import matrix_section
from contract_scan.reports.html_states import STATES, bar, legend
from contract_scan.reports.order import absent_in_order, open_in_order, problems_in_order
from contract_scan.reports.place import place_text, problem_place, subject
from contract_scan.reports.report import Counts, Report, Setting


def render(report: Report, setting: Setting) -> Iterator[str]:
    """The whole page."""
    yield "<!doctype html>\n"
    style, script = _asset("report.css"), _asset("report.js")
    name = setting.root.name or "/"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content=f"contract-scan {setting.version}"),
        element("title", f"{name}: contracts and code"),
        element("style", raw(style)),
    )
    body = element(
        "body",
        element("a", "Skip to the problems", href="#findings", class_="skip"),
        _header(report, name),
        element(
            "main",
            matrix_section(report),
            map_section(report),
            findings_section(report, setting),
            undetermined_section(report, setting),
            absent_section(report, setting),
            not_analysed_section(report, setting),
        ),
        element("footer", f"contract-scan {setting.version}".strip()),
        element("script", raw(script)),
    )
    yield element("html", head, body, lang="en").html + "\n"


def _header(report: Report, name: str) -> Element:
    named = (
        ("operations", report.summary.operations),
        ("channels", report.summary.channels),
        ("models", report.summary.models),
    )
    tiles = [_tile(sort, counts) for sort, counts in named if counts.total]
    links = [("matrix", "Services and contracts"), ("map", "Map"), ("findings", "Problems")]
    if any(not item.absent for item in report.undetermined):
        links.append(("undetermined", "Undetermined"))
    if any(item.absent for item in report.undetermined):
        links.append(("absent", "Not in the code"))
    if report.not_analysed:
        links.append(("unread", "Not analysed"))
    return element(
        "header",
        element("h1", element("span", "contract-scan"), " ", name),
        element("p", outcome_line(report), class_="verdict"),
        element("div", *tiles, class_="tiles"),
        legend(),
        element(
            "nav",
            *(element("a", title, href=f"#{anchor}") for anchor, title in links),
            aria_label="Parts of the report",
        ),
    )


def _tile(sort: str, counts: Counts) -> Element:
    numbers: dict[State, int] = {
        "verified": counts.verified,
        "partly": counts.partly,
        "violated": counts.violated,
        "missing": counts.missing,
        "undetermined": counts.undetermined,
        "absent": counts.absent,
    }
    rows = [
        element("span", element("b", numbers[state]), f" {word}", class_=f"number {state}")
        for state, (_, word) in STATES.items()
        if numbers[state]
    ]
    return element(
        "section",
        element("h2", element("b", counts.total), f" {sort}"),
        bar(numbers),
        element("p", join(*rows)),
        class_="tile",
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return files("contract_scan.reports").joinpath("assets", name).read_text(encoding="utf-8")


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
