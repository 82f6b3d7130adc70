"""Typed dictionaries and dataclasses in a field of a pydantic model: they are named as the model's
configuration says, unless they have one of their own."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Object, Reference, Schema, Union, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.python.serialization.dataclass import DATACLASS
from contract_scan.parsers.source.python.serialization.kinds import decorator, library_bases
from contract_scan.parsers.source.python.serialization.pydantic.config import FieldNaming, Spec

_MAX_DEPTH = 4
_OWN_CONFIG = "__pydantic_config__"


def with_inherited_naming(
    use: TypeUse, schema: Schema, naming: FieldNaming, depth: int = 0
) -> Schema:
    """The shape of a field of a model whose names are generated."""
    if not naming.renames or depth > _MAX_DEPTH:
        return schema
    match schema:
        case Reference():
            symbol = use.program.types.symbol_of(schema)
            if symbol is None or not _takes_over(use, symbol):
                return schema
            named = use.program.types.flat(schema)
            if not isinstance(named, Object):
                return schema
            fields = tuple(
                replace(
                    field,
                    name=naming.output_name(field.name, Spec()) or field.name,
                    schema=with_inherited_naming(use, field.schema, naming, depth + 1),
                    declared_as=field.name,
                )
                for field in named.fields
            )
            return with_nullable(replace(named, fields=fields), schema.nullable)
        case Union(options=options):
            return replace(
                schema,
                options=tuple(with_inherited_naming(use, o, naming, depth + 1) for o in options),
            )
        case Array(items=items):
            return replace(schema, items=with_inherited_naming(use, items, naming, depth + 1))
        case Object(fields=(), additional=values) if values is not None:
            return replace(schema, additional=with_inherited_naming(use, values, naming, depth + 1))
        case _:
            return schema


def _takes_over(use: TypeUse, symbol: ClassSymbol) -> bool:
    if any(member.name == _OWN_CONFIG for member in symbol.decl.members):
        return False
    bases = library_bases(use.program, symbol)
    typed = any(base.simple_name == "TypedDict" for base in bases)
    return typed or decorator(use.program, symbol, DATACLASS) is not None
