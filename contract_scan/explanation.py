"""What is known of one thing, and how that is drawn: what was asked about, then the way to it on
both sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import assert_never

from contract_scan.api import open_code
from contract_scan.applied_suppressions import with_suppressed
from contract_scan.cache import Place
from contract_scan.config import Config
from contract_scan.config.rules import kinds_named, rules_of
from contract_scan.ir.origin import Origin
from contract_scan.ir.promise import Promise
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.reports.display import display
from contract_scan.reports.grades import MEANING
from contract_scan.reports.paint import BOLD, YELLOW, Paint, severity_color
from contract_scan.reports.place import place_text, subject
from contract_scan.reports.report import Setting
from contract_scan.scanners.explain import Entry, Explanation, Subject, explain
from contract_scan.scanners.provenance import ProvenanceStep

_STATES = {
    "verified": "everything it says was compared, and holds",
    "partly": "it holds, but for fields that are undetermined or have a warning",
    "violated": "the code breaks it",
    "missing": "nothing in the code keeps it",
    "undetermined": "nothing is known to be broken, and something is undetermined",
    "absent": "no type in the code stands for it",
}
_EXCEPTIONS = {
    "invalid-ignore": "this comment",
    "unused-ignore": "this comment",
    "unused-exception": "this exception",
    "expired-exception": "this exception",
    "stale-baseline": "this entry of the baseline",
}
"""What findings are about that are neither about code nor about a contract."""


def explanation_of(
    what: str,
    root: Path,
    *,
    contracts: Sequence[Path | dict[str, object]] = (),
    select: Collection[str],
    config: Config | None = None,
    cache: Place = True,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> Explanation:
    """What is known of a fingerprint, a place (`path:line`, as seen from `root`), an operation, a
    channel or a model of the code below `root`. Arguments as for `contract_scan.api.scan`.

    Raises UsageError where there is no such thing.
    """
    config = config or Config()
    with open_code(root, config=config, cache=cache) as code:
        kinds = kinds_named(select)
        report, _ = code.compare(contracts, rules_of(kinds), jobs=jobs, progress=progress)
        report = with_suppressed(report, root, config, kinds, complete=not contracts)
        return explain(what, report, code.pair(contracts))


def render(found: Explanation, setting: Setting) -> Iterator[str]:
    """The explanation as text, in paragraphs."""
    paint = Paint(setting.color)
    paragraphs = [_subject(each, setting, paint) for each in found.subjects]
    paragraphs += [_entry(each, setting, paint) for each in found.entries]
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield "\n"
        yield from paragraph


def _subject(asked: Subject, setting: Setting, paint: Paint) -> Iterator[str]:
    promise = asked.promise
    heading = f"{promise.sort} {promise.name}"
    yield f"{paint(display(heading), BOLD)}: {promise.state}, {_STATES[promise.state]}\n"
    yield from _provenance_lines(
        "The contract says", (ProvenanceStep(_promise_text(promise), promise.origin),), setting
    )
    if asked.trail.code:
        yield from _provenance_lines("The code has", asked.trail.code, setting)
    elif asked.near:
        yield from _provenance_lines("Nothing in the code is it; nearest come", asked.near, setting)
    elif promise.sort == "model" and promise.state not in ("missing", "absent"):
        yield "  No type in the code is called so.\n"
    else:
        yield "  Nothing in the code comes near it.\n"
    if asked.looked_for:
        yield f"  Looked for a type called {display(', '.join(asked.looked_for))}.\n"


def _promise_text(promise: Promise) -> str:
    whose = f", held against the service `{promise.service}`" if promise.service else ""
    return f"{promise.sort} `{promise.name}`{whose}"


def _entry(entry: Entry, setting: Setting, paint: Paint) -> Iterator[str]:
    said = entry.entry
    match said:
        case Finding():
            color = severity_color(said.severity)
            rule = f"{paint(said.name, BOLD, color)} {paint(f'[{said.severity}]', color)}"
            yield f"{rule} {display(said.message)}\n"
            contract = said.contract
        case Undetermined():
            label = paint("undetermined", BOLD, YELLOW)
            yield f"{said.rule} {label} {subject(said)}: {display(said.reason)}\n"
            contract = None
        case _:
            assert_never(said)
    if isinstance(said, Finding) and said.kind in _EXCEPTIONS:
        yield from _provenance_lines(
            "It is about", (ProvenanceStep(_EXCEPTIONS[said.kind], said.origin),), setting
        )
        yield from _conclusion_lines(entry)
        return
    yield from _provenance_lines(
        "The contract says", _steps_until(entry.trail.contract, contract), setting
    )
    if said.origin != contract and not _is_at(entry.trail.contract, said.origin):
        steps = entry.trail.code
        if not (steps and _line(steps[-1].origin) == _line(said.origin)):
            found = f": {said.found}" if isinstance(said, Finding) and said.found else ""
            steps = (*steps, ProvenanceStep(f"here{found}", said.origin))
        yield from _provenance_lines("The code does", steps, setting)
    elif entry.trail.code:
        yield from _provenance_lines("The code has", entry.trail.code, setting)
    yield from _provenance_lines("Contracted, and without a route, are", entry.near, setting)
    yield from _conclusion_lines(entry)


def _steps_until(
    steps: Sequence[ProvenanceStep], place: Origin | None
) -> tuple[ProvenanceStep, ...]:
    """The way to a place of a contract: as far as there, or with it at its end."""
    if place is None or not place.path:
        return tuple(steps)
    for number in range(len(steps), 0, -1):
        if _is_at(steps[number - 1 : number], place):
            return tuple(steps[:number])
    return (*steps, ProvenanceStep("here", place))


def _is_at(steps: Iterable[ProvenanceStep], place: Origin) -> bool:
    return any(_start(step.origin) == _start(place) for step in steps)


def _line(origin: Origin) -> tuple[str, int]:
    return origin.path, origin.span.line


def _start(origin: Origin) -> tuple[str, int, int]:
    return origin.path, origin.span.line, origin.span.column


def _without_repetition(steps: Sequence[ProvenanceStep]) -> Iterator[ProvenanceStep]:
    """The way without stops at the place where one already is, where they only name it again."""
    last: ProvenanceStep | None = None
    for step in steps:
        named = step.words.removeprefix("type ")
        if last is None or _start(last.origin) != _start(step.origin) or named not in last.words:
            yield step
        last = step


def _provenance_lines(
    heading: str, steps: Sequence[ProvenanceStep], setting: Setting
) -> Iterator[str]:
    if not steps:
        return
    yield f"  {heading}\n"
    for number, step in enumerate(_without_repetition(steps), 1):
        place = place_text(step.origin, setting) if step.origin.path else "in no file"
        yield f"    {number}. {display(step.words)}\n       {place}\n"


def _conclusion_lines(entry: Entry) -> Iterator[str]:
    said = entry.entry
    if isinstance(said, Undetermined):
        yield "  What you can do\n"
        yield f"    {display(entry.advice)}\n"
        return
    yield "  Therefore\n"
    if said.expected:
        yield f"    expected: {display(said.expected)}\n"
    if said.found:
        yield f"    found:    {display(said.found)}\n"
    yield f"    evidence: {said.evidence}: {MEANING[said.evidence]}\n"
    if said.help:
        yield f"    help:     {display(said.help)}\n"
    pointer = said.contract.pointer if said.contract is not None else ""
    if pointer:
        yield f"    contract: #{display(pointer)}\n"
    yield f"    known as: {display(said.fingerprint)}\n"
    yield f"    the rule: contract-scan rule {said.name}\n"
