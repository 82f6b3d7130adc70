"""Comparing lists: what they hold, item by item where each position has its own."""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Nothing, Union
from contract_scan.scanners.differences.kinds import UndeterminedPart
from contract_scan.scanners.differences.objects import SchemaComparer
from contract_scan.scanners.differences.result import PartialResult
from contract_scan.scanners.differences.union_members import Alternative


def compare_arrays(sent: Array, accepted: Array, comparer: SchemaComparer) -> PartialResult:
    """Whether every list of one shape is acceptable as the other."""
    if accepted.prefix and not sent.prefix:
        return _any_position(sent, accepted, comparer)
    result = PartialResult()
    for index in range(max(len(sent.prefix), len(accepted.prefix))):
        item = sent.prefix[index] if index < len(sent.prefix) else sent.items
        slot = accepted.prefix[index] if index < len(accepted.prefix) else accepted.items
        if not isinstance(item, Nothing):
            result.take(comparer.schemas(item, slot), "[]")
    # A tuple's `items` speaks of what follows its prefix: nothing, where that is all.
    if not isinstance(sent.items, Nothing):
        result.take(comparer.schemas(sent.items, accepted.items), "[]")
    return result


def _any_position(sent: Array, accepted: Array, comparer: SchemaComparer) -> PartialResult:
    """A list where a tuple is accepted: its items must fit some position."""
    result = PartialResult()
    slots = Union(options=(*accepted.prefix, accepted.items), origin=accepted.origin)
    result.take(comparer.schemas(sent.items, slots), "[]")
    if not result.differences:
        places = comparer.sides.places(sent, accepted)
        reason = Reason("item-positions-undetermined")
        result.add(UndeterminedPart(path="[]", **places, reason=reason))
    return result


def one_of_several_lists(
    sent: Alternative,
    options: Sequence[Alternative],
    results: Sequence[PartialResult],
    comparer: SchemaComparer,
) -> PartialResult | None:
    """A list where the contract takes one of several lists, none of which it fits: each item
    has to fit one of them. None where it is no such list."""
    shapes = [option.shape for option in options if isinstance(option.shape, Array)]
    if len(shapes) < 2 or not all(result.differences for result in results):
        return None
    if not isinstance(sent.shape, Array) or sent.shape.prefix:
        return None
    slots = tuple(slot for shape in shapes for slot in (*shape.prefix, shape.items))
    result = PartialResult()
    result.take(comparer.schemas(sent.shape.items, Union(options=slots)), "[]")
    if not result.differences:
        places = comparer.sides.places(sent.shape, shapes[0])
        reason = Reason("list-alternative-depends-on-items")
        result.add(UndeterminedPart(path="", **places, reason=reason))
    return result
