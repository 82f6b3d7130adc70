"""How instances of project classes look on the wire: one file for each library that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.python.models import (
    dataclass,
    django,
    django_relations,
    drf,
    drf_fields,
    enums,
    marshmallow,
    msgspec,
    ninja,
    plain,
    py_serializable,
    pydantic,
    queries,
    sqlalchemy,
)
from contract_scan.parsers.source.python.models.kinds import decorator, library_bases

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program
    from contract_scan.parsers.source.link.type_use import TypeUse
    from contract_scan.parsers.source.link.values import ClassSymbol, Made, Value


def class_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of a project class. Unknown where nothing says how it is written."""
    program = use.program
    bases = library_bases(program, symbol)
    names = {base.name for base in bases}
    simple = {base.simple_name for base in bases}
    if program.find_method(symbol, "__json__") is not None:
        return plain.schema(use, symbol)  # Pyramid asks it before anything else.
    if enums.is_enum(symbol, bases):
        return enums.schema(use, symbol, bases)
    if ninja.is_model_schema(bases):
        return ninja.schema(use, symbol, bases)
    if names & pydantic.BASES or decorator(program, symbol, pydantic.DATACLASS) is not None:
        return pydantic.schema(use, symbol, bases)
    if names & msgspec.BASES:
        return msgspec.schema(use, symbol)
    if marshmallow.is_schema(bases):
        return marshmallow.schema(use, symbol)
    if drf_fields.is_serializer(bases):
        return drf.schema(use, symbol)
    if "TypedDict" in simple:
        return dataclass.typed_dict(use, symbol)
    if "NamedTuple" in simple or "namedtuple" in simple:
        return dataclass.named_tuple(use, symbol)
    owners = (symbol, *program.bases(symbol))
    if "make_dataclass" in simple or any(
        decorator(program, owner, dataclass.DATACLASS | dataclass.ATTRS) is not None
        for owner in owners
    ):
        return dataclass.schema(use, symbol)
    if decorator(program, symbol, py_serializable.CLASSES) is not None:
        return py_serializable.schema(use, symbol)
    return plain.schema(use, symbol)


def made_schema(program: Program, made: Made, variant: str) -> Schema | None:
    """The shape of something a library call made, where the library describes values with it."""
    shape = django.field_value(program, made, variant)
    return sqlalchemy.column_value(program, made) if shape is None else shape


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """An attribute that only a library gives to an object; None where it is none of those known."""
    found = django_relations.attribute(program, value, name)
    return queries.attribute(program, value, name) if found is None else found


__all__ = ["attribute", "class_schema", "made_schema"]
