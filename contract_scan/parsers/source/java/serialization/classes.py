"""Which library writes instances of a class, and how they then look."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.java.resolution.annotations import argument, find, flag, has
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.serialization.enums import enum_schema
from contract_scan.parsers.source.java.serialization.gson.classes import gson_schema, is_gson
from contract_scan.parsers.source.java.serialization.jackson.classes import jackson_schema
from contract_scan.parsers.source.java.serialization.jackson.properties import (
    Chain,
    Property,
    properties,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    GSON_MAPPER,
    JSONB_MAPPER,
    MOXY_MAPPER,
    JacksonSettings,
)
from contract_scan.parsers.source.java.serialization.jackson.values import property_schema
from contract_scan.parsers.source.java.serialization.jaxb import moxy_schema
from contract_scan.parsers.source.java.serialization.library_bases import (
    inherited_fields,
    library_base,
)
from contract_scan.parsers.source.java.serialization.naming import (
    STRATEGIES,
    bean_name,
    strategy_of,
)
from contract_scan.parsers.source.java.serialization.nullness import nullness

_JACKSON = (b"com.fasterxml.jackson", b"tools.jackson", b"org.springframework", b"io.dropwizard")


def class_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of instances of a project class: as its annotations say which library writes it,
    else as Jackson does; Gson where the project knows no other."""
    chain = use.chain(symbol)
    if MOXY_MAPPER in use.variant.split(";"):
        return moxy_schema(use, symbol)
    if is_gson(chain) or GSON_MAPPER in use.variant.split(";"):
        return gson_schema(use, symbol)
    if is_jsonb(chain) or JSONB_MAPPER in use.variant.split(";"):
        return jsonb_schema(use, symbol)
    schema = jackson_schema(use, symbol)
    is_gson_project = is_in_related_files(
        use.program, symbol.file.path, b"com.google.gson"
    ) and not is_in_related_files(use.program, symbol.file.path, *_JACKSON)
    if isinstance(schema, Unknown) and is_gson_project:
        return gson_schema(use, symbol)
    return schema


# How JSON-B (Jakarta) writes instances of a class: public getters and fields, nulls left out.

_NAMES = ("JsonbProperty", "JsonbTransient", "JsonbNillable", "JsonbDateFormat")


def is_jsonb(chain: Chain) -> bool:
    """Whether annotations of JSON-B stand in a class or its ancestors."""
    for symbol, _ in chain:
        places = (symbol.decl.annotations, *(m.annotations for m in symbol.decl.members))
        methods = (m.annotations for m in symbol.decl.methods)
        if any(has(annotations, *_NAMES) for annotations in (*places, *methods)):
            return True
    return False


def jsonb_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of instances of a class as JSON-B writes them."""
    if symbol.decl.kind == "enum":
        values = enum_schema(use, symbol, JacksonSettings())
        if values is not None:
            return values
    chain = use.chain(symbol)
    written = settings(use.program, symbol.file.path).get("jsonb.propertynamingstrategy", "")
    strategy = strategy_of(written)
    if strategy is None:
        reason = Reason("naming-strategy-unknown", naming=written)
        return Unknown(reason=reason, origin=symbol.origin)
    fields: dict[str, Field] = {}
    for found in properties(use.program, chain, JacksonSettings(), (), bean_name).values():
        field = _field(use, chain, found, strategy)
        if field is not None:
            fields.setdefault(field.name, field)
    for inherited in inherited_fields(use, chain):
        fields.setdefault(inherited.name, inherited)
    partial = library_base(use, chain)
    return Object(
        name=symbol.decl.name,
        fields=tuple(fields.values()),
        incomplete_reason=partial,
        origin=symbol.origin,
    )


def _field(use: TypeUse, chain: Chain, found: Property, strategy: str) -> Field | None:
    annotations = found.annotations()
    named = find(annotations, "JsonbProperty")
    source = found.reader()
    if source is None and named is not None:
        source = found.accessors[0]
    if source is None or source.type is None:
        return None
    text = use.program.text(argument(named, "value"), source.scope)
    name = text or STRATEGIES[strategy](found.name)
    null = nullness(source.type, annotations)
    nillable = flag(argument(named, "nillable")) or any(
        has(symbol.decl.annotations, "JsonbNillable") for symbol, _ in chain
    )
    required: bool | None = True
    if not nillable and null is not False:
        required, null = (False if null else None), False
    schema = property_schema(use, source, annotations)
    return Field(
        name=name,
        schema=replace(with_nullable(schema, null), origin=source.origin),
        required=required,
        has_default=True,
        omitted_if_null=required is None,
        declared_as=found.name if found.name != name else "",
        origin=source.origin,
    )
