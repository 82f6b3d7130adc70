"""Models that swagger-codegen and openapi-generator write for servers in Python.

Their constructor says what attributes are called on the wire and which types they have; the
encoder that is generated with them leaves out what is null.
"""

from __future__ import annotations

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import Expr, Member, ObjectLiteral
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
    fields = tuple(_field(use, symbol, names[key], types[key]) for key in types if key in names)
    return Object(fields=fields, name=symbol.decl.name, origin=symbol.origin)


def _field(use: TypeUse, symbol: ClassSymbol, name: str, written: Expr) -> Field:
    origin = Origin(symbol.file.path, written.span)
    type = as_type(written)
    shape: Schema = Unknown(reason=Reason("type-undetermined", name=name), origin=origin)
    if type is not None:
        shape = use.schema(type, use.program.class_scope(symbol))
    return Field(
        name=name,
        schema=shape,
        required=None,
        has_default=True,
        omitted_if_null=True,
        origin=origin,
    )


def _entries(member: Member) -> dict[str, Expr]:
    """The entries of `self.attribute_map = {…}`."""
    value = member.value
    if "constructor" not in member.modifiers or not isinstance(value, ObjectLiteral):
        return {}
    return {entry.key: entry.value for entry in value.entries if entry.key is not None}
