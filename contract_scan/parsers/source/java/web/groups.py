"""Groups of routes below a common path: `path("/orders", () -> { … })`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, LibrarySymbol, Scope
from contract_scan.parsers.source.facts.nodes import Call, Expr, Name
from contract_scan.parsers.source.java.web.endpoints import (
    Library,
    handler_name,
    handler_of,
    with_handler,
)
from contract_scan.parsers.source.java.web.path_text import path_of_route
from contract_scan.parsers.source.java.web.routes import join_paths


class Group(Struct, frozen=True):
    """The path of the groups around a call, and why it is undetermined."""

    path: str = ""
    reason: Reason = NO_REASON


class Route(Struct, frozen=True, eq=False):
    """One route, its handler not yet looked at."""

    verb: str
    path: str
    handler: Expr | FunctionValue | None
    scope: Scope
    site: Expr
    reason: Reason = NO_REASON
    transformer: Expr | None = None
    """What writes the value that the handler returns."""


def nested_group(program: Program, group: Group, path: Expr | None, scope: Scope) -> Group:
    """The group below a path in a group."""
    if path is None:
        return group
    text, why = path_of_route(program, path, scope)
    return Group(join_paths(group.path, text), group.reason or why)


def is_static_of(program: Program, call: Call, scope: Scope, owner: str) -> bool:
    """Whether a call without receiver is a static method of a library's class that is imported."""
    if not isinstance(call.callee, Name):
        return False
    value = program.evaluate(call.callee, scope)
    if not isinstance(value, LibrarySymbol):
        return False
    if value.name.endswith(f"{owner}.{call.callee.id}"):
        return True
    starred = any(
        entry.name == "*" and entry.module.endswith(owner) for entry in scope.file.imports
    )
    return value.name == call.callee.id and starred


def operations_of(
    program: Program,
    framework: str,
    routes: Iterable[Route],
    placed: Callable[[Route], tuple[str, Reason]],
    library_of: Callable[[Route], Library],
) -> Iterator[Operation]:
    """Each route with what its handler takes and sends, once. `placed` gives its whole path, and
    why that is undetermined."""
    seen: set[tuple[str, str, object]] = set()
    for route in routes:
        path, why = placed(route)
        key = (route.verb, path, route.site.span)
        if key in seen:
            continue
        seen.add(key)
        library = library_of(route)
        handler = route.handler
        if handler is not None and not isinstance(handler, FunctionValue):
            handler = handler_of(program, handler, route.scope, library.method)
        origin = program.origin(route.site, route.scope)
        base = Operation(
            method=route.verb,
            path=path,
            parameters_complete=False,
            origin=origin,
            handler=handler_name(handler, origin.symbol),
            framework=framework,
            unresolved=route.reason or why,
        )
        yield with_handler(program, base, handler, library)
