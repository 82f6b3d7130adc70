"""`new(…)` makes an object of the type that its place declares: that of a variable or member, of
what a function returns, or of the items of a list or map that is written out."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    ArrayType,
    Choice,
    Entry,
    Expr,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)

_MAX_DEPTH = 10


def of_target_type(value: Expr, type: TypeExpr | None, depth: int = 0) -> Expr:
    """A value whose place declares a type, with the types that this gives it."""
    inner = type.item if isinstance(type, NullableType) else type
    if inner is None or depth > _MAX_DEPTH:
        return value
    match value:
        case New(type=None):
            return with_typed_entries(replace(value, type=inner), depth)
        case ArrayLiteral(items=items, is_tuple=False):
            item = _item_type(inner)
            typed = tuple(of_target_type(each, item, depth + 1) for each in items)
            return replace(value, items=typed)
        case Choice(options=options):
            typed = tuple(of_target_type(each, inner, depth + 1) for each in options)
            return replace(value, options=typed)
        case _:
            return value


def with_typed_entries(made: New, depth: int = 0) -> New:
    """A list or map that is made with its entries, these with the type of its items or values."""
    item = _item_type(made.type)
    if item is None or not made.entries:
        return made
    return replace(
        made, entries=tuple(_typed_entry(entry, made.type, depth) for entry in made.entries)
    )


def _typed_entry(entry: Entry, type: TypeExpr | None, depth: int) -> Entry:
    is_keyed = entry.key is not None or entry.key_expression is not None
    is_map = isinstance(type, NamedType) and len(type.args) > 1
    if is_keyed is not is_map:
        return entry  # the member of an object, whose class says its type
    return replace(entry, value=of_target_type(entry.value, _item_type(type), depth + 1))


def _item_type(type: TypeExpr | None) -> TypeExpr | None:
    """The type of the items of a list, or of the values of a map; None for other types."""
    match type:
        case ArrayType(item=item):
            return item
        case NamedType(args=(item,)):
            return item
        case NamedType(args=(_, item)):
            return item
        case _:
            return None
