"""What names mean, as the layers above `analysis/names` know it: see `program`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ClassSymbol,
    ClassValue,
    Following,
    Found,
    FunctionValue,
    Instance,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    FileFacts,
    Import,
    Name,
    NamedType,
    Statement,
    TypeExpr,
    TypeParam,
)


class ClassResolution(Protocol):
    """Classes of the project: see `analysis/names/classes`."""

    def alias_scope(self, symbol: AliasSymbol) -> Scope:
        """Where the type of an alias stands: its file, or the namespace around it."""
        ...

    def scope_in_alias(self, symbol: AliasSymbol, use: NamedType, scope: Scope) -> Scope:
        """Inside the type of an alias, with its type parameters bound as a use binds them."""
        ...

    def ancestors(self, symbol: ClassSymbol) -> list[tuple[ClassSymbol, Mapping[str, BoundType]]]:
        """Project classes a class inherits from, nearest first, with their type parameters bound in
        terms of the class's own."""
        ...

    def bind(
        self, type_params: tuple[TypeParam, ...], type: NamedType, scope: Scope
    ) -> dict[str, BoundType]:
        """Type parameters with the arguments a use gives them."""
        ...

    def class_scope(self, symbol: ClassSymbol, types: Mapping[str, object]) -> Scope:
        """Inside a class body."""
        ...

    def next_method(
        self, receiver: Instance, owner: ClassSymbol, name: str
    ) -> FunctionValue | Unresolved | None:
        """The method that `super()` leads to in a class that an object's class is, or inherits
        from."""
        ...

    def of_file(self, file: FileFacts) -> Iterator[ClassSymbol]:
        """Every class of a file, nested ones after the class around them."""
        ...

    def implementations(self, symbol: ClassSymbol) -> list[ClassSymbol]:
        """Project classes with the class among their bases, in files that name it, in path
        order."""
        ...

    def method(
        self,
        symbol: ClassSymbol,
        name: str,
        types: Mapping[str, BoundType],
        arity: int | None = None,
    ) -> FunctionValue | None:
        """A method by name, inherited ones included; among overloads one that takes `arity`
        arguments is preferred."""
        ...

    def parts(self, symbol: ClassSymbol) -> Sequence[ClassSymbol]:
        """The declarations that together make a class, the given one first."""
        ...


class LocalResolution(Protocol):
    """What names of a function hold: see `analysis/names/local_names`."""

    def is_followed(self, name: Name, scope: Scope) -> bool:
        """Whether the object that a name holds at its place is being followed now."""
        ...

    def join_definitions(
        self, name: str, definitions: tuple[Definition, ...], scope: Scope
    ) -> Found:
        """The value that definitions give a name."""
        ...

    def pause(self) -> Following:
        """The definitions that are being followed now, for `resume`."""
        ...

    def reaching(
        self, statements: tuple[Statement, ...], name: str, use: Span
    ) -> tuple[Definition, ...]:
        """The definitions of a name that reach a place in statements."""
        ...

    def resume(self, following: Following) -> Following:
        """Go on as if these definitions were being followed, and say which ones were."""
        ...

    def with_later_changes(self, name: Name, scope: Scope) -> Definition | None:
        """What gives a name the object that it holds at its place, with what happens to that also
        after it; None where nothing more does."""
        ...


class ModuleResolution(Protocol):
    """What names of files mean: see `analysis/names/module_names`."""

    def declared_in(self, file: FileFacts, name: str) -> Found | None:
        """A class, function or alias that a file declares at its top level."""
        ...

    def value_named_like_type(self, file: FileFacts, name: str) -> Value | None:
        """The variable or the import that bears the name of a type of the file."""
        ...

    def module_level(self, file: FileFacts, name: str, use: Span = NO_SPAN) -> Found | None:
        """What a name means at the top level of a file; None when the file does not say."""
        ...

    def named_in_full(self, name: str, file: FileFacts) -> ClassValue | None:
        """The class that a name with its package means (`a.b.Order`), where a value may stand."""
        ...

    def of_module(self, local: str, name: str, scope: Scope) -> Found | None:
        """`m.name` where `m` is a whole module of JavaScript (`require("m")`, `import * as m`) that
        exports this name, whatever its default export is."""
        ...

    def resolve_export(self, path: str, name: str) -> Found | None:
        """What `name` means when it is taken from the file from outside."""
        ...

    def resolve_import(self, file: FileFacts, entry: Import) -> Found:
        """What an import brings in."""
        ...

    def variable(self, file: FileFacts, name: str) -> Value | None:
        """What a file's top-level variable of that name holds, whatever else bears the name."""
        ...


class NameResolution(Protocol):
    """What names mean: see `analysis/names`."""

    @property
    def classes(self) -> ClassResolution:
        """The classes of the project."""
        ...

    @property
    def locals(self) -> LocalResolution:
        """Names that statements define or change."""
        ...

    @property
    def modules(self) -> ModuleResolution:
        """Names of modules, packages and namespaces."""
        ...

    def lookup(
        self, name: str, scope: Scope, use: Span = NO_SPAN, *, is_method: bool = False
    ) -> Found:
        """What `name` means in a scope when read at `use`. Unknown names are `External`."""
        ...

    def declared_class(self, type: TypeExpr | None, scope: Scope) -> ClassSymbol | None:
        """The class of the project that a type names."""
        ...

    def lookup_type(self, dotted: str, scope: Scope) -> Found:
        """What a (dotted) type name means; `LibrarySymbol` for library types, qualified."""
        ...
