"""The values that a text property's own documentation lists: `@Schema(allowableValues = …)`.

Nothing enforces such a list. It is the code's own statement of what the property may be, of the
same worth as a declared type, and counts where the type says no more than that it is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Scalar, Schema
from contract_scan.parsers.source.facts import Annotation, Argument
from contract_scan.parsers.source.java.annotations import find, given, items, nested
from contract_scan.parsers.source.link.values import Scope

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_RANGE = "range"
"""How Swagger 1.5 begins a list that is a range of numbers."""


def with_listed_values(
    program: Program, schema: Schema, annotations: tuple[Annotation, ...], scope: Scope
) -> Schema:
    """The shape of a property that is sent, limited to the values that its documentation lists."""
    marked = find(annotations, "Schema", "ApiModelProperty")
    if marked is not None:
        schema = _limited(program, schema, marked.args, scope)
    several = find(annotations, "ArraySchema")
    if several is not None and isinstance(schema, Array):
        for item in nested(given(several.args, "schema")):
            inner = _limited(program, schema.items, item.args, scope)
            schema = replace(schema, items=inner)
    return schema


def _limited(program: Program, schema: Schema, args: tuple[Argument, ...], scope: Scope) -> Schema:
    if not isinstance(schema, Scalar) or schema.type != "string" or schema.values or schema.format:
        return schema
    listed = items(given(args, "allowableValues", "enumeration"))
    texts = tuple(program.text(item, scope) for item in listed)
    known = tuple(text for text in texts if text is not None)
    if not known or len(known) < len(texts):
        return schema
    if len(known) == 1 and "," in known[0]:  # Swagger 1.5 has the whole list in one text
        known = tuple(text.strip() for text in known[0].split(",") if text.strip())
        if not known or known[0].startswith(_RANGE):
            return schema
    return replace(schema, values=known)
