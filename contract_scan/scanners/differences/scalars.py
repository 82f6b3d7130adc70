"""Comparing strings, numbers and booleans."""

from __future__ import annotations

from typing import TypeAlias

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import LiteralValue, Scalar, ScalarType, Schema
from contract_scan.scanners.differences.describe import describe, phrase, value_text, values_text
from contract_scan.scanners.differences.direction import Sides
from contract_scan.scanners.differences.kinds import EnumDiffers, TypeDiffers, UndeterminedPart
from contract_scan.scanners.differences.result import PartialResult

_NUMERIC = frozenset({"integer", "number", "numeric"})

_WHOLE_FORMATS = frozenset({"int32", "int64"})
"""Formats of numbers without a fraction, whatever the type beside them."""

_DISJOINT_FORMATS = frozenset(
    {"date", "date-time", "time", "duration", "uuid", "email", "ipv4", "ipv6", "pattern"}
)
"""String formats of which no two share a value. Of other formats nothing is decided."""


def compare_scalars(sent: Scalar, accepted: Scalar, sides: Sides) -> PartialResult:
    """Whether every scalar of one kind is acceptable as one of the other."""
    result = PartialResult()
    if not type_fits(sent, accepted):
        if not sides.code_sends and _json_type_of(sent) in accepted.also_takes:
            if _json_type_of(sent) == "string" and accepted.type not in ("string", "boolean"):
                reason = Reason("texts-converted", type=accepted.type)
                result.add(UndeterminedPart(path="", **sides.places(sent, accepted), reason=reason))
            return result
        expected, found = sides.in_order(describe(sent), describe(accepted))
        expected_phrase, found_phrase = sides.in_order(phrase(sent), phrase(accepted))
        result.add(
            TypeDiffers(
                path="",
                **sides.places(sent, accepted),
                expected=expected,
                found=found,
                expected_phrase=expected_phrase,
                found_phrase=found_phrase,
            )
        )
        return result
    _compare_values(sent, accepted, sides, result)
    return result


def _json_type_of(scalar: Scalar) -> ScalarType:
    return "number" if scalar.type in _NUMERIC else scalar.type


def type_fits(sent: Scalar, accepted: Scalar) -> bool:
    """Whether the types (not the values) agree, as far as they are decidable."""
    if sent.type == accepted.type:
        formats = {
            "pattern" if format.startswith("pattern ") else format
            for format in (sent.format, accepted.format)
        }
        if sent.format in accepted.also_formats:
            return True
        return sent.type != "string" or len(formats) == 1 or not formats <= _DISJOINT_FORMATS
    if sent.type in _NUMERIC and accepted.type in _NUMERIC:
        # Where values are listed they are what limits, not that all of them are whole.
        fraction = (
            sent.type == "number"
            and sent.format not in _WHOLE_FORMATS
            and not _are_whole(sent.values)
        )
        return not (fraction and accepted.type == "integer" and accepted.values is None)
    return False


def _are_whole(values: tuple[LiteralValue, ...] | None) -> bool:
    """Whether values are listed, and no number among them has a fraction."""
    return values is not None and all(
        not isinstance(value, float) or value.is_integer() for value in values
    )


def _compare_values(sent: Scalar, accepted: Scalar, sides: Sides, result: PartialResult) -> None:
    if sent.origin.pointer and sent.origin == accepted.origin:
        return  # one declaration, of which a discriminator has left some values on one side
    accepted_values = _values(accepted)
    sent_values = _values(sent)
    places = sides.places(sent, accepted)
    expected, found = sides.in_order(describe(sent), describe(accepted))
    if sent_values is None or accepted_values is None:
        if not sides.code_sends and _json_type_of(sent) in accepted.also_takes:
            return  # its constants have names in the code, and any other value is taken too
        if _holds_current_values(sent, accepted_values) or _holds_current_values(
            accepted, sent_values
        ):
            return
        reason = _limited_on_one_side(sent.type, sent_values, accepted_values, sides)
        if reason:
            result.add(UndeterminedPart(path="", **places, reason=reason))
        elif accepted_values is not None:
            result.add(EnumDiffers(path="", **places, expected=expected, found=found))
        return
    refused = tuple(
        text for key, text in sent_values.items() if not _is_among(key, accepted_values, accepted)
    )
    lacking = tuple(text for key, text in accepted_values.items() if key not in sent_values)
    lacking = lacking if sides.both_ways else ()
    if refused or lacking:
        result.add(
            EnumDiffers(
                path="", **places, expected=expected, found=found, values=refused, lacking=lacking
            )
        )


def _is_among(key: tuple[str, LiteralValue], values: _Values, scalar: Scalar) -> bool:
    """Whether a value is one of those that a shape allows."""
    _, value = key
    if key in values or not scalar.ignores_case or not isinstance(value, str):
        return key in values
    return any(isinstance(v, str) and v.lower() == value.lower() for _, v in values)


def _holds_current_values(open_side: Scalar, limited: _Values | None) -> bool:
    """Whether one side lists all the values that an extensible enum of the other side has today."""
    current = _values_by_type(open_side.current_values)
    return bool(current) and limited is not None and current.keys() <= limited.keys()


_Values: TypeAlias = dict[tuple[str, LiteralValue], str]


def _limited_on_one_side(
    type_: str, sent: _Values | None, accepted: _Values | None, sides: Sides
) -> Reason:
    """Why values could not be compared where one side limits them; empty where they could."""
    if accepted is None:
        # Whoever takes every value takes these; but a type should hold what its model allows.
        if sent is None or sides.direction != "model":
            return NO_REASON
        return Reason("model-values-limited", type=type_, sent=_list(sent))
    if sides.code_sends:
        return Reason("contract-values-limited", type=type_, accepted=_list(accepted))
    if len(accepted) == 1:
        # Code that takes a single value is one of several, and the value is its tag.
        return Reason("code-takes-one-value", type=type_, accepted=_list(accepted))
    return NO_REASON


def _list(values: _Values) -> str:
    return values_text(tuple(values.values()))


def _values(scalar: Scalar) -> _Values | None:
    """The possible values, told apart as JSON does (`1` is not `true`); None: not limited."""
    if scalar.values is None:
        return None
    values = _values_by_type(scalar.values)
    if scalar.type == "boolean" and len(values) >= 2:
        return None
    return values


def _values_by_type(values: tuple[LiteralValue, ...]) -> _Values:
    return {(_json_type(value), value): value_text(value) for value in values if value is not None}


def _json_type(value: LiteralValue) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "string"


_NUMBER_FORMATS = frozenset(
    {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
    | {"float", "double", "decimal"}
)


def is_number(shape: Schema) -> bool:
    """Whether a shape is a number."""
    return isinstance(shape, Scalar) and shape.type in ("integer", "number", "numeric")


def is_string(shape: Schema) -> bool:
    """Whether a shape is a text."""
    return isinstance(shape, Scalar) and shape.type == "string"


def is_number_as_text(shape: Schema) -> bool:
    """Whether a shape is a text that holds a number."""
    return (
        isinstance(shape, Scalar)
        and shape.type == "string"
        and shape.values is None
        and shape.format in _NUMBER_FORMATS
    )
