"""Reports for people: `full` with code frames, `concise` with one line a finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from contract_scan.ir.violation import Finding
from contract_scan.reports.display import display
from contract_scan.reports.finding_frames import frames_of, stands_in_contract
from contract_scan.reports.frames import rows
from contract_scan.reports.grades import MEANING
from contract_scan.reports.lines import Lines
from contract_scan.reports.order import in_order
from contract_scan.reports.paint import BLUE, BOLD, Paint, severity_color
from contract_scan.reports.place import subject, way_to, where
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.summary_text import FIXABLE, is_offered, summary

SHOWN = 5
"""Further findings of one place that are listed unless more is asked for."""


def full(report: Report, setting: Setting) -> Iterator[str]:
    """Every finding with the code and the contract line it breaks, then the summary."""
    paint = Paint(setting.color)
    lines = Lines(setting.root)
    if setting.statistics:
        yield from _statistics(report)
    else:
        for first, *more in _alike(in_order(report.findings)):
            yield from _finding(first, more, lines, setting, paint)
            yield "\n"
    if not setting.quiet:
        yield from summary(report, setting, paint)


def concise(report: Report, setting: Setting) -> Iterator[str]:
    """`path:line:column: RULE [severity] message`, then the summary."""
    paint = Paint(setting.color)
    if setting.statistics:
        yield from _statistics(report)
    else:
        for finding in in_order(report.findings):
            place = paint(where(finding.origin, setting), BOLD)
            yield f"{place}: {_headline(finding, paint)}\n"
    if not setting.quiet:
        yield from summary(report, setting, paint)


def _alike(findings: list[Finding]) -> Iterable[list[Finding]]:
    """Findings that show the same two lines and say the same of them, together: a type that ten
    endpoints send breaks ten promises, but one look at it is enough."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        contract = finding.contract
        shown = (
            (finding.rule, finding.kind, finding.severity),
            (finding.origin.path, finding.origin.span),
            (contract.path, contract.span) if contract else None,
            (finding.expected, finding.found, finding.help),
        )
        groups.setdefault(shown, []).append(finding)
    return groups.values()


def _headline(finding: Finding, paint: Paint, *, fixable: bool = False) -> str:
    color = severity_color(finding.severity)
    rule = paint(finding.rule, BOLD, color)
    mark = f"{FIXABLE} " if fixable else ""
    return f"{rule} {paint(f'[{finding.severity}]', color)} {mark}{display(finding.message)}"


def _finding(
    finding: Finding, alike: list[Finding], lines: Lines, setting: Setting, paint: Paint
) -> Iterator[str]:
    yield _headline(finding, paint, fixable=is_offered(finding, setting)) + "\n"
    frames = frames_of(finding)
    drawn = [(frame, list(rows(frame, lines))) for frame in frames]
    gutter = max(
        (len(str(row.number)) for _, found in drawn for row in found if row.number), default=1
    )
    edge = " " * gutter + paint(" |", BLUE)
    for frame, found in drawn:
        arrow = paint(frame.arrow.rjust(gutter + 3), BLUE)
        yield f"{arrow} {where(frame.origin, setting)}\n"
        if found:
            yield edge + "\n"
        for row in found:
            if row.number:
                number = paint(f"{row.number:>{gutter}} |", BLUE)
                yield f"{number} {row.text}".rstrip() + "\n"
            else:
                color = severity_color(finding.severity) if frame.mark == "^" else BLUE
                yield f"{edge} {row.text}{paint(row.mark, color)}\n"
        if found:
            yield edge + "\n"
    indent = " " * gutter
    equals = paint("=", BLUE)
    for word, text in _notes(finding, setting):
        yield f"{indent} {equals} {paint(word, BOLD)} {text}\n"
    start = f" {equals} {paint('note:', BOLD)} the same in"
    for text in _listed(alike, setting):
        yield f"{indent}{start} {text}\n"
        start = " " * 20


def _listed(alike: list[Finding], setting: Setting) -> Iterator[str]:
    """What further findings are about, as many as are wanted."""
    shown = alike if setting.verbose or len(alike) <= SHOWN else alike[: SHOWN - 1]
    yield from (subject(finding) for finding in shown)
    if len(shown) < len(alike):
        yield f"and {len(alike) - len(shown)} more (shown with --verbose)"


def _notes(finding: Finding, setting: Setting) -> Iterator[tuple[str, str]]:
    if finding.help:
        yield "help:", display(finding.help)
    if finding.evidence in ("declared", "guessed"):
        yield "note:", f"evidence: {MEANING[finding.evidence]}"
    if not stands_in_contract(finding) and (way := way_to(finding)) is not None:
        yield "note:", f"reached from {where(way, setting)}"
    pointer = finding.contract.pointer if finding.contract else finding.origin.pointer
    if pointer:
        yield "note:", f"contract pointer #{display(pointer)}"


def _statistics(report: Report) -> Iterator[str]:
    counted = Counter((finding.rule, finding.kind) for finding in report.findings)
    digits = max((len(str(number)) for number in counted.values()), default=1)
    for (rule, kind), number in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        yield f"{number:>{digits}}  {rule}  {kind}\n"
    if counted:
        yield "\n"
