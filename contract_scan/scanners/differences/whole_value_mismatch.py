"""What is said of a place as a whole: null, another type or shape, or that it is undetermined."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Anything, Scalar, Schema, Unknown
from contract_scan.scanners.differences.describe import describe, phrase
from contract_scan.scanners.differences.direction import Sides
from contract_scan.scanners.differences.kinds import (
    Difference,
    EnumDiffers,
    NullableDiffers,
    ShapeDiffers,
    TypeDiffers,
    UndeterminedPart,
)
from contract_scan.scanners.differences.objects import SchemaComparer
from contract_scan.scanners.differences.result import PartialResult
from contract_scan.scanners.differences.union_members import Alternative, Alternatives, Shape


def compare_null(
    sent: Schema,
    accepted: Schema,
    sent_shapes: Alternatives,
    accepted_shapes: Alternatives,
    comparer: SchemaComparer,
    result: PartialResult,
) -> None:
    """Add to `result` that null is sent but not accepted, that this is undetermined, or (models)
    that it is accepted but never sent."""
    takes_anything = any(
        isinstance(option.shape, Anything | Unknown) for option in accepted_shapes.options
    )
    places = comparer.sides.places(sent, accepted)
    expected, found = _descriptions(sent, accepted, comparer)
    grade = (sent_shapes if comparer.sides.code_sends else accepted_shapes).null_known
    if sent_shapes.nullable and accepted_shapes.nullable is False and not takes_anything:
        result.add(
            NullableDiffers(path="", **places, expected=expected, found=found, evidence=grade)
        )
    elif (
        sent_shapes.nullable is None
        and sent_shapes.null_reason
        and accepted_shapes.nullable is False
        and not takes_anything
    ):
        reason = sent_shapes.null_reason
        result.add(UndeterminedPart(path="", **places, reason=reason, null_alone=True))
    elif (
        comparer.sides.direction == "model"
        and accepted_shapes.nullable
        and sent_shapes.nullable is False
        and accepted_shapes.options
        and not takes_anything
    ):
        result.add(
            NullableDiffers(
                path="",
                **places,
                expected=expected,
                found=found,
                evidence=grade,
                code_is_stricter=True,
            )
        )


def other_shape(
    sent: Shape, accepted: Schema, options: Sequence[Alternative], comparer: SchemaComparer
) -> PartialResult:
    """That a shape is another than what is accepted, of which `options` are the alternatives."""
    result = PartialResult()
    scalars = isinstance(sent, Scalar) and all(isinstance(o.shape, Scalar) for o in options)
    shown = options[0].shape if len(options) == 1 else accepted
    expected, found = _descriptions(sent, shown, comparer)
    expected_phrase, found_phrase = _phrases(sent, shown, comparer)
    kind = TypeDiffers if scalars and options else ShapeDiffers
    result.add(
        kind(
            path="",
            **comparer.sides.places(sent, accepted),
            expected=expected,
            found=found,
            expected_phrase=expected_phrase,
            found_phrase=found_phrase,
        )
    )
    return result


def other_kind_here(result: PartialResult) -> bool:
    """Whether the place itself is of another type or shape, beside which null says nothing."""
    return any(
        not item.path and isinstance(item, TypeDiffers | ShapeDiffers)
        for item in result.differences
    )


def tell_values_with_types(
    sent: Schema, accepted: Schema, comparer: SchemaComparer, result: PartialResult
) -> None:
    """Tell a place once where some of what is sent is of another type and the rest has other
    values: the types as a whole are what has to be mended."""
    if not any(isinstance(item, EnumDiffers) and not item.path for item in result.differences):
        return
    if not other_kind_here(result):
        return
    expected, found = _descriptions(sent, accepted, comparer)
    expected_phrase, found_phrase = _phrases(sent, accepted, comparer)
    result.differences = [
        msgspec.structs.replace(
            item,
            expected=expected,
            found=found,
            expected_phrase=expected_phrase,
            found_phrase=found_phrase,
        )
        if isinstance(item, TypeDiffers | ShapeDiffers) and not item.path
        else item
        for item in result.differences
        if item.path or not isinstance(item, EnumDiffers)
    ]


def at_use(item: Difference, use: Origin, sides: Sides) -> Difference:
    """That a type is the wrong one is shown where it is used, not where it is declared."""
    if item.path or not use.path or not isinstance(item, TypeDiffers | ShapeDiffers):
        return item
    if sides.code_sends:
        return msgspec.structs.replace(item, code=use)
    return msgspec.structs.replace(item, contract=use)


def undetermined_because(
    sent: Schema, accepted: Schema, reason: Reason, sides: Sides
) -> PartialResult:
    """That it is undetermined whether one fits the other."""
    result = PartialResult()
    result.add(UndeterminedPart(path="", **sides.places(sent, accepted), reason=reason))
    return result


def _descriptions(sent: Schema, accepted: Schema, comparer: SchemaComparer) -> tuple[str, str]:
    """(What the contract says, what the code says)."""
    return comparer.sides.in_order(
        describe(sent, comparer.sender), describe(accepted, comparer.receiver)
    )


def _phrases(sent: Schema, accepted: Schema, comparer: SchemaComparer) -> tuple[str, str]:
    """The same as parts of a sentence."""
    return comparer.sides.in_order(
        phrase(sent, comparer.sender), phrase(accepted, comparer.receiver)
    )
