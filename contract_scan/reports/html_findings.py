"""The problems, each with the code and the contract line it breaks; filtered by a few controls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contract_scan.counted import counted
from contract_scan.ir.problem import Problem
from contract_scan.ir.promise import service_of
from contract_scan.ir.violation import Finding, Severity
from contract_scan.reports.finding_frames import frames_of_problem, stands_in_contract
from contract_scan.reports.frames import Frame, dedent_rows, frame_rows
from contract_scan.reports.html_elements import Element, element, join, message_element, raw
from contract_scan.reports.html_fix import fix_figure, fix_words
from contract_scan.reports.lines import Lines
from contract_scan.reports.listed import fields, outcome, short_reach
from contract_scan.reports.place import place_text, subject, way_to
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.rule_url import rule_url
from contract_scan.reports.summary_text import outcome_without_findings

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


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
    articles = [_article(problem, report, lines, setting) for problem in problems]
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
    fixes = Counter(fix_words(_shown_finding(problem)) for problem in problems)
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


def _shown_finding(problem: Problem) -> Finding:
    """The first place that a fix would mend, else the first of all."""
    fixed = (place for place in problem.places if place.fix is not None)
    return next(fixed, problem.places[0])


def _article(problem: Problem, report: Report, lines: Lines, setting: Setting) -> Element:
    finding = problem.places[0]
    several = len(problem.places) > 1
    about = short_reach(problem) if several else subject(finding)
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
        element("p", message_element(problem.title), class_="message"),
        element("p", about, class_="subject") if about else None,
        element("p", element("b", "fields: "), listed, class_="fields") if listed else None,
        *(
            _frame(frame, side, lines, setting)
            for frame, side in zip(frames_of_problem(problem), sides, strict=False)
        ),
        _notes(finding, setting, several=several),
        _place_list(problem, setting) if several else None,
        fix_figure(_shown_finding(problem), lines, setting),
        class_="finding",
        data_severity=problem.severity,
        data_rule=problem.rule,
        data_kind=problem.kind,
        data_fix=fix_words(_shown_finding(problem)),
        data_service=_service(finding, report),
    )


PLACES = 200
"""Places of one problem that the page lists."""


def _place_list(problem: Problem, setting: Setting) -> Element:
    """Where a problem shows itself, to be opened."""
    rows = [
        element("li", element("code", subject(each)), " at ", place_text(each.origin, setting))
        for each in problem.places[:PLACES]
    ]
    left_out = len(problem.places) - len(rows)
    if left_out:
        rows.append(element("li", f"and {left_out:,} more"))
    title = counted(len(problem.places), "place")
    return element("details", element("summary", title), element("ul", *rows), class_="places")


def _frame(frame: Frame, side: str, lines: Lines, setting: Setting) -> Element:
    drawn = []
    line_end = raw("\n")
    for row in dedent_rows(frame_rows(frame, lines)):
        if row.number:
            number = element("span", f"{row.number:>5} ", class_="line-number")
            drawn.append(join(number, row.text, line_end))
        else:
            mark = element("span", row.mark, class_="mark")
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
        notes.append(element("li", element("b", "help: "), finding.help))
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
