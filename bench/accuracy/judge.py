"""What a scan of a mutant is worth: found, missed, blind, rightly silent; exact or with noise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from bench.accuracy.mutant import Expected, Mutant
from bench.accuracy.run import Found, Said, plain_subject

Verdict: TypeAlias = Literal["found", "missed", "unsure", "absent", "perhaps", "blind"]
"""`found`: a finding of an expected kind at an expected place. `blind`: the scan of the unchanged
contract said already that it cannot tell all of that endpoint, that it is missing, or that this
very place is wrong. `absent`: the code lacks an optional part of the payload, or the whole shared
model, so that the change breaks nothing. `perhaps`: nothing was said, and the code may conform.
`unsure`: nothing was found, but the scan says that it cannot tell, which it could before.
`missed`: nothing was said."""

_NOT_THERE = frozenset({"missing-endpoint", "missing-channel", "missing-model"})
_LAST_NAME = re.compile(r"[^.\[\]{}]+(?=[\[\]{}]*$)")


class Outcome(NamedTuple):
    """What became of one expectation of one mutant."""

    operator: str
    verdict: Verdict
    expected: Expected


def judge(
    mutant: Mutant, said: Said, new: list[Found], baseline: Said, names: dict[str, str]
) -> Iterator[Outcome]:
    """What became of each expectation of a mutant. `new` are the findings that the unchanged
    contract does not give; `names` maps addresses of channels to their keys."""
    missing = {f.subject for f in baseline.findings if f.kind in _NOT_THERE}
    unseen = baseline.undetermined | {f.subject for f in baseline.findings if f.kind == "method"}
    for expected in mutant.expected:
        subject = plain_subject(expected.subject)
        # What has no code shows neither a payload nor that a contract does not know it.
        needs_code = expected.kinds.isdisjoint({"missing-endpoint", "missing-channel"})
        blind = {names.get(name, name) for name in unseen | (missing if needs_code else set())}
        verdict: Verdict
        if any(_hits(found, expected, names) for found in new):
            verdict = "found"
        elif subject in baseline.absent:
            verdict = "absent"
        elif names.get(subject, subject) in blind or _masked(expected, subject, baseline):
            verdict = "blind"
        elif mutant.conditional:
            verdict = "perhaps"
        else:
            told = {names.get(name, name) for name in said.undetermined}
            verdict = "unsure" if names.get(subject, subject) in told else "missed"
        yield Outcome(mutant.operator, verdict, expected)


def _masked(expected: Expected, subject: str, baseline: Said) -> bool:
    """Whether the unchanged contract differs there already, so that nothing below is compared, or
    the mutant happens to mend it."""
    return any(
        found.subject == subject
        and (
            (
                found.kind in ("shape", "type", "missing-field", "name-case")
                and any(_within(field, found.field) for field in expected.fields)
            )
            or (found.kind in expected.kinds and found.field in expected.fields)
        )
        for found in baseline.findings
        if found.rule == expected.rule
    )


def _within(field: str, outer: str) -> bool:
    """Whether a wire path is another one or lies below it."""
    return field == outer or not outer or field.startswith((outer + ".", outer + "[", outer + "{"))


def _hits(found: Found, expected: Expected, names: dict[str, str]) -> bool:
    subject = plain_subject(expected.subject)
    same = names.get(found.subject, found.subject) == names.get(subject, subject)
    # An undocumented endpoint is named as the code spells it, and some routers ignore case.
    if found.rule == "CONTRACT-002":
        same = same or found.subject.casefold() == subject.casefold()
    instead = expected.instead and found.subject in (expected.instead, plain_subject(subject))
    if found.rule != expected.rule or found.kind not in expected.kinds or not (same or instead):
        return False
    if expected.below:
        return any(_within(found.field, field) for field in expected.fields)
    return found.field in expected.fields


def belongs(found: Found, mutant: Mutant, names: dict[str, str] | None = None) -> bool:
    """Whether a new finding is about what was changed: the same endpoint or channel, and the
    changed property (anything there, where the whole payload or endpoint was changed)."""
    if not mutant.expected:
        return False
    if found.rule not in {expected.rule for expected in mutant.expected}:
        return False
    about = {_folded(subject) for subject in _subjects(mutant, names or {})}
    anywhere = mutant.anywhere or found.rule == "CONTRACT-004"
    if not anywhere and _folded(found.subject) not in about:
        return False
    if not mutant.names:
        return True
    last = _LAST_NAME.search(found.field)
    named = last is not None and _plain(last[0]) in map(_plain, mutant.names)
    return named or _below_a_changed_shape(found, mutant)


def _plain(name: str) -> str:
    """Without the case style: the code may write the name in another one."""
    return re.sub(r"[\W_]", "", name).casefold()


def _below_a_changed_shape(found: Found, mutant: Mutant) -> bool:
    """Whether a finding is about what lies in a property that was made another shape: where the
    code has the new one by chance, its parts are compared for the first time."""
    return any(
        _within(found.field, field)
        for expected in mutant.expected
        if "shape" in expected.kinds
        for field in expected.fields
        if field
    )


def _folded(subject: str) -> str:
    """Without case, parameters and a slash at the end: code may have an address with one that the
    contract has not."""
    return subject.casefold().replace("/{}", "").rstrip("/")


def _subjects(mutant: Mutant, names: dict[str, str]) -> set[str]:
    said = {expected.subject for expected in mutant.expected} | mutant.also
    said |= {expected.instead for expected in mutant.expected if expected.instead}
    plain = {plain_subject(subject) for subject in said}
    return plain | {address for address, key in names.items() if key in plain}
