"""Which of several shapes a value was meant to have: a difference belongs at the right field."""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.ir.schema import Object, Scalar, Schema
from contract_scan.scanners.differences.alternatives import Alternative
from contract_scan.scanners.differences.kinds import (
    FieldExtra,
    FieldMissing,
    NotTold,
    RequiredDiffers,
    ShapeDiffers,
    TypeDiffers,
)
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.result import Gathered


def closest(sent: Alternative, results: Sequence[tuple[Alternative, Gathered]]) -> Gathered:
    """Of comparisons with every accepted shape, all of which differ, the one to report.

    The order of evidence: a tag both sides fix to the same value, the same type name, the number of
    fields in common, the fewest differences; then the order in the contract.
    """
    if len(results) == 1:
        return results[0][1]
    chosen = max(results, key=lambda entry: _likeness(sent, *entry))
    if not _stands_for_several(sent.shape, chosen[0].shape, [option for option, _ in results]):
        return chosen[1]
    return _certain(chosen[1], [result for _, result in results])


def likely(sent: Alternative, options: Sequence[Alternative]) -> Sequence[Alternative]:
    """The alternatives that a value may have been meant for: where the fixed values of some agree
    with it, none whose fixed values contradict it (`type: "circle"` is no square)."""
    tags = _tags(sent.shape) if len(options) > 1 else {}
    if not tags:
        return options
    agreement = [_agreement(tags, _tags(option.shape)) for option in options]
    if max(agreement) <= 0:
        return options
    return [option for option, value in zip(options, agreement, strict=True) if value >= 0]


def _stands_for_several(sent: Schema, chosen: Schema, options: Sequence[Alternative]) -> bool:
    """Whether one type has the fields of several alternatives, so that its values decide which of
    them is sent (`class Choice { License? license; string? expression; }`)."""
    own = _names(chosen)
    others = {name for option in options for name in _names(option.shape)} - own
    return isinstance(sent, Object) and any(
        field.name in others and field.required is not True for field in sent.fields
    )


def _certain(chosen: Gathered, results: Sequence[Gathered]) -> Gathered:
    """Of what differs from the chosen alternative, what differs from every one of them: values
    that fit one may otherwise be the only ones that are sent.

    A field that none takes as it is, and one that all of them need, differ for certain. That one
    alternative does not know a field, or needs one that another does not, depends on the values.
    """
    certain = Gathered()
    certain.assumed |= chosen.assumed
    certain.not_told += chosen.not_told
    for field in dict.fromkeys(_field(item.path) for item in chosen.differences):
        sides = [_Sorted(result, field) for result in results]
        own = _Sorted(chosen, field)
        if all(side.held or side.extra for side in sides):
            certain.differences += next((s.held for s in (own, *sides) if s.held), own.extra)
        elif all(side.missing for side in sides):
            certain.differences += own.missing
    if len(certain.differences) < len(chosen.differences):
        first = chosen.differences[0]
        reason = "which of the contract's alternatives is sent depends on the values"
        certain.add(NotTold(path="", contract=first.contract, code=first.code, reason=reason))
    return certain


class _Sorted:
    """What differs at one field: what it holds, that it is there, that it may not be there."""

    def __init__(self, result: Gathered, field: str) -> None:
        items = [item for item in result.differences if _field(item.path) == field]
        at_field = {f".{field}", field}
        self.extra = [i for i in items if isinstance(i, FieldExtra) and i.path in at_field]
        self.missing = [
            i for i in items if isinstance(i, FieldMissing | RequiredDiffers) and i.path in at_field
        ]
        self.held = [i for i in items if i not in self.extra and i not in self.missing]


def _field(path: str) -> str:
    """The outermost field of a path."""
    return path.removeprefix(".").partition(".")[0].partition("[")[0].partition("{")[0]


def _names(shape: Schema) -> set[str]:
    return {field.name for field in shape.fields} if isinstance(shape, Object) else set()


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
    return _agreement(_tags(sent), _tags(accepted))


def _agreement(ours: dict[str, tuple[object, ...]], theirs: dict[str, tuple[object, ...]]) -> int:
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
