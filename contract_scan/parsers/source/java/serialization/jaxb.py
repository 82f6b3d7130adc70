"""How MOXy writes and reads instances of a class as JSON: by the annotations of JAXB."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, NamedType, TypeExpr
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    constant_name,
    find,
    flag,
    has,
    own_and_inherited,
    type_name,
)
from contract_scan.parsers.source.java.resolution.containers import LISTS, MAPS
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.serialization.jackson.properties import (
    Accessor,
    Property,
    properties,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    JacksonSettings,
)
from contract_scan.parsers.source.java.serialization.library_bases import library_base
from contract_scan.parsers.source.java.serialization.naming import bean_name
from contract_scan.parsers.source.java.serialization.nullness import nullness

_MAPPED = ("XmlElement", "XmlAttribute", "XmlElementWrapper", "XmlValue", "XmlJavaTypeAdapter")
_ALSO_MAPPED = ("XmlID", "XmlSchemaType")
_NOT_READ = (
    *("XmlElements", "XmlElementRef", "XmlElementRefs", "XmlAnyElement", "XmlAnyAttribute"),
    *("XmlMixed", "XmlPath", "XmlIDREF", "XmlList", "XmlInverseReference", "XmlCDATA"),
)
"""Annotations that give a property another form, or several."""
_MARKS = (*_MAPPED, *_ALSO_MAPPED, *_NOT_READ)
"""Annotations that make a field or a getter a property, whatever its class says."""
_OWN_ROOTS = (b"setIncludeRoot(true)", b"JSON_INCLUDE_ROOT, true", b"setAttributePrefix(")
_WRAPPER_AS_ARRAY = (b"setWrapperAsArrayName(true)", b"JSON_WRAPPER_AS_ARRAY_NAME")
_DATES = frozenset({"Date", "Calendar", "GregorianCalendar", "XMLGregorianCalendar", "Timestamp"})
_TEXT_ADAPTERS = frozenset({"CollapsedStringAdapter", "NormalizedStringAdapter"})
_TYPE_KEY = "type"


def moxy_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of instances of a class as MOXy writes and reads them."""
    chain = use.chain(symbol)
    not_read = Reason("jaxb-annotations-not-read", type=symbol.qualified_name)
    if is_in_related_files(use.program, symbol.file.path, *_OWN_ROOTS):
        return Unknown(reason=not_read, origin=symbol.origin)
    if symbol.decl.kind == "enum":
        return _enum(use, symbol)
    adapted = own_and_inherited(chain[:1], "XmlJavaTypeAdapter")
    if adapted is not None:
        return _adapter_schema(use, *adapted)
    fields: dict[str, Field] = {}
    partial = library_base(use, chain)
    access = own_and_inherited(chain, "XmlAccessorType")
    kind = constant_name(argument(access[0], "value")) if access is not None else "PUBLIC_MEMBER"
    for found in properties(use.program, chain, JacksonSettings(), (), bean_name).values():
        source = _source(found, kind)
        annotations = found.annotations()
        if source is None:
            continue
        if has(annotations, *_NOT_READ):
            partial = partial or not_read
        elif has(annotations, "XmlValue"):
            return _value(use, source, annotations)
        else:
            field = _field(use, found, source, annotations)
            fields.setdefault(field.name, field)
    if _has_mapped_parent(use, symbol) and _TYPE_KEY not in fields:
        fields[_TYPE_KEY] = _type_key(symbol)
    return Object(
        name=symbol.decl.name,
        fields=tuple(fields.values()),
        incomplete_reason=partial,
        origin=symbol.origin,
    )


def _source(found: Property, access: str) -> Accessor | None:
    """What a property is written from; None for one that is none of JAXB's: what is annotated is
    always one, besides that fields, or pairs of getters and setters, as the class says."""
    annotations = found.annotations()
    getters, setters = found.of_kind("getter"), found.of_kind("setter")
    fields = [one for one in found.of_kind("field") if not _is_transient(one, found.name)]
    if has(annotations, "XmlTransient") and not has(annotations, *_MAPPED):
        return None
    if has(annotations, *_MARKS):
        marked = [one for one in (*getters, *fields) if has(one.annotations, *_MARKS)]
        return next(iter((*marked, *getters, *fields)), None)
    match access:
        case "NONE":
            return None
        case "FIELD":
            return next(iter(fields), None)
        case "PROPERTY":
            pair = getters[:1] if setters or _is_collection(getters) else []
            return next(iter(pair), None)
        case _:
            visible = [one for one in getters if one.visible]
            pair = visible[:1] if setters or _is_collection(visible) else []
            return next(iter((*pair, *(one for one in fields if one.visible))), None)


def _is_transient(field: Accessor, name: str) -> bool:
    owner = field.scope.owner
    members = owner.decl.members if owner is not None else ()
    return any(one.name == name and "transient" in one.modifiers for one in members)


def _is_collection(getters: list[Accessor]) -> bool:
    return bool(getters) and type_name(getters[0].type) in LISTS | MAPS


def _field(
    use: TypeUse, found: Property, source: Accessor, annotations: tuple[Annotation, ...]
) -> Field:
    element = find(annotations, "XmlElement", "XmlAttribute")
    wrapper = find(annotations, "XmlElementWrapper")
    name = _name(use, element, source.scope) or found.name
    schema = _value(use, source, annotations)
    if wrapper is not None:
        schema = _wrapped(use, name, schema, source)
        name = _name(use, wrapper, source.scope) or found.name
    null = nullness(source.type, annotations)
    nillable = flag(argument(element, "nillable"))
    required = True if nillable or null is False else None
    alone = (
        source.kind == "getter" and not has(annotations, *_MARKS) and not found.of_kind("setter")
    )
    settable = found.of_kind("setter", "field") or _is_collection([source])
    return Field(
        name=name,
        schema=replace(with_nullable(schema, null if nillable else False), origin=source.origin),
        required=required,
        has_default=True,
        read_only=_reads(use) and not settable,
        omitted_if_null=required is None,
        undetermined_reason=Reason("moxy-getter-alone", member=name) if alone else NO_REASON,
        declared_as=found.name if found.name != name else "",
        origin=source.origin,
    )


def _reads(use: TypeUse) -> bool:
    return READING in use.variant.split(";")


def _wrapped(use: TypeUse, name: str, items: Schema, source: Accessor) -> Schema:
    """The value of a wrapper: an object that holds the list under the name of its items. Where
    settings ask for an array in its place, the object is read all the same, with an item alone
    too."""
    if not is_in_related_files(use.program, source.scope.file.path, *_WRAPPER_AS_ARRAY):
        return Object(fields=(Field(name=name, schema=items, required=None),))
    if not _reads(use) or not isinstance(items, Array):
        return items
    one_or_more = Union(options=(items, items.items))
    inner = Field(name=name, schema=one_or_more, required=None, has_default=True)
    return Union(options=(items, Object(fields=(inner,))))


def _name(use: TypeUse, annotation: Annotation | None, scope: Scope) -> str:
    text = use.program.text(argument(annotation, "name"), scope)
    return "" if text == "##default" else text or ""


def _value(use: TypeUse, source: Accessor, annotations: tuple[Annotation, ...]) -> Schema:
    """The shape of a property's value. An adapter of a list is one of its items."""
    other = class_argument(argument(find(annotations, "XmlElement"), "type"))
    type = source.type if other is None or type_name(other) == "DEFAULT" else other
    adapter = find(annotations, "XmlJavaTypeAdapter")
    if type_name(type) in LISTS and isinstance(type, NamedType) and type.args:
        item = type.args[0]
        items = (
            _of_type(use, item, source.scope)
            if adapter is None
            else _adapter_schema(use, adapter, source.scope)
        )
        return Array(items=items, origin=source.origin)
    if adapter is not None:
        return _adapter_schema(use, adapter, source.scope)
    return _of_type(use, type, source.scope)


def _of_type(use: TypeUse, type: TypeExpr | None, scope: Scope) -> Schema:
    assert type is not None
    if type_name(type) in _DATES:
        return Scalar(type="string", format="date-time")
    if isinstance(type, NamedType) and type_name(type) in MAPS and len(type.args) == 2:
        parts = ("key", "value")
        fields = tuple(
            Field(name=name, schema=_of_type(use, part, scope), required=None)
            for name, part in zip(parts, type.args, strict=True)
        )
        entries = Field(name="entry", schema=Array(items=Object(fields=fields)), required=None)
        return Object(fields=(entries,))
    return use.schema(type, scope)


def _adapter_schema(use: TypeUse, annotation: Annotation, scope: Scope) -> Schema:
    """What an adapter makes of a value: `XmlAdapter<String, Id>` writes a text."""
    adapter = class_argument(argument(annotation, "value"))
    name = type_name(adapter)
    if name in _TEXT_ADAPTERS:
        return Scalar(type="string")
    found = use.program.names.declared_class(adapter, scope)
    for symbol, inside in use.program.types.chain(found, scope) if found is not None else ():
        for base in symbol.decl.bases:
            if isinstance(base, NamedType) and type_name(base) == "XmlAdapter" and base.args:
                return _of_type(use, base.args[0], inside)
    return Unknown(reason=Reason("written-by-converter", converter=name))


def _enum(use: TypeUse, symbol: ClassSymbol) -> Schema:
    scope = use.program.class_scope(symbol)
    values = []
    for member in symbol.decl.members:
        if member.kind == "enum":
            written = argument(find(member.annotations, "XmlEnumValue"), "value")
            values.append(use.program.text(written, scope) or member.name)
    return Scalar(type="string", values=tuple(values), origin=symbol.origin)


def _has_mapped_parent(use: TypeUse, symbol: ClassSymbol) -> bool:
    """Whether a class extends another one that MOXy maps; an interface, another interface."""
    kind = "interface" if symbol.decl.kind == "interface" else "class"
    return any(
        parent.decl.kind == kind and not has(parent.decl.annotations, "XmlTransient")
        for parent in use.program.bases(symbol)
    )


def _type_key(symbol: ClassSymbol) -> Field:
    """The key that tells subclasses apart: MOXy writes it at the root, and where another class was
    declared."""
    return Field(
        name=_TYPE_KEY,
        schema=Scalar(type="string"),
        required=None,
        has_default=True,
        undetermined_reason=Reason("moxy-type-key", type=symbol.decl.name),
        origin=symbol.origin,
    )
