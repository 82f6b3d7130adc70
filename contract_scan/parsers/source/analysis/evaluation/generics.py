"""What arguments and implementations tell of generic and abstract functions."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import astuple, replace

from contract_scan.ir.reasons import NO_REASON
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    OneOf,
    Scope,
    Unresolved,
    Value,
    is_null,
)
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.syntax.signatures import overriding_method, type_spelling
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Call,
    Expr,
    FunctionType,
    NamedType,
    New,
    NullableType,
    Param,
    TypeExpr,
    UnsupportedType,
)

MAX_MATCH_DEPTH = 6
"""How deep a declared type is matched against what is passed."""


_GIVING = frozenset(
    {"Func", "Supplier", "Callable", "Function", "BiFunction", "UnaryOperator", "BinaryOperator"}
)
"""Types of functions whose last type argument is what they give; those of others they take."""


def _is_told_by_arguments(name: str, params: tuple[Param, ...], call: Call) -> bool:
    """Whether a call gives an argument whose declared type speaks of a type parameter."""
    if any(argument.name or argument.spread for argument in call.args):
        return True
    return any(_speaks_of(parameter.type, name) for parameter in params[: len(call.args)])


def _speaks_of(declared: object, name: str) -> bool:
    """Whether a type parameter stands anywhere in a declared type."""
    pending = [declared]
    while pending:
        node = pending.pop()
        if isinstance(node, NamedType) and node.name == name:
            return True
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Struct):
            pending.extend(astuple(node))
    return False


def _speaks_of_any(declared: TypeExpr, names: set[str]) -> bool:
    return any(_speaks_of(declared, name) for name in names)


class Generics:
    """The part of the evaluator that fixes type parameters and finds implementations."""

    def __init__(self, context: Context, containers: Containers) -> None:
        self._program = context.program
        self._evaluate = context.evaluate
        self._containers = containers

    def inferred_types(
        self, callee: FunctionValue, expr: Call, scope: Scope, known: Mapping[str, BoundType]
    ) -> dict[str, BoundType]:
        """Type parameters that the arguments of a call fix, and the defaults of those that no
        argument can say anything of (`find<Q = T>(options?: Options<Q>)` called without)."""
        names = {p.name for p in callee.function.type_params} - set(known)
        if not names:
            return {}
        params = callee.function.params
        found = self.fixed_types(names, params, expr, scope)
        for type_param in callee.function.type_params:
            name, default = type_param.name, type_param.default
            if default is None or name not in names or name in found:
                continue
            if not _is_told_by_arguments(name, params, expr):
                inside = replace(callee.scope, types={**callee.scope.types, **known, **found})
                found[name] = BoundType(default, inside)
        return found

    def fixed_types(
        self, names: set[str], params: tuple[Param, ...], expr: Call | New, scope: Scope
    ) -> dict[str, BoundType]:
        """Type parameters among `names` that arguments fix: `f(x: T)` called with a typed value."""
        found: dict[str, BoundType] = {}
        positional = [a for a in expr.args if not a.name and not a.spread]
        given = list(zip(params, positional, strict=False))
        given += [(p, a) for a in expr.args for p in params if a.name and a.name == p.name]
        for parameter, argument in given:
            declared = parameter.type
            if declared is None:
                continue
            value = self._containers.unwrap(self._evaluate(argument.value, scope))
            before = len(found)
            self._fix(names, declared, value, scope, found)
            if len(found) == before and _speaks_of_any(declared, names):
                value = self._as_declared(argument.value, scope)
                self._fix(names, declared, value, scope, found)
        return found

    def _as_declared(self, expr: Expr, scope: Scope) -> Value:
        """What a call gives by the declared type of its function, which what is returned there may
        be converted to (C#'s implicit operators)."""
        giving = (
            self._program.function_value(expr.callee, scope) if isinstance(expr, Call) else None
        )
        if giving is None or giving.function.returns is None:
            return Unresolved(NO_REASON)
        return self._containers.unwrap(ByType(giving.function.returns, giving.scope))

    def _fix(
        self,
        names: set[str],
        declared: TypeExpr,
        value: Value,
        scope: Scope,
        found: dict[str, BoundType],
        depth: int = 0,
    ) -> None:
        """What a value says of the type parameters in the declared type of its parameter."""
        if depth > MAX_MATCH_DEPTH:
            return
        match declared:
            case NullableType(item=item):
                self._fix(names, item, value, scope, found, depth + 1)
            case ArrayType(item=item):
                self._fix(names, item, self._containers.item(value), scope, found, depth + 1)
            case NamedType(name=name, args=()) if name in names:
                bound = self.bound_type(value, scope)
                if bound is not None:
                    found[name] = bound
            case NamedType(name=name, args=(NamedType(args=(_, *_)) as item,)) if (
                name.rpartition(".")[2] in self._program.language.transparent
            ):  # what a value was unwrapped of
                self._fix(names, item, value, scope, found, depth + 1)
            case NamedType(args=(item,)) if isinstance(value, ClassValue):  # `Class<T>`, `Type<T>`
                made = Instance(value.symbol, value.types)
                self._fix(names, item, made, scope, found, depth + 1)
            case NamedType(name=name, args=args) if args and isinstance(value, FunctionValue):
                gives = name.rpartition(".")[2].partition("`")[0] in _GIVING
                self._fix_function(
                    names, args[:-1] if gives else args, args[-1] if gives else None, value, found
                )
            case FunctionType(params=params, returns=returns) if isinstance(value, FunctionValue):
                taken = tuple(one.type for one in params)
                self._fix_function(names, taken, returns, value, found)
            case NamedType(name=name, args=args) if args:
                given = self._arguments_as(name.rsplit(".", 1)[-1], len(args), value)
                for argument, bound in zip(args, given, strict=False):
                    inner = ByType(bound.type, bound.scope)
                    self._fix(names, argument, inner, scope, found, depth + 1)
                if not given and len(args) == 1:
                    is_unwrapped = name.rpartition(".")[2] in self._program.language.transparent
                    whole = is_unwrapped and isinstance(value, Instance)
                    held = value if whole else self._containers.item(value)
                    self._fix(names, args[0], held, scope, found, depth + 1)
            case _:
                pass

    def _fix_function(
        self,
        names: set[str],
        taken: tuple[TypeExpr | None, ...],
        given: TypeExpr | None,
        function: FunctionValue,
        found: dict[str, BoundType],
    ) -> None:
        """What a function says of the type parameters in the types that it is declared to take and
        to give: `Func<Order, T>`, `Supplier<T>`, `() => Promise<T>`."""
        for declared, param in zip(taken, function.function.params, strict=False):
            if declared is not None and param.type is not None:
                typed = ByType(param.type, function.scope)
                self._fix(names, declared, typed, function.scope, found)
        while (
            isinstance(given, NamedType)
            and len(given.args) == 1
            and (given.name.rpartition(".")[2] in self._program.language.transparent)
        ):
            (given,) = given.args
        if given is not None and _speaks_of_any(given, names - found.keys()):
            value = self._containers.unwrap(self._program.evaluator.returned_value(function))
            self._fix(names, given, value, function.scope, found)

    def _arguments_as(self, name: str, count: int, value: Value) -> list[BoundType]:
        """The type arguments of a value seen as a generic type: its own type, or one that its class
        inherits from (`IRequest<Order>` of a `GetOrder`); of several values those of each."""
        if isinstance(value, OneOf):
            each = [self._arguments_as(name, count, o) for o in value.options if not is_null(o)]
            spelled = {tuple(type_spelling(bound.type) for bound in one) for one in each}
            return each[0] if len(spelled) == 1 else []
        if isinstance(value, ByType) and isinstance(value.type, NamedType):
            type, scope = value.type, value.scope
            if type.name.rsplit(".", 1)[-1] == name and len(type.args) == count:
                return [BoundType(argument, scope) for argument in type.args]
        known = self._class_of(value)
        if known is None:
            return []
        symbol, types = known
        inside = self._program.names.classes.class_scope(symbol, dict(types))
        for owner, place in self._program.types.chain(symbol, inside):
            own = [place.types.get(parameter.name) for parameter in owner.decl.type_params]
            if owner.decl.name == name and len(own) == count and all(own):
                return [bound for bound in own if bound is not None]
            for base in owner.decl.bases:
                named = isinstance(base, NamedType) and base.name.rsplit(".", 1)[-1] == name
                if named and isinstance(base, NamedType) and len(base.args) == count:
                    return [BoundType(argument, place) for argument in base.args]
        return []

    def _class_of(self, value: Value) -> tuple[ClassSymbol, Mapping[str, BoundType]] | None:
        """The class of the project that a value is of, and what its type parameters are."""
        if isinstance(value, Instance):
            return value.symbol, value.types
        if not isinstance(value, ByType) or not isinstance(value.type, NamedType):
            return None
        type, scope = value.type, value.scope
        symbol = self._program.names.declared_class(type, scope)
        if symbol is None:
            return None
        return symbol, self._program.names.classes.bind(symbol.decl.type_params, type, scope)

    def bound_type(self, value: Value, scope: Scope) -> BoundType | None:
        """The type of a value: by its name where it has one, else by its shape."""
        match value:
            case ByType(type=type, scope=inside):
                return BoundType(type, inside)
            case Instance(symbol=symbol, types=types):
                inside = self._program.names.classes.class_scope(symbol, types)
                return BoundType(NamedType(name=symbol.decl.name), inside)
            case Unresolved():
                return None
            case _:
                shape = self._program.types.schema_of(value)
                return BoundType(UnsupportedType(description="what is passed here"), scope, shape)

    def only_implementation(
        self, callee: FunctionValue, call: Call | None = None, scope: Scope | None = None
    ) -> FunctionValue | None:
        """The one project method that implements an interface's or abstract method; of several,
        the one that is declared to take the very class of what a call gives."""
        owner = callee.owner
        abstract = "abstract" in callee.function.modifiers
        if owner is None or not (owner.decl.kind == "interface" or abstract):
            return None
        found = []
        for candidate in self._program.names.classes.implementations(owner):
            method = self._program.names.classes.method(candidate, callee.function.name, {})
            if method is not None and method.owner is not None and method.owner.key != owner.key:
                found.append(self._of_signature(method, callee))
        if len(found) > 1 and call is not None and call.args and scope is not None:
            given = self._class_of(self._evaluate(call.args[0].value, scope))
            found = [method for method in found if given and self._takes(method, given[0])]
        return found[0] if len(found) == 1 else None

    def as_implemented(
        self, callee: FunctionValue, implementation: FunctionValue, typed: ByType
    ) -> tuple[FunctionValue, ByType]:
        """What runs where a method has one implementation, with the type of what it gives: its own
        where it declares one, which may be narrower."""
        own, inside = implementation.function.returns, implementation.scope
        if not self._program.language.structural:
            return callee, typed
        if own is None:
            declared = replace(implementation.function, returns=callee.function.returns)
            return replace(implementation, function=declared), typed
        if self._containers.says_nothing(own, inside):
            return callee, typed
        return implementation, ByType(own, inside, typed.span)

    def _takes(self, method: FunctionValue, given: ClassSymbol) -> bool:
        """Whether the first parameter of a method is declared to be of a class."""
        first = method.function.params[0].type if method.function.params else None
        taken = (
            self._program.names.declared_class(first, method.scope)
            if isinstance(first, NamedType)
            else None
        )
        return taken is not None and taken.key == given.key

    def _of_signature(self, method: FunctionValue, callee: FunctionValue) -> FunctionValue:
        """Among the overloads of a class the one that implements a method."""
        assert method.owner is not None and callee.owner is not None
        name = method.function.name
        declared = [other for other in method.owner.decl.methods if other.name == name]
        if len(declared) < 2:
            return method
        type_params = [parameter.name for parameter in callee.owner.decl.type_params]
        meant = overriding_method(declared, callee.function, type_params)
        return method if meant is None else replace(method, function=meant)
