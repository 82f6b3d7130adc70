"""Routes that calls register with a handler, as a record of the library says them:
`get("/x", ctx -> …)`, groups of paths, applications that are mounted on others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, New
from contract_scan.parsers.source.java.resolution.annotations import constant_name, type_name
from contract_scan.parsers.source.java.web.chains import library_type, method
from contract_scan.parsers.source.java.web.endpoints import Library, handler_of
from contract_scan.parsers.source.java.web.groups import (
    Group,
    Route,
    is_static_of,
    nested_group,
    operations_of,
)
from contract_scan.parsers.source.java.web.routes import join_paths, template
from contract_scan.parsers.source.java.web.walker import CallEntry, CallWalker, Visit
from contract_scan.parsers.source.language import Framework

_ROUTER = "<router>"
"""Stands for the application that a function is given."""


class GroupCall(Struct, frozen=True, kw_only=True):
    """A method whose function registers routes. The function comes last; where there are as many
    arguments as `with_path`, the first is the path of the group."""

    with_path: int = 0
    method: str = "run"
    """The method of objects that stand for the function."""
    gives_router: bool = False
    """Whether the function is given the application."""


class ContextRoutes(Struct, frozen=True, kw_only=True):
    """How routes of a library are written."""

    name: str
    markers: tuple[bytes, ...]
    verbs: frozenset[str]
    library: Library
    """What handlers do with what they are given."""
    static_owner: str = ""
    """The class whose static methods register routes."""
    router_types: frozenset[str] = frozenset()
    """Simple names of types whose methods register routes."""
    router_classes: frozenset[str] = frozenset()
    """Simple names of classes whose subclasses register routes by their own methods."""
    groups: Mapping[str, GroupCall] = {}
    mounts: frozenset[str] = frozenset()
    """Methods that register the routes of an object of such a class, or of a reference to its
    constructor: the last argument, below the path before it."""
    unread: Mapping[str, Reason] = {}
    """Methods that register routes which are not read, and why."""
    path_syntax: tuple[tuple[str, str], ...] = ()
    """Regular expressions with what replaces them, before the path is read as `{name:pattern}`."""
    optional: str = ""
    """Regular expression of segments that may be missing."""
    takes_accepted_type: bool = False
    """Whether a text between path and handler is the type that the route accepts."""
    transformed: Mapping[str, Library] = {}
    """What handlers do where an argument after them writes what they return, by a part of its name
    in lower case; the first that fits counts."""


def framework(routes: ContextRoutes) -> Framework:
    """A described library as the engine has it."""
    return Framework(
        name=routes.name,
        markers=routes.markers,
        operations=partial(operations, routes=routes),
    )


def operations(
    program: Program, framework: Framework, routes: ContextRoutes
) -> Iterator[Operation]:
    """The routes of every application."""
    reader = _Calls(program, routes)
    walker: CallWalker[Group, Route] = CallWalker(
        program, reader.visit, Group(), reader.is_plausible
    )
    yield from operations_of(
        program,
        framework.name,
        walker.all(framework),
        lambda route: (_template(routes, route.path), NO_REASON),
        lambda route: _library(routes, route.transformer),
    )


def _library(routes: ContextRoutes, transformer: Expr | None) -> Library:
    name = constant_name(transformer)
    if isinstance(transformer, New):
        name = type_name(transformer.type)
    elif isinstance(transformer, Call):
        name = method(transformer)
    fitting = (library for part, library in routes.transformed.items() if part in name.lower())
    return routes.library if transformer is None else next(fitting, routes.library)


def _template(routes: ContextRoutes, path: str) -> str:
    for pattern, replacement in routes.path_syntax:
        path = re.sub(pattern, replacement, path)
    return template(join_paths(path))


class _Calls:
    """What calls of the library do."""

    def __init__(self, program: Program, routes: ContextRoutes) -> None:
        self._program, self._routes = program, routes
        self._names = routes.verbs | {*routes.groups, *routes.mounts, *routes.unread}

    def is_plausible(self, call: Call) -> bool:
        """Whether a call looks as if it were one of the library."""
        name = method(call)
        return name in self._names and len(call.args) > (name in self._routes.verbs)

    def visit(self, call: Call, scope: Scope, group: Group) -> Visit[Group, Route] | None:
        """The routes and groups that a call makes."""
        routes, name = self._routes, method(call)
        if not self.is_plausible(call) or not self._is_router(call, scope):
            return None
        given = [argument.value for argument in call.args]
        if name in routes.groups:
            return self._group(routes.groups[name], given, scope, group)
        if name in routes.mounts:
            inner = nested_group(self._program, group, given[0] if given[1:] else None, scope)
            return Visit(enters=tuple(self._application_calls(given[-1], scope, inner)))
        if name in routes.unread:
            path = join_paths(group.path, "{path*}")
            route = Route("*", path, None, scope, given[-1], routes.unread[name])
            return Visit(results=(route,))
        inner = nested_group(self._program, group, given[0], scope)
        rest = given[1:]
        if routes.takes_accepted_type and self._program.text(rest[0], scope) is not None:
            rest = rest[1:]
        if not rest:
            return None
        transformer = rest[1] if routes.transformed and len(rest) > 1 else None
        return Visit(
            results=tuple(
                Route(name.upper(), path, rest[0], scope, given[0], inner.reason, transformer)
                for path in self._paths(inner.path or "/")
            )
        )

    def _paths(self, path: str) -> list[str]:
        """A path without and with a segment that may be missing."""
        found = re.search(self._routes.optional, path) if self._routes.optional else None
        if found is None:
            return [path]
        return [path[: found.start()] or "/", path[: found.start()] + found[1]]

    # ------------------------------------------------------------------ groups

    def _group(
        self, described: GroupCall, given: list[Expr], scope: Scope, group: Group
    ) -> Visit[Group, Route]:
        path = given[0] if described.with_path == len(given) else None
        inner = nested_group(self._program, group, path, scope)
        function = handler_of(self._program, given[-1], scope, described.method)
        if function is None:
            return Visit(enters=tuple(self._application_calls(given[-1], scope, inner)))
        params = function.function.params
        bound: dict[str, Value] = {}
        if described.gives_router and len(params) == 1 and params[0].type is None:
            bound = {params[0].name: LibrarySymbol(_ROUTER)}
        return Visit(enters=(CallEntry(function, inner, bound),))

    def _application_calls(
        self, expr: Expr, scope: Scope, group: Group
    ) -> Iterator[CallEntry[Group]]:
        """What an application registers while it is made."""
        symbol = self._application(expr, scope)
        if symbol is None:
            return
        inside = self._program.class_scope(symbol)
        this = Instance(symbol, {})
        for function in symbol.decl.methods:
            if {"constructor", "initializer"} & set(function.modifiers):
                yield CallEntry(FunctionValue(function, inside, symbol, this), group)

    def _application(self, expr: Expr, scope: Scope) -> ClassSymbol | None:
        """The class of `new Orders()`, or of `Orders::new`."""
        if isinstance(expr, Attribute) and expr.name == "new" and isinstance(expr.value, Name):
            found = self._program.names.lookup_type(expr.value.id, scope)
            return found.symbol if isinstance(found, ClassValue) else None
        value = self._program.evaluate(expr, scope)
        return value.symbol if isinstance(value, Instance) else None

    # ------------------------------------------------------------------ routers

    def _is_router(self, call: Call, scope: Scope) -> bool:
        """Whether a method of the library is called, on whatever registers routes."""
        routes, callee = self._routes, call.callee
        if not isinstance(callee, Attribute):
            if routes.static_owner and is_static_of(
                self._program, call, scope, routes.static_owner
            ):
                return True
            return self._is_own_method(callee, scope)
        if isinstance(callee.value, Name) and callee.value.id == "this":
            return self._is_own_method(callee, scope)
        value = self._program.evaluate(callee.value, scope)
        return any(
            self._is_router_value(option)
            for option in (value.options if isinstance(value, OneOf) else (value,))
        )

    def _is_router_value(self, value: Value) -> bool:
        routes = self._routes
        if isinstance(value, LibrarySymbol):
            owner = value.name.rpartition(".")[2]
            is_static = bool(routes.static_owner) and owner == routes.static_owner
            return value.name == _ROUTER or is_static
        if isinstance(value, Instance) and self._is_application(value.symbol):
            return True
        return library_type(self._program, value) in routes.router_types

    def _is_own_method(self, callee: Expr, scope: Scope) -> bool:
        """Whether a method without receiver is one that the class around it inherits."""
        owner = scope.owner_around
        if owner is None or not self._is_application(owner):
            return False
        return not isinstance(self._program.evaluate(callee, scope), FunctionValue)

    def _is_application(self, symbol: ClassSymbol) -> bool:
        return any(
            type_name(base) in self._routes.router_classes
            for one in (symbol, *self._program.bases(symbol))
            for base in one.decl.bases
        )
