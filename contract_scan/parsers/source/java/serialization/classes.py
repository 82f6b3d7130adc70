"""Which library writes instances of a class, and how they then look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.serialization.gson.classes import gson_schema, is_gson
from contract_scan.parsers.source.java.serialization.jackson.classes import jackson_schema
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    GSON_MAPPER,
    JSONB_MAPPER,
    MOXY_MAPPER,
)
from contract_scan.parsers.source.java.serialization.jsonb import is_jsonb, jsonb_schema

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
    from contract_scan.parsers.source.analysis.domain.values import ClassSymbol

_JACKSON = (b"com.fasterxml.jackson", b"tools.jackson", b"org.springframework", b"io.dropwizard")


def class_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of instances of a project class: as its annotations say which library writes it,
    else as Jackson does; Gson where the project knows no other."""
    chain = use.chain(symbol)
    if MOXY_MAPPER in use.variant.split(";") and symbol.decl.kind != "enum":
        reason = Reason("jaxb-annotations-not-read", type=symbol.qualified_name)
        return Unknown(reason=reason, origin=symbol.origin)
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
