"""The problems, each with the code and the contract line it breaks; filtered by a few controls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from contract_scan.counted import counted
from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.problem import Problem, ProblemGroup
from contract_scan.ir.promise import service_of
from contract_scan.ir.violation import Finding, Severity
from contract_scan.reports.display import clip, display
from contract_scan.reports.finding_frames import frames_of_problem, stands_in_contract
from contract_scan.reports.frames import MAX_WIDTH, TAB, Frame, dedent_rows, frame_rows
from contract_scan.reports.html_elements import Element, element, join, message_element, raw
from contract_scan.reports.lines import Lines
from contract_scan.reports.listed import fields, outcome, short_reach
from contract_scan.reports.place import place_text, shown_path, subject, way_to
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.rule_url import rule_url
from contract_scan.reports.summary_text import outcome_without_findings

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_AT_ONCE = 12
"""Lines that are shown without being asked for."""
_MOST = 200
"""Lines that are shown at all."""


def outcome_line(report: Report) -> str:
    """The outcome in one line."""
    files = counted(report.files, "file")
    said = f"Found {outcome(report)}; {files} read"
    if not report.findings:
        said = outcome_without_findings(report)
    if report.ignored or report.known or report.elsewhere:
        findings = counted(report.ignored + report.known + report.elsewhere, "more finding")
        said = f"{said}; {findings} left out"
    return f"{said}; the scan is incomplete." if report.not_analysed else f"{said}."


def findings_section(report: Report, setting: Setting) -> Element:
    """The list with its controls."""
    problems = report.problems
    lines = Lines(setting.root)
    articles = [_article(group, report, lines, setting) for group in report.problem_groups]
    return element(
        "section",
        element("h2", "Problems"),
        _controls(problems, report) if problems else element("p", "None."),
        element("p", "", id="shown", role="status", aria_live="polite"),
        element("div", *articles, id="list"),
        id="findings",
        tabindex=-1,
    )


def _controls(problems: Sequence[Problem], report: Report) -> Element:
    severities = Counter(problem.severity for problem in problems)
    boxes = [
        element(
            "label",
            element("input", type="checkbox", name="severity", value=severity, checked=True)
            if severity != "note"
            else element("input", type="checkbox", name="severity", value=severity),
            f" {counted(severities[severity], severity)}",
            class_=severity,
        )
        for severity in _SEVERITIES
        if severities[severity]
    ]
    rules = Counter(problem.rule for problem in problems)
    kinds: Counter[str] = Counter(problem.kind for problem in problems)
    services = Counter(_service(problem.places[0], report) for problem in problems)
    fixes = Counter(_fix_words(_shown_finding([problem])) for problem in problems)
    return element(
        "form",
        element(
            "label",
            "Search ",
            element(
                "input",
                type="search",
                name="words",
                placeholder="path, field, message …  ( / )",
                autocomplete="off",
            ),
            class_="search",
        ),
        element("fieldset", element("legend", "Severity", class_="spoken"), *boxes),
        _choice("rule", "every rule", rules),
        _choice("kind", "every kind", kinds),
        _choice("service", "every service", services) if len(services) > 1 else None,
        _choice("fix", "with or without a fix", fixes) if len(fixes) > 1 else None,
        element("button", "Show all", type="button"),
        id="filter",
        role="search",
        aria_label="Filter the problems",
    )


def _choice(name: str, every: str, counts: Counter[str]) -> Element:
    options = [
        element("option", f"{value or 'elsewhere'} ({counts[value]})", value=f"={value}")
        for value in sorted(counts)
    ]
    return element(
        "label",
        element("span", name, class_="spoken"),
        element("select", element("option", every, value=""), *options, name=name),
    )


def _shown_finding(problems: Sequence[Problem]) -> Finding:
    """The first place that a fix would mend, else the first of all."""
    fixed = (place for each in problems for place in each.places if place.fix is not None)
    return next(fixed, problems[0].places[0])


def _article(group: ProblemGroup, report: Report, lines: Lines, setting: Setting) -> Element:
    problem = group.first
    finding, shown = problem.places[0], _shown_finding(group.problems)
    several = group.places > 1
    about = short_reach(group) if several else subject(finding)
    sides = ("contract", "code") if stands_in_contract(finding) else ("code", "contract")
    listed = fields(problem, named=len(problem.members))
    return element(
        "article",
        element(
            "h3",
            element("span", problem.severity, class_=f"severity {problem.severity}"),
            " ",
            element("a", problem.name, class_="rule", href=rule_url(problem.name)),
        ),
        element("p", message_element(group.title), class_="message"),
        element("p", about, class_="subject") if about else None,
        element("p", element("b", "fields: "), listed, class_="fields") if listed else None,
        *(
            _frame(frame, side, lines, setting)
            for frame, side in zip(frames_of_problem(problem), sides, strict=False)
        ),
        _notes(finding, setting, several=several),
        _place_list(group, setting) if several else None,
        _fix_figure(shown, lines, setting),
        class_="finding",
        data_severity=problem.severity,
        data_rule=problem.rule,
        data_kind=problem.kind,
        data_problems=str(len(group.problems)),
        data_fix=_values_text(_fix_words(_shown_finding([one])) for one in group.problems),
        data_service=_values_text(_service(one.places[0], report) for one in group.problems),
    )


def _values_text(values: Iterable[str]) -> str:
    """The values of problems that are told together, as the script of the page takes them."""
    return json.dumps(sorted(set(values)), ensure_ascii=False)


PLACES = 200
"""Places of one entry that the page lists."""


def _place_list(group: ProblemGroup, setting: Setting) -> Element:
    """Where problems show themselves, to be opened."""
    places = [place for each in group.problems for place in each.places]
    rows = [
        element("li", element("code", subject(each)), " at ", place_text(each.origin, setting))
        for each in places[:PLACES]
    ]
    left_out = len(places) - len(rows)
    if left_out:
        rows.append(element("li", f"and {left_out:,} more"))
    title = counted(len(places), "place")
    return element("details", element("summary", title), element("ul", *rows), class_="places")


def _frame(frame: Frame, side: str, lines: Lines, setting: Setting) -> Element:
    drawn = []
    line_end = raw("\n")
    for row in dedent_rows(frame_rows(frame, lines)):
        if row.number:
            number = element("span", f"{row.number:>5} ", class_="line-number")
            drawn.append(join(number, row.text, line_end))
        else:
            underline, space, label = row.mark.partition(" ")
            mark = element("span", raw(underline), space + label, class_="mark")
            drawn.append(
                join(element("span", " " * 6, class_="line-number"), row.text, mark, line_end)
            )
    return element(
        "figure",
        element("figcaption", element("b", side), " ", place_text(frame.origin, setting)),
        element("pre", *drawn, tabindex=0) if drawn else None,
        class_="here" if frame.mark == "^" else "there",
    )


def _notes(finding: Finding, setting: Setting, *, several: bool) -> Element | None:
    notes: list[Element] = []
    if finding.help:
        notes.append(element("li", element("b", "help: "), message_element(finding.help)))
    if not (several or stands_in_contract(finding)) and (way := way_to(finding)) is not None:
        notes.append(element("li", element("b", "reached from "), place_text(way, setting)))
    pointer = finding.contract.pointer if finding.contract else finding.origin.pointer
    if pointer and not several:
        notes.append(
            element("li", element("b", "contract pointer "), element("code", "#" + pointer))
        )
    return element("ul", *notes, class_="notes") if notes else None


def _service(finding: Finding, report: Report) -> str:
    service = service_of(finding.origin.path, report.services)
    if finding.reached_from is not None and stands_in_contract(finding):
        return service_of(finding.reached_from.path, report.services)
    return service


def _fix_words(finding: Finding) -> str:
    """Whether a finding can be mended, in words to choose by."""
    if finding.fix is None:
        return "no fix"
    return "safe fix" if finding.fix.safe else "unsafe fix"


def _fix_figure(finding: Finding, lines: Lines, setting: Setting) -> Element | None:
    """The proposed change, and the command that makes it."""
    fix = finding.fix
    if finding.withheld is not None:
        withheld = finding.withheld
        said = join(message_element(withheld.title), ": ", message_element(withheld.reason))
        caption = element("figcaption", element("b", "fix withheld"), " ", said)
        return element("figure", caption, class_="fix")
    if fix is None:
        return None
    changed = list(proposed_lines(fix, lines))
    shown, rest = changed[:_AT_ONCE], changed[_AT_ONCE:_MOST]
    left_out = len(changed) - len(shown) - len(rest)
    more = f"{len(changed) - len(shown)} more lines"
    return element(
        "figure",
        element(
            "figcaption",
            element("b", _fix_words(finding)),
            " ",
            message_element(fix.title),
            f" in {shown_path(fix.path, setting)}: ",
            element("code", _command_for(finding)),
        ),
        _lines(shown) if shown else None,
        element(
            "details",
            element("summary", more),
            _lines(rest),
            element("p", f"… and {left_out} more.") if left_out else None,
        )
        if rest
        else None,
        class_="fix",
    )


def _lines(changed: list[_ProposedLine]) -> Element:
    rows = []
    for each in changed:
        number = element("span", f"{each.number:>5} ", class_="line-number")
        text = clip(display(each.text.expandtabs(TAB)), MAX_WIDTH)
        tag = "del" if each.sign == "-" else "ins"
        rows.append(join(number, element(tag, f"{each.sign} {text}"), raw("\n")))
    return element("pre", *rows, tabindex=0)


class _ProposedLine(Struct, frozen=True):
    """One line of a file before or after."""

    sign: Literal["-", "+"]
    number: int
    """Before the change: of a new line, that of the line it comes in front of or in place of."""
    text: str


def _command_for(finding: Finding) -> str:
    """The command that makes the fix of a finding."""
    unsafe = finding.fix is not None and not finding.fix.safe
    return f"contract-scan check --fix{' --unsafe-fixes' if unsafe else ''}"


def proposed_lines(fix: Fix, lines: Lines) -> Iterator[_ProposedLine]:
    """The lines that go and those that come, in the order of the file."""
    for edits in _nearby(sorted(fix.edits)):
        first, last = edits[0].span.line, max(edit.span.end_line for edit in edits)
        before = [lines.line(fix.path, number) or "" for number in range(first, last + 1)]
        after = _apply_edits(before, edits, first)
        head = _common_prefix_length(before, after)
        tail = _common_prefix_length(before[head:][::-1], after[head:][::-1])
        for index in range(head, len(before) - tail):
            yield _ProposedLine("-", first + index, before[index])
        for index in range(head, len(after) - tail):
            yield _ProposedLine("+", first + min(index, len(before) - 1), after[index])


def _nearby(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Edits that touch the same lines, together."""
    group: list[Edit] = []
    for edit in edits:
        if group and edit.span.line > max(each.span.end_line for each in group):
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _apply_edits(before: Sequence[str], edits: Sequence[Edit], first: int) -> list[str]:
    """The lines with the edits put in, the last of them first so that places stay."""
    text = "\n".join(before)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line) + 1)
    for edit in reversed(edits):
        span = edit.span
        start = min(starts[span.line - first] + span.column - 1, len(text))
        end = min(starts[span.end_line - first] + span.end_column - 1, len(text))
        text = text[:start] + edit.text.replace("\r\n", "\n") + text[end:]
    return text.split("\n")


def _common_prefix_length(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two lists begin with alike."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
