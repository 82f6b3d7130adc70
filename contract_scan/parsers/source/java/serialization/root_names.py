"""Bodies below a root name: `{"order": {…}}` (`WRAP_ROOT_VALUE`, `UNWRAP_ROOT_VALUE`)."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Field,
    Nothing,
    Object,
    Reference,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import NamedType, TypeExpr
from contract_scan.parsers.source.java.resolution.annotations import argument, find, type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import jackson_settings


def below_root_name(
    program: Program, type: TypeExpr | None, scope: Scope, schema: Schema
) -> Schema:
    """The shape with the root name of its class around it."""
    name = type_name(type)
    origin = schema.origin
    if isinstance(type, NamedType):
        found = program.names.declared_class(type, scope)
        if found is not None:
            annotation = find(found.decl.annotations, "JsonRootName")
            inside = program.class_scope(found)
            name = program.text(argument(annotation, "value"), inside) or name
            origin = found.origin
    field = Field(name=name, schema=schema, origin=origin)
    return Object(fields=(field,), origin=origin)


def with_root_names(
    program: Program, path: str, variant: str, responses: tuple[Response, ...]
) -> tuple[Response, ...]:
    """Responses of a handler in the file `path` as its mapper writes them: with root names where
    it is told to."""
    if not jackson_settings(program, path, variant).wrap_root:
        return responses
    return tuple(
        replace(
            response,
            bodies=tuple(
                replace(body, schema=_below_its_name(program, body.schema))
                if "json" in body.content_type
                else body
                for body in response.bodies
            ),
        )
        for response in responses
    )


def _below_its_name(program: Program, schema: Schema) -> Schema:
    match schema:
        case Reference():
            symbol = program.types.symbol_of(schema)
            if symbol is not None:
                named = NamedType(name=symbol.decl.name)
                within = program.class_scope(symbol)
                plain = with_nullable(schema, False)
                return below_root_name(program, named, within, plain)
        case Union(options=options):
            return replace(schema, options=tuple(_below_its_name(program, o) for o in options))
        case Unknown() | Nothing():
            return schema
        case _:
            pass
    reason = Reason("root-name-undetermined")
    return Unknown(reason=reason, origin=schema.origin)
