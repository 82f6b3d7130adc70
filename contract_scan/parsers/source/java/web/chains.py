"""Chains of calls, `a.b(x).c(y)`, as they are written."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassValue,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.overloads import called_overload
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
    TypeExpr,
    TypeValue,
)

MAX_LINKS = 1000
"""How long a chain may be."""


class Chain(Struct, frozen=True, eq=False):
    """What a chain begins with, and its calls from the first to the last."""

    base: Expr
    calls: tuple[Call, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the methods called."""
        return tuple(method(call) for call in self.calls)


def chain(expr: Expr) -> Chain:
    """The chain that an expression is; one without calls where it is something else."""
    calls: list[Call] = []
    for _ in range(MAX_LINKS):
        match expr:
            case Call(callee=Attribute(value=inner)):
                calls.append(expr)
                expr = inner
            case Call():
                calls.append(expr)
                return Chain(expr, tuple(reversed(calls)))
            case _:
                break
    return Chain(expr, tuple(reversed(calls)))


def method(call: Call) -> str:
    """The simple name of what is called."""
    return getattr(call.callee, "name", "") or getattr(call.callee, "id", "")


_RUN_A_FUNCTION = frozenset({"apply", "accept", "handle", "call", "run", "get", "test"})
"""The methods of the functional interfaces of the JDK, and of Vert.x's `Handler`."""


def function_called(program: Program, call: Call, scope: Scope) -> FunctionValue | None:
    """The project function that a call runs, be it one that a variable holds (`work.apply(it)`); of
    several of one name the one that its arguments fit. None where that is undetermined."""
    value = program.evaluate(call.callee, scope)
    if isinstance(call.callee, Attribute) and call.callee.name in _RUN_A_FUNCTION:
        held = program.evaluate(call.callee.value, scope)
        value = held if isinstance(held, FunctionValue) else value
    if not isinstance(value, FunctionValue):
        return None
    return called_overload(program, value, call, scope, program.evaluate)


def library_type(program: Program, value: Value) -> str:
    """Simple name of the library type that a value has, as far as it is told: declared, or made by
    a factory or constructor of it; methods of such a value are taken to give it back. Empty
    otherwise."""
    for _ in range(MAX_LINKS):
        match value:
            case ByType(type=NamedType(name=name), scope=scope):
                found = program.names.lookup_type(name, scope)
                return found.name.rpartition(".")[2] if isinstance(found, LibrarySymbol) else ""
            case LibraryResult(name=name, site=New()):
                return name.rpartition(".")[2]
            case LibraryResult(name=name, receiver=LibrarySymbol()):
                return name.rpartition(".")[0].rpartition(".")[2]
            case LibraryResult(receiver=LibraryResult() | ByType() as receiver):
                value = receiver
            case _:
                return ""
    return ""


def class_held(program: Program, expr: Expr, scope: Scope) -> BoundType | None:
    """The class of the project, or the type written out, that an expression stands for: `T.class`,
    also in a variable or in a member of an object that is made so, and inside
    `BodyExtractors.toMono(T.class)`."""
    if isinstance(expr, Call) and expr.args:
        expr = expr.args[0].value
    type = class_given(expr)
    if type is not None:
        return BoundType(type, scope)
    value = program.evaluate(expr, scope) if isinstance(expr, Name | Attribute) else None
    if not isinstance(value, ClassValue):
        return None
    named = NamedType(name=value.symbol.qualified_name, span=expr.span)
    return BoundType(named, program.module_scope(value.symbol.file))


def class_given(expr: Expr | None) -> TypeExpr | None:
    """The type that `T.class` or `new TypeReference<T>() {}` stands for."""
    match expr:
        case TypeValue(type=type):
            return type
        case New(type=NamedType(args=(type, *_))):
            return type
        case _:
            return None
