"""TypeBox: `Type.Object({…})` and `Static<typeof T>`."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.json_schema_values import schema_value
from contract_scan.parsers.source.analysis.typing.type_operators import intersect
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Call, Expr, ObjectLiteral
from contract_scan.parsers.source.typescript.serialization import utility_types

MAX_NESTING = 25
_MODULES = ("@sinclair/typebox.", "typebox.", "@fastify/type-provider-typebox.", "elysia.t.")
UPLOADED = Reason("file-uploaded")
_SCALARS: dict[str, Scalar] = {
    "String": Scalar(type="string"),
    "Integer": Scalar(type="integer"),
    "Number": Scalar(type="number"),
    "Boolean": Scalar(type="boolean"),
    "Date": Scalar(type="string", format="date-time"),
    "RegExp": Scalar(type="string"),
    "TemplateLiteral": Scalar(type="string"),
    # Elysia's own, which read texts
    "Numeric": Scalar(type="numeric"),
    "BooleanString": Scalar(type="boolean"),
}


class SchemaPart(Struct, frozen=True):
    """A TypeBox schema, and whether the object around it may leave it out."""

    schema: Schema
    optional: bool = False
    has_default: bool = False


def library_type(use: TypeUse) -> Schema | None:
    """`Static<typeof T>`."""
    if not use.name.startswith(_MODULES):
        return None
    if use.simple_name in ("Static", "StaticDecode", "StaticEncode"):
        return use.arg(0)
    return None


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape that a TypeBox value describes; None for anything else."""
    if not made.name.startswith(_MODULES):
        return None
    return _part(program, made, variant, 0).schema


def _part_of_value(program: Program, value: Value, variant: str, depth: int) -> SchemaPart:
    """What stands where TypeBox takes a schema: its own value, that of another library in Elysia,
    or JSON Schema, which TypeBox's values are at run time (`Type.Unsafe<T>({ type: … })`)."""
    if isinstance(value, LibraryResult):
        if value.name.startswith(_MODULES):
            return _part(program, value, variant, depth)
        return SchemaPart(program.schema_of(value, variant))
    return SchemaPart(schema_value(program, value, lambda _: None))


def _part(program: Program, made: LibraryResult, variant: str, depth: int) -> SchemaPart:
    call, scope = made.site, made.scope
    origin = Origin(scope.file.path, call.span)
    if depth > MAX_NESTING or not isinstance(call, Call):
        return SchemaPart(Unknown(reason=Reason("typebox-schema-too-deep"), origin=origin))
    name = made.name.rsplit(".", 1)[-1]
    options = _options(call, name)

    def inner(position: int) -> SchemaPart:
        if position >= len(call.args):
            return SchemaPart(Unknown(reason=Reason("typebox-schema-missing"), origin=origin))
        value = program.evaluate(call.args[position].value, scope)
        return _part_of_value(program, value, variant, depth + 1)

    has_default = "default" in options
    if name in _SCALARS:
        form = program.text(options.get("format"), scope) or _SCALARS[name].format
        return SchemaPart(
            replace(_SCALARS[name], format=form, origin=origin), has_default=has_default
        )
    match name:
        case "Optional":
            return replace(inner(0), optional=True)
        case "Readonly" | "ReadonlyOptional" | "Unsafe" | "Transform":
            part = inner(0)
            return replace(part, optional=part.optional or name == "ReadonlyOptional")
        case "Object" | "ObjectString" | "Form" | "Cookie":
            fields, partial = _fields(program, call, scope, variant, depth)
            additional = options.get("additionalProperties")
            closed = additional is not None and getattr(additional, "value", None) is False
            shape = Object(
                fields=fields,
                incomplete_reason=partial,
                additional=Nothing() if closed else None,
                origin=origin,
            )
            return SchemaPart(shape)
        case "Array" | "ArrayString" | "ArrayQuery":
            return SchemaPart(Array(items=inner(0).schema, origin=origin))
        case "Tuple":
            prefix = tuple(p.schema for p in _list(program, call, scope, variant, depth))
            return SchemaPart(Array(items=Nothing(), prefix=prefix, origin=origin))
        case "Union":
            return SchemaPart(unite(p.schema for p in _list(program, call, scope, variant, depth)))
        case "Intersect" | "Composite":
            shapes = [p.schema for p in _list(program, call, scope, variant, depth)]
            return SchemaPart(intersect(program.types, shapes, origin))
        case "Literal" | "Const":
            value = program.evaluate(call.args[0].value, scope) if call.args else None
            if isinstance(value, Constant):
                return SchemaPart(program.schema_of(value))
        case "Enum":
            value = program.evaluate(call.args[0].value, scope) if call.args else None
            if isinstance(value, ClassValue):
                return SchemaPart(program.schema_of(Instance(value.symbol), variant))
            if isinstance(value, Record):
                return SchemaPart(unite(program.schema_of(e.value) for e in value.entries))
        case "Record":
            return SchemaPart(Object(additional=inner(1).schema, origin=origin))
        case "Partial" | "Required":
            change = (
                utility_types.partial if name == "Partial" else utility_types.with_required_fields
            )
            base = utility_types.whole_object(program, inner(0).schema, origin)
            return SchemaPart(change(base) if isinstance(base, Object) else base)
        case "Pick" | "Omit":
            return SchemaPart(
                _picked_or_omitted(program, call, scope, inner(0).schema, name, origin)
            )
        case "Null":
            return SchemaPart(Nothing(nullable=True, origin=origin))
        case "Any" | "Unknown":
            reason = Reason("declared-as-typebox-type", name=name)
            return SchemaPart(Unknown(reason=reason, accepts_any=True, origin=origin))
        case "Undefined" | "Void" | "Never":
            return SchemaPart(Nothing(origin=origin), optional=True)
        case "Nullable":
            return SchemaPart(with_nullable(inner(0).schema, True))
        case "MaybeEmpty":
            return SchemaPart(with_nullable(inner(0).schema, True), optional=True)
        case "NoValidate":
            return inner(0)
        case "UnionEnum":
            value = program.evaluate(call.args[0].value, scope) if call.args else None
            if isinstance(value, Items):
                return SchemaPart(unite(program.schema_of(item) for item in value.values))
        case "File" | "Files":
            return SchemaPart(Unknown(reason=UPLOADED, origin=origin))
        case "Uint8Array":
            return SchemaPart(Anything(origin=origin))
    return SchemaPart(Unknown(reason=Reason("typebox-method-not-read", name=name), origin=origin))


def _options(call: Call, name: str) -> dict[str, Expr]:
    """The entries of the options object of a call."""
    position = 0 if name in _SCALARS else 1
    if position < len(call.args):
        value = call.args[position].value
        if isinstance(value, ObjectLiteral):
            return {entry.key: entry.value for entry in value.entries if entry.key is not None}
    return {}


def _fields(
    program: Program, call: Call, scope: Scope, variant: str, depth: int
) -> tuple[tuple[Field, ...], Reason]:
    value = program.evaluate(call.args[0].value, scope) if call.args else None
    if not isinstance(value, Record):
        return (), Reason("typebox-properties-undetermined")
    fields = []
    for entry in value.entries:
        part = _part_of_value(program, entry.value, variant, depth + 1)
        fields.append(
            Field(
                name=entry.name,
                schema=part.schema,
                required=not part.optional,
                has_default=part.has_default,
                origin=entry.origin,
            )
        )
    return tuple(fields), value.partial


def _list(program: Program, call: Call, scope: Scope, variant: str, depth: int) -> list[SchemaPart]:
    first = call.args[0].value if call.args else None
    if not isinstance(first, ArrayLiteral):
        return [SchemaPart(Unknown(reason=Reason("typebox-union-undetermined")))]
    return [
        _part_of_value(program, program.evaluate(item, scope), variant, depth + 1)
        for item in first.items
    ]


def _picked_or_omitted(
    program: Program, call: Call, scope: Scope, base: Schema, name: str, origin: Origin
) -> Schema:
    texts = program.texts(call.args[1].value, scope) if len(call.args) > 1 else ()
    names = tuple(text for text in texts if text is not None)
    shape = utility_types.whole_object(program, base, origin)
    if not isinstance(shape, Object) or len(names) != len(texts) or not names:
        reason = Reason("typebox-keys-undetermined", name=name)
        return Unknown(reason=reason, origin=origin)
    if name == "Pick":
        return utility_types.pick(shape, names, origin)
    return utility_types.omit(shape, frozenset(names))
