"""Sends through wrappers of the project: what their callers give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.facts import Attribute, Call, Expr, Function, Name, NamedType
from contract_scan.parsers.source.java.annotations import type_name
from contract_scan.parsers.source.java.evidence import holding
from contract_scan.parsers.source.java.overloads import may_mean
from contract_scan.parsers.source.link.values import ClassSymbol, FunctionValue, Scope, Typed
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

MAX_CALLERS = 200
"""How many calls of a wrapper are followed."""


class Site(Struct, frozen=True, eq=False):
    """A place that sends: a call of the library, seen from where its arguments are known."""

    call: Call
    scope: Scope
    shown: Call
    """The call to show: the caller's, where a wrapper sends what it is given."""
    shown_scope: Scope


def sites(program: Program, call: Call, scope: Scope, exprs: tuple[Expr | None, ...]) -> list[Site]:
    """The call itself; or, where one of its arguments is a parameter of the method around it that
    leaves the address or payload open, one site for every caller of that method."""
    itself = Site(call, scope, call, scope)
    function = scope.function
    if function is None or not any(_is_open(program, expr, scope) for expr in exprs):
        return [itself]
    found = [_seen_from(program, itself, *place) for place in _callers(program, function, scope)]
    return found[:MAX_CALLERS] or [itself]


def _is_open(program: Program, expr: Expr | None, scope: Scope) -> bool:
    """Whether an expression is a parameter whose declared type says too little."""
    if expr is None or scope.function is None:
        return False
    if isinstance(expr, Call) and expr.args and isinstance(expr.callee, Attribute):
        # `writeValueAsString(event)`: what counts is what is written.
        return any(_is_open(program, a.value, scope) for a in expr.args)
    if not isinstance(expr, Name):
        return False
    for param in scope.function.params:
        if param.name == expr.id:
            name = type_name(param.type)
            generic = {p.name for p in scope.function.type_params}
            return name in ("String", "Object") or name in generic or len(name) == 1
    return False


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


def _seen_from(program: Program, site: Site, call: Call, within: Scope) -> Site:
    """The library's call with the parameters of the method around it bound to a caller's
    arguments."""
    function = site.scope.function
    assert function is not None
    bound = {
        param.name: program.evaluate(argument.value, within)
        for param, argument in zip(function.params, call.args, strict=False)
    }
    scope = replace(site.scope, bindings={**site.scope.bindings, **bound})
    return Site(site.call, scope, call, within)
