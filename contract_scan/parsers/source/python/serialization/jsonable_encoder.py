"""What FastAPI's encoder makes of objects of a database that no model of pydantic describes."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.python.serialization import orm_fields as mapped
from contract_scan.parsers.source.python.serialization import rows, sqlalchemy
from contract_scan.parsers.source.python.serialization.fields import member_origin
from contract_scan.parsers.source.python.serialization.kinds import library_bases


def schema(use: TypeUse, symbol: ClassSymbol) -> Object | None:
    """What FastAPI's encoder makes of an object of SQLAlchemy's or Tortoise's: its columns, and
    what relations have loaded. None for classes of other libraries."""
    program = use.program
    is_tortoise = mapped.is_mapped(program, symbol) and any(
        base.name.startswith("tortoise") for base in library_bases(program, symbol)
    )
    if not is_tortoise and not sqlalchemy.is_model(program, symbol):
        return None
    found = [_encoded_field(use, symbol, name) for name in rows.names(program, symbol)]
    for owner, member in () if is_tortoise else sqlalchemy.relations(program, symbol):
        origin = member_origin(owner, member)
        undetermined = Unknown(reason=Reason("relation-depth-undetermined"), origin=origin)
        doubt = Reason("relation-sent-where-loaded")
        found.append(
            Field(
                name=member.name,
                schema=undetermined,
                required=None,
                undetermined_reason=doubt,
                origin=origin,
            )
        )
    return Object(
        fields=tuple(found),
        incomplete_reason=rows.unread_columns_reason(program, symbol),
        name=symbol.decl.name,
        origin=symbol.origin,
    )


def _encoded_field(use: TypeUse, symbol: ClassSymbol, name: str) -> Field:
    shape = use.schema_of(rows.column_value(use.program, symbol, name))
    if mapped.is_mapped(use.program, symbol):
        return Field(name=name, schema=shape, origin=symbol.origin)
    column, origin, _ = sqlalchemy.column_schema(use.program, symbol, name)
    if isinstance(column, Scalar):
        # Null is only known to be stored where the type of the attribute says so.
        nullable = shape.nullable if isinstance(shape, Scalar) else None
        is_open = column.nullable is True and nullable is None
        number = column.format == "decimal"
        shape = replace(
            column,
            type="number" if number else column.type,
            format="" if number else column.format,
            nullable=None if is_open else column.nullable,
            null_reason=Reason("null-in-column") if is_open else NO_REASON,
        )
    return Field(name=name, schema=shape, origin=origin)
