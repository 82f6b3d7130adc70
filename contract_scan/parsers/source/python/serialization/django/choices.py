"""The values that `choices=` of a field leaves."""

from __future__ import annotations

from contract_scan.ir.origin import Span
from contract_scan.ir.schema import LiteralValue, Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibrarySymbol,
    Value,
)
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, LiteralExpr, NamedType


def choices(program: Program, value: Value | None) -> tuple[LiteralValue, ...] | None:
    """The values of `choices=`: pairs, plain constants, or an enumeration's `.choices`."""
    match value:
        case Items(values=items, repeated=False):
            found = [_choice(item) for item in items]
            constants = tuple(item.value for item in found if item is not None)
            return constants if constants and len(constants) == len(items) else None
        case LibrarySymbol(name=name, receiver=ClassValue(symbol=symbol)) if name.endswith(
            ".choices"
        ):
            shape = program.types.flat(
                program.schema(NamedType(symbol.decl.name), program.class_scope(symbol))
            )
            return shape.values if isinstance(shape, Scalar) else None
        case ClassValue(symbol=symbol):
            shape = program.types.flat(
                program.schema(NamedType(symbol.decl.name), program.class_scope(symbol))
            )
            return shape.values if isinstance(shape, Scalar) else None
        case _:
            return None


def _choice(item: Value) -> Constant | None:
    if isinstance(item, Items) and item.values:
        item = item.values[0]
    if isinstance(item, Instance) and item.site is not None:
        item = _member_value(item.symbol, item.site.span) or item
    return item if isinstance(item, Constant) else None


def _member_value(symbol: ClassSymbol, place: Span) -> Constant | None:
    """The value of a member of an enumeration that has a label too: `OPEN = "open", "Open"`."""
    for member in symbol.decl.members:
        value = member.value
        if member.kind == "enum" and member.span == place and isinstance(value, ArrayLiteral):
            first = value.items[0] if value.items else None
            return Constant(first.value) if isinstance(first, LiteralExpr) else None
    return None
