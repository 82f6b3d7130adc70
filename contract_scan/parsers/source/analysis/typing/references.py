"""References to the classes and aliases of a project, and the schemas behind them.

Project classes become `Reference`s, resolved on demand by the language's `class_schema`, so
recursive types need no care and types that nobody asks for cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence, of_part
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Reference, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.schemas import describe, says_nothing
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ClassSymbol,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import NamedType, TypeExpr

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

MAX_TYPE_DEPTH = 60
"""How deep types may nest (and aliases lead to aliases) before a type counts as unknown."""


class References:
    """The classes and aliases of one program, by reference. The shape of any other type is told by
    `Types`, which is built on this."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._pending: dict[str, tuple[ClassSymbol, Mapping[str, BoundType], str]] = {}
        self._resolved: dict[str, Schema] = {}
        self._open_aliases: set[str] = set()
        self._recursive: set[str] = set()
        self._unfinished: set[str] = set()
        """Keys of classes of which the schema is being made."""
        self._met = 0
        """How often something was asked for that is being made."""
        self._texts: dict[int, str] = {}
        """What describes the schemas of aliases without parameters, by their identity: they are
        kept, and may be as large as a database."""

    # Defined by `Types`.
    def schema(self, type: TypeExpr, scope: Scope, variant: str = "") -> Schema:
        """Shape of values of a declared type."""
        raise NotImplementedError

    def resolve(self, reference: Reference) -> Schema:
        """The schema of a project class. Always the same value for the same reference."""
        known = self._resolved.get(reference.key)
        if known is not None:
            self._met += reference.key in self._unfinished
            return known
        if reference.key in self._open_aliases:
            self._met += 1
            return Unknown(reason=Reason("recursive-type"), origin=reference.origin)
        symbol, types, variant = self._pending[reference.key]
        self._resolved[reference.key] = Unknown(
            reason=Reason("recursive-definition", name=symbol.decl.name), origin=symbol.origin
        )
        scope = self._program.names.classes.class_scope(symbol, types)
        named = NamedType(name=symbol.decl.name)
        use = TypeUse(
            self._program, named, symbol.key, scope, *loaded_relations.split_variant(variant)
        )
        self._unfinished.add(reference.key)
        try:
            schema = self._program.language.class_schema(use, symbol)
        finally:
            self._unfinished.discard(reference.key)
        self._resolved[reference.key] = schema
        return schema

    def keep(self, key: str, schema: Schema) -> None:
        """Give a schema that no type of the project declares a key to refer to it by; keys begin
        with the name of the language and a colon."""
        self._resolved[key] = schema

    def symbol_of(self, reference: Reference) -> ClassSymbol | None:
        """The project class that a reference stands for; None for an alias."""
        pending = self._pending.get(reference.key)
        return None if pending is None else pending[0]

    def flat(self, schema: Schema) -> Schema:
        """The schema itself behind a reference (its nullability and its evidence kept)."""
        hops = 0
        while isinstance(schema, Reference) and hops < MAX_TYPE_DEPTH:
            target = self.resolve(schema)
            around, known = schema.evidence, schema.null_known
            schema = with_nullable(target, schema.nullable or target.nullable)
            if around is not None:
                schema = replace(schema, evidence=of_part(target.evidence or Evidence(), around))
            if known is not None:
                schema = replace(schema, null_known=known)
            hops += 1
        return schema

    def reference(
        self, symbol: ClassSymbol, types: Mapping[str, BoundType], variant: str, origin: Origin
    ) -> Reference:
        """A reference to a project class with its type parameters bound."""
        key = f"{self._program.language.name}:{symbol.key}"
        if symbol.decl.type_params and types:
            shown = (
                describe(self.bound_schema(bound, variant))
                for bound in (types.get(p.name) for p in symbol.decl.type_params)
                if bound is not None
            )
            key += "<" + ",".join(shown) + ">"
        if variant:
            key += "|" + variant
        if key not in self._resolved:
            self._pending.setdefault(key, (symbol, types, variant))
        return Reference(key=key, origin=origin)

    def in_variant(self, reference: Reference, change: Callable[[str], str]) -> Reference:
        """A reference to the same class in a variant that is made of its own; an alias has none."""
        pending = self._pending.get(reference.key)
        if pending is None:
            return reference
        symbol, types, variant = pending
        changed = self.reference(symbol, types, change(variant), reference.origin)
        return replace(reference, key=changed.key)

    def chain(self, symbol: ClassSymbol, scope: Scope) -> list[tuple[ClassSymbol, Scope]]:
        """The class and its project ancestors with scopes in which type parameters are bound."""
        names = self._program.names
        own = names.classes.class_scope(symbol, scope.types)
        result = [(symbol, own)]
        known: dict[str, Scope] = {symbol.key: own}
        for ancestor, types in names.classes.ancestors(symbol):
            # Arguments were bound in terms of the class that names the base: rebind them to what
            # that class's own parameters stand for here.
            bound = {}
            for name, bound_type in types.items():
                owner = bound_type.scope.owner
                inside = known.get(owner.key) if owner is not None else None
                bound[name] = replace(bound_type, scope=inside or bound_type.scope)
            inner = names.classes.class_scope(ancestor, bound)
            known[ancestor.key] = inner
            result.append((ancestor, inner))
        return result

    def bound_schema(self, bound: BoundType, variant: str) -> Schema:
        """The shape of the type that a type parameter is bound to."""
        if bound.shape is not None:
            return bound.shape
        return self.schema(bound.type, bound.scope, variant)

    def alias(self, symbol: AliasSymbol, target: BoundType, variant: str, origin: Origin) -> Schema:
        """What an alias stands for; a reference where it leads back to itself."""
        types = target.scope.types
        shown = ",".join(
            self._cached_description(self.bound_schema(bound, variant)) for bound in types.values()
        )
        key = f"{self._program.language.name}:{symbol.key}<{shown}>|{variant}"
        if key in self._resolved:
            return self._resolved[key]
        if key in self._open_aliases:
            self._recursive.add(key)
            self._met += 1
            return Reference(key=key, origin=origin)
        before = (self._met, self._program.evaluator.budget.cuts)
        self._open_aliases.add(key)
        try:
            schema = self.schema(target.type, target.scope, variant)
        finally:
            self._open_aliases.discard(key)
        if isinstance(schema, Object) and not schema.name:
            schema = replace(schema, name=symbol.alias.name)
        whole = before == (self._met, self._program.evaluator.budget.cuts)
        if key in self._recursive or (whole and not types):
            self._resolved[key] = schema
            self._texts[id(schema)] = ""
        return schema

    def _cached_description(self, schema: Schema) -> str:
        """The same as `describe`; that of an alias is computed once."""
        cached = self._texts.get(id(schema))
        if cached is None:
            return describe(schema)
        if not cached:
            cached = self._texts[id(schema)] = describe(schema)
        return cached

    def is_unknown(self, schema: Schema) -> bool:
        """Whether a shape tells nothing."""
        return says_nothing(self.flat(schema))
