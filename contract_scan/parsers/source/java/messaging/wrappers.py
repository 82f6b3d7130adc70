"""Sends through wrappers of the project: what their callers give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.facts import Attribute, Call, Expr, Function, Name, NamedType
from contract_scan.parsers.source.java.annotations import type_name
from contract_scan.parsers.source.java.evidence import holding
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.overloads import may_mean
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Scope,
    Typed,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

MAX_CALLERS = 200
"""How many calls of a wrapper are followed."""
MAX_LEVELS = 3
"""How many wrappers may stand around each other."""


class Site(Struct, frozen=True, eq=False):
    """A place that sends: a call of the library, seen from where its arguments are known."""

    call: Call
    scope: Scope
    shown: Call
    """The call to show: the caller's, where a wrapper sends what it is given."""
    shown_scope: Scope


def sites(program: Program, call: Call, scope: Scope, exprs: tuple[Expr | None, ...]) -> list[Site]:
    """The call itself; or, where one of its arguments is a parameter of the method around it that
    leaves the address or payload open, one site for every caller of that method, and so on."""
    seen = _seen(program, call, scope, [e for e in exprs if e is not None], MAX_LEVELS)
    return [Site(call, inside, shown, shown_scope) for inside, shown, shown_scope in seen]


def _seen(
    program: Program, call: Call, scope: Scope, exprs: list[Expr], levels: int
) -> list[tuple[Scope, Call, Scope]]:
    """The scope of a call with the parameters of the methods around it bound to what the callers
    give, and the outermost call that was followed, for every way to get there."""
    itself = [(scope, call, scope)]
    function = scope.function
    open_ = {name for expr in exprs for name in _open_parameters(program, expr, scope)}
    if function is None or not open_ or not levels:
        return itself
    found: list[tuple[Scope, Call, Scope]] = []
    for outer, within in _callers(program, function, scope):
        given = [
            argument.value
            for param, argument in zip(function.params, outer.args, strict=False)
            if param.name in open_
        ]
        for place, shown, shown_scope in _seen(program, outer, within, given, levels - 1):
            bound = {
                param.name: _given(program, argument.value, place)
                for param, argument in zip(function.params, outer.args, strict=False)
            }
            inside = replace(scope, bindings={**scope.bindings, **bound})
            found.append((inside, shown, shown_scope))
        if len(found) > MAX_CALLERS:
            break
    return found[:MAX_CALLERS] or itself


def _given(program: Program, expr: Expr, scope: Scope) -> Value:
    """An argument; where settings give its text, that text."""
    value = program.evaluate(expr, scope)
    if isinstance(value, Typed | Unresolved):
        told = address(program, expr, scope)
        if told.text and "{" not in told.text:
            return Constant(told.text)
    return value


def _open_parameters(program: Program, expr: Expr, scope: Scope) -> Iterator[str]:
    """The parameters that an expression is, or is made of, whose declared types say too little."""
    if scope.function is None:
        return
    if isinstance(expr, Call) and isinstance(expr.callee, Attribute):
        # `writeValueAsString(event)`: what counts is what is written; `topic.getName()`.
        for argument in expr.args:
            yield from _open_parameters(program, argument.value, scope)
        if not expr.args:
            yield from _enum_parameter(program, expr.callee.value, scope)
        return
    if not isinstance(expr, Name) or expr.id in scope.bindings:
        return
    for param in scope.function.params:
        if param.name == expr.id:
            name = type_name(param.type)
            generic = {p.name for p in scope.function.type_params}
            if name in ("String", "Object") or name in generic or len(name) == 1:
                yield param.name


def _enum_parameter(program: Program, expr: Expr, scope: Scope) -> Iterator[str]:
    """The parameter that an expression is, where it is one of an enum's constants."""
    if not isinstance(expr, Name) or scope.function is None or expr.id in scope.bindings:
        return
    for param in scope.function.params:
        if param.name == expr.id and isinstance(param.type, NamedType):
            found = program.names.lookup_type(param.type.name, scope)
            if isinstance(found, ClassValue) and found.symbol.decl.kind == "enum":
                yield param.name


def _callers(program: Program, function: Function, scope: Scope) -> Iterator[tuple[Call, Scope]]:
    """Calls of a method anywhere in the program."""
    for path in holding(program, scope.file.path, f"{function.name}(".encode()):
        file = program.facts(path)
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                if method is function:
                    continue
                place = program.function_scope(method, inside)
                for call, within in calls_in(program, place.statements or (), place):
                    if isinstance(call, Call) and _calls(program, call, within, function, scope):
                        yield call, within


def _calls(program: Program, call: Call, within: Scope, function: Function, scope: Scope) -> bool:
    """Whether a call leads to the method: by name first, which costs nothing."""
    match call.callee:
        case Attribute(name=name) | Name(id=name) if name == function.name:
            pass
        case _:
            return False
    if len(call.args) != len(function.params):
        return False
    if isinstance(call.callee, Name):
        owner = within.owner
        if owner is None or scope.owner is None or owner.key != scope.owner.key:
            return False
        return _takes(program, call, within, function, scope)
    receiver = program.evaluate(call.callee.value, within)
    symbol: ClassSymbol | None = getattr(receiver, "symbol", None)
    if isinstance(receiver, Typed) and isinstance(receiver.type, NamedType):
        found = program.names.lookup_type(receiver.type.name, receiver.scope)
        symbol = getattr(found, "symbol", None)
    if symbol is None or scope.owner is None:
        return False
    keys = {symbol.key, *(base.key for base in program.bases(symbol))}
    own = {scope.owner.key, *(base.key for base in program.bases(scope.owner))}
    return not keys.isdisjoint(own) and _takes(program, call, within, function, scope)


def _takes(program: Program, call: Call, within: Scope, function: Function, scope: Scope) -> bool:
    """Whether, among methods of its name, the arguments may be meant for this one."""
    method = FunctionValue(function, scope.parent or scope, scope.owner, scope.receiver)
    values = tuple(program.evaluate(argument.value, within) for argument in call.args)
    return may_mean(program, method, values)
