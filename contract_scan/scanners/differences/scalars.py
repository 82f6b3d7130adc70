"""Comparing strings, numbers and booleans."""

from __future__ import annotations

from contract_scan.ir.schema import LiteralValue, Scalar
from contract_scan.scanners.differences.describe import describe, value_text, values_text
from contract_scan.scanners.differences.kinds import EnumDiffers, NotTold, TypeDiffers
from contract_scan.scanners.differences.result import Gathered
from contract_scan.scanners.differences.sides import Sides

_NUMERIC = frozenset({"integer", "number", "numeric"})

_DISJOINT_FORMATS = frozenset(
    {"date", "date-time", "time", "duration", "uuid", "email", "ipv4", "ipv6"}
)
"""String formats of which no two share a value. Of other formats nothing is decided."""


def compare_scalars(sent: Scalar, accepted: Scalar, sides: Sides) -> Gathered:
    """Whether every scalar of one kind is acceptable as one of the other."""
    result = Gathered()
    if not type_fits(sent, accepted):
        expected, found = sides.in_order(describe(sent), describe(accepted))
        result.add(
            TypeDiffers(path="", **sides.places(sent, accepted), expected=expected, found=found)
        )
        return result
    _compare_values(sent, accepted, sides, result)
    return result


def type_fits(sent: Scalar, accepted: Scalar) -> bool:
    """Whether the types (not the values) agree, as far as they are decidable."""
    if sent.type == accepted.type:
        formats = {sent.format, accepted.format}
        return sent.type != "string" or len(formats) == 1 or not formats <= _DISJOINT_FORMATS
    if sent.type in _NUMERIC and accepted.type in _NUMERIC:
        return not (sent.type == "number" and accepted.type == "integer")
    return False


def _compare_values(sent: Scalar, accepted: Scalar, sides: Sides, result: Gathered) -> None:
    accepted_values = _values(accepted)
    sent_values = _values(sent)
    places = sides.places(sent, accepted)
    if sides.direction == "model" and sent_values is not None and accepted_values is None:
        result.add(
            NotTold(
                path="",
                **places,
                reason=f"the contract allows any {accepted.type}; the type limits it to "
                + values_text(tuple(sent_values.values())),
            )
        )
    if accepted_values is None:
        return
    expected, found = sides.in_order(describe(sent), describe(accepted))
    if sent_values is None:
        if sides.code_sends:
            result.add(
                NotTold(
                    path="",
                    **places,
                    reason=f"the code says any {sent.type}; the contract allows only "
                    + values_text(tuple(accepted_values.values())),
                )
            )
        else:
            result.add(EnumDiffers(path="", **places, expected=expected, found=found))
        return
    refused = tuple(text for key, text in sent_values.items() if key not in accepted_values)
    lacking = tuple(text for key, text in accepted_values.items() if key not in sent_values)
    lacking = lacking if sides.both_ways else ()
    if refused or lacking:
        result.add(
            EnumDiffers(
                path="", **places, expected=expected, found=found, values=refused, lacking=lacking
            )
        )


def _values(scalar: Scalar) -> dict[tuple[str, LiteralValue], str] | None:
    """The possible values, told apart as JSON does (`1` is not `true`); None: not limited."""
    if scalar.values is None:
        return None
    values: dict[tuple[str, LiteralValue], str] = {
        (_json_type(value), value): value_text(value)
        for value in scalar.values
        if value is not None
    }
    if scalar.type == "boolean" and len(values) >= 2:
        return None
    return values


def _json_type(value: LiteralValue) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "string"
