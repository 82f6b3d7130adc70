"""SQLAlchemy models: the types of columns, for the libraries that take fields from them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Scalar,
    ScalarType,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Expr, Member, NamedType
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    is_false,
    is_true,
    member_origin,
    unwrap_annotated,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases

_COLUMNS = frozenset({"Column", "mapped_column", "column"})
_TYPES: dict[str, tuple[ScalarType, str]] = {
    **dict.fromkeys(("Integer", "BigInteger", "SmallInteger"), ("integer", "")),
    **dict.fromkeys(("INTEGER", "BIGINT", "SMALLINT"), ("integer", "")),
    **dict.fromkeys(("String", "Text", "Unicode", "UnicodeText"), ("string", "")),
    **dict.fromkeys(("VARCHAR", "TEXT", "CHAR"), ("string", "")),
    **dict.fromkeys(("Boolean", "BOOLEAN"), ("boolean", "")),
    **dict.fromkeys(("DateTime", "TIMESTAMP", "DATETIME"), ("string", "date-time")),
    **dict.fromkeys(("Date", "DATE"), ("string", "date")),
    **dict.fromkeys(("Time", "TIME"), ("string", "time")),
    **dict.fromkeys(("Float", "FLOAT", "REAL", "Double"), ("number", "")),
    **dict.fromkeys(("Numeric", "DECIMAL", "NUMERIC"), ("string", "decimal")),
    **dict.fromkeys(("UUID", "Uuid"), ("string", "uuid")),
    "LargeBinary": ("string", ""),
}


def column_names(program: Program, symbol: ClassSymbol, *, foreign_keys: bool) -> Iterator[str]:
    """The columns of a model in order."""
    seen: set[str] = set()
    for owner in reversed([symbol, *program.bases(symbol)]):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            made = _column(program, member, scope)
            bare = made is None and member.value is None and _is_mapped(program, member, scope)
            if (made is None and not bare) or member.name in seen:
                continue
            if made is not None and not foreign_keys and _is_foreign_key(program, made):
                continue
            seen.add(member.name)
            yield member.name


def is_model(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class is mapped by SQLAlchemy alone: SQLModel's classes are models of pydantic."""
    names = [base.name.lower() for base in library_bases(program, symbol)]
    return any("sqlalchemy" in name for name in names)


def relations(program: Program, symbol: ClassSymbol) -> Iterator[tuple[ClassSymbol, Member]]:
    """The attributes of a model that lead to other objects, with the classes that have them."""
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            value = None if member.value is None else program.evaluate(member.value, scope)
            kind = value.name.rpartition(".")[2] if isinstance(value, LibraryResult) else ""
            if kind in ("relationship", "relation", "backref", "association_proxy"):
                yield owner, member


def column_schema(program: Program, symbol: ClassSymbol, name: str) -> tuple[Schema, Origin, bool]:
    """The shape of a column, its place, and whether it has a default."""
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.name == name:
                return _of_member(program, member, owner, scope)
    reason = Reason("column-not-found", type=symbol.decl.name, name=name)
    return Unknown(reason=reason, nullable=None, origin=symbol.origin), symbol.origin, True


def column_has_default(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether a column of a class is given a value where a row is stored without one: null is left
    out of what is stored, so that the default stands there.
    https://docs.sqlalchemy.org/en/20/orm/persistence_techniques.html#forcing-null-on-a-column-with-a-default"""
    for owner in (symbol, *program.bases(symbol)):
        for member in owner.decl.members:
            if member.name == name:
                made = _column(program, member, program.class_scope(owner))
                given = set() if made is None else set(call_arguments(made))
                return not given.isdisjoint(("default", "server_default", "insert_default"))
    return False


def column_value(program: Program, made: LibraryResult) -> Schema | None:
    """The shape of an attribute that is a column: `order.total`. Whether null is ever stored where
    the column allows it is not known; how times and decimals are written, the encoder decides."""
    if made.name.rpartition(".")[2] not in _COLUMNS or "sqlalchemy" not in made.name.lower():
        return None
    origin = Origin(made.scope.file.path, made.site.span)
    shape = _of_column(program, made, origin)
    if isinstance(shape, Scalar) and shape.format in ("decimal", "time"):
        shape = Unknown(reason=Reason("column-serialization-undetermined"), origin=origin)
    elif isinstance(shape, Scalar) and shape.format.startswith("date"):
        shape = Scalar(type="string", origin=origin)
    if _is_required(program, made):
        return with_nullable(shape, False)
    return replace(shape, nullable=None, null_reason=Reason("null-in-column"))


def _is_required(program: Program, made: LibraryResult) -> bool:
    return is_true(argument_value(program, made, "primary_key")) or is_false(
        argument_value(program, made, "nullable")
    )


def _of_member(
    program: Program, member: Member, owner: ClassSymbol, scope: Scope
) -> tuple[Schema, Origin, bool]:
    origin = member_origin(owner, member)
    made = _column(program, member, scope)
    if member.type is not None:
        type, type_scope, _ = unwrap_annotated(program, member.type, scope)
        if isinstance(type, NamedType) and type.name.rpartition(".")[2] == "Mapped":
            shape = program.schema(type.args[0], type_scope) if type.args else None
            if shape is not None:
                return shape, origin, made is not None and _has_default(program, made)
    if made is None:
        reason = Reason("not-a-column", owner=owner.decl.name, member=member.name)
        return Unknown(reason=reason, nullable=None, origin=origin), origin, True
    shape = _of_column(program, made, origin)
    key = is_true(argument_value(program, made, "primary_key"))
    nullable = argument_value(program, made, "nullable")
    required = key or (isinstance(nullable, Constant) and nullable.value is False)
    has_default = key or _has_default(program, made)
    if not required and nullable is None:  # any column allows null that does not say otherwise
        shape = replace(shape, nullable=None, null_reason=Reason("null-in-column"))
        return shape, origin, has_default
    return with_nullable(shape, not required), origin, has_default


def _has_default(program: Program, made: LibraryResult) -> bool:
    named = {"default", "server_default", "insert_default"} & set(call_arguments(made))
    return bool(named) or not is_false(argument_value(program, made, "nullable"))


def _column(program: Program, member: Member, scope: Scope) -> LibraryResult | None:
    if member.value is None:
        return None
    value = program.evaluate(member.value, scope)
    if isinstance(value, LibraryResult) and value.name.rpartition(".")[2] in _COLUMNS:
        return value
    return None


def _is_mapped(program: Program, member: Member, scope: Scope) -> bool:
    """`note: Mapped[str | None]`: a column of which the type says all."""
    if member.type is None:
        return False
    type, _, _ = unwrap_annotated(program, member.type, scope)
    return isinstance(type, NamedType) and type.name.rpartition(".")[2] == "Mapped"


def _is_foreign_key(program: Program, made: LibraryResult) -> bool:
    return any(
        program.qualified_name(a.value, made.scope).rpartition(".")[2] == "ForeignKey"
        for a in made.site.args
    )


def _of_column(program: Program, made: LibraryResult, origin: Origin) -> Schema:
    exprs: list[Expr] = [a.value for a in made.site.args if not a.name and not a.spread]
    exprs += [a.value for a in made.site.args if a.name == "type_"]
    for expr in exprs:
        shape = _of_type(program, program.evaluate(expr, made.scope), origin)
        if shape is not None:
            return shape
    return Unknown(reason=Reason("column-type-undetermined"), nullable=None, origin=origin)


def _of_type(program: Program, value: Value, origin: Origin) -> Schema | None:
    match value:
        case LibrarySymbol(name=name) | LibraryResult(name=name):
            last = name.rpartition(".")[2]
        case ClassValue(symbol=symbol) | Instance(symbol=symbol):
            return _type_decorator_schema(program, symbol, origin)
        case _:
            return None
    known = _TYPES.get(last)
    if known is not None:
        return Scalar(type=known[0], format=known[1], origin=origin)
    if not isinstance(value, LibraryResult):
        return None
    given_first = [a.value for a in value.site.args if not a.name]
    if last == "Enum" and given_first:
        return _enumeration(program, value, given_first, origin)
    if last == "ARRAY" and given_first:
        items = _of_type(program, program.evaluate(given_first[0], value.scope), origin)
        if items is not None:
            return Array(items=items, origin=origin)
    return None


def _type_decorator_schema(program: Program, symbol: ClassSymbol, origin: Origin) -> Schema | None:
    """The type that a project's own `TypeDecorator` decorates, or the declared result of its
    conversion."""
    if all(base.simple_name != "TypeDecorator" for base in library_bases(program, symbol)):
        return None
    converter = program.find_method(symbol, "process_result_value")
    if converter is not None:
        declared = converter.function.returns
        if declared is None:
            return None
        return with_nullable(program.schema(declared, converter.scope), False)
    for owner in (symbol, *program.bases(symbol)):
        for member in owner.decl.members:
            if member.name == "impl" and member.value is not None:
                decorated = program.evaluate(member.value, program.class_scope(owner))
                return _of_type(program, decorated, origin)
    return None


def _enumeration(
    program: Program, made: LibraryResult, items: list[Expr], origin: Origin
) -> Schema:
    """`Enum("a", "b")` by its strings, `Enum(Color)` by the names of its constants."""
    first = program.evaluate(items[0], made.scope)
    if isinstance(first, ClassValue):
        names = tuple(m.name for m in first.symbol.decl.members if not m.name.startswith("_"))
        return Scalar(type="string", values=names, origin=origin)
    texts = tuple(program.text(item, made.scope) for item in items)
    known = tuple(text for text in texts if text is not None)
    values = known if len(known) == len(texts) else None
    return Scalar(type="string", values=values, origin=origin)
