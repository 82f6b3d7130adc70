"""What a comparison gathers while it runs; paths are relative to the place that is compared."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

import msgspec

from contract_scan.ir.origin import Origin
from contract_scan.scanners.differences.definitions import Place, Told, Use, graver
from contract_scan.scanners.differences.kinds import Comparison, Difference, NotTold
from contract_scan.scanners.differences.kinds import Place as AnyPlace

PlaceT = TypeVar("PlaceT", bound=AnyPlace)


class Gathered:
    """Differences and untold places of one pair of schemas."""

    __slots__ = ("assumed", "differences", "not_told", "told", "uses")

    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.not_told: list[NotTold] = []
        self.assumed: set[Hashable] = set()
        """Pairs further up that were taken to fit, so that a recursive schema ends. A result may be
        used again only while those are still being compared."""
        self.uses: dict[Hashable, Use] = {}
        """What code has where the contract uses definitions that are looked for."""
        self.told: dict[Place, Told] = {}
        """What is known of them by comparing where they are used."""

    def add(self, item: Difference | NotTold) -> None:
        """Take one more fact."""
        if isinstance(item, NotTold):
            self.not_told.append(item)
        else:
            self.differences.append(item)

    def take(self, other: Gathered, below: str = "") -> None:
        """Take everything of a comparison that was made at `below`."""
        self.assumed |= other.assumed
        self.learn(other)
        if below:
            self.differences += [_moved(item, below) for item in other.differences]
            self.not_told += [_moved(item, below) for item in other.not_told]
        else:
            self.differences += other.differences
            self.not_told += other.not_told

    def learn(self, other: Gathered) -> None:
        """Take what another comparison found out about definitions, and nothing else."""
        self.uses.update(other.uses)
        for place, told in other.told.items():
            self.told[place] = graver(self.told.get(place), told)

    def fill_places(self, contract: Origin, code: Origin) -> None:
        """Give what is said of this very place, and stands in no file, the places of its field."""
        self.differences = [_filled(item, contract, code) for item in self.differences]
        self.not_told = [_filled(item, contract, code) for item in self.not_told]

    def finish(self) -> Comparison:
        """Each difference once: of several at one place and of one sort, the first."""
        differences = {(type(item), item.path): item for item in reversed(self.differences)}
        not_told = {(item.path, item.reason): item for item in reversed(self.not_told)}
        return Comparison(
            differences=tuple(map(_trimmed, reversed(differences.values()))),
            not_told=tuple(map(_trimmed, reversed(not_told.values()))),
            uses=tuple(self.uses.values()),
            told=self.told,
        )


def _moved(item: PlaceT, below: str) -> PlaceT:
    return msgspec.structs.replace(item, path=below + item.path)


def _filled(item: PlaceT, contract: Origin, code: Origin) -> PlaceT:
    if item.path or (item.contract.path and item.code.path):
        return item
    return msgspec.structs.replace(
        item,
        contract=item.contract if item.contract.path else contract,
        code=item.code if item.code.path else code,
    )


def _trimmed(item: PlaceT) -> PlaceT:
    return msgspec.structs.replace(item, path=item.path.removeprefix("."))
