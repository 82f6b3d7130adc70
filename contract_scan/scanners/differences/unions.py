"""Which of several shapes a value was meant to have: a difference belongs at the right field."""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.ir.schema import Object, Scalar, Schema
from contract_scan.scanners.differences.alternatives import Alternative
from contract_scan.scanners.differences.kinds import FieldMissing, ShapeDiffers, TypeDiffers
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.result import Gathered


def closest(sent: Alternative, results: Sequence[tuple[Alternative, Gathered]]) -> Gathered:
    """Of comparisons with every accepted shape, all of which differ, the one to report.

    The order of evidence: a tag both sides fix to the same value, the same type name, the number of
    fields in common, the fewest differences; then the order in the contract.
    """
    if len(results) == 1:
        return results[0][1]
    return max(results, key=lambda entry: _likeness(sent, *entry))[1]


def _likeness(
    sent: Alternative, accepted: Alternative, result: Gathered
) -> tuple[int, int, int, int, int]:
    top = sum(
        isinstance(item, TypeDiffers | ShapeDiffers | FieldMissing) for item in result.differences
    )
    return (
        _tag_agreement(sent.shape, accepted.shape),
        int(bool(sent.name) and fold(sent.name) == fold(accepted.name)),
        _common_fields(sent.shape, accepted.shape) - top,
        -len(result.differences),
        -len(result.not_told),
    )


def _tag_agreement(sent: Schema, accepted: Schema) -> int:
    """Fields with fixed values on both sides: how many agree, less those that contradict."""
    ours, theirs = _tags(sent), _tags(accepted)
    return sum(
        1 if set(values) & set(theirs[name]) else -1
        for name, values in ours.items()
        if name in theirs
    )


def _tags(shape: Schema) -> dict[str, tuple[object, ...]]:
    if not isinstance(shape, Object):
        return {}
    return {
        field.name: field.schema.values
        for field in shape.fields
        if isinstance(field.schema, Scalar) and field.schema.values
    }


def _common_fields(sent: Schema, accepted: Schema) -> int:
    if not (isinstance(sent, Object) and isinstance(accepted, Object)):
        return 0
    names = {fold(field.name) for field in sent.fields}
    return len(names & {fold(field.name) for field in accepted.fields})
