"""The shapes of what is sent and received."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    assigned_values,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Instance,
    LibraryResult,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    TypeExpr,
    UnsupportedType,
)
from contract_scan.parsers.source.java.library_calls.builders import JSON_WRITERS
from contract_scan.parsers.source.java.messaging.reading import read_as
from contract_scan.parsers.source.java.messaging.wrappers import SendSite
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.serialization.gson.writers import text_variant
from contract_scan.parsers.source.java.serialization.jackson.settings import READING

PLAIN_MAPPER = "mapper=plain"
"""Variant of what a converter writes with a mapper of its own."""
_RECORDS = frozenset(
    {
        *("ConsumerRecord", "ConsumerRecords", "ProducerRecord", "Record"),
        *("KafkaRecord", "IncomingKafkaRecord", "OutgoingKafkaRecord"),
        *("KStream", "KTable", "GlobalKTable"),
    }
)
"""Types of records with a key and a value, or of streams and batches of them."""
_AROUND = {
    **dict.fromkeys(sorted(_RECORDS), 1),
    **dict.fromkeys(("Message", "GenericMessage", "ErrorMessage"), 0),
    "Optional": 0,
    **dict.fromkeys(("Flux", "Mono", "Publisher", "Flowable", "Observable"), 0),
    **dict.fromkeys(("Multi", "Uni", "PublisherBuilder", "CompletionStage"), 0),
    **dict.fromkeys(("CompletableFuture", "Targeted"), 0),
}
"""Types around a payload -> which type argument it is."""
_BATCHES = frozenset({"List", "Collection", "Iterable"})
"""Types of several payloads that are handed over at once, where a library does so."""
_ANYTHING = frozenset(
    {"Message", "ConsumerRecord", "Object", "GenericRecord"}
    | {"JsonNode", "ObjectNode", "JsonObject", "JsonElement"}
)
_TEXTS = frozenset({"String", "byte[]", "Bytes", "CharSequence", "Buffer"})

# --------------------------------------------------------------------------- sent


class Payload(Struct, frozen=True):
    """What is sent or received."""

    schema: Schema
    message: str = ""
    """Name of its type, where it has one."""


def undetermined_payload(reason: Reason, origin: Origin, *, is_text: bool = False) -> Payload:
    """A payload of which nothing is known, except perhaps that it is a text."""
    return Payload(Unknown(reason=reason, is_text=is_text, origin=origin))


def value_payload(
    program: Program, value: Value, path: str, origin: Origin, converter: str
) -> Payload:
    """The shape of a value that is sent. `converter` is the variant that the library's own
    converter writes with; text made by a mapper is what the mapper was given."""
    variant = converter
    value = program.evaluator.unwrap(value)
    if isinstance(value, LibraryResult) and value.name.endswith(JSON_WRITERS) and value.site.args:
        variant = text_variant(program, value.site, value.scope)
        value = program.evaluator.unwrap(program.evaluate(value.site.args[0].value, value.scope))
    if isinstance(value, Unresolved):
        return undetermined_payload(value.reason, origin)
    name = _name_of(program, value)
    schema = program.schema_of(value, variant)
    flat = program.types.flat(schema)
    if name in ("String", "byte[]") or (isinstance(flat, Scalar) and flat.type == "string"):
        return undetermined_payload(Reason("payload-text-sent-as-is"), origin, is_text=True)
    return Payload(schema, name)


def argument_payload(
    program: Program, site: SendSite, payload: Expr | None, origin: Origin, variant: str
) -> Payload:
    """The shape of an argument of a send."""
    if payload is None:
        return undetermined_payload(Reason("no-payload"), origin)
    match payload:
        case Call(callee=Attribute(value=text, name="getBytes")):
            payload = text
        case _:
            pass
    value = _written_by_project(program, payload, site.scope)
    if value is None:
        value = program.evaluate(payload, site.scope)
    return value_payload(program, value, site.scope.file.path, origin, variant)


def _written_by_project(program: Program, expr: Expr, scope: Scope) -> Value | None:
    """What a mapper writes in a method of the project that gives a text: `json(order)`."""
    if isinstance(expr, Name):
        given = assigned_values(expr, scope)
        expr = given[0] if len(given) == 1 and given[0] is not None else expr
    function = program.function_value(expr.callee, scope) if isinstance(expr, Call) else None
    if function is None or not isinstance(expr, Call):
        return None
    bound = {
        param.name: program.evaluate(argument.value, scope)
        for param, argument in zip(function.function.params, expr.args, strict=False)
    }
    inside = program.function_scope(function.function, function.scope, bound)
    values = [
        program.evaluate(returned.value, inside)
        for returned in program.function_exits(function)
        if returned.value is not None and not returned.thrown
    ]
    texts = [v for v in values if isinstance(v, LibraryResult) and v.name.endswith(JSON_WRITERS)]
    return texts[0] if len(texts) == 1 else None


def _name_of(program: Program, value: Value) -> str:
    match value:
        case ByType(type=type, scope=scope):
            if isinstance(type, NamedType):
                found = program.names.lookup_type(type.name, scope)
                inner = getattr(found, "type", None)
                if isinstance(inner, NamedType):
                    return type_name(inner)
            return type_name(type)
        case Instance(symbol=symbol):
            return symbol.decl.name
        case _:
            return ""


# --------------------------------------------------------------------------- received


class HandledPayload(Struct, frozen=True, eq=False):
    """A type that a function is declared to take or to give."""

    type: TypeExpr
    function: Function
    scope: Scope
    """Around the function."""
    origin: Origin
    batches: bool = True
    """Whether a list stands for several payloads that are handed over at once."""


def parameter_payload(program: Program, handled: HandledPayload, variant: str) -> Payload:
    """The payload that a function's parameter accepts. A text, or any object, counts as the
    type that the function reads it as."""
    type = payload_type(handled.type, batches=handled.batches)
    name = handled.function.name
    if is_text(type) or _library_name(type) in _ANYTHING:
        read = read_as(program, program.function_scope(handled.function, handled.scope))
        if read is None and is_text(type):
            reason = Reason("handler-takes-text-or-bytes", name=name)
            return undetermined_payload(reason, handled.origin, is_text=True)
        if read is None:
            return undetermined_payload(Reason("handler-takes-any-type", name=name), handled.origin)
        type, variant = read.type, read.variant
    schema = program.schema(type, handled.scope, f"{variant};{READING}")
    return Payload(schema, type_name(type))


def given_back(program: Program, handled: HandledPayload, variant: str) -> Payload:
    """The shape of what a function gives, to be sent."""
    type = payload_type(handled.type, batches=handled.batches)
    if is_text(type):
        reason = Reason("returns-text-or-bytes", function=handled.function.name)
        return undetermined_payload(reason, handled.origin, is_text=True)
    if _library_name(type) in _ANYTHING:
        reason = Reason("returns-any-type", function=handled.function.name)
        return undetermined_payload(reason, handled.origin)
    return Payload(program.schema(type, handled.scope, variant), type_name(type))


def is_text(type: TypeExpr) -> bool:
    """Whether a type is text or bytes, or says nothing."""
    return type_name(type) in _TEXTS or isinstance(type, ArrayType | UnsupportedType)


def _library_name(type: TypeExpr) -> str:
    """The simple name of a type that may be a library's; empty for one that is declared in another
    (`Orders.Message`)."""
    outer = type.name.rpartition(".")[0] if isinstance(type, NamedType) else ""
    inside = outer.rpartition(".")[2][:1].isupper()
    return "" if inside else type_name(type)


def payload_type(type: TypeExpr, *, batches: bool = True) -> TypeExpr:
    """The payload's own type within records, messages, streams and a batch. A batch is the
    outermost list; one within a record, or within another batch, is a payload."""
    for _ in range(6):
        if not batches and type_name(type) in _BATCHES:
            break
        if batches and isinstance(type, ArrayType) and type_name(type.item) not in ("byte", "char"):
            type, batches = type.item, False
            continue
        name = _library_name(type)
        position = 0 if name in _BATCHES else _AROUND.get(name)
        if not isinstance(type, NamedType) or position is None or position >= len(type.args):
            break
        type = type.args[position]
        batches = batches and name not in _BATCHES and name not in _RECORDS
    return type
