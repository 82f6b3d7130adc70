"""Reports for people: `full` with code frames, `concise` with one line an entry."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.problem import Problem, ProblemGroup
from contract_scan.ir.violation import Finding
from contract_scan.reports.display import display
from contract_scan.reports.finding_frames import frames_of, frames_of_problem, stands_in_contract
from contract_scan.reports.frames import Frame, frame_rows
from contract_scan.reports.grades import MEANING
from contract_scan.reports.lines import Lines
from contract_scan.reports.listed import (
    NAMED,
    affected_text,
    counts_by_kind,
    fields,
    listed_groups,
    listed_places,
    short_reach,
)
from contract_scan.reports.paint import BLUE, BOLD, Paint, severity_color, terminal_link
from contract_scan.reports.place import linked_place, place_text, way_to
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.rule_url import rule_url
from contract_scan.reports.summary_text import FIXABLE, is_offered, summary

FRAMED = 10
"""Problems that are shown with their code; of the rest it would be too much to read."""
SHOWN = 5
"""Further problems of one entry that are listed unless more is asked for."""


def full(report: Report, setting: Setting) -> Iterator[str]:
    """Every problem once, the worst with the code and the contract line it breaks, then the
    summary."""
    paint = Paint(setting.color)
    lines = Lines(setting.root)
    if setting.statistics:
        yield from statistics(report)
    elif "places" in setting.show:
        for finding in listed_places(report, setting):
            yield from _finding_lines(finding, lines, setting, paint)
            yield "\n"
    else:
        yield from _problems(report, lines, setting, paint)
    if not setting.quiet:
        yield from summary(report, setting, paint)


def concise(report: Report, setting: Setting) -> Iterator[str]:
    """`path:line:column: RULE/kind [severity] message`, then the summary."""
    paint = Paint(setting.color)
    if setting.statistics:
        yield from statistics(report)
    elif "places" in setting.show:
        for finding in listed_places(report, setting):
            place = paint(linked_place(finding.origin, setting), BOLD)
            yield f"{place}: {headline(finding, finding.message, paint, setting)}\n"
    else:
        for group in listed_groups(report, setting):
            place = paint(linked_place(group.first.places[0].origin, setting), BOLD)
            affected = short_reach(group)
            more = f" ({affected})" if affected else ""
            yield f"{place}: {headline(group.first, group.title, paint, setting)}{more}\n"
    if not setting.quiet:
        yield from summary(report, setting, paint)


def headline(
    item: Finding | Problem, text: str, paint: Paint, setting: Setting, *, fixable: bool = False
) -> str:
    """`RULE/kind [severity] text`, the rule in the colour of the severity."""
    color = severity_color(item.severity)
    rule = terminal_link(paint(item.name, BOLD, color), rule_url(item.name), shown=setting.links)
    mark = f"{FIXABLE} " if fixable else ""
    return f"{rule} {paint(f'[{item.severity}]', color)} {mark}{display(text)}"


def _problems(report: Report, lines: Lines, setting: Setting, paint: Paint) -> Iterator[str]:
    """The first with their code, of the rest the place alone."""
    groups = listed_groups(report, setting)
    framed = len(groups) if setting.verbose else FRAMED
    for group in groups[:framed]:
        yield from _problem_lines(group, lines, setting, paint)
        yield "\n"
    for group in groups[framed:]:
        problem = group.first
        offered = _is_offered(group, setting)
        yield headline(problem, group.title, paint, setting, fixable=offered) + "\n"
        affected = short_reach(group)
        more = f"; {affected}" if affected else ""
        arrow = paint("-->", BLUE)
        yield f"  {arrow} {linked_place(problem.places[0].origin, setting)}{more}\n"
    if groups[framed:]:
        yield "\n"


def _is_offered(group: ProblemGroup, setting: Setting) -> bool:
    """Whether `--fix` would mend any place of problems."""
    return any(is_offered(place, setting) for each in group.problems for place in each.places)


def _problem_lines(
    group: ProblemGroup, lines: Lines, setting: Setting, paint: Paint
) -> Iterator[str]:
    problem = group.first
    offered = _is_offered(group, setting)
    yield headline(problem, group.title, paint, setting, fixable=offered) + "\n"
    notes = list(_notes_of_group(group, setting))
    yield from _frame_lines(
        frames_of_problem(problem), problem.places[0], notes, lines, setting, paint
    )


def _finding_lines(finding: Finding, lines: Lines, setting: Setting, paint: Paint) -> Iterator[str]:
    offered = is_offered(finding, setting)
    yield headline(finding, finding.message, paint, setting, fixable=offered) + "\n"
    notes = list(_notes(finding, setting))
    yield from _frame_lines(frames_of(finding), finding, notes, lines, setting, paint)


def _frame_lines(
    frames: list[Frame],
    finding: Finding,
    notes: list[tuple[str, str]],
    lines: Lines,
    setting: Setting,
    paint: Paint,
) -> Iterator[str]:
    """Frames and the notes below them."""
    gutter = max((len(str(frame.origin.span.line)) for frame in frames), default=1)
    columns = setting.columns - gutter - len(" | ")
    drawn = [(frame, list(frame_rows(frame, lines, columns))) for frame in frames]
    edge = " " * gutter + paint(" |", BLUE)
    for frame, found in drawn:
        arrow = paint(frame.arrow.rjust(gutter + 3), BLUE)
        yield f"{arrow} {linked_place(frame.origin, setting)}\n"
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
    for word, text in notes:
        yield f"{indent} {equals} {paint(word, BOLD)} {text}\n"


def _notes_of_group(group: ProblemGroup, setting: Setting) -> Iterator[tuple[str, str]]:
    problem = group.first
    named = 1_000 if setting.verbose else NAMED
    if listed := fields(problem, named=1_000 if setting.verbose else 8):
        yield "fields:", listed
    if affected := affected_text(group, named=named):
        yield "affects:", affected
    more = group.problems[1:]
    shown = more if setting.verbose or len(more) <= SHOWN else more[: SHOWN - 1]
    alike = [
        f"{display(each.code_type or ', '.join(each.operations[:1]))} at "
        f"{place_text(each.places[0].origin, setting)}"
        for each in shown
    ]
    for place in dict.fromkeys(alike):
        yield "so too:", place
    if len(shown) < len(more):
        yield "so too:", f"{len(more) - len(shown)} more (shown with --verbose)"
    yield from _notes(problem.places[0], setting, several=len(problem.places) > 1)


def _notes(
    finding: Finding, setting: Setting, *, several: bool = False
) -> Iterator[tuple[str, str]]:
    if finding.help:
        yield "help:", display(finding.help)
    if finding.evidence in ("declared", "guessed"):
        yield "note:", f"evidence: {MEANING[finding.evidence]}"
    if finding.scopes and not finding.rule.startswith("SCOPE"):
        names = ", ".join(f"`{display(name)}`" for name in finding.scopes)
        yield "scope:", names
    if not several:
        yield from _provenance_notes(finding, setting)
    yield "rule:", rule_url(finding.name)


def _provenance_notes(finding: Finding, setting: Setting) -> Iterator[tuple[str, str]]:
    """What leads to a finding, in the code and in the contract."""
    if not stands_in_contract(finding) and (way := way_to(finding)) is not None:
        yield "note:", f"reached from {place_text(way, setting)}"
    pointer = finding.contract.pointer if finding.contract else finding.origin.pointer
    if pointer:
        yield "note:", f"contract pointer #{display(pointer)}"


def statistics(report: Report) -> Iterator[str]:
    """How many problems and places there are of each kind: "3 in 12  CONTRACT-001/type"."""
    counts = counts_by_kind(report)
    digits = max((len(str(each.places)) for each in counts), default=1)
    for each in counts:
        yield f"{each.problems:>{digits}} in {each.places:>{digits}}  {each.name}\n"
    if counts:
        yield "\n"
