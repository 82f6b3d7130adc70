"""Alternatives of a request that the code refuses, where no tag tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from contract_scan.ir.evidence import GRADES, Grade
from contract_scan.ir.schema import Object
from contract_scan.scanners.differences.kinds import FieldExtra, FieldMissing
from contract_scan.scanners.differences.result import PartialResult
from contract_scan.scanners.differences.union_members import Alternative

_Refusal: TypeAlias = FieldExtra | FieldMissing
_BEST_KNOWN: Final[tuple[Grade | None, ...]] = (*GRADES[:2], None, *GRADES[2:])
"""Grades, the best first; what has none yet is known as the whole value is."""


def tell_refused_by_fields(each: Sequence[tuple[Alternative, PartialResult]]) -> None:
    """Of alternatives of which the code takes some, and refuses others because it needs a field
    that they have not, or refuses one that they need, tell of these that one field alone: what else
    is in them is not what the code is for."""
    refused = [(option, result, _refusals(option, result)) for option, result in each]
    if all(refusals for _, _, refusals in refused):
        return
    told: dict[tuple[type[_Refusal], str], tuple[PartialResult, _Refusal]] = {}
    for option, result, refusals in refused:
        if not refusals:
            continue
        item = min(refusals, key=lambda refusal: _BEST_KNOWN.index(refusal.evidence))
        into, first = told.get((type(item), item.path), (result, item))
        name = f"`{option.name}`" if option.name else "one without a name"
        first = replace(first, alternatives=(*first.alternatives, name))
        told[type(item), item.path] = into, first
        result.differences, result.undetermined = [], []
    for result, item in told.values():
        result.add(item)


def _refusals(option: Alternative, result: PartialResult) -> list[_Refusal]:
    fields = option.shape.fields if isinstance(option.shape, Object) else ()
    required = {f".{field.name}" for field in fields if field.required}
    return [
        item
        for item in result.differences
        if (isinstance(item, FieldExtra) and item.needed and not item.path.rpartition(".")[0])
        or (isinstance(item, FieldMissing) and item.rejected and item.path in required)
    ]
