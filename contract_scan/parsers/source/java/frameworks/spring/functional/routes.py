"""Router functions of Spring: which routes the code that puts them together makes.

Router functions are put together by chains of calls, in lambdas that are given a builder, and by
functions of the project that return further ones. Each is followed from where it is served.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Call,
    Evaluate,
    Expr,
    Loop,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.java.frameworks.spring.functional.collected import (
    CollectedBeans,
)
from contract_scan.parsers.source.java.frameworks.spring.functional.predicates import (
    VERBS,
    AcceptedRequest,
    accepted_requests,
)
from contract_scan.parsers.source.java.web.chains import chain, function_called, method

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_BUILDER = "<route builder>"
_MAX_DEPTH = 12


class Route(Struct, frozen=True, eq=False):
    """One route, below all the predicates around it."""

    accepted: AcceptedRequest
    handler: Expr | None
    scope: Scope
    origin: Origin


class Routes:
    """The routes of one program's router functions."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.reached: set[tuple[str, object]] = set()
        """Functions whose routes were read, by file and span."""
        self._beans = CollectedBeans(program)

    def of_function(
        self,
        function: FunctionValue,
        around: AcceptedRequest,
        depth: int,
        given: Mapping[str, Value] | None = None,
    ) -> Iterator[Route]:
        """The routes of what a function returns, or of what it does with a builder it is given."""
        decl = function.function
        self.reached.add((function.scope.file.path, decl.span))
        if depth > _MAX_DEPTH:
            return
        bound = dict(given or {})
        if (
            not bound
            and decl.params
            and (decl.params[0].type is None or _is_builder(decl.params[0].type))
        ):
            bound = {decl.params[0].name: LibrarySymbol(_BUILDER)}
        scope = self.program.function_scope(decl, function.scope, bound)
        self._beans.collect(function, scope)
        pending: list[Statement] = list(reversed(scope.statements or ()))
        while pending:
            match pending.pop():
                case Branch(blocks=blocks):
                    pending.extend(s for block in reversed(blocks) for s in reversed(block))
                case Loop(body=body):
                    pending.extend(reversed(body))
                case Return(value=value) if value is not None:
                    yield from self.of_expr(value, scope, around, depth + 1)
                case Evaluate(value=value):
                    if self._begins_with_router(value, scope):
                        yield from self.of_expr(value, scope, around, depth + 1)
                    elif isinstance(value, Call) and method(value) == "forEach":
                        yield from self._of_loop(value, scope, around, depth)
                case Assign(value=value, target=Name(id=name)) if value is not None:
                    if self._is_filled_later(name, scope):
                        yield from self.of_expr(value, scope, around, depth + 1)
                case _:
                    pass

    def _of_loop(
        self, call: Call, scope: Scope, around: AcceptedRequest, depth: int
    ) -> Iterator[Route]:
        """The routes that a function adds for each of the items that it is called with."""
        function = self.program.function_value(call.args[0].value, scope) if call.args else None
        if function is not None:
            for given in self._beans.bindings_of_loop(call, scope):
                yield from self.of_function(function, around, depth + 1, given)

    def _begins_with_router(self, expr: Expr, scope: Scope) -> bool:
        """Whether a statement goes on with a builder: `b.GET(…);`."""
        links = chain(expr)
        if not links.calls or not isinstance(links.base, Name):
            return False
        value = self.program.evaluate(links.base, scope)
        return _is_marked(value) or (
            isinstance(value, LibraryResult) and _method_name(value) == "route"
        )

    def _is_filled_later(self, name: str, scope: Scope) -> bool:
        """Whether a local builder is gone on with by statements, not where it is returned."""
        value = self.program.evaluate(Name(id=name), scope)
        return (
            isinstance(value, LibraryResult)
            and value.name.endswith("route")
            and not value.site.args
        )

    def of_expr(
        self, expr: Expr, scope: Scope, around: AcceptedRequest, depth: int
    ) -> Iterator[Route]:
        """The routes of a router function."""
        if depth > _MAX_DEPTH:
            return
        links = chain(expr)
        is_documented = self._is_documented(links.base, scope)
        for place in self._beans.places(links.base, scope):
            is_made = bool(links.calls) and links.base is links.calls[0]
            if not links.calls or (not is_made and self._is_router(links, place)):
                yield from self._of_base(links.base, place, around, depth)
            for call in links.calls:
                yield from self._of_call(call, place, around, depth, is_documented)

    def _is_documented(self, base: Expr, scope: Scope) -> bool:
        """Whether a chain goes on with the builder of springdoc, whose calls say in their last
        argument what the documentation says of the route."""
        value = self.program.evaluate(base, scope)
        return isinstance(value, LibrarySymbol | LibraryResult) and "SpringdocRoute" in value.name

    def _is_router(self, links: object, scope: Scope) -> bool:
        base = getattr(links, "base", None)
        if not isinstance(base, Name):
            return False
        value = self.program.evaluate(base, scope)
        return isinstance(value, LibraryResult | ByType | OneOf | Items)

    def _of_base(
        self, base: Expr, scope: Scope, around: AcceptedRequest, depth: int
    ) -> Iterator[Route]:
        value = self.program.evaluate(base, scope)
        if _is_marked(value):
            return
        options = value.options if isinstance(value, OneOf) else (value,)
        if isinstance(value, Items):
            options = value.values
        for option in options:
            if isinstance(option, LibraryResult) and isinstance(option.site, Call):
                is_filled = _method_name(option) == "route" and not option.site.args
                if not is_filled:
                    yield from self.of_expr(option.site, option.scope, around, depth + 1)
            elif isinstance(option, FunctionValue):
                yield from self.of_function(option, around, depth + 1)
            elif self._names_routes(option) and around.path:
                yield self._undetermined_route(base, scope, around)

    def _names_routes(self, value: Value) -> bool:
        return not isinstance(value, LibrarySymbol) or "RouterFunction" in value.name

    def _undetermined_route(self, expr: Expr, scope: Scope, around: AcceptedRequest) -> Route:
        why = Reason("router-function-undetermined")
        origin = self.program.origin(expr, scope)
        return Route(
            AcceptedRequest("*", around.path, "", around.reason or why), None, scope, origin
        )

    def _of_call(
        self, call: Call, scope: Scope, around: AcceptedRequest, depth: int, is_documented: bool
    ) -> Iterator[Route]:
        name = method(call)
        given = [a.value for a in call.args]
        if is_documented and (name in VERBS or len(given) > 2):
            given = given[:-1]  # what is said of the operation in its documentation
        if name in VERBS:
            yield from self._verb(name, call, given, scope, around)
        elif name in ("route", "andRoute"):
            if len(given) == 2:
                yield from self._route(given[0], given[1], call, scope, around)
        elif name in ("nest", "andNest") and len(given) > 1:
            for inner in accepted_requests(self.program, given[0], scope):
                yield from self._nested_routes(given[1], scope, around.and_(inner), depth)
        elif name == "path" and len(given) > 1:
            text = self.program.text(given[0], scope)
            why = NO_REASON if text is not None else Reason("route-group-path-not-constant")
            inner = around.and_(AcceptedRequest("*", text or "", "", why))
            yield from self._nested_routes(given[1], scope, inner, depth)
        elif name in ("and", "andOther", "add") and given:
            yield from self.of_expr(given[0], scope, around, depth + 1)
        else:
            function = function_called(self.program, call, scope)
            if function is not None:
                yield from self.of_function(function, around, depth + 1)

    def _nested_routes(
        self, expr: Expr, scope: Scope, around: AcceptedRequest, depth: int
    ) -> Iterator[Route]:
        """The routes of a router function, or of a lambda that gets a builder or returns a
        router function."""
        function = self.program.function_value(expr, scope)
        if function is not None:
            yield from self.of_function(function, around, depth + 1)
            return
        before = len(self.reached)
        found = False
        for route in self.of_expr(expr, scope, around, depth + 1):
            found = True
            yield route
        if not found and before == len(self.reached):
            yield self._undetermined_route(expr, scope, around)

    def _verb(
        self, verb: str, call: Call, given: list[Expr], scope: Scope, around: AcceptedRequest
    ) -> Iterator[Route]:
        """`GET(pattern, predicate, handler)`, pattern and predicate being optional."""
        if not given:
            return
        inner = [AcceptedRequest(verb)]
        for expr in given[:-1]:
            text = self.program.text(expr, scope)
            if text is not None:
                inner = [a.and_(AcceptedRequest("*", text)) for a in inner]
            elif chain(expr).calls:
                inner = [
                    a.and_(b) for a in inner for b in accepted_requests(self.program, expr, scope)
                ]
            else:
                why = Reason("route-path-not-a-constant")
                inner = [a.and_(AcceptedRequest("*", "", "", why)) for a in inner]
        origin = self.program.origin(call.args[0].value, scope)
        for one in inner:
            yield Route(around.and_(one), given[-1], scope, origin)

    def _route(
        self, predicate: Expr, handler: Expr, call: Call, scope: Scope, around: AcceptedRequest
    ) -> Iterator[Route]:
        origin = self.program.origin(call.args[0].value, scope)
        for one in accepted_requests(self.program, predicate, scope):
            yield Route(around.and_(one), handler, scope, origin)


def _is_marked(value: Value) -> bool:
    return isinstance(value, LibrarySymbol) and value.name == _BUILDER


def _method_name(made: LibraryResult) -> str:
    return made.name.rpartition(".")[2]


def _is_builder(type: object) -> bool:
    return "Builder" in getattr(type, "name", "")
