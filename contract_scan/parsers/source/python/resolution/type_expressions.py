"""Expressions that stand for types: `response_model=list[Order]`, `return_type=Order | None`."""

from __future__ import annotations

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of as dotted_name_of
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    NullType,
    OperationExpr,
    TypeExpr,
    TypeValue,
    UnionType,
)


def as_type(expr: Expr) -> TypeExpr | None:
    """The type an expression names where a type is expected, or the union of those that a
    conditional expression chooses from; None where it names none."""
    match expr:
        case TypeValue(type=type):
            return type
        case Name(id=id, span=span):
            return NamedType(id, span=span)
        case Attribute(span=span):
            name = dotted_name_of(expr)
            return NamedType(name, span=span) if name else None
        case LiteralExpr(value=None, span=span):
            return NullType(span=span)
        case LiteralExpr(value=str(text), span=span) if text.replace(".", "_").isidentifier():
            return NamedType(text, span=span)
        case OperationExpr(operator="|", operands=operands, span=span):
            return _union_of(operands, span)
        case Choice(options=operands, fallback=False, span=span):
            union = _union_of(operands, span)
            without_type = union is None or any(isinstance(o, NullType) for o in union.options)
            return None if without_type else union
        case Index(value=value, index=index, span=span):
            name = dotted_name_of(value)
            items = index.items if isinstance(index, ArrayLiteral) else (index,)
            args = [as_type(item) for item in items]
            known = tuple(arg for arg in args if arg is not None)
            return NamedType(name, known, span=span) if name and len(known) == len(args) else None
        case _:
            return None


def _union_of(operands: tuple[Expr, ...], span: Span) -> UnionType | None:
    options = [as_type(operand) for operand in operands]
    known = tuple(option for option in options if option is not None)
    return UnionType(known, span=span) if len(known) == len(options) else None
