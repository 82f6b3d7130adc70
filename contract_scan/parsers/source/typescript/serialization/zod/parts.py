"""Shapes of zod's simple schemas, and what its schemas are put together from."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import VALIDATED, unite
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope
from contract_scan.parsers.source.analysis.typing.type_operators import intersect
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Call,
    Expr,
    LiteralExpr,
    ObjectLiteral,
)
from contract_scan.parsers.source.typescript.resolution.projects import Projects
from contract_scan.parsers.source.typescript.serialization import utility_types

FORMATS = {
    "email": "email",
    "uuid": "uuid",
    "uuidv4": "uuid",
    "uuidv6": "uuid",
    "uuidv7": "uuid",
    "guid": "uuid",
    "url": "uri",
    "datetime": "date-time",
    "date": "date",
    "time": "time",
    "ipv4": "ipv4",
    "ipv6": "ipv6",
}
STRINGS = frozenset({"cuid", "cuid2", "ulid", "nanoid", "jwt", "base64", "emoji", "duration"})
INTEGERS = frozenset({"int", "int32", "uint32", "safe", "int64"})


class SchemaPart(Struct, frozen=True):
    """A zod schema: its shape, and what only the object around it can say."""

    schema: Schema
    optional: bool | None = False
    """Whether the key may be left out; None: undetermined."""
    has_default: bool = False


_COERCED: dict[str, SchemaPart] = {
    "string": SchemaPart(Scalar(type="string", also_takes=("number", "boolean")), optional=True),
    "number": SchemaPart(Scalar(type="numeric", also_takes=("string", "boolean"))),
    "boolean": SchemaPart(Scalar(type="boolean", also_takes=("string", "number")), optional=True),
    "bigint": SchemaPart(Scalar(type="integer", also_takes=("string", "boolean"))),
    "date": SchemaPart(Scalar(type="string", also_takes=("number", "boolean"))),
}
"""What `z.coerce.*` takes, which hands `String`, `Number`, `Boolean`, `BigInt` or `new Date`
whatever there is: null too (but for `BigInt`), and to `String` and `Boolean` also `undefined`, so
that the key may be left out (https://zod.dev/api#coercion). A date may be any text that `Date`
reads."""


def coerced_input(name: str, origin: Origin) -> SchemaPart | None:
    """What a schema of `z.coerce` takes; None for what it does not have."""
    part = _COERCED.get(name)
    if part is None:
        return None
    return replace(part, schema=replace(part.schema, nullable=name != "bigint", origin=origin))


def union_part(parts: list[SchemaPart], call: Call) -> SchemaPart:
    """A union of parts; told apart by a property where the call names one."""
    schema = unite(part.schema for part in parts)
    first = argument(call, 0)
    if isinstance(schema, Union) and isinstance(first, LiteralExpr):
        schema = replace(schema, discriminator=str(first.value), exclusive=True)
    return SchemaPart(schema, any_optional(parts))


def any_optional(parts: Iterable[SchemaPart]) -> bool | None:
    """Whether the key of a value that is one of several may be left out."""
    return any_of(part.optional for part in parts)


def argument(call: Call, position: int) -> Expr | None:
    """An argument of a call by position."""
    return call.args[position].value if position < len(call.args) else None


def chosen_names(expr: Expr | None) -> tuple[str, ...] | None:
    """The keys of `{ a: true, b: true }` and `["a", "b"]`."""
    if isinstance(expr, ArrayLiteral) and all(isinstance(i, LiteralExpr) for i in expr.items):
        return tuple(str(i.value) for i in expr.items if isinstance(i, LiteralExpr))
    if not isinstance(expr, ObjectLiteral):
        return None
    names = []
    for entry in expr.entries:
        if entry.key is None or entry.spread:
            return None
        if not (isinstance(entry.value, LiteralExpr) and entry.value.value is False):
            names.append(entry.key)
    return tuple(names)


def types_have_any(program: Program, path: str) -> bool:
    """Whether the types of objects in a file have the keys of `z.any()` and `z.unknown()`: since
    zod 4 they are not optional there."""
    version = Projects.for_files(program.files).version(posixpath.dirname(path), "zod")
    major = version.lstrip("^~>=v ").partition(".")[0]
    return major.isdigit() and int(major) >= 4


def field_of(name: str, part: SchemaPart, origin: Origin, *, any_is_there: bool = False) -> Field:
    """A part as a property of an object. What takes any value takes `undefined`, so that the key
    may be left out, unless the type of the object has it (`any_is_there`), and so may one of which
    nothing is known."""
    from_validator = part.optional is None
    undetermined = isinstance(part.schema, Unknown) and not (
        any_is_there and part.schema.accepts_any
    )
    return Field(
        name=name,
        schema=part.schema,
        required=None
        if from_validator or (undetermined and not part.optional)
        else not part.optional,
        has_default=part.has_default,
        undetermined_reason=VALIDATED if from_validator else NO_REASON,
        origin=origin,
    )


def with_extra_fields(shape: Object, fields: dict[str, Field], partial: Reason) -> Object:
    """An object with further fields, which hide its own of the same name."""
    known = {field.name: field for field in shape.fields}
    known.update(fields)
    joined = utility_types.with_fields(shape, known.values())
    return replace(joined, incomplete_reason=shape.incomplete_reason or partial)


def scalars(values: list[LiteralValue], origin: Origin) -> Schema | None:
    """A scalar (or union of scalars) that may be just these values."""
    found: dict[ScalarType, list[LiteralValue]] = {}
    nullable = False
    for value in values:
        kind: ScalarType
        match value:
            case None:
                nullable = True
                continue
            case bool():
                kind = "boolean"
            case int():
                kind = "integer"
            case float():
                kind = "number"
            case _:
                kind = "string"
        found.setdefault(kind, []).append(value)
    if not found:
        return None
    schema = unite(
        Scalar(type=kind, values=tuple(group), origin=origin) for kind, group in found.items()
    )
    return with_nullable(schema, nullable)


def literal(program: Program, expr: Expr | None, scope: Scope, origin: Origin) -> Schema:
    """The values of `z.literal("a")` and `z.literal(["a", "b"])`."""
    value = None if expr is None else program.evaluate(expr, scope)
    found = getattr(value, "values", None) or (value,)
    constants = [v.value for v in found if isinstance(v, Constant)]
    if len(constants) != len(found):
        return Unknown(reason=Reason("zod-literal-not-constant"), origin=origin)
    return scalars(constants, origin) or Nothing(nullable=True, origin=origin)


_SIMPLE: dict[str, Callable[[Origin], Schema]] = {
    "string": lambda origin: Scalar(type="string", origin=origin),
    "number": lambda origin: Scalar(type="numeric", origin=origin),
    "boolean": lambda origin: Scalar(type="boolean", origin=origin),
    "stringbool": lambda origin: Scalar(type="boolean", origin=origin),
    "date": lambda origin: Scalar(type="string", format="date-time", origin=origin),
    "float32": lambda origin: Scalar(type="number", origin=origin),
    "float64": lambda origin: Scalar(type="number", origin=origin),
    "null": lambda origin: Nothing(nullable=True, origin=origin),
    "never": lambda origin: Nothing(origin=origin),
    "any": lambda origin: Unknown(
        reason=Reason("declared-as-z-any"), accepts_any=True, origin=origin
    ),
    "unknown": lambda origin: Unknown(
        reason=Reason("declared-as-z-unknown"), accepts_any=True, origin=origin
    ),
    "json": lambda origin: Anything(origin=origin),
}


def simple_part(name: str, origin: Origin) -> SchemaPart | None:
    """What `z.string()` and its like make; None for all other calls."""
    if name in _SIMPLE:
        return SchemaPart(_SIMPLE[name](origin))
    if name in INTEGERS:
        return SchemaPart(Scalar(type="integer", origin=origin))
    if name in FORMATS:
        return SchemaPart(Scalar(type="string", format=FORMATS[name], origin=origin))
    if name in STRINGS:
        return SchemaPart(Scalar(type="string", origin=origin))
    if name in ("undefined", "void"):
        return SchemaPart(Nothing(origin=origin), optional=True)
    return None


def refine_scalar(schema: Scalar, name: str, given: tuple[str | None, ...] = ()) -> Scalar:
    """A scalar after `.email()`, `.int()` and other checks, and after `.exclude(["void"])`, which
    is given texts."""
    if name in ("exclude", "extract") and schema.values is not None and None not in given:
        left = (v for v in schema.values if (v in given) is (name == "extract"))
        return replace(schema, values=tuple(left))
    if schema.type == "string" and name in FORMATS:
        return replace(schema, format=FORMATS[name])
    if schema.type == "numeric" and name in INTEGERS:
        return replace(schema, type="integer")
    return schema


def deep_partial(shape: Object) -> Object:
    """Every field may be left out, and every field of the objects and items in it."""
    fields = (replace(f, required=False, schema=_deep(f.schema)) for f in shape.fields)
    return utility_types.with_fields(shape, fields)


def _deep(schema: Schema) -> Schema:
    match schema:
        case Object():
            return deep_partial(schema)
        case Array(items=items):
            return replace(schema, items=_deep(items))
        case _:
            return schema


CHANGES_OF_FIELDS = {
    "partial": utility_types.partial,
    "required": utility_types.with_required_fields,
    "deepPartial": deep_partial,
}
"""What methods of object schemas do to their fields."""


def intersection(
    program: Program, left: SchemaPart, right: SchemaPart, origin: Origin
) -> SchemaPart:
    """What fits two schemas at once."""
    schema = intersect(program.types, [left.schema, right.schema], origin)
    return SchemaPart(schema, left.optional and right.optional)


def record_part(
    program: Program, keys: Schema | None, value: SchemaPart, origin: Origin
) -> SchemaPart:
    """`z.record(keys, values)`."""
    names = None if keys is None else utility_types.keys_of(program, keys)
    if names is None:
        return SchemaPart(Object(additional=value.schema, origin=origin))
    # Zod 3 lets a record of an enum leave keys out, zod 4 does not.
    fields = tuple(
        Field(name=name, schema=value.schema, required=None, origin=origin) for name in names
    )
    return SchemaPart(Object(fields=fields, origin=origin))
