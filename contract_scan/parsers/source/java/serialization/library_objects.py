"""Shapes of objects of well-known libraries: pages, problems, models with links, documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.serialization.hateoas import (
    collection_model,
    entity_model,
    paged_model,
)
from contract_scan.parsers.source.java.serialization.wire_names import wire_names

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import TypeUse

_Maker: TypeAlias = "Callable[[TypeUse], Schema]"


def _optional(use: TypeUse) -> Schema:
    return with_nullable(use.arg(0), True)


def _void(use: TypeUse) -> Schema:
    return Nothing(nullable=True, origin=use.origin)


def _fields(use: TypeUse, **schemas: Schema) -> tuple[Field, ...]:
    return tuple(
        Field(name=name, schema=schema, origin=use.origin) for name, schema in schemas.items()
    )


def _bean(use: TypeUse, name: str, **schemas: Schema) -> Schema:
    """What Jackson reads from getters, under the names that the mapper's strategy makes of them."""
    wire_name = wire_names(use)
    if wire_name is None:
        reason = Reason("type-naming-strategy-unknown", name=name)
        return Unknown(reason=reason, origin=use.origin)
    named = {wire_name(key): schema for key, schema in schemas.items()}
    return Object(name=name, fields=_fields(use, **named), origin=use.origin)


_INTEGER = Scalar(type="integer", format="int32")
_BOOLEAN = Scalar(type="boolean")
_TEXT = Scalar(type="string")


def _sort_schema(use: TypeUse) -> Schema:
    return _bean(use, "Sort", empty=_BOOLEAN, sorted=_BOOLEAN, unsorted=_BOOLEAN)


def _pageable(use: TypeUse) -> Schema:
    return _bean(
        use,
        "Pageable",
        pageNumber=_INTEGER,
        pageSize=_INTEGER,
        sort=_sort_schema(use),
        offset=Scalar(type="integer", format="int64"),
        paged=_BOOLEAN,
        unpaged=_BOOLEAN,
    )


def _slice_properties(use: TypeUse) -> dict[str, Schema]:
    return {
        "content": Array(items=use.arg(0)),
        "pageable": _pageable(use),
        "size": _INTEGER,
        "number": _INTEGER,
        "sort": _sort_schema(use),
        "first": _BOOLEAN,
        "last": _BOOLEAN,
        "numberOfElements": _INTEGER,
        "empty": _BOOLEAN,
    }


def _slice(use: TypeUse) -> Schema:
    """Spring Data's `Slice`, as Jackson writes its getters."""
    return _bean(use, "Slice", **_slice_properties(use))


def _is_written_as_model(use: TypeUse) -> bool:
    """Whether pages are written as Spring Data's `PagedModel`."""
    path = use.scope.file.path
    setting = settings(use.program, path).get("spring.data.web.pageable.serializationmode", "")
    return setting.lower() == "via-dto" or is_in_related_files(use.program, path, b"VIA_DTO")


def _page(use: TypeUse) -> Schema:
    if _is_written_as_model(use):
        return paged_model(replace(use, name="org.springframework.data.web.PagedModel"))
    totals = {"totalPages": _INTEGER, "totalElements": Scalar(type="integer", format="int64")}
    return _bean(use, "Page", **_slice_properties(use), **totals)


def _problem_detail(use: TypeUse) -> Schema:
    fields = _fields(
        use,
        type=Scalar(type="string", format="uri"),
        title=_TEXT,
        status=_INTEGER,
        detail=_TEXT,
        instance=Scalar(type="string", format="uri"),
    )
    optional = tuple(
        Field(name=f.name, schema=f.schema, required=None if f.name != "status" else True)
        for f in fields
    )
    partial = Reason("problem-detail-properties")
    return Object(
        name="ProblemDetail", fields=optional, incomplete_reason=partial, origin=use.origin
    )


def _mongo_document(use: TypeUse) -> Schema:
    """A map of what the database holds."""
    reason = Reason("known-to-database-only", type=use.simple_name)
    return Object(additional=Unknown(reason=reason, origin=use.origin), origin=use.origin)


_LEFT_OUT = Reason("mapper-module-may-omit")


def _geo_json_point(use: TypeUse) -> Schema:
    """Spring Data's point. Whether `x` and `y` are written, a module of the mapper decides."""
    number = Scalar(type="number", format="double")
    fields = _fields(use, type=_TEXT, coordinates=Array(items=number), x=number, y=number)
    return Object(
        name="GeoJsonPoint",
        fields=tuple(
            replace(f, required=None, has_default=True, undetermined_reason=_LEFT_OUT)
            if f.name in ("x", "y")
            else replace(f, has_default=True)
            for f in fields
        ),
        origin=use.origin,
    )


MAKERS: dict[str, _Maker] = {
    "Optional": _optional,
    "Void": _void,
    "void": _void,
    "Sort": _sort_schema,
    "Pageable": _pageable,
    "PageRequest": _pageable,
    "Slice": _slice,
    "Page": _page,
    "PageImpl": _page,
    "ProblemDetail": _problem_detail,
    **dict.fromkeys(("EntityModel", "Resource"), entity_model),
    **dict.fromkeys(("CollectionModel", "Resources"), collection_model),
    **dict.fromkeys(("PagedModel", "PagedResources"), paged_model),
    **dict.fromkeys(("DBObject", "BasicDBObject", "Document"), _mongo_document),
    "GeoJsonPoint": _geo_json_point,
}
