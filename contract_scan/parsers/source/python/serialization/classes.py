"""How instances of project classes look on the wire: one file for each library that decides it."""

from __future__ import annotations

from collections.abc import Callable

from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ClassSymbol,
    ClassValue,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    NamedType,
    NullableType,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.python.serialization import (
    dataclass,
    django,
    enums,
    library_types,
    msgspec,
    ninja,
    py_serializable,
    queries,
    rows,
    sqlalchemy,
    type_encoders,
)
from contract_scan.parsers.source.python.serialization import generated_models as generated
from contract_scan.parsers.source.python.serialization import jsonable_encoder as encoded
from contract_scan.parsers.source.python.serialization import orm_fields as mapped
from contract_scan.parsers.source.python.serialization import unannotated_classes as plain
from contract_scan.parsers.source.python.serialization.drf import fields as drf_fields
from contract_scan.parsers.source.python.serialization.drf import serializers as drf
from contract_scan.parsers.source.python.serialization.drf.names import as_rendered
from contract_scan.parsers.source.python.serialization.fields import is_true
from contract_scan.parsers.source.python.serialization.kinds import (
    LibraryBase,
    decorator,
    library_bases,
)
from contract_scan.parsers.source.python.serialization.marshmallow import schemas as marshmallow
from contract_scan.parsers.source.python.serialization.modes import ENCODED, flags
from contract_scan.parsers.source.python.serialization.pydantic import classes as pydantic
from contract_scan.parsers.source.python.serialization.pydantic.config import settings_of

_MAX_ALIASES = 10


def class_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of a project class. Unknown where nothing says how it is written."""
    program = use.program
    written = type_encoders.encoded_schema(use, symbol.key)
    if written is not None:
        return written
    bases = library_bases(program, symbol)
    if drf_fields.is_serializer(bases):
        return drf.schema(use, symbol)
    return as_rendered(program, _declared_schema(use, symbol, bases), flags(use.variant))


def _declared_schema(use: TypeUse, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> Schema:
    program = use.program
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
    if "TypedDict" in simple:
        return dataclass.typed_dict(use, symbol)
    if "NamedTuple" in simple or "namedtuple" in simple:
        return dataclass.named_tuple(use, symbol)
    if "make_dataclass" in simple or dataclass.is_dataclass(program, symbol):
        return dataclass.schema(use, symbol)
    if decorator(program, symbol, py_serializable.CLASSES) is not None:
        return py_serializable.schema(use, symbol)
    if generated.is_generated(symbol):
        return generated.schema(use, symbol)
    if ENCODED in flags(use.variant):
        columns = encoded.schema(use, symbol)
        if columns is not None:
            return columns
    return plain.schema(use, symbol)


def holds_what_is_set(program: Program, symbol: ClassSymbol) -> bool:
    """Whether objects of a class hold what code sets their attributes to: a dataclass, and a model
    that does not validate assignments."""
    names = {base.name for base in library_bases(program, symbol)}
    if names & pydantic.BASES:
        setting = settings_of(program, symbol).get("validate_assignment")
        return setting is None or not is_true(setting.value)
    return bool(names & msgspec.BASES) or dataclass.is_dataclass(program, symbol)


def names_model(program: Program, type: TypeExpr, scope: Scope, depth: int = 0) -> bool:
    """Whether a type, or a member of a union, is a class that describes an object: whatever else
    is known of it. Libraries that validate take such a parameter from the body."""
    match type:
        case UnionType(options=options):
            return any(names_model(program, option, scope, depth) for option in options)
        case NullableType(item=item) | AnnotatedType(item=item):
            return names_model(program, item, scope, depth)
        case NamedType(name=name):
            found = program.names.lookup_type(name, scope)
            if isinstance(found, AliasSymbol) and depth < _MAX_ALIASES:
                inside = program.names.classes.alias_scope(found)
                return names_model(program, found.alias.type, inside, depth + 1)
            return isinstance(found, ClassValue) and _describes(program, found.symbol)
        case _:
            return False


def _describes(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class is a pydantic model, a dataclass or a typed dictionary."""
    bases = library_bases(program, symbol)
    if any(base.name in pydantic.BASES or base.simple_name == "TypedDict" for base in bases):
        return True
    described = pydantic.DATACLASS | dataclass.DATACLASS
    return any(
        decorator(program, owner, described) is not None
        for owner in (symbol, *program.bases(symbol))
    )


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape of something a library call made, where the library describes values with it."""
    shape = django.field_value(program, made, variant)
    if shape is None:
        shape = mapped.field_value(program, made)
    return sqlalchemy.column_value(program, made) if shape is None else shape


_ATTRIBUTES: tuple[Callable[[Program, Value, str], Value | None], ...] = (
    django.attribute,
    mapped.attribute,
    rows.attribute,
    queries.attribute,
    plain.attribute,
    library_types.attribute,
)


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """An attribute that only a library gives to an object; None where it is none of those known."""
    for read in _ATTRIBUTES:
        found = read(program, value, name)
        if found is not None:
            return found
    return None


__all__ = ["attribute", "class_schema", "made_schema", "names_model"]
