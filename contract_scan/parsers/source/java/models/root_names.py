"""Bodies below a root name: `{"order": {…}}` (`WRAP_ROOT_VALUE`, `UNWRAP_ROOT_VALUE`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.schema import Field, Object, Schema
from contract_scan.parsers.source.facts import NamedType, TypeExpr
from contract_scan.parsers.source.java.annotations import argument, find, type_name
from contract_scan.parsers.source.link.values import ClassValue, Scope

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


def below_root_name(
    program: Program, type: TypeExpr | None, scope: Scope, schema: Schema
) -> Schema:
    """The shape with the root name of its class around it."""
    name = type_name(type)
    origin = schema.origin
    if isinstance(type, NamedType):
        found = program.names.lookup_type(type.name, scope)
        if isinstance(found, ClassValue):
            annotation = find(found.symbol.decl.annotations, "JsonRootName")
            inside = program.class_scope(found.symbol)
            name = program.text(argument(annotation, "value"), inside) or name
            origin = found.symbol.origin
    field = Field(name=name, schema=schema, origin=origin)
    return Object(fields=(field,), origin=origin)
