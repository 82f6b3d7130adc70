"""Handlers that return text: plain text, JSON that a mapper wrote, or who knows what."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    Instance,
    LibraryResult,
    OneOf,
    Template,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, NamedType
from contract_scan.parsers.source.java.library_calls.builders import JSON_WRITERS
from contract_scan.parsers.source.java.library_calls.json_trees import TEXT
from contract_scan.parsers.source.java.resolution.annotations import constant_name, type_name
from contract_scan.parsers.source.java.resolution.value_producers import producing_method
from contract_scan.parsers.source.java.serialization.gson.writers import (
    names_writer,
    variant_of_writer,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import GSON_MAPPER
from contract_scan.parsers.source.java.web.branch_results import BranchResult
from contract_scan.parsers.source.java.web.media import JSON

RAW = Reason("returned-text-sent-as-is")
ANY_TYPE = "*/*"
_TEXTS = frozenset({"String", "CharSequence", "StringBuilder"})
_INJECTED = frozenset({"Autowired", "Inject"})
_MAX_DEPTH = 3
"""How many functions that return each other's text are looked into."""
_MARKUP = ("{", "[", "<", '"')
"""What text begins with that is JSON or markup rather than words."""


class RawTextBody(Struct, frozen=True):
    """The body of a handler that returns text."""

    schema: Schema
    content_type: str


def text_body(
    program: Program,
    outcomes: Iterable[BranchResult],
    content_type: str,
    variant: str,
    *,
    is_stated: bool = False,
) -> RawTextBody:
    """What text that a handler returns is, by its return statements. `content_type` is the declared
    one, JSON where none is; with `is_stated` it is written out."""
    kind = ANY_TYPE if content_type == JSON else content_type
    is_json = content_type.endswith("+json")
    found = [o.body for o in outcomes if o.body is not None and o.status[:1] in ("", "2")]
    bodies = [option for body in found for option in looked_into(program, body)]
    if bodies and not is_json and all(_is_plain(program, body) for body in bodies):
        return RawTextBody(Scalar(type="string"), kind)
    shapes = [
        shape for body in bodies if (shape := written_shape(program, body, variant)) is not None
    ]
    if shapes and len(shapes) == len(bodies):
        return RawTextBody(unite(shapes), kind)
    if is_json or (is_stated and content_type == JSON):
        return RawTextBody(Unknown(reason=RAW, is_text=True, as_json=True), content_type)
    if content_type == JSON:
        return RawTextBody(Unknown(reason=RAW, is_text=True), content_type)
    return RawTextBody(Scalar(type="string"), content_type)


def text_shape(program: Program, value: Value, variant: str) -> Schema | None:
    """The shape of one text that is sent in the place of JSON: words, or what a mapper wrote into
    it; None where that is undetermined."""
    options = looked_into(program, value)
    if all(_is_plain(program, option) for option in options):
        return Scalar(type="string")
    known = [
        shape
        for option in options
        if _is_writer_known(program, option)
        and (shape := written_shape(program, option, variant)) is not None
    ]
    return unite(known) if len(known) == len(options) else None


def _is_writer_known(program: Program, value: Value) -> bool:
    """Whether what writes a text is a Gson whose making is seen, or the mapper that writes
    everything else: no other one that is made here, or picked by a qualifier."""
    if not isinstance(value, LibraryResult):
        return False
    if isinstance(value.receiver, LibraryResult):
        return _is_gson(value) and names_writer(variant_of_writer(program, value.receiver))
    callee = value.site.callee if isinstance(value.site, Call) else None
    mapper = constant_name(callee.value) if isinstance(callee, Attribute) else ""
    owner = value.scope.owner
    for member in owner.decl.members if owner is not None else ():
        if member.name == mapper:
            names = {annotation.name.rpartition(".")[2] for annotation in member.annotations}
            return member.value is None and names <= _INJECTED
    return True


def is_text(value: Value) -> bool:
    """Whether a value that JSON writes as a string is a string in Java as well, which is sent as it
    is: dates, enums and the like are written by the mapper."""
    match value:
        case ByType(type=NamedType() as type):
            return type_name(type) in _TEXTS
        case Instance():
            return False
        case _:
            return True


def looked_into(program: Program, value: Value, depth: int = 0) -> list[Value]:
    """The texts that a function of the project is seen to return, for a value of which no more is
    known than that it is such a function's; else the value itself."""
    if isinstance(value, OneOf):
        return [each for option in value.options for each in looked_into(program, option, depth)]
    function = producing_method(program, value, _TEXTS) if depth < _MAX_DEPTH else None
    if function is None:
        return [value]
    found: list[Value] = []
    for returned in program.function_exits(function):
        if returned.value is not None and not returned.thrown:
            inner = program.evaluate(returned.value, returned.scope)
            found.extend(looked_into(program, inner, depth + 1))
    return found or [value]


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
    if isinstance(value, LibraryResult) and value.name == TEXT and value.receiver is not None:
        return program.schema_of(value.receiver, variant)
    if (
        not isinstance(value, LibraryResult)
        or not value.name.endswith(JSON_WRITERS)
        or not value.site.args
    ):
        return None
    written = program.evaluate(value.site.args[0].value, value.scope)
    if _is_gson(value):
        writer = value.receiver
        variant = variant_of_writer(program, writer) if writer is not None else GSON_MAPPER
    return program.schema_of(program.evaluator.unwrap(written), variant)


def _is_gson(value: LibraryResult) -> bool:
    return value.name.endswith(".toJson")
