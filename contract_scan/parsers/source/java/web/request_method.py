"""Handlers as they run for the method of their route: `if (ctx.method().equals("GET"))`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.path_facts import RequestMethod
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.handlers import Method

MethodCalls: TypeAlias = Iterable[str]
"""What leads from a request to its method: `request().method`; empty: the method itself."""
_ANY = ("", "*")


def handler_for(
    program: Program, handler: FunctionValue, verb: str, given: Mapping[int, MethodCalls]
) -> FunctionValue:
    """A handler without what does not run for a method. `given`: positions of the parameters
    through which the method of the request is read."""
    if verb in _ANY:
        return handler
    params = handler.function.params
    facts = {
        f"{params[position].name}.{call}()" if call else params[position].name: RequestMethod(verb)
        for position, calls in given.items()
        if position < len(params) and params[position].name
        for call in calls
    }
    return program.evaluator.specialisations.with_facts(handler, facts)


def method_for(
    program: Program, method: Method, verb: str, by_type: Mapping[str, MethodCalls]
) -> Method:
    """A method of a controller without what does not run for a method of HTTP; `by_type`: the
    types of parameters through which that is read."""
    nearest = method.nearest
    named = enumerate(type_name(param.type) for param in nearest.function.params)
    given = {position: by_type[name] for position, name in named if name in by_type}
    if not given:
        return method
    running = handler_for(program, FunctionValue(nearest.function, nearest.scope), verb, given)
    return replace(
        method,
        declarations=(
            replace(nearest, function=running.function),
            *method.declarations[1:],
        ),
    )
