"""Extension methods of the project that map routes: `group.MapGet(handler, "{id}")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Struct

from contract_scan.parsers.source.csharp.extensions import THIS
from contract_scan.parsers.source.csharp.overloads import takes
from contract_scan.parsers.source.facts import Argument, Attribute, Call, Expr, Function, Name
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program
    from contract_scan.parsers.source.link.values import Scope

_MEMORY = "csharp.map_wrappers"


class Wrapper(Struct, frozen=True, kw_only=True):
    """A method that maps one route with what it is given."""

    function: Function
    inner: Call
    """The call that maps the route."""
    scope: Scope


def wrappers(program: Program, name: str) -> list[Wrapper]:
    """The project's wrappers of a name."""
    if _MEMORY not in program.memory:
        program.memory[_MEMORY] = {}
        program.memory[_MEMORY] = _find(program)
    return cast("dict[str, list[Wrapper]]", program.memory[_MEMORY]).get(name, [])


def is_wrapper(program: Program, function: Function | None) -> bool:
    """Whether a function is a wrapper: the route in it is mapped where it is called."""
    if function is None:
        return False
    return any(w.function is function for w in wrappers(program, function.name))


def _find(program: Program) -> dict[str, list[Wrapper]]:
    found: dict[str, list[Wrapper]] = {}
    extending = set(program.holding(*THIS))
    for path in program.holding(b".Map"):
        if path not in extending:
            continue
        for symbol in program.classes(program.facts(path)):
            for method in symbol.decl.methods:
                if not method.params or "this" not in method.params[0].modifiers:
                    continue
                scope = program.function_scope(method, program.class_scope(symbol))
                for call, _ in calls_in(program, scope.statements or (), scope):
                    if isinstance(call, Call) and _passes_on(call, method):
                        wrapper = Wrapper(function=method, inner=call, scope=scope)
                        found.setdefault(method.name, []).append(wrapper)
    return found


def _passes_on(call: Call, method: Function) -> bool:
    """Whether a call maps a route on what is extended, with a handler that is a parameter."""
    callee = call.callee
    if not isinstance(callee, Attribute) or not callee.name.startswith("Map"):
        return False
    if len(call.args) < 2 or not isinstance(callee.value, Name):
        return False
    names = {parameter.name for parameter in method.params[1:]}
    passed = [a.value.id for a in call.args if isinstance(a.value, Name)]
    return callee.value.id == method.params[0].name and any(name in names for name in passed)


def unwrapped(program: Program, call: Call, scope: Scope) -> Call | None:
    """The call that a call of a wrapper comes to, its parameters replaced by what is given."""
    if not isinstance(call.callee, Attribute):
        return None
    for wrapper in wrappers(program, call.callee.name):
        params = wrapper.function.params[1:]
        if not takes(params, len(call.args)):
            continue
        given: dict[str, Expr] = {
            parameter.name: parameter.default
            for parameter in params
            if parameter.default is not None
        }
        positional = [argument.value for argument in call.args if not argument.name]
        for parameter, value in zip(params, positional, strict=False):
            given[parameter.name] = value
        given |= {argument.name: argument.value for argument in call.args if argument.name}
        if not _fits(program, wrapper, given, scope):
            continue
        callee = Attribute(
            span=call.callee.span,
            value=call.callee.value,
            name=getattr(wrapper.inner.callee, "name", call.callee.name),
        )
        args = tuple(
            Argument(value=_given(argument.value, given), name=argument.name)
            for argument in wrapper.inner.args
        )
        return Call(span=call.span, callee=callee, args=args)
    return None


def _given(value: Expr, given: dict[str, Expr]) -> Expr:
    return given.get(value.id, value) if isinstance(value, Name) else value


def _fits(program: Program, wrapper: Wrapper, given: dict[str, Expr], scope: Scope) -> bool:
    """Whether texts are given for texts, and handlers for handlers."""
    for parameter in wrapper.function.params[1:]:
        value = given.get(parameter.name)
        type = getattr(parameter.type, "name", "")
        if value is None:
            return False
        is_text = program.text(value, scope) is not None
        if (type in ("string", "String")) != is_text:
            return False
    return True
