"""Extension methods of the project that map routes: `group.MapGet(handler, "{id}")`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.memo import memoised_with
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    FunctionValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.frameworks.aspnet.verbs import maps
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.extensions import THIS
from contract_scan.parsers.source.csharp.resolution.overloads import can_take
from contract_scan.parsers.source.csharp.web.prefixes import calls_on
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    NamedType,
    NullableType,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_CALLED = "csharp.map_wrappers.called"
_HANDLERS = frozenset({"Delegate", "RequestDelegate", "Func", "Action", "MulticastDelegate"})
_MAX_WRAPPERS = 4
_MAX_NODES = 2_000


class Wrapper(Struct, frozen=True, kw_only=True):
    """A method that maps a route with what it is given."""

    function: Function
    inner: Call
    """The call that maps the route."""
    chained_calls: tuple[Call, ...]
    """Calls on what mapping gives: `.WithName(…)`."""
    scope: Scope


class Unwrapped(Struct, frozen=True, kw_only=True):
    """The call that a call of a wrapper comes to."""

    inner: Call
    scope: Scope
    """Inside the wrapper, its parameters bound to what is given."""
    receivers: tuple[tuple[Expr, str, Scope], ...]
    """What the route is mapped on, seen from the parameter of that name, outermost wrapper
    first."""
    chained_calls: tuple[tuple[Call, Scope], ...]


def wrappers_named(program: Program, name: str) -> list[Wrapper]:
    """The project's wrappers of a name, one for each route that they map."""
    return _find(program).get(name, [])


def wrapper_names(program: Program) -> list[str]:
    """The names of all wrappers."""
    return [name for name, found in _find(program).items() if found]


def is_wrapper(program: Program, function: Function | None) -> bool:
    """Whether a function is a wrapper: the route in it is mapped where it is called. One that
    nothing is seen to call maps its routes itself, as far as they can be told, but for those whose
    handlers it is given."""
    if function is None:
        return False
    own = [w for w in wrappers_named(program, function.name) if w.function is function]
    return bool(own) and (all(map(_is_given_handler, own)) or _is_called(program, own[0]))


def _is_given_handler(wrapper: Wrapper) -> bool:
    names = {p.name for p in wrapper.function.params if _kind(p.type) == "handler"}
    return any(_reads(argument.value, names) for argument in wrapper.inner.args)


def _is_called(program: Program, wrapper: Wrapper) -> bool:
    known = cast("dict[object, bool]", program.memory.setdefault(_CALLED, {}))
    function = wrapper.function
    key = (wrapper.scope.file.path, function.span)
    if key not in known:
        literal = f".{function.name}".encode()
        known[key] = any(
            isinstance(call, Call)
            and inside.function is not function
            and any(u.function is function for u, _ in _called_wrappers(program, call, inside))
            for path in program.files_containing(literal)
            for call, inside in calls_of(program, program.facts(path), literal)
        )
    return known[key]


@memoised_with({})
def _find(program: Program) -> dict[str, list[Wrapper]]:
    found: dict[str, list[Wrapper]] = {}
    extending = set(program.files_containing(*THIS))
    for path in program.files_containing(b".Map"):
        if path not in extending:
            continue
        for symbol in program.classes(program.facts(path)):
            for method in symbol.decl.methods:
                if not method.name.startswith("Map") or not method.params:
                    continue
                if "this" in method.params[0].modifiers:
                    scope = program.function_scope(method, program.class_scope(symbol))
                    found.setdefault(method.name, []).extend(_in_method(program, method, scope))
    return found


def _in_method(program: Program, method: Function, scope: Scope) -> Iterator[Wrapper]:
    calls = [
        call
        for call, inside in calls_in(program, scope.statements or (), scope)
        if isinstance(call, Call) and inside is scope
    ]
    for call in calls:
        if _passes_on(call, method, scope):
            after = tuple(other for other in calls if _is_made_on(other, call))
            yield Wrapper(function=method, inner=call, chained_calls=after, scope=scope)


def _is_made_on(call: Call, inner: Call) -> bool:
    current: Expr = call
    for _ in range(_MAX_NODES):
        if not isinstance(current, Call) or not isinstance(current.callee, Attribute):
            return False
        current = current.callee.value
        if current is inner:
            return True
    return False


def _passes_on(call: Call, method: Function, scope: Scope) -> bool:
    """Whether a call maps a route on what is extended, with something that is a parameter."""
    if not maps(call) or not isinstance(call.callee, Attribute):
        return False
    on = calls_on(call.callee.value, method.params[0].name, scope)
    if on is None:
        return False
    names = {parameter.name for parameter in method.params[1:]}
    groups = [c for c in on if isinstance(c.callee, Attribute) and c.callee.name == "MapGroup"]
    return any(_reads(argument.value, names) for c in (call, *groups) for argument in c.args)


def _reads(expr: Expr, names: set[str]) -> bool:
    """Whether an expression is made of one of the names, functions in it left out."""
    return any(isinstance(node, Name) and node.id in names for node in nodes_of(expr, (Lambda,)))


# --------------------------------------------------------------------------- calls of wrappers


def wrapped_calls(program: Program, call: Call, scope: Scope, depth: int = 0) -> list[Unwrapped]:
    """The library calls that a call of a wrapper leads to; none if it is no such call."""
    result: list[Unwrapped] = []
    for wrapper, given in _called_wrappers(program, call, scope):
        inside = _wrapper_scope(program, wrapper, call, given, scope)
        assert isinstance(wrapper.inner.callee, Attribute)
        receiver = (wrapper.inner.callee.value, wrapper.function.params[0].name, inside)
        after = tuple((c, inside) for c in wrapper.chained_calls)
        deeper = (
            wrapped_calls(program, wrapper.inner, inside, depth + 1)
            if depth < _MAX_WRAPPERS
            else []
        )
        result.extend(
            replace(u, receivers=(receiver, *u.receivers), chained_calls=(*u.chained_calls, *after))
            for u in deeper
        )
        if not deeper:
            result.append(
                Unwrapped(
                    inner=wrapper.inner, scope=inside, receivers=(receiver,), chained_calls=after
                )
            )
    return result


def _called_wrappers(
    program: Program, call: Call, scope: Scope
) -> list[tuple[Wrapper, Mapping[str, Expr]]]:
    """The wrappers of the method that is called, with what their parameters are given."""
    if not isinstance(call.callee, Attribute):
        return []
    found: list[tuple[Wrapper, Mapping[str, Expr]]] = []
    for wrapper in wrappers_named(program, call.callee.name):
        if found and wrapper.function is not found[0][0].function:
            continue
        if wrapper.inner is call:
            continue
        given = _bound_arguments(wrapper.function, call)
        if given is not None and (found or _fits(program, wrapper, call, given, scope)):
            found.append((wrapper, given))
    return found


def _bound_arguments(function: Function, call: Call) -> dict[str, Expr] | None:
    """The expression for each parameter, of the call or its default; None if the call has an
    argument too many."""
    params = function.params[1:]
    if not can_take(params, len(call.args)):
        return None
    given = {p.name: p.default for p in params if p.default is not None}
    positional = [argument.value for argument in call.args if not argument.name]
    given |= {p.name: value for p, value in zip(params, positional, strict=False)}
    named = {argument.name: argument.value for argument in call.args if argument.name}
    given |= named
    known = {p.name for p in params}
    missing = any(p.name not in given and not p.kind for p in params)
    return None if missing or not set(named) <= known else given


def _fits(
    program: Program, wrapper: Wrapper, call: Call, given: Mapping[str, Expr], scope: Scope
) -> bool:
    """Whether texts are given for texts and handlers for handlers, at least one for certain."""
    written = {id(argument.value) for argument in call.args}
    certain = not any(id(value) in written for value in given.values())
    for parameter in wrapper.function.params[1:]:
        value = given.get(parameter.name)
        if value is None or id(value) not in written:
            continue
        kind = _kind(parameter.type)
        is_handler = _is_handler(program, value, scope)
        if (kind == "text" and is_handler is True) or (kind == "handler" and is_handler is False):
            return False
        certain = certain or is_handler is not None or kind == ""
    return certain


def _kind(type: TypeExpr | None) -> str:
    while isinstance(type, NullableType):
        type = type.item
    name = type.name.rpartition(".")[2].partition("`")[0] if isinstance(type, NamedType) else ""
    if name in ("string", "String"):
        return "text"
    return "handler" if name in _HANDLERS else ""


def _is_handler(program: Program, value: Expr, scope: Scope) -> bool | None:
    """Whether a function is given; None: neither that nor a text."""
    if isinstance(value, Lambda) or program.function_value(value, scope) is not None:
        return True
    return False if program.text(value, scope) is not None else None


def _wrapper_scope(
    program: Program, wrapper: Wrapper, call: Call, given: Mapping[str, Expr], scope: Scope
) -> Scope:
    values: dict[str, Value] = {}
    written = {id(argument.value) for argument in call.args}
    for name, value in given.items():
        place = scope if id(value) in written else wrapper.scope
        handler: FunctionValue | None = program.function_value(value, place)
        values[name] = handler if handler is not None else program.evaluate(value, place)
    function = wrapper.function
    inside = program.function_scope(function, wrapper.scope.parent or wrapper.scope, values)
    types = {
        parameter.name: BoundType(type, scope)
        for parameter, type in zip(function.type_params, call.type_args, strict=False)
    }
    return replace(inside, types={**inside.types, **types}) if types else inside


__all__ = ["Unwrapped", "is_wrapper", "wrapped_calls", "wrapper_names", "wrappers_named"]
