"""Types that stand for several classes: `@JsonTypeInfo`, abstract classes and interfaces."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.evidence import DECLARED
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, NamedType
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    constant_name,
    element_of,
    find,
    nested_annotations,
    own_and_inherited,
    type_name,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import READING

MAX_OPTIONS = 40
"""How many implementing classes a type may stand for."""
_DEFAULT_PROPERTY = {
    "NAME": "@type",
    "SIMPLE_NAME": "@type",
    "CLASS": "@class",
    "MINIMAL_CLASS": "@c",
}


class TypeInfo(Struct, frozen=True, eq=False):
    """What `@JsonTypeInfo` says."""

    use: str
    include: str
    property: str
    default: str
    """The class that is read where the type is missing or not known; `Void` for null."""
    owner: ClassSymbol
    scope: Scope


def type_info(use: TypeUse, chain: list[tuple[ClassSymbol, Scope]]) -> TypeInfo | None:
    """The type information that instances of a class carry; None for none."""
    found = own_and_inherited(chain, "JsonTypeInfo")
    if found is None:
        return None
    annotation, scope = found
    kind = constant_name(argument(annotation, "use"))
    if kind == "NONE" or scope.owner is None:
        return None
    name = use.program.text(argument(annotation, "property"), scope)
    include = constant_name(argument(annotation, "include")) or "PROPERTY"
    default = _DEFAULT_PROPERTY.get(kind, "")
    fallback = type_name(getattr(argument(annotation, "defaultImpl"), "type", None))
    return TypeInfo(kind, include, name or default, fallback, scope.owner, scope)


def options(use: TypeUse, symbol: ClassSymbol, info: TypeInfo | None) -> list[ClassSymbol]:
    """The project classes that a value of the declared class may be an instance of; empty: just
    of the class itself."""
    if info is not None:
        listed = [found for found, _ in subtypes(use, symbol)]
        if listed:
            return listed
    is_open = symbol.decl.kind == "interface" or "abstract" in symbol.decl.modifiers
    if is_open or info is not None:
        return [
            found
            for found in use.program.names.classes.implementations(symbol)
            if "abstract" not in found.decl.modifiers and found.key != symbol.key
        ]
    return []


def subtypes(use: TypeUse, symbol: ClassSymbol) -> list[tuple[ClassSymbol, str]]:
    """Classes that `@JsonSubTypes` lists, with the names it gives them."""
    found: list[tuple[ClassSymbol, str]] = []
    scope = use.program.class_scope(symbol)
    for item in nested_annotations(
        argument(find(symbol.decl.annotations, "JsonSubTypes"), "value")
    ):
        type = class_argument(element_of(item.args, "value"))
        target = use.program.names.declared_class(type, scope)
        if target is not None:
            name = use.program.text(element_of(item.args, "name"), scope) or ""
            found.append((target, name))
    return found


def union(use: TypeUse, symbol: ClassSymbol, info: TypeInfo | None) -> Schema | None:
    """The shape of a value that may be one of several classes; None where it is just one."""
    found = options(use, symbol, info)
    if not found:
        return None
    if len(found) > MAX_OPTIONS:
        reason = Reason("stands-for-several-classes", type=symbol.decl.name, found=len(found))
        return Unknown(reason=reason, origin=symbol.origin)
    shapes: list[Schema] = []
    is_open = symbol.decl.kind == "interface" or "abstract" in symbol.decl.modifiers
    for option in found:
        scope = use.program.names.classes.class_scope(option, {})
        shapes.append(use.schema(NamedType(name=option.decl.name), scope))
    if info is not None and not is_open and symbol.key not in {o.key for o in found}:
        return None
    if len(shapes) == 1:
        return shapes[0]
    discriminator = info.property if info is not None and info.use != "DEDUCTION" else ""
    # All of them are read; which of them one route sends, their common type does not say.
    is_read = READING in use.variant.split(";")
    return Union(
        options=tuple(shapes),
        discriminator=discriminator,
        exclusive=info is not None,
        evidence=None if is_read else DECLARED,
        origin=symbol.origin,
    )


def discriminator(use: TypeUse, symbol: ClassSymbol, info: TypeInfo) -> Field | None:
    """The property that tells which class an object is of."""
    if info.include != "PROPERTY" or not info.property or info.use in ("DEDUCTION", "CUSTOM"):
        return None
    name = type_id(use, symbol, info) if info.use == "NAME" else None
    is_read = READING in use.variant.split(";")
    is_default = is_read and info.default in (symbol.decl.name, "Void")
    values = (name,) if name and not is_default else None
    return Field(
        name=info.property,
        schema=Scalar(type="string", values=values, origin=symbol.origin),
        has_default=is_default,
        origin=info.owner.origin,
    )


def type_id(use: TypeUse, symbol: ClassSymbol, info: TypeInfo) -> str:
    """The name under which a class goes: as the base lists it, as it says itself, its own."""
    for listed, name in subtypes(use, info.owner):
        if listed.key == symbol.key and name:
            return name
    own: Annotation | None = find(symbol.decl.annotations, "JsonTypeName")
    named = use.program.text(argument(own, "value"), use.program.class_scope(symbol))
    return named or "$".join((*symbol.outer, symbol.decl.name))


def wrap_schema(use: TypeUse, symbol: ClassSymbol, info: TypeInfo, schema: Schema) -> Schema:
    """An object inside the wrapper that `include = WRAPPER_…` asks for."""
    if info.include == "WRAPPER_OBJECT" and info.use == "NAME":
        inner = Field(name=type_id(use, symbol, info), schema=schema, origin=info.owner.origin)
        return Object(name=symbol.decl.name, fields=(inner,), origin=symbol.origin)
    if info.include.startswith("WRAPPER"):
        reason = Reason("type-wrapper", type=symbol.decl.name)
        return Unknown(reason=reason, origin=symbol.origin)
    return schema
