"""What the metadata of `Annotated[…]` says of the values of a type."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import LiteralValue, Object, Scalar, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import AnnotatedType, NamedType, UnionType
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.fields import (
    call_arguments,
    given_text,
    or_converted,
    positional,
)
from contract_scan.parsers.source.python.serialization.modes import LOAD, flags
from contract_scan.parsers.source.python.serialization.pydantic.classes import function_schema


def annotated_schema(
    program: Program, type: AnnotatedType, schema: Schema, scope: Scope, variant: str
) -> Schema:
    """The shape of an annotated type, `schema` being that of the type in it."""
    use = TypeUse(program, NamedType("Annotated", span=type.span), "Annotated", scope, variant)
    written = serialized_schema(use, type)
    if is_converted(use, type):
        return or_converted(schema, "Annotated")
    return without_shadowed_members(program, type, schema, scope) if written is None else written


# Unions whose members a function tells apart by tags: pydantic's `Discriminator(function)`.


def without_shadowed_members(
    program: Program, type: AnnotatedType, schema: Schema, scope: Scope
) -> Schema:
    """A union with tags that are computed, less the members whose tag another one takes over: of
    those with the same constants, which the tags are made of, the last is written."""
    if not isinstance(schema, Union) or not isinstance(type.item, UnionType):
        return schema
    if not _has_discriminator_function(program, type, scope):
        return schema
    if any(_has_tag(program, option, scope) for option in type.item.options):
        return schema
    last: dict[object, Schema] = {}
    for option in schema.options:
        key = _constants(program, option) or option
        last.pop(key, None)
        last[key] = option
    return replace(schema, options=tuple(last.values()))


def _has_discriminator_function(program: Program, type: AnnotatedType, scope: Scope) -> bool:
    for expr in type.metadata:
        made = program.evaluate(expr, scope)
        if isinstance(made, LibraryResult) and made.name.rpartition(".")[2] == "Discriminator":
            first = positional(made)
            return first is not None and program.text(first, made.scope) is None
    return False


def _has_tag(program: Program, option: object, scope: Scope) -> bool:
    """Whether a member has a tag that is written out: `Annotated[Cat, Tag("cat")]`."""
    if not isinstance(option, AnnotatedType):
        return False
    for expr in option.metadata:
        made = program.evaluate(expr, scope)
        if isinstance(made, LibraryResult) and made.name.rpartition(".")[2] == "Tag":
            first = positional(made)
            if (first is not None and program.text(first, made.scope) is not None) or given_text(
                program, made, "tag"
            ):
                return True
    return False


def _constants(program: Program, option: Schema) -> frozenset[tuple[str, LiteralValue]]:
    """The fields of a member that have one value alone."""
    flat = program.types.flat(option)
    if not isinstance(flat, Object):
        return frozenset()
    return frozenset(
        (field.name, shape.values[0])
        for field in flat.fields
        if isinstance(shape := program.types.flat(field.schema), Scalar)
        and shape.values is not None
        and len(shape.values) == 1
    )


_EARLY_VALIDATORS = frozenset({"BeforeValidator", "PlainValidator", "WrapValidator"})
_SERIALIZERS = frozenset({"PlainSerializer", "WrapSerializer"})


def serialized_schema(use: TypeUse, type: AnnotatedType) -> Schema | None:
    """The schema that the last serializer of an annotated type writes, wherever the type is: in
    a union, a list, an alias. None without a serializer, and for input."""
    if LOAD in flags(use.variant):
        return None
    for expr in reversed(type.metadata):
        serializer = use.program.evaluate(expr, use.scope)
        if (
            isinstance(serializer, LibraryResult)
            and serializer.name.rpartition(".")[2] in _SERIALIZERS
        ):
            return _result(use, serializer)
    return None


def is_converted(use: TypeUse, type: AnnotatedType) -> bool:
    """Whether a validator among the metadata sees the input before the type does."""
    if LOAD not in flags(use.variant):
        return False
    made = (use.program.evaluate(expr, use.scope) for expr in type.metadata)
    return any(
        isinstance(one, LibraryResult) and one.name.rpartition(".")[2] in _EARLY_VALIDATORS
        for one in made
    )


def _result(use: TypeUse, made: LibraryResult) -> Schema:
    declared = call_arguments(made).get("return_type")
    if declared is not None:
        type = as_type(declared)
        if type is not None:
            return use.schema(type, made.scope)
    function = call_arguments(made).get("func", positional(made))
    if function is None:
        return Unknown(reason=Reason("serializer-without-function"))
    return function_schema(use, use.program.evaluate(function, made.scope))
