"""Models that swagger-codegen and openapi-generator write for servers in Python.

Their constructor says what attributes are called on the wire and which types they have; the
encoder that is generated with them leaves out what is null.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Expr,
    LiteralExpr,
    Member,
    ObjectLiteral,
    OperationExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.resolution.type_expressions import as_type

_TYPES = frozenset({"swagger_types", "openapi_types"})
_NAMES = "attribute_map"


def is_generated(symbol: ClassSymbol) -> bool:
    """Whether a class is such a model."""
    names = {member.name for member in symbol.decl.members if _entries(member)}
    return _NAMES in names and bool(names & _TYPES)


def schema(use: TypeUse, symbol: ClassSymbol) -> Object:
    """Its attributes by their names on the wire."""
    types: dict[str, Expr] = {}
    names: dict[str, str] = {}
    for member in symbol.decl.members:
        for key, value in _entries(member).items():
            if member.name in _TYPES:
                types[key] = value
            elif member.name == _NAMES:
                names[key] = use.program.text(value, use.program.class_scope(symbol)) or key
    fields = tuple(
        _field(use, symbol, key, names[key], types[key]) for key in types if key in names
    )
    return Object(fields=fields, name=symbol.decl.name, origin=symbol.origin)


def _field(use: TypeUse, symbol: ClassSymbol, attribute: str, name: str, written: Expr) -> Field:
    origin = Origin(symbol.file.path, written.span)
    type = as_type(written)
    shape: Schema = Unknown(reason=Reason("type-undetermined", name=name), origin=origin)
    if type is not None:
        shape = use.schema(type, use.program.class_scope(symbol))
        if shape.nullable is False and not _refuses_null(use.program, symbol, attribute):
            shape = replace(shape, nullable=True)
    return Field(
        name=name,
        schema=shape,
        required=None,
        has_default=True,
        omitted_if_null=True,
        origin=origin,
    )


def _refuses_null(program: Program, symbol: ClassSymbol, attribute: str) -> bool:
    """Whether the setter of an attribute refuses null, by a test of its own or since the values
    that it allows are listed without it. What it does not ask for is set, whatever its type."""
    for method in symbol.decl.methods:
        if method.name != attribute or "set" not in method.modifiers:
            continue
        nodes = list(nodes_of(program.body(method, symbol.file)))
        nulls = any(isinstance(n, LiteralExpr) and n.value is None for n in nodes)
        lists = any(isinstance(n, Assign) and isinstance(n.value, ArrayLiteral) for n in nodes)
        tests = any(isinstance(n, OperationExpr) and n.operator == "is" for n in nodes)
        return tests or (lists and not nulls)
    return True


def _entries(member: Member) -> dict[str, Expr]:
    """The entries of `self.attribute_map = {…}`."""
    value = member.value
    if "constructor" not in member.modifiers or not isinstance(value, ObjectLiteral):
        return {}
    return {entry.key: entry.value for entry in value.entries if entry.key is not None}
