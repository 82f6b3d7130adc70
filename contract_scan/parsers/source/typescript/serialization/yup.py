"""Yup: the shape that `yup.object({…})` and its like stand for.

A schema is a chain of calls, as with zod. A field may be left out unless `required()` or
`defined()` says otherwise, and is not null unless `nullable()` does. An object that is left out
begins with the defaults of its fields, so that it is needed where one of them is. Unless
`strict()` says otherwise Yup converts what it checks (https://github.com/jquense/yup#api).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import converted_from
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    LibraryResult,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.typescript.serialization.zod.parts import (
    SchemaPart,
    chosen_names,
    field_of,
    refine_scalar,
    scalars,
    with_extra_fields,
)

MAX_NESTING = 25
GIVES_VALUE = frozenset({"validate", "validateSync", "cast"})
"""Methods that give what a schema has let through."""
_ANY = Unknown(reason=Reason("accepts-any-type"), accepts_any=True)
_NOT_SEEN = Unknown(reason=Reason("validator-schema-not-found"))
_BASES: dict[str, Schema] = {
    "string": Scalar(type="string", also_takes=("number", "boolean")),
    "number": Scalar(type="numeric", also_takes=("string",)),
    "boolean": Scalar(type="boolean", also_takes=("string", "number")),
    "bool": Scalar(type="boolean", also_takes=("string", "number")),
    "date": Scalar(type="string", also_takes=("number",)),
    "mixed": _ANY,
}


def is_yup(name: str) -> bool:
    """Whether a qualified name belongs to Yup."""
    head = name.split("(", 1)[0]
    return head == "yup" or head.startswith("yup.")


def library_type(use: TypeUse) -> Schema | None:
    """`yup.InferType<typeof schema>`."""
    return use.arg(0) if is_yup(use.name) and use.simple_name == "InferType" else None


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape that a Yup schema describes, or a value that one has let through; None for
    anything else."""
    del variant
    return _part(program, made, 0).schema if is_yup(made.name) else None


def _part(program: Program, value: Value, depth: int) -> SchemaPart:
    if not isinstance(value, LibraryResult) or not is_yup(value.name) or depth > MAX_NESTING:
        return SchemaPart(_NOT_SEEN, optional=None)
    name = value.name.rsplit(".", 1)[-1]
    given = [program.evaluate(argument.value, value.scope) for argument in value.site.args]
    origin = program.origin(value.site, value.scope)
    before = value.receiver
    if isinstance(before, LibraryResult) and is_yup(before.name):
        part = _part(program, before, depth + 1)
        return part if name in GIVES_VALUE else _modified_part(program, part, value, given, depth)
    if name == "object":
        return SchemaPart(_object(program, Object(origin=origin), given, depth), optional=True)
    if name == "array":
        items = _part(program, given[0], depth + 1).schema if given else _ANY
        return SchemaPart(Array(items=items, origin=origin), optional=True)
    types = value.site.type_args if name == "mixed" and isinstance(value.site, Call) else ()
    schema = program.schema(types[0], value.scope) if types else _BASES.get(name, _NOT_SEEN)
    return SchemaPart(replace(schema, origin=origin), optional=True)


def _object(program: Program, shape: Object, given: list[Value], depth: int) -> Object:
    """An object with the fields that it is given."""
    if not given:
        return shape
    if not isinstance(given[0], Record):
        return replace(shape, incomplete_reason=_NOT_SEEN.reason)
    fields = {field.name: field for field in _fields(program, given[0], depth)}
    return with_extra_fields(shape, fields, given[0].partial)


def _fields(program: Program, record: Record, depth: int) -> Iterator[Field]:
    for entry in record.entries:
        part = _part(program, entry.value, depth + 1)
        inner = part.schema.fields if isinstance(part.schema, Object) else ()
        if part.optional and not part.has_default and any(f.required for f in inner):
            part = replace(part, optional=False)
        yield field_of(entry.name, part, entry.origin)


def _modified_part(
    program: Program, part: SchemaPart, made: LibraryResult, given: list[Value], depth: int
) -> SchemaPart:
    """A schema after one more call."""
    schema, name = part.schema, made.name.rsplit(".", 1)[-1]
    first = given[0] if given else None
    match name:
        case "required":
            return replace(part, schema=with_nullable(schema, False), optional=False)
        case "defined":
            return replace(part, optional=False)
        case "nullable":
            return replace(part, schema=with_nullable(schema, True))
        case "optional" | "notRequired" | "nullish":
            null = schema.nullable if name == "optional" else True
            return replace(part, schema=with_nullable(schema, null), optional=True)
        case "default":
            return replace(part, optional=True, has_default=True)
        case "oneOf" if first is not None:
            return replace(part, schema=_one_of(program, schema, first))
        case "strict":
            as_sent = converted_from(schema, {"string": (), "numeric": (), "boolean": ()})
            return replace(part, schema=as_sent)
        case "when" | "lazy" | "transform":
            unknown = Unknown(reason=Reason("validator-method-not-read", name=name))
            return SchemaPart(unknown if name != "transform" else schema, optional=None)
        case "of" if isinstance(schema, Array) and first is not None:
            return replace(part, schema=replace(schema, items=_part(program, first, depth).schema))
        case "shape" if isinstance(schema, Object):
            return replace(part, schema=_object(program, schema, given, depth))
        case "concat" if isinstance(schema, Object) and first is not None:
            other = _part(program, first, depth + 1).schema
            fields = {f.name: f for f in other.fields} if isinstance(other, Object) else {}
            partial = other.incomplete_reason if isinstance(other, Object) else _NOT_SEEN.reason
            return replace(part, schema=with_extra_fields(schema, fields, partial))
        case "pick" | "omit" if isinstance(schema, Object):
            chosen = chosen_names(made.site.args[0].value if made.site.args else None)
            if chosen is None:
                why = Reason("validator-fields-changed", name=name)
                return replace(part, schema=replace(schema, incomplete_reason=why))
            kept = tuple(f for f in schema.fields if (f.name in chosen) == (name == "pick"))
            return replace(part, schema=replace(schema, fields=kept))
        case "partial" | "deepPartial" if isinstance(schema, Object):
            loose = tuple(replace(f, required=False) for f in schema.fields)
            return replace(part, schema=replace(schema, fields=loose))
        case _ if isinstance(schema, Scalar):
            checked = refine_scalar(schema, "int" if name == "integer" else name)
            return replace(part, schema=checked)
        case _:
            return part


def _one_of(program: Program, schema: Schema, listed: Value) -> Schema:
    """A schema that takes some values alone; null is no matter of the list."""
    if isinstance(listed, Items):
        values: list[LiteralValue] = [v.value for v in listed.values if isinstance(v, Constant)]
        found = scalars(values, schema.origin) if len(values) == len(listed.values) else None
    else:
        items = program.types.flat(program.schema_of(listed))
        found = program.types.flat(items.items) if isinstance(items, Array) else None
        found = found if isinstance(found, Scalar) and found.values is not None else None
    return schema if found is None else with_nullable(found, schema.nullable)
