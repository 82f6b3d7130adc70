"""Counting what a scan said of mutants, per operator."""

from __future__ import annotations

import copy
import re
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from bench.accuracy.contract_text import Json, at, inlined, kind_of, load, references, save
from bench.accuracy.judge import Outcome, Verdict, belongs, judge
from bench.accuracy.mutant import Mutant
from bench.accuracy.mutate import mutants
from bench.accuracy.rescan import Rescan, rescanning
from bench.accuracy.run import Found, Pair, Said, plain_subject
from bench.accuracy.sites import requests, sites

_PROPERTIES = re.compile(r"[^.\[\]{}]+")


class Tally(NamedTuple):
    """What one operator gave on one pair."""

    mutants: int
    outcomes: tuple[Outcome, ...]
    exact: int
    """Mutants of which nothing was reported but what was changed."""
    alarms: tuple[Found, ...]
    """New findings that belong to no change."""
    control: bool

    def count(self, *verdicts: Verdict) -> int:
        """How many expectations have one of these verdicts."""
        return sum(outcome.verdict in verdicts for outcome in self.outcomes)


class Score(NamedTuple):
    """The score of one pair."""

    operators: dict[str, Tally]
    seconds: float

    @property
    def outcomes(self) -> list[Outcome]:
        """All outcomes."""
        return [outcome for tally in self.operators.values() for outcome in tally.outcomes]

    @property
    def alarms(self) -> list[tuple[str, Found]]:
        """All false alarms: (operator, finding)."""
        return [(name, found) for name, tally in self.operators.items() for found in tally.alarms]

    def count(self, *verdicts: Verdict) -> int:
        """How many expectations have one of these verdicts."""
        return sum(tally.count(*verdicts) for tally in self.operators.values())


class Judged(NamedTuple):
    """One mutant with what was said of it."""

    mutant: Mutant
    outcomes: tuple[Outcome, ...]
    alarms: tuple[Found, ...]


def tallies(judged: Iterable[Judged]) -> dict[str, Tally]:
    """Count per operator."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        groups[each.mutant.operator].append(each)
    return {
        operator: Tally(
            len(group),
            tuple(outcome for each in group for outcome in each.outcomes),
            sum(not each.alarms for each in group),
            tuple(alarm for each in group for alarm in each.alarms),
            all(not each.mutant.expected for each in group),
        )
        for operator, group in groups.items()
    }


def numbered(document: Json, count: int, seed: int) -> list[tuple[str, Mutant]]:
    """The mutants of a contract with their names: the same for the same count and seed."""
    return [(f"m{index:04}", mutant) for index, mutant in enumerate(mutants(document, count, seed))]


def score(
    pair: Pair, count: int, seed: int, said_of: Callable[[str], Said | None] | None = None
) -> Score:
    """Scan every mutant of the pair's contract and compare with the scan of the contract itself.

    With `said_of`, the scans are those of another tool: mutant's name (`baseline` for the contract
    itself) -> what it said, None for a mutant that it was not given.
    """
    document = load(pair.contract)
    names = channel_names(document)
    started = time.process_time()
    root = pair.source if pair.source.is_dir() else pair.source.parent
    judged = []
    with tempfile.TemporaryDirectory() as folder, rescanning(root) as rescan:
        # Types that were generated say by what name.
        file = Path(folder) / f"{pair.contract.stem}.json"
        copy_references(pair.contract, document, Path(folder))
        # Where a contract lies may say which code it is about: all are read from the same place.
        save(document, file)
        ours = rescan(file)
        baseline = ours if said_of is None else said_of("baseline") or Said((), frozenset())
        for name, mutant in numbered(document, count, seed):
            save(mutant.document, file)
            said = rescan(file) if said_of is None else said_of(name)
            if said is None:
                continue
            each = judged_mutant(mutant, said, baseline, names)
            outcomes = tuple(
                outcome._replace(verdict="absent")
                if outcome.verdict in ("missed", "unsure")
                and lacks(rescan, document, outcome, ours, file)
                else outcome
                for outcome in each.outcomes
            )
            judged.append(each._replace(outcomes=outcomes))
    return Score(tallies(judged), time.process_time() - started)


def judged_mutant(mutant: Mutant, said: Said, baseline: Said, names: dict[str, str]) -> Judged:
    """What was said of one mutant, judged."""
    new = minus(said.findings, baseline.findings)
    outcomes = tuple(judge(mutant, said, new, baseline, names))
    return Judged(
        mutant, outcomes, tuple(found for found in new if not belongs(found, mutant, names))
    )


def copy_references(contract: Path, document: Json, folder: Path) -> None:
    """Put the files that a contract refers to beside its mutants."""
    for path in references(document):
        if (contract.parent / path).is_file():
            shutil.copy(contract.parent / path, folder)


def channel_names(document: Json) -> dict[str, str]:
    """Address of every channel -> its key."""
    return {
        channel["address"]: key
        for key, channel in (document.get("channels") or {}).items()
        if isinstance(channel, dict) and isinstance(channel.get("address"), str)
    }


def minus(found: tuple[Found, ...], known: tuple[Found, ...]) -> list[Found]:
    """The findings that are not known."""
    return list((Counter(found) - Counter(known)).elements())


def lacks(rescan: Rescan, document: Json, outcome: Outcome, baseline: Said, file: Path) -> bool:
    """Whether the code lacks the place of an expectation, or a part around it: the contract is made
    to require all of them, and the scan then says that one is missing. So a scan can only be
    excused for what it has seen."""
    expected = outcome.expected
    roots = list(requests(document)) if outcome.operator.startswith("request_") else None
    by_wire = {
        (use.subject, use.wire): (site, use) for site in sites(document, roots) for use in site.uses
    }
    changed = copy.deepcopy(document)
    wanted: set[str] = set()
    for field in expected.fields:
        for match in _PROPERTIES.finditer(field):
            part = field[: match.end()]
            if (expected.subject, part) not in by_wire:
                continue
            site, use = by_wire[expected.subject, part]
            shared = kind_of(document) == "json-schema"
            owner = site.owner if shared else inlined(changed, use.written)
            schema = at(changed, owner) if owner is not None else None
            if isinstance(schema, dict) and site.name not in (schema.get("required") or []):
                schema["required"] = [*(schema.get("required") or []), site.name]
                wanted.add(part)
    if not wanted:
        return False
    save(changed, file)
    return any(
        found.kind in ("missing-field", "name-case")
        and found.field in wanted
        and found.subject == plain_subject(expected.subject)
        for found in minus(rescan(file).findings, baseline.findings)
    )
