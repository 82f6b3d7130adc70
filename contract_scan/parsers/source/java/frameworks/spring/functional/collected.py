"""Beans that an application collects by their type, and what its registries hold of them.

`List<Endpoint>`, `ObjectProvider<Endpoint>` and `getBeansOfType(Endpoint.class)` give every bean of
a type. Code asks each for a router function, and often keeps these in a map by a key, of which it
makes the routes later: `map.forEach((key, functions) -> builder.nest(path("/" + key), …))`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import returns
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Items,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Lambda,
    Name,
    NamedType,
    New,
    Param,
    Return,
    TypeExpr,
)
from contract_scan.parsers.source.java.resolution.annotations import has, type_name
from contract_scan.parsers.source.java.web.chains import (
    Chain,
    chain,
    class_given,
    function_called,
    method,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_COLLECTIONS = frozenset(
    {"List", "Set", "Collection", "Iterable", "Stream", "Map", "ObjectProvider"}
)
_STEREOTYPES = ("Component", "Service", "Repository", "Controller", "Configuration")
_MAX_DEPTH = 5


class CollectedBeans:
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
                found = self.program.names.lookup_type(type.name, scope)
                if isinstance(found, ClassValue):
                    self._collected.add(found.symbol.key)

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
        if not isinstance(expr, Call) or called is None or depth > _MAX_DEPTH:
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
