"""Counting what a scan said of mutants: found, missed, blind, false alarms."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.accuracy.contract_text import Json, load, references, save
from bench.accuracy.mutate import Expected, Mutant
from bench.accuracy.mutate_operations import mutants
from bench.accuracy.rescan import rescanning
from bench.accuracy.run import Found, Pair, Said, plain_subject

_LAST_NAME = re.compile(r"[^.\[\]{}]+(?=[\[\]{}]*$)")


class Outcome(NamedTuple):
    """What became of one expectation of one mutant."""

    operator: str
    verdict: str
    """`found`, `missed`, `blind`, or `perhaps` (missed, where the code may well conform)."""
    expected: Expected


class Score(NamedTuple):
    """The score of one pair."""

    outcomes: tuple[Outcome, ...]
    mutants: int
    controls: int
    alarms: tuple[tuple[str, Found], ...]
    """Findings that belong to no change: (operator, finding)."""

    def count(self, verdict: str) -> int:
        """How many outcomes have a verdict."""
        return sum(outcome.verdict == verdict for outcome in self.outcomes)


def score(pair: Pair, count: int, seed: int) -> Score:
    """Scan every mutant of the pair's contract and compare with the scan of the contract itself."""
    document = load(pair.contract)
    names = _channel_names(document)
    outcomes: list[Outcome] = []
    alarms: list[tuple[str, Found]] = []
    made = Counter[bool]()
    root = pair.source if pair.source.is_dir() else pair.source.parent
    with tempfile.TemporaryDirectory() as folder, rescanning(root) as rescan:
        for path in references(document):
            if (pair.contract.parent / path).is_file():
                shutil.copy(pair.contract.parent / path, folder)
        baseline = rescan(pair.contract)
        file = Path(folder) / "contract.json"
        for mutant in mutants(document, count, seed):
            save(mutant.document, file)
            new = _minus(rescan(file).findings, baseline.findings)
            made[bool(mutant.expected)] += 1
            outcomes += judge(mutant, new, baseline, names)
            alarms += [(mutant.operator, found) for found in new if not belongs(found, mutant)]
    return Score(tuple(outcomes), made[True], made[False], tuple(alarms))


def _channel_names(document: Json) -> dict[str, str]:
    """Address of every channel -> its key."""
    return {
        channel["address"]: key
        for key, channel in (document.get("channels") or {}).items()
        if isinstance(channel, dict) and isinstance(channel.get("address"), str)
    }


def _minus(found: tuple[Found, ...], known: tuple[Found, ...]) -> list[Found]:
    return list((Counter(found) - Counter(known)).elements())


def judge(
    mutant: Mutant, new: list[Found], baseline: Said, names: dict[str, str]
) -> Iterator[Outcome]:
    """What became of each expectation of a mutant. `new` are the findings that the unchanged
    contract does not give; `names` maps addresses of channels to their keys."""
    missing = {f.subject for f in baseline.findings if f.kind.startswith("missing-")}
    unseen = baseline.undetermined | {f.subject for f in baseline.findings if f.kind == "method"}
    blind = {names.get(name, name) for name in unseen | (missing if mutant.names else set())}
    for expected in mutant.expected:
        subject = plain_subject(expected.subject)
        if any(_hits(found, expected, subject, names) for found in new):
            verdict = "found"
        elif names.get(subject, subject) in blind or _masked(expected, subject, baseline):
            verdict = "blind"
        else:
            verdict = "perhaps" if mutant.conditional else "missed"
        yield Outcome(mutant.operator, verdict, expected)


def _masked(expected: Expected, subject: str, baseline: Said) -> bool:
    """Whether the unchanged contract differs there already, so that nothing below is compared, or
    the mutant happens to mend it."""
    return any(
        found.subject == subject
        and found.kind in ("shape", "type", "missing-field")
        and any(field.startswith(found.field) for field in expected.fields)
        for found in baseline.findings
    )


def _hits(found: Found, expected: Expected, subject: str, names: dict[str, str]) -> bool:
    return (
        found.rule == expected.rule
        and found.kind in expected.kinds
        and found.field in expected.fields
        and names.get(found.subject, found.subject) == names.get(subject, subject)
    )


def belongs(found: Found, mutant: Mutant) -> bool:
    """Whether a new finding is about what was changed, wherever the change shows."""
    if not mutant.expected:
        return False
    if not mutant.names:
        return found.rule in {expected.rule for expected in mutant.expected}
    last = _LAST_NAME.search(found.field)
    return last is not None and last[0] in mutant.names
