"""What the metadata of `Annotated[…]` says of the values of a type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.facts.nodes import AnnotatedType, NamedType
from contract_scan.parsers.source.python.serialization.discriminated_unions import (
    without_shadowed_members,
)
from contract_scan.parsers.source.python.serialization.fields import or_converted
from contract_scan.parsers.source.python.serialization.pydantic.annotated_serializers import (
    is_converted,
    serialized_schema,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.analysis.domain.values import Scope


def annotated_schema(
    program: Program, type: AnnotatedType, schema: Schema, scope: Scope, variant: str
) -> Schema:
    """The shape of an annotated type, `schema` being that of the type in it."""
    use = TypeUse(program, NamedType("Annotated", span=type.span), "Annotated", scope, variant)
    written = serialized_schema(use, type)
    if is_converted(use, type):
        return or_converted(schema, "Annotated")
    return without_shadowed_members(program, type, schema, scope) if written is None else written
