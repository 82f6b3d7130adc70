"""What the metadata of `Annotated[…]` says of the values of a type."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.schema import LiteralValue, Object, Scalar, Schema, Union
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import AnnotatedType, NamedType, UnionType
from contract_scan.parsers.source.python.serialization.fields import (
    given_text,
    or_converted,
    positional,
)
from contract_scan.parsers.source.python.serialization.pydantic.annotated_serializers import (
    is_converted,
    serialized_schema,
)


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
