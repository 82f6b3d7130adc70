"""Shapes of what is read from texts and forms."""

from __future__ import annotations

from contract_scan.ir.schema import Array, Scalar, Schema, Union
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.web.parameter_sources import enum_names
from contract_scan.parsers.source.facts.nodes import ArrayType, NamedType, NullableType, TypeExpr

_FILE = Scalar(type="string", format="binary")
_FILES = frozenset({"IFormFile", "IFormFileCollection", "IFormCollection", "FormFile"})


def shape_of_text(program: Program, type: TypeExpr, scope: Scope, variant: str) -> Schema:
    """The shape of what is read from a text: enums by their names and by their numbers, however
    JSON writes them."""
    schema = program.types.flat(program.schema(type, scope, variant))
    names = enum_names(program, type, scope)
    if names is None:
        return schema
    texts = Scalar(type="string", values=names, origin=schema.origin)
    numbers = Scalar(type="integer", origin=schema.origin)
    return Union(options=(texts, numbers), nullable=schema.nullable, origin=schema.origin)


def is_file(schema: Schema) -> bool:
    """Whether a shape is that of an uploaded file, or of a list of them."""
    return schema == _FILE or (isinstance(schema, Array) and schema.items == _FILE)


def file_shape(type: TypeExpr) -> Schema | None:
    """The shape of an uploaded file, or of a list of them."""
    inner = type.item if isinstance(type, NullableType) else type
    if isinstance(inner, ArrayType) or (isinstance(inner, NamedType) and len(inner.args) == 1):
        item = inner.item if isinstance(inner, ArrayType) else inner.args[0]
        return Array(items=_FILE) if simple_name(item) in _FILES else None
    if simple_name(type) == "IFormFileCollection":
        return Array(items=_FILE)
    return _FILE if simple_name(type) in _FILES else None


def simple_name(type: TypeExpr) -> str:
    """The name of a type without namespace, `?` looked through; empty where it has none."""
    inner = type.item if isinstance(type, NullableType) else type
    return inner.name.rsplit(".", 1)[-1] if isinstance(inner, NamedType) else ""
