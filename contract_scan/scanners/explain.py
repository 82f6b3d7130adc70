"""What is known of one thing that somebody asks about, with the way there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from contract_scan.errors import UsageError
from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.promise import Promise
from contract_scan.ir.reasons import OTHER_ADVICE, advice_about
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.pairing.models import spellings
from contract_scan.scanners.pairing.paths import segments
from contract_scan.scanners.provenance import (
    Provenance,
    ProvenanceStep,
    operation_step,
    route_step,
    trail_of,
    use_step,
)
from contract_scan.scanners.report import Report
from contract_scan.scanners.rule import PairedUnit

NEAREST = 3
"""How many things that came near are named."""
_LIKE = 0.5
"""Share of letters in common from which a path counts as near."""
_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?::\d+)?")
_FINGERPRINT = re.compile(r"(v\d+:)?[0-9a-f]{4,32}(:\d+)?")


class Entry(Struct, frozen=True, kw_only=True):
    """One finding, or one thing that is undetermined, with the way there."""

    entry: Finding | Undetermined
    trail: Provenance
    advice: str = ""
    """What can be done about something that is undetermined."""
    near: tuple[ProvenanceStep, ...] = ()
    """For a route that is in no contract: the contracted operations that are most like it."""


class Subject(Struct, frozen=True, kw_only=True):
    """A promise that was asked about."""

    promise: Promise
    near: tuple[ProvenanceStep, ...] = ()
    """Where it is missing: what came nearest."""
    looked_for: tuple[str, ...] = ()
    """Where it is missing: what was looked for."""
    trail: Provenance = Provenance()
    """Where it is there: the way to it."""


class Explanation(Struct, frozen=True, kw_only=True):
    """Everything that is known of what was asked about."""

    subjects: tuple[Subject, ...] = ()
    entries: tuple[Entry, ...] = ()


def explain(what: str, report: Report, units: Sequence[PairedUnit]) -> Explanation:
    """What a report says of a fingerprint, a place (`path:line`), an operation (`GET /orders`), a
    channel or a model, and how it came to say so.

    Raises UsageError where there is no such thing, with what it may have been meant to be.
    """
    place = _PLACE.fullmatch(what)
    if _FINGERPRINT.fullmatch(what):
        findings = _of_fingerprint(what, report)
        return _explanation(lambda said: said in findings, lambda promise: False, report, units)
    if place is not None:
        at = (place["path"], int(place["line"]))
        found = _explanation(
            lambda said: any(map(_covers_line(at), _origins(said))),
            lambda promise: any(
                map(_covers_line(at), (promise.origin, *_origins_of_parts(promise)))
            ),
            report,
            units,
        )
        if not found.entries and not found.subjects:
            raise UsageError(
                f"nothing is found, missing or contracted on this line{_lines(at, report)}", *at
            )
        return found
    return _of_promise(what, report, units)


def _explanation(
    wanted: Callable[[Finding | Undetermined], bool],
    asked: Callable[[Promise], bool],
    report: Report,
    units: Sequence[PairedUnit],
) -> Explanation:
    every: list[Finding | Undetermined] = [*report.findings, *report.undetermined]
    said = [each for each in every if wanted(each)]
    return Explanation(
        subjects=tuple(_subject(each, units) for each in report.promises if asked(each)),
        entries=tuple(
            Entry(
                entry=each,
                trail=trail_of(each, units),
                advice=(advice_about(each.code) or OTHER_ADVICE)
                if isinstance(each, Undetermined)
                else "",
                near=_near_operations(each, units),
            )
            for each in said
        ),
    )


def _lines(at: tuple[str, int], report: Report) -> str:
    """Which lines of the file one can ask about, those next to the one that was named."""
    path, line = at
    every: list[Finding | Undetermined] = [*report.findings, *report.undetermined]
    places = [place for said in every for place in _origins(said)]
    places += [
        o for promise in report.promises for o in (promise.origin, *_origins_of_parts(promise))
    ]
    known = {place.span.line for place in places if place.path == path and place.span.line}
    nearest = sorted(sorted(known, key=lambda each: (abs(each - line), each))[:NEAREST])
    if not nearest:
        return ", nor anywhere in the file"
    return f"; the nearest are {', '.join(map(str, nearest))}"


# ---------------------------------------------------------------------- what is asked about


def _of_fingerprint(what: str, report: Report) -> list[Finding]:
    prefix = what if what.startswith("v") else f"v1:{what}"
    exact = [finding for finding in report.findings if finding.fingerprint == prefix]
    found = exact or [f for f in report.findings if f.fingerprint.startswith(prefix)]
    if not found:
        raise UsageError(
            f"no finding has the fingerprint `{what}`: it may be mended, or ignored by a comment"
        )
    digests = {finding.fingerprint.split(":")[1] for finding in found}
    if len(digests) > 1:
        raise UsageError(f"{len(found)} findings have a fingerprint that begins with `{what}`")
    return found


def _of_promise(what: str, report: Report, units: Sequence[PairedUnit]) -> Explanation:
    names = {promise.name for promise in report.promises if _is_named(what, promise)}
    undocumented = [
        finding
        for finding in report.findings
        if _subject_name(finding) is not None and _same_name(what, _subject_name(finding) or "")
    ]
    if not names and not undocumented:
        raise UsageError(f"no contract has `{what}`{_suggestion(what, report)}")
    return _explanation(
        lambda said: _subject_name(said) in names or said in undocumented,
        lambda promise: promise.name in names,
        report,
        units,
    )


def _is_named(what: str, promise: Promise) -> bool:
    return _same_name(what, promise.name)


def _same_name(what: str, name: str) -> bool:
    """Whether two names are the same: methods in any case, parameters by any name."""
    asked, given = what.split(" ", 1), name.split(" ", 1)
    if len(asked) == 2 and len(given) == 2:
        method = asked[0].upper() == given[0].upper()
        return method and segments(asked[1]) == segments(given[1])
    return what == name


def _subject_name(said: Finding | Undetermined) -> str | None:
    if said.operation is not None:
        return f"{said.operation.method} {said.operation.path}"
    return said.channel if said.channel is not None else said.model


def _suggestion(what: str, report: Report) -> str:
    import difflib

    known = sorted({promise.name for promise in report.promises})
    close = difflib.get_close_matches(what, known, n=1)
    if close:
        return f"; did you mean `{close[0]}`?"
    if " " not in what:
        return "; WHAT is a fingerprint, a place (`path:line`), `METHOD /path`, a channel or model"
    return ""


def _origins(said: Finding | Undetermined) -> list[Origin]:
    places = [said.origin]
    if isinstance(said, Finding):
        places += [place for place in (said.contract, said.reached_from) if place is not None]
    return places


def _origins_of_parts(promise: Promise) -> list[Origin]:
    return [part.origin for part in promise.parts]


def _covers_line(at: tuple[str, int]) -> Callable[[Origin], bool]:
    path, line = at
    return lambda origin: (
        origin.path == path
        and (origin.span.line <= line <= max(origin.span.line, _last_line(origin)))
    )


def _last_line(origin: Origin) -> int:
    """The last line with text of a place; one that ends before the first column of a line does not
    reach into it."""
    span = origin.span
    return span.end_line if span.end_column > 1 else span.end_line - 1


# ---------------------------------------------------------------------- what is missing


def _subject(promise: Promise, units: Sequence[PairedUnit]) -> Subject:
    if promise.sort == "operation":
        for paired in units:
            for pair in paired.operations.pairs:
                name = f"{pair.contract.method} {pair.contract.path}"
                if name == promise.name and pair.document.path == promise.contract:
                    steps = tuple(map(route_step, pair.routes))
                    return Subject(promise=promise, trail=Provenance(code=steps))
        return Subject(promise=promise, near=_near_routes(promise, units))
    if promise.sort == "channel":
        for paired in units:
            for used in paired.channels.pairs:
                same = used.document.path == promise.contract
                if same and used.channel.key == promise.name and used.uses:
                    steps = tuple(map(use_step, used.uses))
                    return Subject(promise=promise, trail=Provenance(code=steps))
        return Subject(promise=promise, near=_near_uses(promise, units))
    parts = tuple(ProvenanceStep("type in code", part.origin) for part in promise.parts)
    looked_for = () if parts else spellings(promise.name)
    return Subject(promise=promise, trail=Provenance(code=parts), looked_for=looked_for)


def _near_routes(promise: Promise, units: Sequence[PairedUnit]) -> tuple[ProvenanceStep, ...]:
    """The routes that are most like an operation that none answers."""
    method, _, path = promise.name.partition(" ")
    ranked: list[tuple[float, Operation]] = []
    for paired in units:
        if paired.unit.name != promise.service:
            continue
        for route in paired.unit.code.operations:
            likeness = _path_similarity(segments(path), segments(route.path))
            if likeness >= _LIKE:
                bonus = 0.1 if route.method in (method, "*") else 0.0
                ranked.append((likeness + bonus, route))
    ranked.sort(key=lambda each: -each[0])
    return tuple(
        ProvenanceStep(f"{step.words}{_undetermined_suffix(route)}", step.origin)
        for _, route in ranked[:NEAREST]
        for step in [route_step(route)]
    )


def _near_operations(
    said: Finding | Undetermined, units: Sequence[PairedUnit]
) -> tuple[ProvenanceStep, ...]:
    """The contracted operations without a route that are most like a route without a contract."""
    asked = said.operation
    if asked is None or not isinstance(said, Finding) or said.kind != "undocumented-endpoint":
        return ()
    ranked: list[tuple[float, Operation]] = []
    for paired in units:
        if all(each.route.origin != said.origin for each in paired.operations.undocumented):
            continue
        for missing in paired.operations.missing:
            likeness = _path_similarity(segments(asked.path), segments(missing.contract.path))
            if likeness >= _LIKE:
                bonus = 0.1 if missing.contract.method == asked.method else 0.0
                ranked.append((likeness + bonus, missing.contract))
    ranked.sort(key=lambda each: -each[0])
    return tuple(operation_step(operation) for _, operation in ranked[:NEAREST])


def _undetermined_suffix(route: Operation) -> str:
    return f": {route.unresolved}" if route.unresolved else ""


def _near_uses(promise: Promise, units: Sequence[PairedUnit]) -> tuple[ProvenanceStep, ...]:
    ranked = []
    for paired in units:
        addresses = {
            pair.channel.key: pair.channel.address or pair.channel.key
            for pair in paired.channels.pairs
        }
        address = addresses.get(promise.name)
        if address is None:
            continue
        for use in paired.unit.code.events:
            likeness = _path_similarity(tuple(address), tuple(use.address))
            if likeness >= _LIKE:
                ranked.append((likeness, use))
    ranked.sort(key=lambda each: -each[0])
    return tuple(use_step(use) for _, use in ranked[:NEAREST])


def _path_similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """How much of two paths is the same, between 0 and 1, letter by letter."""
    import difflib

    return difflib.SequenceMatcher(None, "/".join(one), "/".join(other), autojunk=False).ratio()
