"""What code makes of a text of the request: `Integer.parseInt(ctx.pathParam("id"))`.

A parser that is always run refuses every other text, so what it takes is the type of the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Scalar, ScalarType, Schema
from contract_scan.parsers.source.analysis.domain.values import ClassValue, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Evaluate,
    Expr,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import children
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.chains import chain, function_called

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_PARSERS: Mapping[tuple[str, str], tuple[ScalarType, str]] = {
    **dict.fromkeys((("Integer", "parseInt"), ("Integer", "valueOf")), ("integer", "int32")),
    **dict.fromkeys((("Short", "parseShort"), ("Short", "valueOf")), ("integer", "int32")),
    **dict.fromkeys((("Long", "parseLong"), ("Long", "valueOf")), ("integer", "int64")),
    **dict.fromkeys((("Double", "parseDouble"), ("Double", "valueOf")), ("number", "double")),
    **dict.fromkeys((("Float", "parseFloat"), ("Float", "valueOf")), ("number", "float")),
    **dict.fromkeys((("Boolean", "parseBoolean"), ("Boolean", "valueOf")), ("boolean", "")),
    ("UUID", "fromString"): ("string", "uuid"),
    ("LocalDate", "parse"): ("string", "date"),
    **dict.fromkeys(
        (
            *(("Instant", "parse"), ("OffsetDateTime", "parse"), ("ZonedDateTime", "parse")),
            ("LocalDateTime", "parse"),
        ),
        ("string", "date-time"),
    ),
}
"""What a static method of the Java library makes of its only argument."""
_MAKERS: Mapping[str, tuple[ScalarType, str]] = {
    "BigDecimal": ("number", ""),
    "BigInteger": ("integer", ""),
    "ObjectId": ("string", ""),
}
"""What a constructor does."""
_NULL_TESTS = frozenset({"isEmpty", "isBlank", "isNull", "nonNull", "isPresent", "isNotBlank"})
_MAX_DEPTH = 3
"""How many functions of the project a text is handed on through."""


def parsed_shapes(program: Program, scope: Scope) -> dict[Span, Schema]:
    """The shapes of the texts that calls in a function read, by the place of the call: of those
    that are parsed on every way through the function, but for where they are absent."""
    found: dict[Span, Schema | None] = {}
    for expr in _unconditional_expressions(scope.statements or ()):
        text, shape = _parse(program, expr, scope, 0)
        if text is None or shape is None:
            continue
        for place in _reads(text, scope):
            known = found.get(place, shape)
            found[place] = shape if known == shape else None  # two parsers: either may fail
    return {place: shape for place, shape in found.items() if shape is not None}


def _parse(
    program: Program, expr: Expr, scope: Scope, depth: int
) -> tuple[Expr | None, Schema | None]:
    """The text that an expression parses, and the shape of what is taken."""
    match expr:
        case Call(callee=Attribute(value=Name(id=holder), name=name), args=(only,)):
            if (holder, name) in _PARSERS:
                scalar, format = _PARSERS[holder, name]
                return only.value, Scalar(type=scalar, format=format)
            if name == "valueOf":
                return only.value, _constants(program, holder, scope)
        case New(type=NamedType() as type, args=(only,)) if type_name(type) in _MAKERS:
            scalar, format = _MAKERS[type_name(type)]
            return only.value, Scalar(type=scalar, format=format)
        case _:
            pass
    if isinstance(expr, Call) and len(expr.args) == 1 and depth < _MAX_DEPTH:
        return expr.args[0].value, _by_function(program, expr, scope, depth)
    return None, None


def _by_function(program: Program, call: Call, scope: Scope, depth: int) -> Schema | None:
    """What a function of the project that is handed a text parses it as."""
    function = function_called(program, call, scope)
    if function is None or len(function.function.params) != 1:
        return None
    param = function.function.params[0].name
    inside = program.function_scope(function.function, function.scope)
    for expr in _unconditional_expressions(inside.statements or (), is_helper=True):
        text, shape = _parse(program, expr, inside, depth + 1)
        if isinstance(text, Name) and text.id == param and shape is not None:
            return shape
    return None


def _constants(program: Program, name: str, scope: Scope) -> Schema | None:
    """The names of the constants of the project's enum that `valueOf` takes."""
    found = program.names.lookup_type(name, scope)
    if not isinstance(found, ClassValue) or found.symbol.decl.kind != "enum":
        return None
    names = tuple(m.name for m in found.symbol.decl.members if m.kind == "enum")
    return Scalar(type="string", values=names) if names else None


def _reads(text: Expr, scope: Scope) -> Iterator[Span]:
    """The calls that a text may come from: the chain itself, or what one assignment gives a
    variable."""
    if isinstance(text, Name):
        given = [s.value for s in _assignments(scope.statements or (), text.id)]
        if len(given) != 1 or given[0] is None:
            return
        text = given[0]
    for call in chain(text).calls:
        yield call.span


def _assignments(statements: tuple[Statement, ...], name: str) -> Iterator[Assign]:
    pending: list[Statement] = [*statements]
    while pending:
        statement = pending.pop()
        match statement:
            case Assign(target=Name(id=id)) if id == name:
                yield statement
            case Branch(blocks=blocks):
                pending.extend(inner for block in blocks for inner in block)
            case _:
                pass


# --------------------------------------------------------------------------- what always runs


def _unconditional_expressions(
    statements: tuple[Statement, ...], *, is_helper: bool = False
) -> Iterator[Expr]:
    """The calls and constructions that run on every way through statements, but for tests of
    whether something is there. A handler that catches a failure and ends answers with an error; a
    helper that does gives another value."""
    for position, statement in enumerate(statements):
        match statement:
            case Assign(value=value) | Return(value=value) | Evaluate(value=value):
                if value is not None:
                    yield from _unconditional_calls(value)
            case Branch(kind="try", blocks=blocks) if blocks:
                is_last = position == len(statements) - 1 and not is_helper
                leaving = Throw if is_helper else Return | Throw
                if is_last or all(b and isinstance(b[-1], leaving) for b in blocks[1:]):
                    yield from _unconditional_expressions(blocks[0], is_helper=is_helper)
            case Branch(kind="if", condition=condition, blocks=blocks) if condition is not None:
                yield from _unconditional_calls(condition)
                if _asks_for_presence(condition):
                    for block in blocks:
                        yield from _unconditional_expressions(block, is_helper=is_helper)
            case _:
                pass
        if isinstance(statement, Return | Throw):
            return


def _unconditional_calls(expr: Expr) -> Iterator[Expr]:
    """The calls and constructions of an expression that are always made."""
    pending: list[object] = [expr]
    while pending:
        node = pending.pop()
        match node:
            case Lambda():
                continue
            case Choice(given=tests) if not tests or not all(map(_asks_for_presence, tests)):
                continue
            case OperationExpr(operator="&&" | "||", operands=(first, *_)):
                pending.append(first)
                continue
            case Call() | New():
                yield node
            case _:
                pass
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Struct):
            pending.extend(children(node))


def _asks_for_presence(test: Expr) -> bool:
    """Whether a test asks no more than whether a value is there."""
    match test:
        case OperationExpr(operator="==" | "!=", operands=operands):
            return any(isinstance(o, LiteralExpr) and o.value is None for o in operands)
        case OperationExpr(operator="!" | "&&" | "||", operands=operands):
            return all(map(_asks_for_presence, operands))
        case Call(callee=Attribute(name=name)):
            return name in _NULL_TESTS
        case _:
            return False
