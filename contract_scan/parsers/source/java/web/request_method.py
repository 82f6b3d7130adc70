"""Handlers as they run for their route: for its method, `if (ctx.method().equals("GET"))`, and for
the path where one handler has several, `@GetMapping({"/orders", "/orders/{id}"})`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.path_facts import (
    Fact,
    Facts,
    Kind,
    Path,
    RequestMethod,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.java.resolution.annotations import argument, find, type_name
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.request_inputs import variables

MethodCalls: TypeAlias = Iterable[str]
"""What leads from a request to its method: `request().method`; empty: the method itself."""
_ANY = ("", "*")
_NONE: dict[Path, Fact] = {}
NO_FACTS: Facts = _NONE


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


def presence_facts(
    method: Method, annotation: str, path: str, by_name: frozenset[str] = frozenset()
) -> Facts:
    """Which of the parameters that an annotation, or a name of `by_name` alone, binds to variables
    of the path are there in one of the paths of a handler: another is null, or an empty
    `Optional`."""
    facts: dict[Path, Fact] = {}
    there = set(variables(path))
    for param, written_at in method.parameters():
        bound = find((each for each, _ in written_at), annotation)
        if bound is None and param.name not in by_name:
            continue
        written = None if bound is None else argument(bound, "value", "name")
        name = param.name if written is None else getattr(written, "value", None)
        is_there = name in there
        kind = type_name(param.type)
        if kind == "Optional":
            facts[f"{param.name}.isPresent()"] = is_there
            facts[f"{param.name}.isEmpty()"] = not is_there
        elif not is_there:
            facts[param.name] = None
        else:
            facts[param.name] = Kind.NONEMPTY_TEXT if kind == "String" else Kind.PRESENT
    return facts


def method_for(
    program: Program,
    method: Method,
    verb: str,
    by_type: Mapping[str, MethodCalls],
    facts: Facts = NO_FACTS,
) -> Method:
    """A method of a controller without what does not run for a method of HTTP, and under `facts`
    of its parameters; `by_type`: the types of parameters through which the method is read."""
    nearest = method.nearest
    named = enumerate(type_name(param.type) for param in nearest.function.params)
    given = {position: by_type[name] for position, name in named if name in by_type}
    if not given and not facts:
        return method
    value = FunctionValue(nearest.function, nearest.scope)
    running = program.evaluator.specialisations.with_facts(value, facts) if facts else value
    running = handler_for(program, running, verb, given)
    return replace(
        method,
        declarations=(
            replace(nearest, function=running.function),
            *method.declarations[1:],
        ),
    )
