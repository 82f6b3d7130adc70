"""AdonisJS's validators: VineJS (`vine.object({…})`) and `schema.create({…})` before it.

Fields are required unless `optional()` says otherwise. An optional field takes null too, and is
left out of what is validated then.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.typescript.serialization.zod.parts import (
    SchemaPart,
    field_of,
    scalars,
)
from contract_scan.parsers.source.typescript.serialization.zod.schemas import INPUT

MAX_NESTING = 25
_MODULES = (
    "@vinejs/vine",
    "@adonisjs/core/services/vine",
    "@ioc:Adonis/Core/Validator.schema",
    "@adonisjs/validator.schema",
)
UPLOADED = Reason("file-uploaded")
_ANY = Reason("accepts-any-type")
_SCALARS: dict[str, Scalar] = {
    "string": Scalar(type="string"),
    "number": Scalar(type="numeric", also_takes=("string",)),
    "boolean": Scalar(type="boolean", also_takes=("string", "number")),
    "accepted": Scalar(type="boolean", also_takes=("string", "number")),
    "date": Scalar(type="string"),
    "bigint": Scalar(type="integer"),
}
_FORMATS = {"email": "email", "uuid": "uuid", "url": "uri", "ipAddress": ""}
_FIRST = frozenset({"compile", "create"})
"""What is given the whole schema, whatever it is called on (`vine.withMetaData().compile(…)`)."""
_CONDITIONS = frozenset(
    {"requiredWhen", "optionalWhen", "requiredIfExists", "requiredIfAnyExists"}
    | {"requiredIfMissing", "requiredIfAnyMissing"}
)
"""What makes a member needed beside other members, or without them."""
_SETTERS = frozenset({"optional", "nullable", "nullableAndOptional"})


def is_vine(name: str) -> bool:
    """Whether a qualified name belongs to a validator of AdonisJS."""
    head = name.split("(", 1)[0]
    return any(head == module or head.startswith(module + ".") for module in _MODULES)


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape that a schema describes; None for anything else."""
    if not is_vine(made.name):
        return None
    schema = _part(program, made, 0).schema
    return _input_schema(schema) if variant == INPUT else schema


def _input_schema(schema: Schema) -> Schema:
    """The input that a validator accepts, from its output: optional fields may be null."""
    match schema:
        case Object(fields=fields, additional=additional):
            received = (
                replace(
                    field,
                    schema=with_nullable(_input_schema(field.schema))
                    if field.required is False
                    else _input_schema(field.schema),
                )
                for field in fields
            )
            more = (
                _input_schema(additional) if isinstance(additional, Object | Array) else additional
            )
            return replace(schema, fields=tuple(received), additional=more)
        case Array(items=items):
            return replace(schema, items=_input_schema(items))
        case Union(options=options):
            return replace(schema, options=tuple(_input_schema(option) for option in options))
        case _:
            return schema


def _value(program: Program, value: Value, depth: int) -> SchemaPart:
    match value:
        case LibraryResult(name=name) if is_vine(name):
            return _part(program, value, depth)
        case Record():
            return SchemaPart(_object(program, value, depth, Origin("")))
        case _:
            return SchemaPart(Unknown(reason=Reason("validator-schema-not-found")))


def _object(program: Program, record: Record, depth: int, origin: Origin) -> Object:
    fields = []
    for entry in record.entries:
        part = _value(program, entry.value, depth + 1)
        field: Field = field_of(entry.name, part, entry.origin)
        required = None if part.optional is None else not part.optional
        fields.append(replace(field, required=required))
    return Object(
        fields=tuple(fields), incomplete_reason=record.partial, origin=record.origin or origin
    )


def _part(program: Program, made: LibraryResult, depth: int) -> SchemaPart:
    call = made.site
    origin = Origin(made.scope.file.path, call.span)
    if depth > MAX_NESTING or not isinstance(call, Call):
        return SchemaPart(Unknown(reason=Reason("validator-schema-too-deep"), origin=origin))
    path = [part.removesuffix("()") for part in made.name.split(".")]
    name = path[-1]
    receiver = made.receiver
    values = [program.evaluate(argument.value, made.scope) for argument in call.args]
    chained = isinstance(receiver, LibraryResult) and is_vine(receiver.name) and name not in _FIRST
    if isinstance(receiver, LibraryResult) and chained:
        return _modified_part(program, _part(program, receiver, depth + 1), name, values, depth)
    if name in _SETTERS | _CONDITIONS and len(path) > 1:
        # Before VineJS: `schema.string.optional()`.
        return _with_presence(_base_part(program, path[-2], values, origin, depth), name)
    return _base_part(program, name, values, origin, depth)


def _base_part(
    program: Program, name: str, values: list[Value], origin: Origin, depth: int
) -> SchemaPart:
    first = values[0] if values else None
    if name in _SCALARS:
        return SchemaPart(replace(_SCALARS[name], origin=origin))
    match name:
        case "object" | "compile" | "create" | "tryValidate" if isinstance(first, Record):
            return SchemaPart(_object(program, first, depth, origin))
        case "compile" | "create" if first is not None:
            return _value(program, first, depth + 1)
        case "object":
            return SchemaPart(
                Object(incomplete_reason=Reason("object-fields-not-declared"), origin=origin)
            )
        case "array":
            items = (
                _value(program, first, depth + 1).schema
                if isinstance(first, LibraryResult)
                else None
            )
            return SchemaPart(Array(items=items or Anything(), origin=origin))
        case "record" if first is not None:
            return SchemaPart(
                Object(additional=_value(program, first, depth + 1).schema, origin=origin)
            )
        case "enum" | "enumSet" | "literal":
            schema = _values(program, first, origin)
            return SchemaPart(Array(items=schema, origin=origin) if name == "enumSet" else schema)
        case "unionOfTypes" | "union" if isinstance(first, Items):
            return SchemaPart(unite(_value(program, v, depth + 1).schema for v in first.values))
        case "file":
            return SchemaPart(Unknown(reason=UPLOADED, origin=origin))
        case "any" | "unknown":
            return SchemaPart(Unknown(reason=_ANY, accepts_any=True, origin=origin), optional=False)
    return SchemaPart(Unknown(reason=Reason("validator-method-not-read", name=name), origin=origin))


def _values(program: Program, value: Value | None, origin: Origin) -> Schema:
    if isinstance(value, ClassValue):
        return program.schema_of(Instance(value.symbol))
    items: list[Value] = []
    if isinstance(value, Record):
        items = [entry.value for entry in value.entries]
    elif value is not None:
        items = list(value.values) if isinstance(value, Items) else [value]
    constants = [item.value for item in items if isinstance(item, Constant)]
    if len(constants) != len(items) or not constants:
        return Unknown(reason=Reason("validator-values-not-constant"), origin=origin)
    return scalars(constants, origin) or Unknown(reason=Reason("only-null-valid"), origin=origin)


def _with_presence(part: SchemaPart, name: str) -> SchemaPart:
    if name in _CONDITIONS:
        return replace(part, optional=None)
    if name in ("nullable", "nullableAndOptional"):
        part = replace(part, schema=with_nullable(part.schema, True))
    return replace(part, optional=part.optional or name in ("optional", "nullableAndOptional"))


def _modified_part(
    program: Program, part: SchemaPart, name: str, values: list[Value], depth: int
) -> SchemaPart:
    schema = part.schema
    if name in _SETTERS | _CONDITIONS:
        return _with_presence(part, name)
    match name:
        case "members" if isinstance(schema, Array | Object) and values:
            if isinstance(schema, Array):
                return SchemaPart(
                    replace(schema, items=_value(program, values[0], depth + 1).schema)
                )
            if isinstance(values[0], Record):
                inner = _object(program, values[0], depth, schema.origin)
                return replace(part, schema=inner)
        case "allowUnknownProperties" if isinstance(schema, Object):
            return replace(part, schema=replace(schema, additional=Anything()))
        case "anyMembers" if isinstance(schema, Object):
            return replace(
                part, schema=replace(schema, additional=Anything(), incomplete_reason=NO_REASON)
            )
        case "merge" | "clone" | "partial" | "pick" | "omit" if isinstance(schema, Object):
            if name != "clone":
                reason = Reason("validator-fields-changed", name=name)
                return replace(part, schema=replace(schema, incomplete_reason=reason))
        case "parse" | "transform":
            return part
        case _ if isinstance(schema, Scalar) and schema.type == "string" and name in _FORMATS:
            return replace(part, schema=replace(schema, format=_FORMATS[name]))
        case "withoutDecimals" if isinstance(schema, Scalar):
            return replace(part, schema=replace(schema, type="integer"))
        case _:
            pass
    return part
