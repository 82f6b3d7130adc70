"""Request bodies that are forms: fields of text and files under a name each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.operation import Body, Operation
from contract_scan.ir.schema import Anything, Array, Field, Object, Scalar, Schema, with_nullable
from contract_scan.scanners.differences.union_members import alternatives

FORM_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


def forms(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """The bodies that are forms."""
    return tuple(body for body in bodies if body.content_type in FORM_TYPES)


def is_form(operation: Operation) -> bool:
    """Whether clients may send a form."""
    return bool(forms(operation.request))


def read_form(contract: Operation, route: Operation) -> Body | None:
    """The form that a route reads: a body that is one, its fields that stand as parameters, or
    both. None where it reads none."""
    own = next(iter(forms(route.request)), None)
    schema = own.schema if own is not None else Object(origin=route.origin)
    if not route.traits.form_fields_as_query or not isinstance(schema, Object):
        return own
    in_query = {p.name.casefold() for p in contract.parameters if p.location == "query"}
    further = tuple(
        Field(
            name=parameter.name,
            schema=parameter.schema,
            required=parameter.required,
            has_default=parameter.has_default,
            origin=parameter.origin,
        )
        for parameter in route.parameters
        if parameter.location == "query" and parameter.name.casefold() not in in_query
    )
    if own is None and not further:
        return None
    whole = replace(schema, fields=(*schema.fields, *further))
    if own is not None:
        return replace(own, schema=whole)
    return Body(schema=whole, content_type=forms(contract.request)[0].content_type)


def as_text(
    contract: Schema,
    code: Schema,
    document: Resolver,
    resolver: Resolver,
    *,
    any_case: bool = False,
) -> Schema:
    """The form that code reads, for comparing it with the contract's: what travels is text, so a
    field that is text takes every value, and none is null. `any_case`: names of fields are read in
    any letter case."""
    ours, theirs = _object(contract, document), _object(code, resolver)
    if theirs is None:
        return code
    key = str.casefold if any_case else str
    listed = {key(field.name): field.schema for field in ours.fields} if ours is not None else {}
    fields = tuple(
        replace(field, schema=_field(field.schema, listed.get(key(field.name)), resolver))
        for field in theirs.fields
    )
    return replace(theirs, fields=fields, case_insensitive=theirs.case_insensitive or any_case)


def _field(schema: Schema, contracted: Schema | None, resolver: Resolver) -> Schema:
    options = alternatives(schema, resolver).options
    shape = options[0].shape if len(options) == 1 else None
    if isinstance(shape, Array) and _is_file(contracted) and _is_file(shape.items):
        schema = shape.items  # one file under the name is a list of one
    is_text = isinstance(shape, Scalar) and shape.type == "string" and not shape.format
    if contracted is not None and is_text and isinstance(shape, Scalar) and shape.values is None:
        schema = Anything(origin=schema.origin)
    return with_nullable(schema)


def _is_file(schema: Schema | None) -> bool:
    return isinstance(schema, Scalar) and schema.format == "binary"


def _object(schema: Schema, resolver: Resolver) -> Object | None:
    options = alternatives(schema, resolver).options
    shape = options[0].shape if len(options) == 1 else None
    return shape if isinstance(shape, Object) else None
