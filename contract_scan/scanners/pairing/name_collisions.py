"""Which of several models of one name a type stands for, and how much a name proves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.model import Model
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.violation import Finding
from contract_scan.scanners.pairing.models import ModelPair
from contract_scan.scanners.pairing.nearest_owner import folders

_CLEARLY_FEWER: Final = 2
"""How many times as many differences all other models must have, for the one with the fewest to be
the one that a type stands for although it keeps none of them."""

_ACCIDENTS: Final = 2
"""Fewer types than these that share only the name with a model may be an accident."""
_RELIABLE: Final = 0.9
"""The smallest part of the types with a model's name that have to be more than its namesakes. In
libraries that implement a large schema (CycloneDX in Java and C#) it is 0.96 and more; where the
classes of a program have the nouns of a schema that it writes, 0.8 and less."""

Agreement: TypeAlias = Literal["keeps", "differs", "only the name"]
"""What a type has in common with a model of its name."""


class Candidate(Struct, frozen=True):
    """A model, a type of its name, and what would be found if it stood for the model."""

    pair: ModelPair
    item: Model
    findings: tuple[Finding, ...]


class NameCollisions:
    """Tells apart the models of one name that stand in different documents (`User` of one service
    and of another, of one version and of the next).

    A type stands for those of them that it keeps; else for the one whose document lies nearest to
    it; else for the one that it differs from clearly less than from the others.
    """

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._models: dict[tuple[str, Origin], list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            self._models[_key(candidate.item)].append(candidate)
        self._chosen = {key: _choose_models(models) for key, models in self._models.items()}

    def reason(self, pair: ModelPair, item: Model) -> Reason:
        """Why a type may not stand for a model; empty where it does."""
        chosen = self._chosen.get(_key(item))
        if chosen is None or any(one.pair is pair for one in chosen):
            return NO_REASON
        if chosen:
            path = chosen[0].pair.document.path
            return Reason("stands-for-other-model", item=item.name, path=path)
        number = len(self._models[_key(item)])
        return Reason("several-models-with-name", number=number, item=item.name)


class NameEvidence:
    """Whether the names of a document's models prove that a type stands for one of them, by what
    the other types of these names have in common with theirs."""

    def __init__(self, compared: Iterable[tuple[ModelPair, Model, Agreement]]) -> None:
        self._by_language: dict[tuple[str, str], Counter[Agreement]] = defaultdict(Counter)
        self._by_file: dict[tuple[str, str], Counter[Agreement]] = defaultdict(Counter)
        for pair, item, agreement in compared:
            self._by_language[pair.document.path, item.language][agreement] += 1
            self._by_file[pair.document.path, item.origin.path][agreement] += 1

    def reason(self, pair: ModelPair, item: Model) -> Reason:
        """Why a type that differs from the model may not stand for it; empty where its name proves
        that it does."""
        counts = self._by_language[pair.document.path, item.language]
        namesakes = counts["only the name"]
        if namesakes < _ACCIDENTS or _prove_enough(counts):
            return NO_REASON
        beside = self._by_file[pair.document.path, item.origin.path]
        if beside["keeps"] >= _ACCIDENTS and _prove_enough(beside):
            return NO_REASON
        return Reason("namesakes-differ", namesakes=namesakes, counts=counts["keeps"])


def _prove_enough(counts: Counter[Agreement]) -> bool:
    namesakes, keeping = counts["only the name"], counts["keeps"]
    return not namesakes or keeping / (namesakes + keeping) >= _RELIABLE


def _key(item: Model) -> tuple[str, Origin]:
    return item.name, item.origin


def _choose_models(models: Sequence[Candidate]) -> Sequence[Candidate]:
    """The models that a type implements; none if that is undetermined."""
    if matching := [one for one in models if not one.findings]:
        return matching
    near = _nearest(models)
    fewest = min(len(one.findings) for one in near)
    best = [one for one in near if len(one.findings) == fewest]
    rest = [one for one in near if len(one.findings) > fewest]
    clear = all(len(one.findings) >= _CLEARLY_FEWER * fewest for one in rest)
    alike = all(_finding_keys(one) == _finding_keys(best[0]) for one in best)
    return best if clear and alike else ()


def _nearest(models: Sequence[Candidate]) -> list[Candidate]:
    """The models in the deepest folder that the type's file shares with any of them."""
    depths = [
        len(folders(one.pair.document.path) & folders(one.item.origin.path)) for one in models
    ]
    return [one for one, depth in zip(models, depths, strict=True) if depth == max(depths)]


def _finding_keys(candidate: Candidate) -> set[tuple[str, str]]:
    return {(finding.kind, finding.field) for finding in candidate.findings}
