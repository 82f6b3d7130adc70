"""Which library writes instances of a class, and how they then look."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    flag,
    has,
)
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.serialization.enums import enum_schema
from contract_scan.parsers.source.java.serialization.gson.classes import gson_schema, is_gson
from contract_scan.parsers.source.java.serialization.jackson.classes import jackson_schema
from contract_scan.parsers.source.java.serialization.jackson.custom import (
    converter_schema,
    serializer_schema,
)
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

_NAMES = (
    *("JsonbProperty", "JsonbTransient", "JsonbNillable", "JsonbDateFormat", "JsonbCreator"),
    *("JsonbTypeAdapter", "JsonbTypeSerializer", "JsonbNumberFormat", "JsonbPropertyOrder"),
)


class _JsonbConfig(Struct, frozen=True):
    """What code tells a `JsonbConfig`."""

    naming: str = ""
    writes_nulls: bool = False


@memoised
def _jsonb_config(program: Program) -> _JsonbConfig:
    """What code tells the `JsonbConfig` that is made somewhere in it."""
    found = _JsonbConfig()
    for path in program.files_with_word("JsonbConfig"):
        file = program.facts(path)
        for symbol in program.classes(file):
            bodies = (program.body(method, file) for method in symbol.decl.methods)
            for node in nodes_of((symbol.decl.members, *bodies)):
                match node:
                    case Call(callee=Attribute(name="withPropertyNamingStrategy"), args=(one,)):
                        text = getattr(one.value, "value", None)
                        naming = text if isinstance(text, str) else constant_name(one.value)
                        found = replace(found, naming=naming)
                    case Call(callee=Attribute(name="withNullValues"), args=(one,)):
                        found = replace(found, writes_nulls=flag(one.value))
    return found


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
    adapted = _adapted_schema(use, symbol.decl.annotations, use.program.class_scope(symbol))
    if adapted is not None:
        return adapted
    written = settings(use.program, symbol.file.path).get("jsonb.propertynamingstrategy", "")
    written = written or _jsonb_config(use.program).naming
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


def _adapted_schema(use: TypeUse, annotations: Sequence[Annotation], scope: Scope) -> Schema | None:
    """What an adapter or a serializer makes of a value; None where there is none."""
    adapter = argument(find(annotations, "JsonbTypeAdapter"), "value")
    if adapter is not None:
        return converter_schema(use, adapter, scope, reads=False)
    serializer = argument(find(annotations, "JsonbTypeSerializer"), "value")
    return None if serializer is None else serializer_schema(use, serializer, "value", None, scope)


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
    writes_nulls = _jsonb_config(use.program).writes_nulls
    nillable = flag(argument(named, "nillable"), default=writes_nulls) or any(
        has(symbol.decl.annotations, "JsonbNillable") for symbol, _ in chain
    )
    required: bool | None = True
    if not nillable and null is not False:
        required, null = (False if null else None), False
    schema = _adapted_schema(use, annotations, source.scope)
    schema = property_schema(use, source, annotations) if schema is None else schema
    return Field(
        name=name,
        schema=replace(with_nullable(schema, null), origin=source.origin),
        required=required,
        has_default=True,
        omitted_if_null=required is None,
        declared_as=found.name if found.name != name else "",
        origin=source.origin,
    )
