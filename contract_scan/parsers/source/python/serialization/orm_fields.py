"""Fields of Tortoise and Peewee models: the shapes of their values, their keys and relations."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, ScalarType, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    Value,
)
from contract_scan.parsers.source.facts.nodes import LiteralExpr
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    is_true,
    positional,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases

_PACKAGES = frozenset({"tortoise", "peewee", "playhouse", "peewee_async", "flask_peewee"})
_INTEGERS = frozenset(
    {"IntField", "BigIntField", "SmallIntField", "IntegerField", "BigIntegerField"}
    | {"SmallIntegerField", "BitField"}
)
_TEXTS = frozenset(
    {"CharField", "FixedCharField", "TextField", "IPField"}
    | {"DatetimeField", "DateTimeField", "DateField", "TimeField", "TimestampField"}
)
"""How times are written, the encoder decides."""
_KEYS = frozenset({"AutoField", "BigAutoField", "IdentityField", "PrimaryKeyField"})
_SHAPES: dict[str, tuple[ScalarType, str]] = {
    **dict.fromkeys(sorted(_INTEGERS | _KEYS), ("integer", "")),
    **dict.fromkeys(sorted(_TEXTS), ("string", "")),
    **dict.fromkeys(("FloatField", "DoubleField"), ("number", "")),
    "BooleanField": ("boolean", ""),
    "UUIDField": ("string", "uuid"),
}
_ONE = frozenset({"ForeignKeyField", "OneToOneField", "DeferredForeignKey"})
_MANY = frozenset({"ManyToManyField"})
_MARKERS = (b"backref", b"related_name")


def is_mapped(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class is a model of Tortoise or Peewee."""
    return any(
        base.name.partition(".")[0] in _PACKAGES and base.simple_name == "Model"
        for base in library_bases(program, symbol)
    )


def is_field(made: LibraryResult) -> bool:
    """Whether a call makes a field of such a model."""
    last = made.name.rpartition(".")[2]
    return made.name.partition(".")[0] in _PACKAGES and (last.endswith("Field") or last in _ONE)


def field_value(program: Program, made: LibraryResult) -> Schema | None:
    """The shape of an attribute that is a field; None for what is no field, or a relation."""
    if not is_field(made):
        return None
    kind = made.name.rpartition(".")[2]
    origin = Origin(made.scope.file.path, made.site.span)
    shape: Schema
    if kind in _SHAPES:
        type, form = _SHAPES[kind]
        shape = Scalar(type=type, format=form, origin=origin)
    elif kind in ("CharEnumField", "IntEnumField"):
        enum = positional(made) or call_arguments(made).get("enum_type")
        value = None if enum is None else program.evaluate(enum, made.scope)
        if not isinstance(value, ClassValue):
            return None
        shape = program.types.reference(value.symbol, {}, "", origin)
    elif kind in _ONE | _MANY:
        return None
    else:
        reason = Reason("field-class-serialization-undetermined", kind=kind)
        return Unknown(reason=reason, nullable=None, origin=origin)
    return with_nullable(shape) if is_true(argument_value(program, made, "null")) else shape


def fields(program: Program, symbol: ClassSymbol) -> Iterator[tuple[str, LibraryResult]]:
    """The fields that a model declares, in order, those of its bases first."""
    seen: set[str] = set()
    for owner in reversed((symbol, *program.bases(symbol))):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.value is None or member.name in seen:
                continue
            value = program.evaluate(member.value, scope)
            if isinstance(value, LibraryResult) and is_field(value):
                seen.add(member.name)
                yield member.name, value


def column_names(program: Program, symbol: ClassSymbol) -> Iterator[str]:
    """The names under which a row of a model is written: `id` where no field is the key, and of a
    relation of Tortoise's its column."""
    if _own_key(program, symbol) is None:
        yield "id"
    for name, made in fields(program, symbol):
        kind = made.name.rpartition(".")[2]
        if kind not in _MANY:
            stored = kind in _ONE and made.name.startswith("tortoise")
            yield f"{name}_id" if stored else name


def column(program: Program, symbol: ClassSymbol, name: str) -> Schema | None:
    """What a row holds under a name: of a relation, the key of the other model."""
    known = dict(fields(program, symbol))
    made = known.get(name)
    if made is not None and made.name.rpartition(".")[2] not in _ONE:
        return field_value(program, made)
    if made is None and name.endswith("_id"):
        made = known.get(name[:-3])
    if made is not None:
        target = relation_target(program, made)
        if target is None or made.name.rpartition(".")[2] not in _ONE:
            return None
        key = key_schema(program, target)
        return with_nullable(key) if key and is_true(argument_value(program, made, "null")) else key
    return key_schema(program, symbol) if name in ("id", "pk") else None


def key_schema(program: Program, symbol: ClassSymbol) -> Schema | None:
    """The shape of a model's key: an integer where no field is said to be it."""
    made = _own_key(program, symbol)
    return (
        Scalar(type="integer", origin=symbol.origin) if made is None else field_value(program, made)
    )


def _own_key(program: Program, symbol: ClassSymbol) -> LibraryResult | None:
    for _, made in fields(program, symbol):
        said = (argument_value(program, made, name) for name in ("primary_key", "pk"))
        if made.name.rpartition(".")[2] in _KEYS or any(map(is_true, said)):
            return made
    return None


def relation_target(program: Program, made: LibraryResult) -> ClassSymbol | None:
    """The model that a relation leads to: a class, or its name behind that of an application."""
    expr = positional(made) or call_arguments(made).get("model_name")
    expr = expr or call_arguments(made).get("model")
    if expr is None:
        return None
    if isinstance(expr, LiteralExpr) and isinstance(expr.value, str):
        return _mapped_class(program, expr.value.rpartition(".")[2])
    value = program.evaluate(expr, made.scope)
    return value.symbol if isinstance(value, ClassValue) else None


def _mapped_class(program: Program, name: str) -> ClassSymbol | None:
    found = [
        symbol
        for path in program.files_defining(name)
        for symbol in program.classes(program.facts(path))
        if symbol.decl.name == name and is_mapped(program, symbol)
    ]
    return found[0] if len(found) == 1 else None


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """An attribute that no class declares: a key, the object that a relation leads to, the objects
    that lead back."""
    match value:
        case LibraryResult() if is_field(value) and value.name.rpartition(".")[2] in _ONE:
            target = relation_target(program, value)
            if target is None:
                return None
            return program.evaluator.attribute(Instance(target), name, value.scope, value.site.span)
        case Instance(symbol=symbol) if is_mapped(program, symbol):
            shape = column(program, symbol, name)
            return _other_column(program, symbol, name) if shape is None else BySchema(shape)
        case _:
            return None


def _other_column(program: Program, symbol: ClassSymbol, name: str) -> Value | None:
    for owner in (symbol, *program.bases(symbol)):
        found = _ends(program).get((owner.key, name))
        if found is not None:
            model, many = found
            return Items((Instance(model),), True) if many else Instance(model)
    return None


@memoised
def _ends(program: Program) -> dict[tuple[str, str], tuple[ClassSymbol, bool]]:
    """(model, name there) -> the model at the other end of a relation, and whether many of its
    objects are."""
    table: dict[tuple[str, str], tuple[ClassSymbol, bool]] = {}
    for path in program.files_containing(*_MARKERS):
        for symbol in program.classes(program.facts(path)):
            for _, made in fields(program, symbol) if is_mapped(program, symbol) else ():
                said = argument_value(program, made, "related_name") or argument_value(
                    program, made, "backref"
                )
                kind = made.name.rpartition(".")[2]
                target = relation_target(program, made) if kind in _ONE | _MANY else None
                if target is None or not isinstance(said, Constant) or not said.value:
                    continue
                table[(target.key, str(said.value))] = (symbol, kind != "OneToOneField")
    return table
