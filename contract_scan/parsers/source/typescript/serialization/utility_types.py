"""TypeScript's utility types on shapes: `Partial`, `Pick`, `Omit`, `Record` and their like."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.analysis.typing.value_types import instance_of_type
from contract_scan.parsers.source.facts.nodes import TypeOfType

Utility = Callable[["TypeUse"], Schema]
Change = Callable[[Object], Object]

NOT_AN_OBJECT = Reason("utility-type-operand")


# ------------------------------------------------------------------ on shapes


def each_object(
    program: Program, schema: Schema, change: Callable[[Object], Schema], origin: Origin
) -> Schema:
    """The change made to an object, or to each object of a union."""
    flat = program.types.flat(schema)
    match flat:
        case Object():
            return change(flat)
        case Union(options=options):
            return unite(each_object(program, option, change, origin) for option in options)
        case Unknown():
            return flat
        case Array() | Scalar() | Nothing():
            return flat
        case _:
            return Unknown(reason=NOT_AN_OBJECT, origin=origin)


def whole_object(program: Program, schema: Schema, origin: Origin) -> Object | Unknown:
    """The object a shape is; Unknown for anything else."""
    flat = program.types.flat(schema)
    if isinstance(flat, Object | Unknown):
        return flat
    return Unknown(reason=NOT_AN_OBJECT, origin=origin)


def partial(shape: Object) -> Object:
    """Every field may be left out."""
    return with_fields(shape, (replace(field, required=False) for field in shape.fields))


def with_required_fields(shape: Object) -> Object:
    """The shape with all its fields required."""
    return with_fields(shape, (replace(field, required=True) for field in shape.fields))


def omit(shape: Object, names: frozenset[str]) -> Object:
    """The object without some fields."""
    return with_fields(shape, (field for field in shape.fields if field.name not in names))


def pick(shape: Object, names: tuple[str, ...], origin: Origin) -> Object:
    """The object with just some fields; one that it is not seen to have is unknown."""
    known = {field.name: field for field in shape.fields}
    fields = []
    for name in names:
        field = known.get(name)
        if field is None and (shape.incomplete_reason or shape.additional is not None):
            missing = shape.additional or Unknown(reason=shape.incomplete_reason, origin=origin)
            field = Field(name=name, schema=missing, required=None, origin=origin)
        if field is not None:
            fields.append(field)
    return replace(
        shape, fields=tuple(fields), incomplete_reason=NO_REASON, additional=None, name=""
    )


def with_fields(shape: Object, fields: Iterable[Field]) -> Object:
    """The same object with other fields; it is no longer the named type it was."""
    return replace(shape, fields=tuple(fields), name="")


def lenient(schema: Schema) -> Schema:
    """Input of which only a type says that fields are there: nothing refuses input without."""
    match schema:
        case Object(fields=fields):
            return replace(
                schema,
                fields=tuple(
                    replace(field, has_default=True, schema=lenient(field.schema))
                    for field in fields
                ),
            )
        case Array(items=items):
            return replace(schema, items=lenient(items))
        case Union(options=options):
            return replace(schema, options=tuple(lenient(option) for option in options))
        case _:
            return schema


def keys_of(program: Program, schema: Schema) -> tuple[str, ...] | None:
    """The strings that a type of keys stands for; None where they are undetermined."""
    flat = program.types.flat(schema)
    if isinstance(flat, Scalar) and flat.values is not None:
        return tuple(str(value) for value in flat.values)
    if isinstance(flat, Nothing):
        return ()
    if isinstance(flat, Union):
        parts = [keys_of(program, option) for option in flat.options]
        if all(part is not None for part in parts):
            return tuple(name for part in parts if part is not None for name in part)
    return None


# ------------------------------------------------------------------ as library types


def _keys(use: TypeUse, position: int) -> tuple[str, ...] | None:
    return keys_of(use.program, use.arg(position))


def _undetermined_keys(use: TypeUse) -> Unknown:
    return Unknown(
        reason=Reason("utility-type-keys-undetermined", type=use.type.name), origin=use.origin
    )


def _partial(use: TypeUse) -> Schema:
    """Of what is sent, it is undetermined whether anything is left out: where code writes an object
    out, that says it."""
    return each_object(use.program, use.arg(0), partial if use.variant else _open, use.origin)


def _open(shape: Object) -> Object:
    return with_fields(shape, (replace(f, required=f.required and None) for f in shape.fields))


def _utility_of_change(change: Callable[[Object], Schema]) -> Utility:
    return lambda use: each_object(use.program, use.arg(0), change, use.origin)


def _pick(use: TypeUse) -> Schema:
    names = _keys(use, 1)
    if names is None:
        return _undetermined_keys(use)
    shape = whole_object(use.program, use.arg(0), use.origin)
    return shape if isinstance(shape, Unknown) else pick(shape, names, use.origin)


def _omit(use: TypeUse) -> Schema:
    names = _keys(use, 1)
    if names is None:
        return _undetermined_keys(use)
    shape = whole_object(use.program, use.arg(0), use.origin)
    return shape if isinstance(shape, Unknown) else omit(shape, frozenset(names))


def _change_some_fields(change: Callable[[Object], Object]) -> Utility:
    """`SetOptional<T, K>` and `SetRequired<T, K>`: the change is made to some fields only."""

    def apply(use: TypeUse) -> Schema:
        names = _keys(use, 1)
        shape = whole_object(use.program, use.arg(0), use.origin)
        if names is None or isinstance(shape, Unknown):
            return _undetermined_keys(use) if names is None else shape
        changed = {field.name: field for field in change(shape).fields}
        fields = (changed[f.name] if f.name in names else f for f in shape.fields)
        return with_fields(shape, fields)

    return apply


def _merge(use: TypeUse) -> Schema:
    """`Merge<A, B>`, `Overwrite<A, B>`: fields of the second hide those of the first."""
    first = whole_object(use.program, use.arg(0), use.origin)
    second = whole_object(use.program, use.arg(1), use.origin)
    if isinstance(first, Unknown) or isinstance(second, Unknown):
        return first if isinstance(first, Unknown) else second
    fields = {field.name: field for field in (*first.fields, *second.fields)}
    reason = first.incomplete_reason or second.incomplete_reason
    return replace(with_fields(first, fields.values()), incomplete_reason=reason)


def _deep_partial(use: TypeUse) -> Schema:
    return _deeply(use.program, use.arg(0), use.origin, 0)


def _deeply(program: Program, schema: Schema, origin: Origin, depth: int) -> Schema:
    flat = program.types.flat(schema)
    if depth > 12:
        return Unknown(reason=Reason("recursive-partial"), origin=origin)
    if isinstance(flat, Array):
        return replace(flat, items=_deeply(program, flat.items, origin, depth + 1))
    if isinstance(flat, Object):
        return with_fields(
            flat,
            (
                replace(f, required=False, schema=_deeply(program, f.schema, origin, depth + 1))
                for f in flat.fields
            ),
        )
    return flat


def _record(use: TypeUse) -> Schema:
    flat = use.program.types.flat(use.arg(0))
    value = use.arg(1)
    names = keys_of(use.program, flat)
    if names is None:
        if isinstance(flat, Unknown):
            return flat
        return Object(additional=value, origin=use.origin)
    fields = tuple(Field(name=name, schema=value, origin=use.origin) for name in names)
    return Object(fields=fields, origin=use.origin)


def _non_nullable(use: TypeUse) -> Schema:
    return with_nullable(use.program.types.flat(use.arg(0)), False)


def _nullable(use: TypeUse) -> Schema:
    return with_nullable(use.arg(0), True)


def _first_argument(use: TypeUse) -> Schema:
    return use.arg(0)


def _select(keep: bool) -> Utility:
    """`Extract` (keep) and `Exclude` on unions of literals."""

    def apply(use: TypeUse) -> Schema:
        source = use.program.types.flat(use.arg(0))
        chosen = use.program.types.flat(use.arg(1))
        if not isinstance(source, Scalar) or source.values is None:
            return Unknown(reason=Reason("literals-unknown", type=use.type.name), origin=use.origin)
        wanted: tuple[LiteralValue, ...] | None = None
        if isinstance(chosen, Scalar):
            wanted = chosen.values
        elif isinstance(chosen, Nothing):
            wanted = ()
        if wanted is None:
            return Unknown(reason=Reason("literals-unknown", type=use.type.name), origin=use.origin)
        left = tuple(value for value in source.values if (value in wanted) == keep)
        return replace(source, values=left)

    return apply


def _return_type(use: TypeUse) -> Schema:
    """`ReturnType<typeof f>`."""
    argument = use.type.args[0] if use.type.args else None
    if isinstance(argument, TypeOfType):
        value = use.program.evaluate(argument.value, use.scope)
        if isinstance(value, FunctionValue):
            return use.schema_of(use.program.evaluator.apply(value, (), use.scope))
    return Unknown(reason=Reason("returntype-function-undetermined"), origin=use.origin)


def _instance_type(use: TypeUse) -> Schema:
    """`InstanceType<typeof C>`."""
    made = instance_of_type(use.program, use.type, use.scope)
    if made is not None:
        return use.schema_of(made)
    return Unknown(reason=Reason("instancetype-class-undetermined"), origin=use.origin)


UTILITIES: dict[str, Utility] = {
    "Partial": _partial,
    "Required": _utility_of_change(with_required_fields),
    "Readonly": _first_argument,
    "Pick": _pick,
    "Omit": _omit,
    "Record": _record,
    "Exclude": _select(keep=False),
    "Extract": _select(keep=True),
    "NonNullable": _non_nullable,
    "ReturnType": _return_type,
    "InstanceType": _instance_type,
    "Awaited": _first_argument,
    "NoInfer": _first_argument,
}
"""The utility types of the language itself."""

LIBRARY_UTILITIES: dict[str, Utility] = {
    "Except": _omit,
    "Simplify": _first_argument,
    "Writable": _first_argument,
    "ReadonlyDeep": _first_argument,
    "Mutable": _first_argument,
    "DeepReadonly": _first_argument,
    "SetOptional": _change_some_fields(partial),
    "SetRequired": _change_some_fields(with_required_fields),
    "PartialDeep": _deep_partial,
    "DeepPartial": _deep_partial,
    "Merge": _merge,
    "Overwrite": _merge,
    "Assign": _merge,
    "Nullable": _nullable,
    "Maybe": _nullable,
}
"""Those of type-fest, utility-types and ts-essentials, and the like of them in other libraries."""

UTILITY_LIBRARIES = ("type-fest", "utility-types", "ts-essentials", "typeorm", "ts-toolbelt")
