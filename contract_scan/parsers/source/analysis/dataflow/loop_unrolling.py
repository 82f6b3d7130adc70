"""Loops over constant keys that change an object, written out: one copy of the body for each key.

`for field in ("opened", "closed"): entry[field] = entry[field].timestamp()` replaces what stands
under two keys, for certain. In a loop, a change counts as one that may happen, under any key.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Function,
    Index,
    Jump,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    ObjectLiteral,
    OperationExpr,
    Return,
    Statement,
)

_MOST_KEYS = 40
_KEYED = frozenset({"pop", "setdefault", "delete", "remove", "Remove", "put", "__setitem__"})
"""Methods that change what stands under the key that they are given first."""

Keys = Callable[[Expr], tuple[str, ...]]
"""The constant texts that an expression lists; none where they are not all known."""
_T = TypeVar("_T")


def unroll_loops(statements: tuple[Statement, ...], keys: Keys) -> tuple[Statement, ...]:
    """The statements with loops over constant keys unrolled; the same tuple where there are
    none."""
    found: list[Statement] = []
    for statement in statements:
        match _as_loop(statement):
            case Loop(variable=Name(id=name), iterable=iterable, body=body) if (
                iterable is not None and _changes_by_key(body, name)
            ):
                given = keys(iterable)
                copies = [
                    with_name_replaced(body, name, partial(_literal, key))
                    for key in given[:_MOST_KEYS]
                ]
                found.extend(s for copy in copies for s in copy)
                if not given or len(given) > _MOST_KEYS:
                    found.append(statement)
            case Branch(blocks=blocks):
                inner = tuple(unroll_loops(block, keys) for block in blocks)
                same = all(a is b for a, b in zip(inner, blocks, strict=True))
                found.append(statement if same else replace(statement, blocks=inner))
            case _:
                found.append(statement)
    same = len(found) == len(statements) and all(map(_is_identical, found, statements))
    return statements if same else tuple(found)


def loop_names(statements: tuple[Statement, ...]) -> frozenset[str]:
    """The names that such loops go through the items of."""
    found: set[str] = set()
    for statement in reaching_definitions.nested_statements(statements):
        match _as_loop(statement):
            case Loop(variable=Name(id=name), iterable=Name(id=listed), body=body):
                if _changes_by_key(body, name):
                    found.add(listed)
            case _:
                continue
    return frozenset(found)


def _as_loop(statement: Statement) -> Statement:
    """`keys.forEach((key) => delete copy[key])` as a loop; other statements as they are."""
    call = statement.value if isinstance(statement, Evaluate) else None
    match call:
        case Call(
            callee=Attribute(value=listed, name="forEach"),
            args=(Argument(value=Lambda() as given),),
        ):
            function = given.function
        case _:
            return statement
    if len(function.params) != 1 or function.params[0].pattern or function.body is None:
        return statement
    inside = tuple(
        Evaluate(value=one.value, span=one.span)
        if isinstance(one, Return) and one.value is not None
        else one
        for one in function.body
    )
    if any(isinstance(one, Return) for one in reaching_definitions.nested_statements(inside)):
        return statement  # it goes on with the next item
    variable = Name(id=function.params[0].name)
    return Loop(variable=variable, iterable=listed, body=inside, span=statement.span)


def _is_identical(one: object, other: object) -> bool:
    return one is other


def _changes_by_key(body: tuple[Statement, ...], name: str) -> bool:
    """Whether a body changes something under the key that a variable holds, and neither leaves the
    loop nor gives the variable another value."""
    changes = False
    for statement in reaching_definitions.nested_statements(body):
        match statement:
            case Jump() | Loop():
                return False
            case Assign(target=Name(id=id)) if id == name:
                return False
            case Assign(target=Index(index=Name(id=id))) if id == name:
                changes = True
            case Evaluate(value=Call(callee=Attribute(name=method), args=(first, *_))) if (
                method in _KEYED and isinstance(first.value, Name) and first.value.id == name
            ):
                changes = True
            case Evaluate(
                value=OperationExpr(operator="delete", operands=(Index(index=Name(id=id)),))
            ) if id == name:
                changes = True
            case _:
                continue
    return changes


def _literal(key: str, span: Span) -> Expr:
    return LiteralExpr(key, span=span)


def with_name_replaced(node: _T, name: str, by: Callable[[Span], Expr]) -> _T:
    """A piece of syntax in which something else stands for a variable, at each of its places."""

    def replacement(expr: Struct) -> Expr | None:
        return by(expr.span) if isinstance(expr, Name) and expr.id == name else None

    return with_replaced(node, replacement, frozenset({name}))


def with_replaced(
    node: _T, replacement: Callable[[Struct], Expr | None], roots: frozenset[str]
) -> _T:
    """A piece of syntax in which what `replacement` gives for expressions stands in place of them,
    where they are read; not in functions with a parameter that is called like one of `roots`."""
    if isinstance(node, tuple):
        return cast("_T", tuple(with_replaced(part, replacement, roots) for part in node))
    if not isinstance(node, Struct) or (
        isinstance(node, Function) and any(p.name in roots for p in node.params)
    ):
        return node
    other = replacement(node)
    if other is not None:
        return cast("_T", other)
    changed = {
        field: with_others
        for field in node.__struct_fields__
        if isinstance(part := getattr(node, field), Struct | tuple)
        and field not in ("span", "name_span")
        and not (field == "target" and isinstance(part, Name | ObjectLiteral | ArrayLiteral))
        and (with_others := with_replaced(part, replacement, roots)) is not part
    }
    return cast("_T", replace(node, **changed)) if changed else node
