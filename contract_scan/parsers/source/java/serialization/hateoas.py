"""Spring HATEOAS: models with links, alone and in collections, as HAL and as plain JSON."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ClassSymbol,
    ClassValue,
)
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.java.resolution.annotations import argument, find, type_name
from contract_scan.parsers.source.java.resolution.build import build_texts, module_of
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.serialization.hateoas_links import has_single_links
from contract_scan.parsers.source.java.serialization.wire_names import wire_names

BASES = frozenset({"RepresentationModel", "ResourceSupport"})
"""Base classes that bring links along."""
_HAL = "spring.hateoas.use-hal-as-default-json-media-type"
_INFLECTOR = (b"evo-inflector", b"data-rest")
_TEXT = Scalar(type="string")
_HAL_ATTRIBUTES = ("href", "hreflang", "title", "type", "deprecation", "profile", "name")
"""The texts of a link in HAL, which leaves `rel` and `media` out: LinkMixin in
https://github.com/spring-projects/spring-hateoas."""
_ATTRIBUTES = ("href", "hreflang", "media", *_HAL_ATTRIBUTES[2:])
_DOUBT = Reason("hateoas-links-not-followed")
_INTEGER = Scalar(type="integer", format="int64")


def link_field(
    program: Program,
    path: str,
    origin: Origin,
    *,
    certain: bool,
    model: str = "",
    symbol: ClassSymbol | None = None,
) -> Field:
    """The field of links that an object has: of a class of the library (`model`) or of the project
    (`symbol`). Unless `certain`, none may ever be added."""
    hal = _is_hal(program, path)
    schema: Schema
    if hal:
        one = _link_schema(_HAL_ATTRIBUTES, origin)
        several = Unknown(reason=Reason("hateoas-relation-may-have-several-links"), origin=origin)
        is_one = has_single_links(program, symbol, model)
        links = one if is_one else Union(options=(one, several), origin=origin)
        schema = Object(name="Links", additional=links, origin=origin)
    else:
        schema = Array(items=_link_schema(("rel", *_ATTRIBUTES), origin), origin=origin)
    return Field(
        name="_links" if hal else "links",
        schema=schema,
        required=None if hal else True,
        read_only=True,
        has_default=True,
        undetermined_reason=NO_REASON if certain or not hal else _DOUBT,
        origin=origin,
    )


def _link_schema(attributes: tuple[str, ...], origin: Origin) -> Schema:
    always = tuple(Field(name=name, schema=_TEXT) for name in ("rel", "href") if name in attributes)
    others = [name for name in attributes if name not in ("rel", "href")]
    optional = [Field(name=name, schema=_TEXT, required=None) for name in others]
    templated = Field(name="templated", schema=Scalar(type="boolean"), required=None)
    return Object(name="Link", fields=(*always, templated, *optional), origin=origin)


def entity_model(use: TypeUse) -> Schema:
    """`EntityModel<T>`: the fields of `T` and links."""
    inner = use.program.types.flat(use.arg(0))
    if not isinstance(inner, Object):
        return inner
    path = use.scope.file.path
    links = link_field(use.program, path, use.origin, certain=True, model="EntityModel")
    others = tuple(field for field in inner.fields if field.name != links.name)
    return replace(inner, fields=(*others, links))


def collection_model(use: TypeUse) -> Schema:
    """`CollectionModel<T>`: in HAL the items are embedded under the name of their relation."""
    path = use.scope.file.path
    model = "PagedModel" if use.simple_name.startswith("Paged") else "CollectionModel"
    links = link_field(use.program, path, use.origin, certain=True, model=model)
    items = Array(items=use.arg(0), origin=use.origin)
    if links.name == "links":
        fields = (links, Field(name="content", schema=items, origin=use.origin))
        return Object(name=use.simple_name, fields=fields, origin=use.origin)
    relation = _relation(use)
    embedded = Object(
        name="Embedded",
        fields=(Field(name=relation, schema=items, origin=use.origin),) if relation else (),
        additional=None if relation else items,
        origin=use.origin,
    )
    held = Field(name="_embedded", schema=embedded, required=None, origin=use.origin)
    return Object(name=use.simple_name, fields=(held, links), origin=use.origin)


def paged_model(use: TypeUse) -> Schema:
    """`PagedModel<T>`: that of HATEOAS, or the one that Spring Data writes pages as."""
    wire_name = wire_names(use)
    metadata: Schema
    if wire_name is None:
        reason = Reason("page-metadata-naming-unknown")
        metadata = Unknown(reason=reason, origin=use.origin)
    else:
        names = ("size", "totalElements", "totalPages", "number")
        numbers = tuple(
            Field(name=wire_name(name), schema=_INTEGER, origin=use.origin) for name in names
        )
        metadata = Object(name="PageMetadata", fields=numbers, origin=use.origin)
    page = Field(name="page", schema=metadata, origin=use.origin)
    if use.name.startswith("org.springframework.data"):
        items = Array(items=use.arg(0), origin=use.origin)
        content = Field(name="content", schema=items, origin=use.origin)
        return Object(name="PagedModel", fields=(content, page), origin=use.origin)
    whole = collection_model(use)
    assert isinstance(whole, Object)
    return replace(whole, fields=(*whole.fields, page))


def _is_hal(program: Program, path: str) -> bool:
    key = _HAL.replace("-", "")
    return settings(program, path).get(key, "true").lower() != "false"


def _relation(use: TypeUse) -> str:
    """The name that items are embedded under; empty where a library makes it a plural."""
    item = use.type.args[0] if use.type.args else None
    scope = use.scope
    for _ in range(4):
        if not isinstance(item, NamedType):
            return ""
        found = use.program.names.lookup_type(item.name, scope)
        if isinstance(found, BoundType):
            item, scope = found.type, found.scope
        elif isinstance(found, ClassValue):
            return _relation_of(use.program, found, item)
        elif type_name(item) in ("EntityModel", "Resource") and item.args:
            (item, *_) = item.args
        else:
            return ""
    return ""


def _relation_of(program: Program, found: ClassValue, item: NamedType) -> str:
    symbol = found.symbol
    written = argument(find(symbol.decl.annotations, "Relation"), "collectionRelation")
    if written is not None:
        return program.text(written, program.class_scope(symbol)) or ""
    path = symbol.file.path
    texts = build_texts(program, module_of(program, path))
    if any(word in text for text in texts for word in _INFLECTOR):
        return ""
    name = type_name(item)
    return f"{name[:1].lower()}{name[1:]}List"
