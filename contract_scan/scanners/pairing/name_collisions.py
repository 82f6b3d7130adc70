"""Which of several models of one name a type stands for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from contract_scan.ir.model import Model
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding
from contract_scan.scanners.pairing.models import ModelPair
from contract_scan.scanners.pairing.nearest_owner import folders

_CLEARLY_FEWER: Final = 2
"""How many times as many differences all other models must have, for the one with the fewest to be
the one that a type stands for although it keeps none of them."""


class Candidate(Struct, frozen=True):
    """A model, a type of its name, and what would be found if it stood for the model."""

    pair: ModelPair
    item: Model
    findings: tuple[Finding, ...]


class Namesakes:
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

    def reason(self, pair: ModelPair, item: Model) -> str:
        """Why a type may not stand for a model; empty where it does."""
        chosen = self._chosen.get(_key(item))
        if chosen is None or any(one.pair is pair for one in chosen):
            return ""
        if chosen:
            path = chosen[0].pair.document.path
            return f"`{item.name}` rather stands for the model of that name in {path}"
        number = len(self._models[_key(item)])
        return (
            f"{number} models have the name, and `{item.name}` keeps none of them: "
            "for which one it stands is undetermined"
        )


def _key(item: Model) -> tuple[str, Origin]:
    return item.name, item.origin


def _choose_models(models: Sequence[Candidate]) -> Sequence[Candidate]:
    """The models that a type implements; none if that is undetermined."""
    if kept := [one for one in models if not one.findings]:
        return kept
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
