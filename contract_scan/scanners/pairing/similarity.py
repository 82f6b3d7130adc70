"""Whether a type has more in common with a model than its name."""

from __future__ import annotations

from typing import Final

from contract_scan.ir.document import Resolver
from contract_scan.ir.model import Model
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


def mismatch_reason(pair: ModelPair, item: Model, comparison: Comparison, code: Resolver) -> str:
    """Why a type has only the name in common with a model; empty where it does stand for it."""
    for difference in comparison.differences:
        if not difference.path and isinstance(difference, ShapeDiffers | TypeDiffers):
            return (
                f"`{item.name}` is {difference.found}, the model {difference.expected}: "
                "it does not seem to stand for the model"
            )
    if field := _field_in_memory(item, code):
        return f"`{item.name}.{field}` has no form in JSON: the type does not seem to be sent"
    ours = field_names(pair.model.schema, pair.document)
    theirs = field_names(item.schema, code)
    smaller = min(len(ours), len(theirs))
    only_a_map = bool(theirs and not ours and comparison.differences)
    if only_a_map or (smaller and len(ours & theirs) / smaller < _OVERLAP):
        return f"`{item.name}` shares hardly a field with the model: it may not stand for it"
    if len(_other_fields(comparison)) >= max(_MANY, len(ours & theirs) + 1):
        return f"`{item.name}` differs from the model in more fields than it shares with it"
    return ""


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
