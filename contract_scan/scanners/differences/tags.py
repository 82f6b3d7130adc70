"""Fixed values by which alternatives are told apart, wherever they stand in them.

`{ spec: { type: "gateway" } }` is told from `{ spec: { type: "task" } }` as well as an alternative
that has the tag itself, and so it is where `spec` is a union whose members have a tag each.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.schema import LiteralValue, Object, Scalar, Schema
from contract_scan.scanners.differences.describe import value_text, values_text
from contract_scan.scanners.differences.kinds import EnumDiffers
from contract_scan.scanners.differences.result import PartialResult
from contract_scan.scanners.differences.union_members import Alternative, alternatives

MAX_TAG_DEPTH = 3
"""How many objects inside an alternative may stand around a tag."""

Tags: TypeAlias = dict[tuple[str, ...], tuple[LiteralValue, ...]]
"""The names that lead to a field -> the only values that it may have."""

Agreement: TypeAlias = tuple[int, int]
"""How many constants contradict (negative), and how many tags agree, less those that contradict."""
NEUTRAL: Agreement = (0, 0)
"""The agreement of shapes without a tag in common."""


class TagReader:
    """Looks up tags of shapes of one side; the same shapes are met again and again."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[tuple[Hashable, int], tuple[Tags, Schema]] = {}

    def of(self, option: Alternative, depth: int = MAX_TAG_DEPTH) -> Tags:
        """The tags of an alternative, looked for as deep as this."""
        identity = (option.key, option.tags) if option.key else id(option.shape)
        if (identity, depth) not in self._known:
            # The shape is kept, since its identity holds only while it lives.
            self._known[identity, depth] = self._look_up(option.shape, depth), option.shape
        return self._known[identity, depth][0]

    def _look_up(self, shape: Schema, depth: int) -> Tags:
        found: Tags = {}
        for field in shape.fields if isinstance(shape, Object) else ():
            options = alternatives(field.schema, self._resolver).options
            only = options[0].shape if len(options) == 1 else None
            if isinstance(only, Scalar) and only.values:
                found[(field.name,)] = only.values
            elif depth and options and all(isinstance(o.shape, Object) for o in options):
                each = [self.of(option, depth - 1) for option in options]
                for path in set.intersection(*(set(tags) for tags in each)):
                    joined = dict.fromkeys(value for tags in each for value in tags[path])
                    found[(field.name, *path)] = tuple(joined)
        return found


def agreement(ours: Tags, theirs: Tags) -> Agreement:
    """How far two shapes agree. One constant that contradicts outweighs every list of values (of
    currencies, say) that happens to agree."""
    common = ours.keys() & theirs.keys()
    against = contradictions(ours, theirs)
    constant = sum(len(ours[path]) == 1 or len(theirs[path]) == 1 for path in against)
    return -constant, len(common) - 2 * len(against)


def contradictions(ours: Tags, theirs: Tags) -> list[tuple[str, ...]]:
    """The tags of which the two have no value in common."""
    return [
        path for path, values in ours.items() if path in theirs and not {*values} & {*theirs[path]}
    ]


def tell_refused_by_tag(
    sent: Sequence[tuple[Tags, PartialResult]], accepted: Sequence[Tags]
) -> bool:
    """Of alternatives of which some are excluded by a tag that the receiver holds to other values,
    tell these values alone: what else is in those alternatives is not what the receiver is for.
    Whether a tag says which those are."""
    fits = [max(agreement(own, tags) for tags in accepted) for own, _ in sent]
    if max(fits) <= NEUTRAL:
        return False
    told: dict[str, tuple[PartialResult, EnumDiffers]] = {}
    for (own, result), fit in zip(sent, fits, strict=True):
        if fit >= NEUTRAL:
            continue
        paths = {_wire_path(path) for tags in accepted for path in contradictions(own, tags)}
        of_tags = [
            item
            for item in result.differences
            if isinstance(item, EnumDiffers) and item.values and item.path in paths
        ]
        if of_tags:
            result.differences, result.undetermined = [], []
        for item in of_tags:
            into, first = told.get(item.path, (result, replace(item, values=())))
            values = tuple(dict.fromkeys((*first.values, *item.values)))
            told[item.path] = into, replace(first, values=values)
    for path, (result, item) in told.items():
        listed = (own[name] for own, _ in sent for name in own if _wire_path(name) == path)
        texts = dict.fromkeys(value_text(value) for tag in listed for value in tag)
        result.add(replace(item, expected=values_text(tuple(texts))))
    return True


def _wire_path(path: tuple[str, ...]) -> str:
    return "".join(f".{name}" for name in path)
