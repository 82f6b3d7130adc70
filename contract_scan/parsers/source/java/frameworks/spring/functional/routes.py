"""Router functions of Spring: which routes the code that puts them together makes.

Router functions are put together by chains of calls, in lambdas that are given a builder, and by
functions of the project that return further ones. Each is followed from where it is served.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import returns
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Lambda,
    Loop,
    Name,
    NamedType,
    New,
    Param,
    Return,
    Statement,
    TypeExpr,
)
from contract_scan.parsers.source.java.frameworks.spring.functional.predicates import (
    VERBS,
    AcceptedRequest,
    accepted_requests,
)
from contract_scan.parsers.source.java.resolution.annotations import has, type_name
from contract_scan.parsers.source.java.web.chains import (
    Chain,
    chain,
    class_given,
    function_called,
    method,
)
from contract_scan.parsers.source.java.web.walker import arguments

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
        self._beans = _CollectedBeans(program)

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
        first = decl.params[0] if decl.params else None
        if first is not None and (first.type is None or _is_builder(first.type)):
            bound.setdefault(first.name, LibrarySymbol(_BUILDER))
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
                bound = arguments(self.program, function, call, scope)
                yield from self.of_function(function, around, depth + 1, bound)

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


# ----------------------------------------------------------- beans that are collected by their type
# `List<Endpoint>`, `ObjectProvider<Endpoint>` and `getBeansOfType(Endpoint.class)` give every bean
# of a type. Code asks each for a router function, and often keeps these in a map by a key, of which
# it makes the routes later: `map.forEach((key, functions) -> builder.nest(path("/" + key), …))`.


_COLLECTIONS = frozenset(
    {"List", "Set", "Collection", "Iterable", "Stream", "Map", "ObjectProvider"}
)
_STEREOTYPES = ("Component", "Service", "Repository", "Controller", "Configuration")
_MAX_CALLS = 5


class _CollectedBeans:
    """The beans of the types that functions of a program collect."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._collected: set[str] = set()

    def collect(self, function: FunctionValue, scope: Scope) -> None:
        """Take note of the types of which a function, or its class, is given all beans."""
        types = [parameter.type for parameter in function.function.params]
        if function.owner is not None:
            types += [member.type for member in function.owner.decl.members]
        given = [type for each in types for type in _items_of(each)]
        for call, _ in calls_in(self.program, scope.statements or (), scope):
            given.append(_asked_type(call))
        for type in given:
            if isinstance(type, NamedType):
                found = self.program.names.declared_class(type, scope)
                if found is not None:
                    self._collected.add(found.key)

    def places(self, expr: Expr, scope: Scope) -> list[Scope]:
        """The scope of an expression, once for each bean that the name in it may stand for."""
        if not isinstance(expr, Name):
            return [scope]
        symbol = _class_of(self.program, self.program.evaluate(expr, scope))
        if symbol is None or symbol.key not in self._collected:
            return [scope]
        return [
            Scope(
                file=scope.file,
                parent=scope,
                bindings={expr.id: Instance(bean, {})},
                receiver=scope.receiver,
                depth=scope.depth,
            )
            for bean in self.program.names.classes.implementations(symbol)
            if has(bean.decl.annotations, *_STEREOTYPES) and "abstract" not in bean.decl.modifiers
        ]

    def bindings_of_loop(self, call: Call, scope: Scope) -> Iterator[Mapping[str, Value]]:
        """What the parameters of the function are in `held.forEach(function)`: for each entry of a
        member that is filled with beans, else once, for an item of what is gone through."""
        names = [p.name for a in call.args if isinstance(a.value, Lambda) for p in _params(a.value)]
        gone_through = call.callee.value if isinstance(call.callee, Attribute) else call
        if not isinstance(gone_through, Call) and len(names) == 2:
            for key, value in self._entries(gone_through, scope):
                yield {names[0]: key, names[1]: value}
        elif len(names) == 1:
            asked = [type for one in chain(gone_through).calls if (type := _asked_type(one))]
            item = ByType(asked[0], scope) if asked else self.program.evaluate(gone_through, scope)
            yield {names[0]: item if asked else self.program.evaluator.item(item)}

    def _entries(self, held: Expr, scope: Scope) -> Iterator[tuple[Value, Value]]:
        """The keys and values that the methods of a class put into a map that it holds."""
        owner = scope.owner_around
        if owner is None or _member(owner, held) is None:
            return
        inside = self.program.class_scope(owner)
        for function in owner.decl.methods:
            body = self.program.function_scope(function, inside)
            for call, place in calls_in(self.program, body.statements or (), body):
                put = chain(call) if isinstance(call, Call) else None
                if put is None or _member(owner, put.base) != _member(owner, held):
                    continue
                yield from self._put(put, place)

    def _put(self, put: Chain, scope: Scope) -> Iterator[tuple[Value, Value]]:
        match put.names, [[a.value for a in call.args] for call in put.calls]:
            case ("put" | "putIfAbsent",), [[key, value]]:
                pass
            case ("computeIfAbsent", "add"), [[key, _], [value]]:
                pass
            case _:
                return
        for place in self.places(chain(value).base, scope):
            yield self._value(key, place), Items((self._function(value, place),), repeated=True)

    def _function(self, expr: Expr, scope: Scope) -> Value:
        called = function_called(self.program, expr, scope) if isinstance(expr, Call) else None
        return called if called is not None else self.program.evaluate(expr, scope)

    def _value(self, expr: Expr, scope: Scope, depth: int = 0) -> Value:
        """What an expression gives, calls of the project's functions followed to what they make."""
        called = function_called(self.program, expr, scope) if isinstance(expr, Call) else None
        if not isinstance(expr, Call) or called is None or depth > _MAX_CALLS:
            return self.program.evaluate(expr, scope)
        names = (parameter.name for parameter in called.function.params)
        given = (self.program.evaluate(argument.value, scope) for argument in expr.args)
        inside = self.program.function_scope(
            called.function, called.scope, dict(zip(names, given, strict=False))
        )
        made = [
            self._value(one.value, inside, depth + 1)
            for one in returns(inside.statements or ())
            if isinstance(one, Return) and one.value is not None
        ]
        return union_of(tuple(made)) if made else self.program.evaluate(expr, scope)


def _items_of(type: TypeExpr | None) -> tuple[TypeExpr | None, ...]:
    """The type of the items of a collection; nothing of other types."""
    if not isinstance(type, NamedType) or type_name(type) not in _COLLECTIONS:
        return ()
    return type.args[-1:]


def _asked_type(call: Call | New) -> TypeExpr | None:
    """The type of `getBeansOfType(T.class)`."""
    if not isinstance(call, Call) or method(call) != "getBeansOfType" or not call.args:
        return None
    return class_given(call.args[0].value)


def _params(function: Lambda) -> tuple[Param, ...]:
    return function.function.params


def _member(owner: ClassSymbol, expr: Expr) -> str | None:
    """The name of the member of a class that an expression is."""
    match expr:
        case Name(id=name) | Attribute(value=Name(id="this"), name=name):
            return name if any(m.name == name for m in owner.decl.members) else None
        case _:
            return None


def _class_of(program: Program, value: Value) -> ClassSymbol | None:
    match value:
        case ByType(type=NamedType(name=name), scope=scope):
            found = program.names.lookup_type(name, scope)
            return found.symbol if isinstance(found, ClassValue) else None
        case Instance(symbol=symbol, site=None):
            return symbol
        case _:
            return None
