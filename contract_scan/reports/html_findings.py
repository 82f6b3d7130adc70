"""The findings, each with the code and the contract line it breaks; filtered by a few controls."""

from __future__ import annotations

from collections import Counter

from contract_scan.ir.promise import service_of
from contract_scan.ir.violation import Finding, Severity
from contract_scan.reports.finding_frames import frames_of, stands_in_contract
from contract_scan.reports.frames import Frame, dedented, rows
from contract_scan.reports.html_elements import Element, element, join, quoted, raw
from contract_scan.reports.html_fix import fix_figure, fix_words
from contract_scan.reports.lines import Lines
from contract_scan.reports.order import in_order
from contract_scan.reports.place import subject, way_to, where
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.summary_text import outcome_without_findings

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def found(report: Report) -> str:
    """The outcome in one line."""
    counted = Counter(finding.severity for finding in report.findings)
    parts = [_count(counted[s], s) for s in _SEVERITIES if counted[s]]
    said = (
        f"Found {', '.join(parts)} in {_count(report.files, 'file')}"
        if parts
        else outcome_without_findings(report)
    )
    if report.ignored or report.known or report.elsewhere:
        excepted = _count(report.ignored + report.known + report.elsewhere, "more finding")
        said = f"{said}; {excepted} excepted"
    return f"{said}; the scan is incomplete." if report.problems else f"{said}."


def findings_section(report: Report, setting: Setting) -> Element:
    """The list with its controls."""
    findings = in_order(report.findings)
    lines = Lines(setting.root)
    articles = [_article(finding, report, lines, setting) for finding in findings]
    return element(
        "section",
        element("h2", "Findings"),
        _controls(findings, report) if findings else element("p", "None."),
        element("p", "", id="shown", role="status", aria_live="polite"),
        element("div", *articles, id="list"),
        id="findings",
        tabindex=-1,
    )


def _controls(findings: list[Finding], report: Report) -> Element:
    severities = Counter(finding.severity for finding in findings)
    boxes = [
        element(
            "label",
            element("input", type="checkbox", name="severity", value=severity, checked=True),
            f" {_count(severities[severity], severity)}",
            class_=severity,
        )
        for severity in _SEVERITIES
        if severities[severity]
    ]
    rules = Counter(finding.rule for finding in findings)
    kinds: Counter[str] = Counter(finding.kind for finding in findings)
    services = Counter(_service(finding, report) for finding in findings)
    fixes = Counter(map(fix_words, findings))
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
        aria_label="Filter the findings",
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


def _article(finding: Finding, report: Report, lines: Lines, setting: Setting) -> Element:
    about = subject(finding)
    sides = ("contract", "code") if stands_in_contract(finding) else ("code", "contract")
    return element(
        "article",
        element(
            "h3",
            element("span", finding.severity, class_=f"severity {finding.severity}"),
            " ",
            element("span", finding.rule, class_="rule"),
            " ",
            element("span", finding.kind, class_="kind"),
        ),
        element("p", quoted(finding.message), class_="message"),
        element("p", about, class_="subject") if about else None,
        *(
            _frame(frame, side, lines, setting)
            for frame, side in zip(frames_of(finding), sides, strict=False)
        ),
        _notes(finding, setting),
        fix_figure(finding, lines, setting),
        class_="finding",
        data_severity=finding.severity,
        data_rule=finding.rule,
        data_kind=finding.kind,
        data_fix=fix_words(finding),
        data_service=_service(finding, report),
    )


def _frame(frame: Frame, side: str, lines: Lines, setting: Setting) -> Element:
    drawn = []
    line_end = raw("\n")
    for row in dedented(rows(frame, lines)):
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
        element("figcaption", element("b", side), " ", where(frame.origin, setting)),
        element("pre", *drawn, tabindex=0) if drawn else None,
        class_="here" if frame.mark == "^" else "there",
    )


def _notes(finding: Finding, setting: Setting) -> Element | None:
    notes: list[Element] = []
    if finding.help:
        notes.append(element("li", element("b", "help: "), finding.help))
    if not stands_in_contract(finding) and (way := way_to(finding)) is not None:
        notes.append(element("li", element("b", "reached from "), where(way, setting)))
    pointer = finding.contract.pointer if finding.contract else finding.origin.pointer
    if pointer:
        notes.append(
            element("li", element("b", "contract pointer "), element("code", "#" + pointer))
        )
    return element("ul", *notes, class_="notes") if notes else None


def _service(finding: Finding, report: Report) -> str:
    service = service_of(finding.origin.path, report.services)
    if finding.reached_from is not None and stands_in_contract(finding):
        return service_of(finding.reached_from.path, report.services)
    return service


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
