"""Handlers that return text: plain text, JSON that a mapper wrote, or who knows what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.java.media import JSON
from contract_scan.parsers.source.java.models.classes import GSON_MAPPER
from contract_scan.parsers.source.java.outcomes import Outcome
from contract_scan.parsers.source.link.shapes import unite
from contract_scan.parsers.source.link.values import Constant, Made, Template, Value

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

RAW = "the text that is returned is sent as it is"
ANY_TYPE = "*/*"
WRITERS = (
    *(".writeValueAsString", ".writeValueAsBytes", ".toJson"),
    *("Json.encode", "Json.encodePrettily"),
)
"""Methods of mappers that write a value as JSON text."""
_MARKUP = ("{", "[", "<", '"')
"""What text begins with that is JSON or markup rather than words."""


class Sent(Struct, frozen=True):
    """The body of a handler that returns text."""

    schema: Schema
    content_type: str


def text_body(
    program: Program, outcomes: Iterable[Outcome], content_type: str, variant: str
) -> Sent:
    """What text that a handler returns is, by its return statements. `content_type` is the declared
    one, JSON where none is."""
    bodies = [o.body for o in outcomes if o.body is not None and o.status[:1] in ("", "2")]
    if bodies and all(_is_plain(program, body) for body in bodies):
        kind = ANY_TYPE if content_type == JSON else content_type
        return Sent(Scalar(type="string"), kind)
    shapes = [
        shape for body in bodies if (shape := written_shape(program, body, variant)) is not None
    ]
    if shapes and len(shapes) == len(bodies):
        return Sent(unite(shapes), content_type)
    if content_type == JSON:
        return Sent(Unknown(reason=RAW), content_type)
    return Sent(Scalar(type="string"), content_type)


def _is_plain(program: Program, value: Value) -> bool:
    """Whether a value is text that is seen to be words."""
    match value:
        case Constant(value=str(text)):
            return not text.lstrip().startswith(_MARKUP)
        case Template(parts=(first, *_)):
            known = program.evaluator.text(first)
            return known is not None and not known.lstrip().startswith(_MARKUP)
        case _:
            return False


def written_shape(program: Program, value: Value, variant: str) -> Schema | None:
    """The shape of what a mapper wrote into a text; None for any other text."""
    if not isinstance(value, Made) or not value.name.endswith(WRITERS) or not value.site.args:
        return None
    written = program.evaluate(value.site.args[0].value, value.scope)
    is_gson = value.name.endswith(".toJson")
    return program.schema_of(
        program.evaluator.unwrapped(written), GSON_MAPPER if is_gson else variant
    )
