"""The end of a report: what was verified, what is undetermined and why, what was not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

from contract_scan.counted import counted
from contract_scan.ir.violation import Finding, Severity, Undetermined
from contract_scan.reports.display import display
from contract_scan.reports.listed import outcome
from contract_scan.reports.order import absent_in_order, open_in_order, problems_in_order
from contract_scan.reports.paint import BOLD, GREEN, YELLOW, Paint, severity_color
from contract_scan.reports.place import place_text, problem_place, subject
from contract_scan.reports.report import Report, Setting

FIXABLE = "[*]"
"""Marks a finding that `--fix` would mend."""
SHOWN = 8
"""Reasons and unread files that are listed unless more is asked for."""

_GRAVITY: tuple[Severity, ...] = ("error", "warning", "note")
"""Worst first."""

_Item = TypeVar("_Item")


def summary(report: Report, setting: Setting, paint: Paint) -> Iterator[str]:
    """The last part of a report for people. Statistics take the place of all lists but that of what
    was not read."""
    if not setting.statistics:
        yield from _undetermined_lines(report, setting, paint)
        yield from _absent_lines(report, setting, paint)
    yield from _problems(report, setting, paint)
    yield from _table(report)
    yield from left_out(report)
    yield _outcome_line(report, setting, paint) + "\n"
    yield from _fixable(report, setting)


def is_offered(finding: Finding, setting: Setting) -> bool:
    """Whether `--fix` would mend a finding, given the other options."""
    return finding.fix is not None and (finding.fix.safe or setting.unsafe_fixes)


def _fixable(report: Report, setting: Setting) -> Iterator[str]:
    problems = report.problems
    offered = sum(any(is_offered(each, setting) for each in one.places) for one in problems)
    hidden = sum(any(each.fix is not None for each in one.places) for one in problems) - offered
    more = f"{hidden} more with `--fix --unsafe-fixes`" if hidden else ""
    if offered:
        yield f"{FIXABLE} {offered} fixable with `--fix`{f', {more}' if more else ''}.\n"
    elif hidden:
        yield f"{hidden} fixable with `--fix --unsafe-fixes`.\n"


def left_out(report: Report) -> Iterator[str]:
    """How many findings somebody chose not to see."""
    by_comments = report.ignored - report.excepted
    if by_comments:
        yield f"{counted(by_comments, 'more finding')} ignored by comments.\n"
    if report.excepted:
        yield f"{counted(report.excepted, 'more finding')} ignored by the configuration.\n"
    if report.known:
        text = counted(report.known_problems, "more problem")
        if report.known != report.known_problems:
            text += f" in {counted(report.known, 'place')}"
        yield f"{text} known from the baseline.\n"
    if report.elsewhere:
        yield f"{counted(report.elsewhere, 'more finding')} outside of what was asked for.\n"


def _outcome_line(report: Report, setting: Setting, paint: Paint) -> str:
    files = counted(report.files, "file")
    if not report.findings:
        clean = not report.not_analysed
        text = f"{outcome_without_findings(report)}{'.' if clean else '; the scan is incomplete.'}"
        return paint(text, BOLD, GREEN) if clean else text
    worst = min((finding.severity for finding in report.findings), key=_GRAVITY.index)
    found = paint(outcome(report), BOLD, severity_color(worst))
    folded = any(finding.severity == "note" for finding in report.findings)
    hint = " (--show=notes)" if folded and "notes" not in setting.show else ""
    return f"Found {found}{hint}; {files} read."


def outcome_without_findings(report: Report) -> str:
    """One line, without its full stop, for a report without findings: never without how much was
    verified. "No violation in 7 files; 143 of 474 operations verified"."""
    other = "other " if report.ignored or report.known or report.elsewhere else ""
    counts = report.summary
    shares = [
        f"{each.verified} of {counted(each.total, noun)}"
        f"{f' ({each.partly} more but for some fields)' if each.partly else ''}"
        for noun, each in (
            ("operation", counts.operations),
            ("channel", counts.channels),
            ("model", counts.models),
        )
        if each.total
    ]
    verified = f"; {', '.join(shares)} verified" if shares else ""
    return f"No {other}violation in {counted(report.files, 'file')}{verified}"


def promise_table(report: Report) -> tuple[list[str], list[tuple[str, list[int]]]]:
    """The counts of promises: names of the columns, and the rows by what is promised. A column that
    few scans need is there where it counts something."""
    counts = report.summary
    named = {
        "operations": counts.operations,
        "channels": counts.channels,
        "models": counts.models,
    }
    shown = {name: each for name, each in named.items() if each.total}
    columns = {
        words: [getattr(each, attribute) for each in shown.values()]
        for words, attribute in _COLUMNS.items()
    }
    kept = {name: each for name, each in columns.items() if name not in _RARE or any(each)}
    rows = zip(*kept.values(), strict=True)
    return list(kept), [(name, list(row)) for name, row in zip(shown, rows, strict=True)]


_COLUMNS: Final = {
    "total": "total",
    "verified": "verified",
    "partly": "partly",
    "violated": "violated",
    "missing": "missing",
    "undetermined": "undetermined",
    "not in the code": "absent",
}
_RARE: Final = frozenset({"partly", "not in the code"})


def _table(report: Report) -> Iterator[str]:
    columns, rows = promise_table(report)
    if not rows:
        return
    yield f"{'':<12}{''.join(f'{words:>{len(words) + 2}}' for words in columns)}\n"
    for name, counts in rows:
        pairs = zip(columns, counts, strict=True)
        yield f"{name:<12}{''.join(f'{count:>{len(words) + 2}}' for words, count in pairs)}\n"
    yield "\n"


def _undetermined_lines(report: Report, setting: Setting, paint: Paint) -> Iterator[str]:
    by_reason: dict[str, list[Undetermined]] = {}
    questions = open_in_order(report.undetermined)
    for item in questions:
        by_reason.setdefault(item.reason, []).append(item)
    if not by_reason:
        return
    heading = f"Undetermined in {counted(len(questions), 'place')}:"
    yield paint(heading, BOLD, YELLOW) + "\n"
    groups = sorted(by_reason.items(), key=lambda group: (-len(group[1]), group[0]))
    shown, left_out = _first_items(groups, setting)
    for reason, items in shown:
        yield f"  {len(items):>3} × {display(reason)}\n"
        for item in items if setting.verbose else items[:1]:
            more = "" if setting.verbose or len(items) == 1 else f", and {len(items) - 1} more"
            yield f"        {subject(item)} at {place_text(item.origin, setting)}{more}\n"
    if left_out:
        yield f"  and {counted(left_out, 'more reason')} (shown with --verbose)\n"
    yield "\n"


def _absent_lines(report: Report, setting: Setting, paint: Paint) -> Iterator[str]:
    absent = absent_in_order(report.undetermined)
    if not absent:
        return
    heading = f"Not in the code: {counted(len(absent), 'model')}, for which no type stands:"
    yield paint(heading, BOLD) + "\n"
    shown, left_out = _first_items(absent, setting)
    more = f", and {left_out} more (shown with --verbose)" if left_out else ""
    yield f"  {', '.join(display(item.model or '') for item in shown)}{more}\n\n"


def _problems(report: Report, setting: Setting, paint: Paint) -> Iterator[str]:
    problems = problems_in_order(report.not_analysed)
    if not problems:
        return
    yield paint("Not analysed:", BOLD, YELLOW) + "\n"
    shown, left_out = _first_items(problems, setting)
    for problem in shown:
        yield f"  {problem_place(problem, setting)}: {display(problem.reason)}\n"
    if left_out:
        yield f"  and {left_out} more (shown with --verbose)\n"
    yield "\n"


def _first_items(items: list[_Item], setting: Setting) -> tuple[list[_Item], int]:
    if setting.verbose or len(items) <= SHOWN:
        return items, 0
    return items[:SHOWN], len(items) - SHOWN
