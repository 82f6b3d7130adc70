"""Classes of the project: where they nest, what they inherit, which methods they have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
    Unresolved,
)
from contract_scan.parsers.source.analysis.names.derived_types import files_deriving
from contract_scan.parsers.source.facts.nodes import (
    ClassDecl,
    FileFacts,
    Function,
    NamedType,
    TypeParam,
)

_WITHOUT_MEMBERS = frozenset({"ABC", "Generic", "Protocol", "object"})
"""Bases that have no members to inherit."""
MAX_ALIAS_HOPS = 20
"""How many aliases lead from a base to its class; a longer chain is a ring."""


class Classes:
    """The part of name resolution that concerns classes."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._class_scopes: dict[int, Scope] = {}
        self._ancestors: dict[str, list[tuple[ClassSymbol, Mapping[str, BoundType]]]] = {}
        self._implementations: dict[str, list[ClassSymbol]] = {}
        self.deriving = 0
        """How many classes are just being followed to their bases: till then, what a name means in
        a class may not be told in full."""

    def of_file(self, file: FileFacts) -> Iterator[ClassSymbol]:
        """Every class of a file, nested ones after the class around them."""
        pending = [ClassSymbol(c, file, _namespace_parts(file, c)) for c in reversed(file.classes)]
        while pending:
            symbol = pending.pop()
            yield symbol
            outer = (*symbol.outer, symbol.decl.name)
            pending.extend(ClassSymbol(c, file, outer) for c in reversed(symbol.decl.classes))

    def parts(self, symbol: ClassSymbol) -> Sequence[ClassSymbol]:
        """The declarations that together make a class, the given one first."""
        language = self._program.language
        return (symbol,) if language.parts is None else language.parts(self._program, symbol)

    def nested_class(self, symbol: ClassSymbol, name: str) -> ClassSymbol | None:
        """A class in the body of a class or of one of its ancestors."""
        for owner in (symbol, *(base for base, _ in self.ancestors(symbol))):
            for part in self.parts(owner):
                for nested in part.decl.classes:
                    if nested.name == name:
                        return ClassSymbol(nested, part.file, (*part.outer, part.decl.name))
        return None

    def nested_alias(self, symbol: ClassSymbol, name: str) -> AliasSymbol | None:
        """A type alias that a class, or a namespace, declares in its body."""
        for part in self.parts(symbol):
            for alias in part.decl.aliases:
                if alias.name == name:
                    return AliasSymbol(alias, part.file, (*part.outer, part.decl.name))
        return None

    def class_scope(self, symbol: ClassSymbol, types: Mapping[str, object]) -> Scope:
        """Inside a class body."""
        bound = {k: v for k, v in types.items() if isinstance(v, BoundType)}
        if not bound and id(symbol.decl) in self._class_scopes:
            return self._class_scopes[id(symbol.decl)]
        parent = self._program.module_scope(symbol.file)
        for position in range(len(symbol.outer)):
            outer = self._find_path(symbol.file, symbol.outer[: position + 1])
            if outer is not None:
                parent = Scope(file=symbol.file, parent=parent, owner=outer)
        scope = Scope(
            file=symbol.file,
            parent=parent,
            owner=symbol,
            types=bound,
            receiver=Instance(symbol, bound),
        )
        if not bound:
            self._class_scopes[id(symbol.decl)] = scope
        return scope

    def alias_scope(self, symbol: AliasSymbol) -> Scope:
        """Where the type of an alias stands: its file, or the namespace around it."""
        around = self._find_path(symbol.file, symbol.outer)
        if around is None:
            return self._program.module_scope(symbol.file)
        return self.class_scope(around, {})

    def scope_in_alias(self, symbol: AliasSymbol, use: NamedType, scope: Scope) -> Scope:
        """Inside the type of an alias, with its type parameters bound as a use binds them."""
        types = self.bind(symbol.alias.type_params, use, scope)
        return Scope(file=symbol.file, parent=self.alias_scope(symbol), types=types)

    def _find_path(self, file: FileFacts, names: tuple[str, ...]) -> ClassSymbol | None:
        classes: tuple[ClassDecl, ...] = file.classes
        found: ClassSymbol | None = None
        for position, name in enumerate(names):
            match = next((c for c in classes if c.name == name), None)
            if match is None:
                return None
            found = ClassSymbol(match, file, names[:position])
            classes = match.classes
        return found

    def ancestors(self, symbol: ClassSymbol) -> list[tuple[ClassSymbol, Mapping[str, BoundType]]]:
        """Project classes a class inherits from, nearest first, with their type parameters bound in
        terms of the class's own."""
        if symbol.key in self._ancestors:
            return self._ancestors[symbol.key]
        self._ancestors[symbol.key] = []  # a ring ends here
        self.deriving += 1
        try:
            self._ancestors[symbol.key] = result = self._derived_from(symbol)
        finally:
            self.deriving -= 1
        return result

    def _derived_from(
        self, symbol: ClassSymbol
    ) -> list[tuple[ClassSymbol, Mapping[str, BoundType]]]:
        result: list[tuple[ClassSymbol, Mapping[str, BoundType]]] = []
        seen = {symbol.key}
        level: list[tuple[ClassSymbol, Mapping[str, BoundType]]] = [(symbol, {})]
        direct: dict[str, list[str]] = {}
        while level:
            following: list[tuple[ClassSymbol, Mapping[str, BoundType]]] = []
            for current, types in level:
                for part in self.parts(current):
                    outside = self.class_scope(part, types)
                    for base in part.decl.bases:
                        found = self._base(base, outside)
                        if found is not None:
                            direct.setdefault(current.key, []).append(found[0].key)
                        if found is not None and found[0].key not in seen:
                            seen.add(found[0].key)
                            result.append(found)
                            following.append(found)
            level = following
        if self._program.language.linearizes_bases:
            order = linear_order(symbol.key, direct) or ()
            places = {key: place for place, key in enumerate(order)}
            result.sort(key=lambda ancestor: places.get(ancestor[0].key, len(places)))
        return result

    def _base(
        self, base: object, scope: Scope
    ) -> tuple[ClassSymbol, Mapping[str, BoundType]] | None:
        if not isinstance(base, NamedType):
            return None
        # A base is looked up outside the class: a class may have its base's name.
        outside = scope.parent or scope
        found = self._program.names.lookup_type(base.name, outside)
        hops = 0
        while isinstance(found, AliasSymbol) and isinstance(found.alias.type, NamedType):
            hops += 1
            if hops > MAX_ALIAS_HOPS:
                return None
            outside = self.alias_scope(found)
            base = found.alias.type
            found = self._program.names.lookup_type(base.name, outside)
        if not isinstance(found, ClassValue):
            return None
        assert isinstance(base, NamedType)
        params = found.symbol.decl.type_params
        return found.symbol, {
            **_shared_type_variables(params, base, scope),
            **self.bind(params, base, scope),
        }

    def bind(
        self, type_params: tuple[TypeParam, ...], type: NamedType, scope: Scope
    ) -> dict[str, BoundType]:
        """Type parameters with the arguments a use gives them."""
        bound = {
            parameter.name: BoundType(argument, scope)
            for parameter, argument in zip(type_params, type.args, strict=False)
        }
        for parameter in type_params[len(type.args) :]:
            if parameter.default is not None:
                bound[parameter.name] = BoundType(parameter.default, scope)
        return bound

    def method(
        self,
        symbol: ClassSymbol,
        name: str,
        types: Mapping[str, BoundType],
        arity: int | None = None,
    ) -> FunctionValue | None:
        """A method by name, inherited ones included; among overloads one that takes `arity`
        arguments is preferred."""
        chain = [(symbol, types), *self.ancestors(symbol)]
        for owner, bound in chain:
            # Java and C# give constructors the name of their class: they are no members of it.
            overloads = [
                (m, part)
                for part in self.parts(owner)
                for m in part.decl.methods
                if m.name == name and not (name == owner.decl.name and "constructor" in m.modifiers)
            ]
            if overloads:
                best = _best_overload([m for m, _ in overloads], arity)
                home = next(part for m, part in overloads if m is best)
                inside = self.class_scope(home, {**types, **bound})
                return FunctionValue(best, inside, home, Instance(symbol, types))
        return None

    def next_method(
        self, receiver: Instance, owner: ClassSymbol, name: str
    ) -> FunctionValue | Unresolved | None:
        """The method that `super()` leads to in a class that an object's class is, or inherits
        from: that of the next class of the object's. Undetermined where a class of a library may
        come before it."""
        chain = [(receiver.symbol, receiver.types), *self.ancestors(receiver.symbol)]
        place = next((i for i, (each, _) in enumerate(chain) if each.key == owner.key), None)
        if place is None:
            return None
        outside = [self._foreign_bases(each) for each, _ in chain]
        for position, (current, bound) in enumerate(chain[place + 1 :], place + 1):
            overloads = [method for method in current.decl.methods if method.name == name]
            if not overloads:
                continue
            later = {base for bases in outside[position:] for base in bases}
            before = [self._foreign_bases(each, current) for each, _ in chain[place:position]]
            if any(base not in later for bases in before for base in bases):
                return Unresolved(Reason("not-member", name=name))
            inside = self.class_scope(current, {**receiver.types, **bound})
            return FunctionValue(overloads[-1], inside, current, receiver)
        return None

    def _foreign_bases(
        self, symbol: ClassSymbol, until: ClassSymbol | None = None
    ) -> tuple[str, ...]:
        """The bases of a class that are none of the project, by their names; those before the one
        that leads to another class."""
        outside = self.class_scope(symbol, {})
        found: list[str] = []
        for base in symbol.decl.bases:
            if not isinstance(base, NamedType):
                continue
            own = self._base(base, outside)
            name = base.name.rpartition(".")[2]
            if own is None and name not in _WITHOUT_MEMBERS:
                found.append(name)
            elif own is not None and until is not None:
                above = (own[0], *(each for each, _ in self.ancestors(own[0])))
                if any(each.key == until.key for each in above):
                    break
        return tuple(found)

    def implementations(self, symbol: ClassSymbol) -> list[ClassSymbol]:
        """Project classes with the class among their bases, in files that name it, in path
        order."""
        known = self._implementations.get(symbol.key)
        if known is not None:
            return known
        found = self._find_implementations(symbol)
        if not self.deriving:
            self._implementations[symbol.key] = found
        return found

    def _find_implementations(self, symbol: ClassSymbol) -> list[ClassSymbol]:
        found: list[ClassSymbol] = []
        name, _, _ = symbol.decl.name.partition("`")  # C# tells generic types apart by `1, `2 …
        deriving = files_deriving(self._program, name)
        for path in self._program.files_with_word(name):
            if deriving is not None and path not in deriving:
                continue
            for candidate in self.of_file(self._program.facts(path)):
                if candidate.key == symbol.key or candidate.decl.kind == "interface":
                    continue
                if any(base.key == symbol.key for base, _ in self.ancestors(candidate)):
                    found.append(candidate)
        return found


def _best_overload(overloads: list[Function], arity: int | None) -> Function:
    if arity is not None:
        for function in overloads:
            required = [p for p in function.params if p.default is None and not p.optional]
            if len(required) <= arity <= len(function.params):
                return function
    with_body = [f for f in overloads if f.returns is not None or f.body]
    return with_body[0] if with_body else overloads[0]


def _shared_type_variables(
    params: tuple[TypeParam, ...], base: NamedType, scope: Scope
) -> dict[str, BoundType]:
    """Python's type variables that a class has in common with a base that it names without
    arguments: `class Full(Part, Generic[T])` of a `class Part(Generic[T])`."""
    owner = scope.owner
    if base.args or owner is None or scope.file.language != "python":
        return {}
    own = {parameter.name for parameter in owner.decl.type_params}
    return {
        parameter.name: BoundType(NamedType(parameter.name, span=base.span), scope)
        for parameter in params
        if parameter.name in own
    }


def _namespace_parts(file: FileFacts, declaration: ClassDecl) -> tuple[str, ...]:
    """TypeScript namespaces around a top-level type (C# namespaces do not nest types)."""
    if file.language != "typescript":
        return ()
    namespace = file.namespaces.get(declaration.name, "")
    return tuple(namespace.split(".")) if namespace else ()


def linear_order(name: str, bases: Mapping[str, Sequence[str]]) -> list[str] | None:
    """A class and everything that it inherits from, in the order in which Python looks for a
    member (C3, https://docs.python.org/3/howto/mro.html); `bases` are the direct ones of each. None
    where there is no such order: Python refuses the class."""
    return _Linearization(bases).of(name)


class _Linearization:
    def __init__(self, bases: Mapping[str, Sequence[str]]) -> None:
        self._bases = bases
        self._known: dict[str, list[str] | None] = {}

    def of(self, name: str) -> list[str] | None:
        if name not in self._known:
            self._known[name] = None  # a ring ends here
            self._known[name] = self._order_of(name)
        return self._known[name]

    def _order_of(self, name: str) -> list[str] | None:
        direct = list(self._bases.get(name, ()))
        orders = [self.of(base) for base in direct]
        waiting = [list(order) for order in orders if order is not None]
        if len(waiting) < len(orders):
            return None
        waiting.append(direct)
        result = [name]
        while waiting := [order for order in waiting if order]:
            later = {each for order in waiting for each in order[1:]}
            first = next((order[0] for order in waiting if order[0] not in later), None)
            if first is None:
                return None
            result.append(first)
            waiting = [[each for each in order if each != first] for order in waiting]
        return result
