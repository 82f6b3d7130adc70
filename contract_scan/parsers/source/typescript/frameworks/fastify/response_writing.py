"""What Fastify writes of a response whose status has a schema: no more than the schema names."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.schema import Array, Field, Nothing, Object, Schema, Union, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite

_DEEPEST = 8


def written_by(program: Program, declared: Response, sent: Response) -> Response:
    """What is written of a response by the schema of its status. Where an object lacks what the
    schema requires, nothing is written but an error
    (https://github.com/fastify/fast-json-stringify#required): the response stays as it is sent."""
    pairs = tuple(zip(sent.bodies, declared.bodies, strict=False))
    if any(_lacks_required(program, own.schema, named.schema) for own, named in pairs):
        return sent
    bodies = (
        replace(named, schema=_narrowed_to_sent(program, own.schema, named.schema))
        for own, named in pairs
    )
    return replace(sent, bodies=(*bodies, *declared.bodies[len(pairs) :]))


def _lacks_required(program: Program, sent: Schema, declared: Schema) -> bool:
    own, named = program.types.flat(sent), program.types.flat(declared)
    if not isinstance(own, Object) or not isinstance(named, Object) or not _is_whole(own):
        return False
    names = {field.name for field in own.fields}
    return any(
        field.required is True and not field.has_default and field.name not in names
        for field in named.fields
    )


def _narrowed_to_sent(program: Program, sent: Schema, declared: Schema, depth: int = 0) -> Schema:
    """A schema with those of its optional members that a value has: they are left out where it
    lacks them, and nothing is added but defaults."""
    if depth > _DEEPEST:
        return declared
    match program.types.flat(sent), program.types.flat(declared):
        case Union(options=options), Object() as named:
            if not all(isinstance(program.types.flat(option), Object) for option in options):
                return declared
            each = unite(_narrowed_to_sent(program, option, named, depth + 1) for option in options)
            return with_nullable(each, named.nullable)
        case Array(prefix=(), items=Nothing() as none), Array() as named:
            return replace(named, items=none)  # an empty list
        case Array(prefix=(), items=items), Array(prefix=()) as named:
            return replace(named, items=_narrowed_to_sent(program, items, named.items, depth + 1))
        case Object() as own, Object() as named if _is_whole(own):
            has = {field.name: field for field in own.fields}
            fields = (_member(program, has.get(f.name), f, own, depth) for f in named.fields)
            kept = tuple(field for field in fields if field is not None)
            return replace(named, fields=kept, origin=own.origin)
        case _:
            return declared


def _member(
    program: Program, sent: Field | None, declared: Field, of: Object, depth: int
) -> Field | None:
    """A member as it is written of an object; None where it never is."""
    if sent is None:
        # An object of a named type may have more members than that declares.
        is_left_out = declared.required is not True and not declared.has_default and not of.name
        return None if is_left_out else declared
    schema = _narrowed_to_sent(program, sent.schema, declared.schema, depth + 1)
    if declared.required is True or declared.has_default:
        return replace(declared, schema=schema)
    return replace(
        declared,
        schema=schema,
        required=sent.required,
        undetermined_reason=sent.undetermined_reason,
        omitted_if_null=sent.omitted_if_null,
    )


def _is_whole(shape: Object) -> bool:
    """Whether all members of an object are known."""
    return not shape.incomplete_reason and shape.additional is None
