"""The values that a text property's own documentation lists: `@Schema(allowableValues = …)`.

Nothing enforces such a list. It is the code's own statement of what the property may be, of the
same worth as a declared type, and counts where the type says no more than that it is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Annotation, Argument
from contract_scan.parsers.source.java.resolution.annotations import (
    element_of,
    find,
    items,
    nested_annotations,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_IN_ONE_TEXT = "ApiModelProperty"
"""The annotation of Swagger 1.5, which has the whole list in one text."""
_RANGE = "range"
"""How that text begins where it is a range of numbers."""


def with_listed_values(
    program: Program, schema: Schema, annotations: tuple[Annotation, ...], scope: Scope
) -> Schema:
    """The shape of a property that is sent, limited to the values that its documentation lists."""
    for name in ("Schema", _IN_ONE_TEXT):
        marked = find(annotations, name)
        if marked is not None:
            schema = _limit_values(
                schema, _listed_values(program, marked.args, scope, name == _IN_ONE_TEXT)
            )
    several = find(annotations, "ArraySchema")
    if several is not None and isinstance(schema, Array):
        for item in nested_annotations(element_of(several.args, "schema")):
            inner = _limit_values(
                schema.items, _listed_values(program, item.args, scope, in_one_text=False)
            )
            schema = replace(schema, items=inner)
    return schema


def _limit_values(schema: Schema, values: tuple[str, ...]) -> Schema:
    if not isinstance(schema, Scalar) or schema.type != "string" or schema.values or schema.format:
        return schema
    return replace(schema, values=values) if values else schema


def _listed_values(
    program: Program, args: tuple[Argument, ...], scope: Scope, in_one_text: bool
) -> tuple[str, ...]:
    """The values that an annotation lists; none where it lists none, or not all of them could be
    told."""
    listed = items(element_of(args, "allowableValues", "enumeration"))
    texts = tuple(program.text(item, scope) for item in listed)
    known = tuple(text for text in texts if text is not None)
    if len(known) < len(texts):
        return ()
    if in_one_text:
        whole = known[0] if known and not known[0].startswith(_RANGE) else ""
        return tuple(text.strip() for text in whole.split(",") if text.strip())
    # One text with commas in it is one value to the library, and seldom meant so.
    return known if len(known) > 1 or "," not in "".join(known) else ()
