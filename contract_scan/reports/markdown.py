"""The report as Markdown for the comment of a pull request.

The first line is a comment that no reader sees: a bot finds its own comment by it and replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.counted import counted
from contract_scan.ir.origin import Origin
from contract_scan.ir.problem import ProblemGroup
from contract_scan.ir.violation import Undetermined
from contract_scan.reports.listed import affected_text, fields, listed_groups, outcome
from contract_scan.reports.markdown_text import code, escape_text, prose
from contract_scan.reports.order import (
    absent_in_order,
    open_in_order,
    problems_in_order,
)
from contract_scan.reports.place import subject, way_to
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.repository_path import repository_path
from contract_scan.reports.summary_text import left_out, promise_table

MARK = "<!-- contract-scan -->"
ROOM = 60_000
"""Characters. GitHub refuses a comment with more than 65 536; what does not fit is counted."""
SHOWN = 20
"""Reasons and unread files that are listed."""
LONGEST = 500
"""Characters of one text."""


def render(report: Report, setting: Setting) -> Iterator[str]:
    """The counts, the problems as far as there is room, then what stayed open."""
    yield f"{MARK}\n## contract-scan: {_verdict(report)}\n\n"
    yield from _promises(report)
    yield from _fixable(report)
    if report.ignored or report.known or report.elsewhere:
        yield "".join(left_out(report)) + "\n"
    rest = [
        *_undetermined_section(report, setting),
        *_absent_section(report),
        *_problems(report, setting),
    ]
    yield from _findings(report, setting, ROOM - sum(map(len, rest)))
    yield from rest


def _verdict(report: Report) -> str:
    said = outcome(report) or "no violation"
    return f"{said}; the scan is incomplete" if report.not_analysed else said


def _promises(report: Report) -> Iterator[str]:
    columns, rows = promise_table(report)
    if not rows:
        return
    yield f"| promises | {' | '.join(columns)} |\n"
    yield f"|---|{'--:|' * len(columns)}\n"
    for name, counts in rows:
        yield f"| {name} | {' | '.join(map(str, counts))} |\n"
    yield "\n"


def _fixable(report: Report) -> Iterator[str]:
    fixes = [[one.fix for one in each.places if one.fix is not None] for each in report.problems]
    safe = sum(any(fix.safe for fix in own) for own in fixes)
    unsafe = sum(map(bool, fixes)) - safe
    if safe:
        more = f", {unsafe} more with `--fix --unsafe-fixes`" if unsafe else ""
        yield f"{safe} fixable with `contract-scan check --fix`{more}.\n\n"
    elif unsafe:
        yield f"{unsafe} fixable with `contract-scan check --fix --unsafe-fixes`.\n\n"


def _findings(report: Report, setting: Setting, room: int) -> Iterator[str]:
    """The worst and most far-reaching that fit."""
    groups = listed_groups(report, setting)
    shown = 0
    for group in groups:
        text = _group(group, setting)
        room -= len(text)
        if room < 0:
            break
        shown += 1
        yield text
    if shown:
        yield "\n"
    left_out = sum(len(group.problems) for group in groups[shown:])
    if left_out:
        yield f"… and {counted(left_out, 'more problem')}, which did not fit here.\n\n"


def _group(group: ProblemGroup, setting: Setting) -> str:
    problem = group.first
    finding = problem.places[0]
    message = prose(_short(group.title))
    place = _location(finding.origin, setting)
    head = f"- **{escape_text(problem.name)}** {problem.severity}, {place}: {message}\n"
    details = []
    if listed := fields(problem):
        details.append(f"fields {prose(_short(listed))}")
    elif len(problem.places) == 1:
        if finding.expected:
            details.append(f"expected {code(_short(finding.expected))}")
        if finding.found:
            details.append(f"found {code(_short(finding.found))}")
    if affected := affected_text(group):
        details.append(f"affects {prose(_short(affected))}")
    if finding.contract is not None and finding.contract != finding.origin:
        details.append(f"contract {_location(problem.contract or finding.contract, setting)}")
    if len(problem.places) == 1 and (way := way_to(finding)) is not None:
        details.append(f"reached from {_location(way, setting)}")
    if (fix := finding.fix) is not None:
        details.append(f"{'fix' if fix.safe else 'unsafe fix'}: {prose(_short(fix.title))}")
    second = f"  {' · '.join(details)}\n" if details else ""
    third = f"  *{prose(_short(finding.help))}*\n" if finding.help else ""
    lines = [part.rstrip("\n") for part in (head, second, third) if part]
    return "  \n".join(lines) + "\n"


def _undetermined_section(report: Report, setting: Setting) -> Iterator[str]:
    by_reason: dict[str, list[Undetermined]] = {}
    questions = open_in_order(report.undetermined)
    for item in questions:
        by_reason.setdefault(item.reason, []).append(item)
    if not by_reason:
        return
    yield f"<details><summary>Undetermined: {len(questions)}</summary>\n\n"
    groups = sorted(by_reason.items(), key=lambda group: (-len(group[1]), group[0]))
    for reason, items in groups[:SHOWN]:
        first = items[0]
        more = f" and {len(items) - 1} more" if len(items) > 1 else ""
        place = _location(first.origin, setting)
        yield f"- {len(items)} × {prose(_short(reason))}: {code(subject(first))}, {place}{more}\n"
    if len(groups) > SHOWN:
        yield f"- … and {counted(len(groups) - SHOWN, 'more reason')}\n"
    yield "\n</details>\n\n"


def _absent_section(report: Report) -> Iterator[str]:
    absent = absent_in_order(report.undetermined)
    if not absent:
        return
    yield f"<details><summary>Not in the code: {counted(len(absent), 'model')}</summary>\n\n"
    named = [code(_short(item.model or "")) for item in absent[:SHOWN]]
    more = f" and {len(absent) - SHOWN} more" if len(absent) > SHOWN else ""
    yield f"{', '.join(named)}{more}\n\n</details>\n\n"


def _problems(report: Report, setting: Setting) -> Iterator[str]:
    problems = problems_in_order(report.not_analysed)
    if not problems:
        return
    yield f"<details><summary>Not analysed: {len(problems)}</summary>\n\n"
    for problem in problems[:SHOWN]:
        path = repository_path(problem.path or ".", setting)
        place = f"{path}:{problem.line}" if problem.line else path
        yield f"- {code(place)}: {prose(_short(problem.reason))}\n"
    if len(problems) > SHOWN:
        yield f"- … and {len(problems) - SHOWN} more\n"
    yield "\n</details>\n\n"


def _location(origin: Origin, setting: Setting) -> str:
    path = repository_path(origin.path, setting)
    return code(f"{path}:{origin.span.line}" if origin.span.line else path)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
