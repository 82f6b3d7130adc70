"""What an application does to the definition of each endpoint: `c.Endpoints.Configurator = …`.

It runs after the endpoint has configured itself, so what it sets stands in place of what that says
(https://github.com/FastEndpoints/FastEndpoints: Src/Library/Main/MainExtensions.cs).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.resolution.extensions import extension_named
from contract_scan.parsers.source.csharp.web.prefixes import constant_text
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MAPPING = frozenset({"RoutePrefixOverride", "EndpointVersion", "Group", "Verbs", "Routes"})
"""Methods of a definition that say where the endpoint is."""
_PLACES = frozenset({"Routes", "Verbs", "Version"})
"""Members of a definition that say where the endpoint is."""
_MAX_DEPTH = 4


class Configured(Struct, frozen=True, kw_only=True):
    """What is set for every endpoint."""

    own_prefix: str | None = None
    """What stands in place of the prefix of the application."""
    version: int = 0
    hidden: bool = False
    """Whether no endpoint is described in documents."""
    announcing: tuple[tuple[Call, Scope], ...] = ()
    """Calls that announce responses: `b.Produces<Problem>(400)`."""
    unresolved: Reason = NO_REASON
    """Why endpoints may be elsewhere than they say."""


def configuration_of(program: Program, value: Expr, scope: Scope, name: str) -> Configured:
    """What a function sets that is run for every endpoint."""
    function = program.function_value(value, scope)
    if function is None or not function.function.params:
        return Configured(unresolved=Reason("application-changes-routes", last=name))
    inside = program.function_scope(function.function, function.scope)
    definition = function.function.params[0].name
    found = Configured()
    for statement, certain in _statements(inside.statements or (), True):
        found = _with_statement(program, found, statement, inside, definition, name, certain, 0)
    return found


def _statements(
    statements: tuple[Statement, ...], certain: bool
) -> Iterator[tuple[Statement, bool]]:
    """The statements, and whether each runs for every endpoint."""
    for statement in statements:
        match statement:
            case Branch(blocks=blocks):
                for block in blocks:
                    yield from _statements(block, False)
                if any(isinstance(s, Return | Throw) for block in blocks for s in block):
                    certain = False
            case Loop(body=body):
                yield from _statements(body, False)
            case _:
                yield statement, certain


def _with_statement(
    program: Program,
    found: Configured,
    statement: Statement,
    scope: Scope,
    definition: str,
    name: str,
    certain: bool,
    depth: int,
) -> Configured:
    changes = Reason("application-changes-routes", last=name)
    if isinstance(statement, Assign) and _is_place(statement.target, definition):
        return replace(found, unresolved=changes)
    for call, place in calls_in(program, (statement,), scope):
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            continue
        called = call.callee.name
        if called in ("Produces", "ProducesProblem", "ProducesValidationProblem"):
            announcing = (*found.announcing, (call, place))
            found = replace(found, announcing=announcing if certain else found.announcing)
            continue
        if called == "ExcludeFromDescription" and certain:
            found = replace(found, hidden=True)
            continue
        if not _begins_with(call.callee, definition):
            continue
        if called not in _MAPPING:
            if depth < _MAX_DEPTH and extension_named(program, called):
                found = _with_extension(program, found, called, name, certain, depth)
            continue
        if not certain or not call.args:
            return replace(found, unresolved=changes)
        given = call.args[0].value
        if called == "RoutePrefixOverride":
            empty = isinstance(given, Attribute) and given.name == "Empty"
            text = "" if empty else constant_text(program, given, place)
            if text is None:
                return replace(found, unresolved=changes)
            found = replace(found, own_prefix=text)
        elif called == "EndpointVersion":
            version = program.evaluate(given, place)
            if not isinstance(version, Constant) or not isinstance(version.value, int):
                return replace(found, unresolved=changes)
            found = replace(found, version=version.value)
        else:
            return replace(found, unresolved=changes)
    return found


def _with_extension(
    program: Program, found: Configured, called: str, name: str, certain: bool, depth: int
) -> Configured:
    """What a method of the project does to each definition: `ep.AddDefaults()`."""
    for method in extension_named(program, called):
        inside = program.function_scope(method.function, method.scope)
        definition = method.function.params[0].name
        for statement, runs in _statements(inside.statements or (), certain):
            found = _with_statement(
                program, found, statement, inside, definition, name, runs, depth + 1
            )
    return found


def _is_place(target: Expr, definition: str) -> bool:
    """Whether an assignment sets where an endpoint is: `ep.Routes = …`, `ep.Routes[0] = …`."""
    return any(
        isinstance(node, Attribute)
        and node.name in _PLACES
        and isinstance(node.value, Name)
        and node.value.id == definition
        for node in nodes_of((target,))
    )


def _begins_with(expr: Expr, name: str) -> bool:
    """Whether a chain begins with a name: `ep.Tags("x").EndpointVersion(1)`."""
    while True:
        match expr:
            case Attribute(value=value):
                expr = value
            case Call(callee=callee):
                expr = callee
            case _:
                return isinstance(expr, Name) and expr.id == name
