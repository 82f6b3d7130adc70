"""Whether a type has more in common with a model than its name."""

from __future__ import annotations

from typing import Final

from contract_scan.ir.document import Resolver
from contract_scan.ir.model import Model
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object, Unknown
from contract_scan.scanners.differences import (
    Comparison,
    FieldExtra,
    FieldMissing,
    ShapeDiffers,
    TypeDiffers,
)
from contract_scan.scanners.differences.union_members import alternatives, field_names
from contract_scan.scanners.pairing.models import ModelPair

_OVERLAP: Final = 0.25
"""A type that shares a smaller part of the fields than this has only the name in common."""
_MANY: Final = 4
"""Fewer fields than these may differ, and be all that a small model has, after one change."""


def mismatch_reason(pair: ModelPair, item: Model, comparison: Comparison, code: Resolver) -> Reason:
    """Why a type has only the name in common with a model; empty where it does stand for it."""
    for difference in comparison.differences:
        if not difference.path and isinstance(difference, ShapeDiffers | TypeDiffers):
            return Reason(
                "kind-differs-from-model",
                item=item.name,
                found=difference.found,
                expected=difference.expected,
            )
    if field := _field_in_memory(item, code):
        return Reason("type-not-sent", item=item.name, field=field)
    ours = field_names(pair.model.schema, pair.document)
    theirs = field_names(item.schema, code)
    smaller = min(len(ours), len(theirs))
    only_a_map = bool(theirs and not ours and comparison.differences)
    if only_a_map or (smaller and len(ours & theirs) / smaller < _OVERLAP):
        return Reason("hardly-a-shared-field", item=item.name)
    if len(_other_fields(comparison)) >= max(_MANY, len(ours & theirs) + 1):
        return Reason("more-fields-differ", item=item.name)
    return NO_REASON


def _field_in_memory(item: Model, code: Resolver) -> str:
    """A field of a type whose values exist in memory alone; empty where there is none."""
    for option in alternatives(item.schema, code).options:
        for field in option.shape.fields if isinstance(option.shape, Object) else ():
            held = [one.shape for one in alternatives(field.schema, code).options]
            if held and all(isinstance(shape, Unknown) and shape.in_memory for shape in held):
                return field.name
    return ""


def _other_fields(comparison: Comparison) -> set[str]:
    """The fields that only one side has, or that hold something else on each: of a class of the
    program's own that is turned into the model, rather than of one that has drifted from it."""
    kinds = FieldMissing | FieldExtra | TypeDiffers | ShapeDiffers
    paths = {one.path for one in comparison.differences if isinstance(one, kinds)}
    return {path for path in paths if not set(path) & set(".[{")}
