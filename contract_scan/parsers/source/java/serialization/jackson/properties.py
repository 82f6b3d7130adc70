"""Which properties Jackson sees in a class, through which fields and methods.

Fields, getters, setters and constructor parameters of one implicit name are one property, whose
annotations count together, wherever in the class or its ancestors they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ClassDecl,
    Function,
    Member,
    NullType,
    TypeExpr,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    flag,
    has,
    is_hidden,
    own_and_inherited,
    simple_name,
    type_name,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import JacksonSettings
from contract_scan.parsers.source.java.serialization.naming import (
    property_of_getter,
    property_of_setter,
)
from contract_scan.parsers.source.java.serialization.nullness import MAY_BE_NULL

Kind: TypeAlias = Literal["field", "getter", "setter", "creator"]
Chain: TypeAlias = "list[tuple[ClassSymbol, Scope]]"

_NAMING = ("JsonProperty", "JsonGetter", "JsonSetter")
_INCLUDING = (
    *_NAMING,
    *("JsonSerialize", "JsonView", "JsonFormat", "JsonTypeInfo", "JsonRawValue"),
    *("JsonUnwrapped", "JsonBackReference", "JsonManagedReference"),
)
"""Annotations that make Jackson take a field or method for a property whatever its visibility."""
_NO_PROPERTY = ("JsonAnyGetter", "JsonValue", "JsonKey", "JsonAnySetter")


class Accessor(Struct, frozen=True, eq=False):
    """One way to a property."""

    kind: Kind
    visible: bool
    annotations: tuple[Annotation, ...]
    type: TypeExpr | None
    scope: Scope
    span: Span
    is_abstract: bool = False
    is_question: bool = False
    """Whether it is a getter of the name `isX`."""

    @property
    def is_included(self) -> bool:
        """Whether Jackson uses it: it is visible, or an annotation says so."""
        return self.visible or has(self.annotations, *_INCLUDING)

    @property
    def origin(self) -> Origin:
        """Where it stands."""
        owner = self.scope.owner
        symbol = owner.qualified_name if owner is not None else ""
        return Origin(self.scope.file.path, self.span, "", symbol)


class Property(Struct, eq=False):
    """A property by its implicit name (before renaming and naming strategies)."""

    name: str
    accessors: list[Accessor]

    def annotations(self, *kinds: Kind) -> tuple[Annotation, ...]:
        """Those of all accessors, or of those of some kinds, the nearest first. That null may come
        counts of the nearest getter alone: what overrides another may promise more."""
        overridden = self.of_kind("getter")[1:]
        return tuple(
            annotation
            for accessor in (self.of_kind(*kinds) if kinds else self.accessors)
            for annotation in accessor.annotations
            if accessor not in overridden or simple_name(annotation) not in MAY_BE_NULL
        )

    @property
    def is_hidden(self) -> bool:
        """Whether documentation leaves the property out."""
        return is_hidden(self.annotations(), "Schema", "ApiModelProperty")

    def of_kind(self, *kinds: Kind) -> list[Accessor]:
        """Accessors of these kinds, nearest first."""
        return [accessor for accessor in self.accessors if accessor.kind in kinds]

    def reader(self) -> Accessor | None:
        """What the property is written to JSON from: its getter before its field, and `getX` before
        an `isX` of the same class."""
        found = [a for a in (*self.of_kind("getter"), *self.of_kind("field")) if a.is_included]
        if not found:
            return None
        nearest = [a for a in found if a.kind == "getter" and a.scope is found[0].scope]
        return next((a for a in nearest if not a.is_question), found[0])

    def writer(self) -> Accessor | None:
        """What the property is set with when JSON is read. A hidden field of a visible getter
        serves as well."""
        for accessor in (*self.of_kind("setter", "creator"), *self.of_kind("field")):
            if accessor.kind != "field" or accessor.is_included or self.reader() is not None:
                return accessor
        return None


def properties(
    program: Program,
    chain: Chain,
    settings: JacksonSettings,
    mixins: Iterable[ClassSymbol],
    lowered: Callable[[str], str] | None = None,
) -> dict[str, Property]:
    """The properties of a class by implicit name, ignored ones left out. `lowered`: how names are
    made of those of accessors, where it is not Jackson's way."""
    found: dict[str, Property] = {}
    fields_visible, getters_visible = _visibility(chain, settings)
    mixed_in = [(m, program.class_scope(m)) for m in mixins]
    own_fields: set[str] = set()
    for symbol, scope in (*mixed_in, *chain):
        is_mixin = (symbol, scope) in mixed_in
        for name, accessor in _accessors(
            symbol.decl,
            scope,
            fields_visible=fields_visible and not is_mixin,
            getters_visible=getters_visible and not is_mixin,
            lowered=lowered,
        ):
            if accessor.kind == "field" and not is_mixin:
                # A field hides the one of its name in an ancestor, with its annotations.
                if name in own_fields:
                    continue
                own_fields.add(name)
            found.setdefault(name, Property(name, [])).accessors.append(accessor)
    open_ended = _open_ended(chain)
    return {
        name: accessible
        for name, item in found.items()
        if name not in open_ended and (accessible := _without_ignored(item)) is not None
    }


def _open_ended(chain: Chain) -> frozenset[str]:
    """Names of the maps whose entries are written as properties of their own."""
    names: set[str | None] = set()
    for symbol, _ in chain:
        for method in symbol.decl.methods:
            if has(method.annotations, "JsonAnyGetter"):
                names.add(property_of_getter(method.name, is_boolean=False))
        names.update(m.name for m in symbol.decl.members if has(m.annotations, "JsonAnyGetter"))
    return frozenset(name for name in names if name is not None)


def _visibility(chain: Chain, settings: JacksonSettings) -> tuple[bool, bool]:
    """Whether non-public fields, and public getters, are visible."""
    detect = own_and_inherited(chain, "JsonAutoDetect")
    if detect is None:
        return settings.visible_fields, settings.visible_getters
    fields = constant_name(argument(detect[0], "fieldVisibility"))
    getters = constant_name(argument(detect[0], "getterVisibility"))
    return (
        fields in ("ANY", "NON_PRIVATE") if fields else settings.visible_fields,
        getters != "NONE" if getters else settings.visible_getters,
    )


def _accessors(
    decl: ClassDecl,
    scope: Scope,
    *,
    fields_visible: bool,
    getters_visible: bool,
    lowered: Callable[[str], str] | None,
) -> Iterator[tuple[str, Accessor]]:
    for member in decl.members:
        if "static" not in member.modifiers and member.kind != "enum":
            yield member.name, _field(member, scope, visible=fields_visible)
    for method in decl.methods:
        if "static" in method.modifiers:
            continue
        if "constructor" in method.modifiers:
            yield from _creator(method, scope)
        elif not method.params:
            accessor = _getter(decl, method, scope, getters_visible, lowered)
            if accessor is not None:
                yield accessor
        elif len(method.params) == 1:
            name = property_of_setter(method.name, lowered)
            if name is None and has(method.annotations, *_NAMING):
                name = method.name
            if name is not None and not has(method.annotations, *_NO_PROPERTY):
                param = method.params[0]
                annotations = (*method.annotations, *param.annotations)
                span = method.name_span
                accessor_ = Accessor("setter", True, annotations, param.type, scope, span)
                yield name, accessor_


def _field(member: Member, scope: Scope, *, visible: bool) -> Accessor:
    is_public = "public" in member.modifiers
    is_transient = "transient" in member.modifiers
    span = member.name_span if member.name_span != NO_SPAN else member.span
    return Accessor(
        "field",
        (is_public or visible or member.kind == "parameter") and not is_transient,
        member.annotations,
        member.type,
        scope,
        span,
    )


def _getter(
    decl: ClassDecl,
    method: Function,
    scope: Scope,
    visible: bool,
    lowered: Callable[[str], str] | None,
) -> tuple[str, Accessor] | None:
    if method.returns is None or isinstance(method.returns, NullType):
        return None
    if has(method.annotations, *_NO_PROPERTY):
        return None
    is_boolean = type_name(method.returns) in ("boolean", "Boolean")
    # The accessor of a component is called what the component is: `isOpen()` gives `isOpen`.
    name = property_of_getter(method.name, is_boolean=is_boolean, lowered=lowered)
    if _is_accessor(decl, method) and (name is None or decl.kind == "record"):
        name = method.name
    if name is None:
        if not has(method.annotations, *_NAMING):
            return None
        name = method.name
    is_public = "public" in method.modifiers or (
        decl.kind == "interface" and "private" not in method.modifiers
    )
    return name, Accessor(
        "getter",
        is_public and visible,
        method.annotations,
        method.returns,
        scope,
        method.name_span,
        "abstract" in method.modifiers,
        is_boolean and method.name.startswith("is"),
    )


def _is_accessor(decl: ClassDecl, method: Function) -> bool:
    """Whether a method is the accessor of a record component, or of an Immutables attribute."""
    if decl.kind == "record":
        return any(m.kind == "parameter" and m.name == method.name for m in decl.members)
    return "abstract" in method.modifiers and has(decl.annotations, "Immutable")


def _creator(method: Function, scope: Scope) -> Iterator[tuple[str, Accessor]]:
    """Parameters of a constructor that JSON is read with."""
    chosen = has(method.annotations, "JsonCreator", "ConstructorProperties")
    for param in method.params:
        if chosen or has(param.annotations, "JsonProperty"):
            annotations = tuple(a for a in param.annotations)
            yield (
                param.name,
                Accessor("creator", False, annotations, param.type, scope, param.place),
            )


def _without_ignored(found: Property) -> Property | None:
    """The property as `@JsonIgnore` leaves it: gone, unless another accessor is named expressly."""
    ignored = [a for a in found.accessors if _is_ignored(a.annotations)]
    if not ignored:
        return found
    named = [a for a in found.accessors if a not in ignored and has(a.annotations, *_NAMING)]
    if not named:
        return None
    accessible = [a for a in found.accessors if a not in ignored]
    return Property(found.name, accessible)


def _is_ignored(annotations: tuple[Annotation, ...]) -> bool:
    ignore = find(annotations, "JsonIgnore")
    if ignore is not None:
        return flag(argument(ignore, "value"), default=True)
    return has(annotations, "JsonBackReference", "JsonbTransient")


def explicit_names(program: Program, found: Iterable[Accessor]) -> list[tuple[Accessor, str]]:
    """Names that annotations of the accessors give, in order; `` for one that is not constant."""
    names: list[tuple[Accessor, str]] = []
    for accessor in found:
        for annotation in accessor.annotations:
            if annotation.name.rpartition(".")[2] not in _NAMING:
                continue
            written = argument(annotation, "value")
            if written is None:
                continue
            text = program.text(written, accessor.scope)
            if text != "":
                names.append((accessor, text or ""))
    return names
