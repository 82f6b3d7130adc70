"""Kafka's own consumer, and Kafka Streams; the producer is read with Spring Kafka."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Items,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import with_receivers
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import (
    PLAIN_MAPPER,
    Payload,
    is_text,
    payload_type,
    undetermined_payload,
)
from contract_scan.parsers.source.java.messaging.readers import read_near
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_CONSUMERS = frozenset({"KafkaConsumer", "Consumer", "MockConsumer"})
_BUILDERS = frozenset({"StreamsBuilder"})
_SOURCES = frozenset({"stream", "table", "globalTable"})
_STREAMS = frozenset({"KStream", "KTable"})
_MAX_CALLS = 40


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every subscription, every source and sink of a stream."""
    for file in program.seeds(framework):
        for call, callee, scope in with_receivers(program.calls(file)):
            name, receiver = callee.name, callee.value
            if not call.args:
                continue
            if name in ("subscribe", "assign") and _is_library_class(
                program, receiver, scope, _CONSUMERS
            ):
                yield from _subscription_uses(program, call, receiver, scope)
            elif name in _SOURCES and _is_library_class(program, receiver, scope, _BUILDERS):
                yield from _source(program, call, scope)
            elif name == "to" and _is_stream(program, receiver, scope):
                yield _sink(program, call, receiver, scope)


def _is_library_class(program: Program, expr: Expr, scope: Scope, names: frozenset[str]) -> bool:
    package, _, simple = program.qualified_name(expr, scope).rpartition(".")
    return simple in names and (not package or package.startswith("org.apache.kafka"))


# --------------------------------------------------------------------------- consumers


def _subscription_uses(
    program: Program, call: Call, receiver: Expr, scope: Scope
) -> Iterator[EventUse]:
    origin = program.origin(call, scope)
    declared = _last_argument(program.evaluate(receiver, scope))
    for found, pattern in _topics(program, call.args[0].value, scope):
        topic = "" if pattern else found.text
        payload = read_near(program, declared, scope, origin, PLAIN_MAPPER, topic)
        yield channel_use("receive", found, payload, origin, FRAMEWORK.name, pattern=pattern)


def _last_argument(value: Value) -> TypeExpr | None:
    """`V` of `KafkaConsumer<K, V>`."""
    type: TypeExpr | None = None
    if isinstance(value, ByType):
        type = value.type
    elif isinstance(value, LibraryResult) and isinstance(value.site, New):
        type = value.site.type
    return type.args[-1] if isinstance(type, NamedType) and type.args else None


def _topics(program: Program, expr: Expr, scope: Scope) -> Iterator[tuple[Address, bool]]:
    """The topics of a list, of a pattern, or of partitions."""
    if isinstance(expr, Call) and isinstance(expr.callee, Attribute):
        if expr.callee.name == "compile" and expr.args:
            yield address(program, expr.args[0].value, scope), True
            return
        if isinstance(program.evaluate(expr, scope), Items):
            for given in expr.args:
                yield _topic(program, given.value, scope), False
            return
    value = program.evaluate(expr, scope)
    texts = program.evaluator.texts(value) if isinstance(value, Items) else ()
    if texts and all(texts):
        for text in texts:
            yield Address(text=text or ""), False
        return
    yield _topic(program, expr, scope), False


def _topic(program: Program, expr: Expr, scope: Scope) -> Address:
    if isinstance(expr, New) and type_name(expr.type) == "TopicPartition" and expr.args:
        expr = expr.args[0].value
    return address(program, expr, scope)


# --------------------------------------------------------------------------- streams


def _source(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    origin = program.origin(call, scope)
    declared = _declared_as(call, scope)
    serde = _carried_by(program, call, scope)
    if declared is None and serde is not None and serde.reason:
        payload = undetermined_payload(serde.reason, origin)
    else:
        declared = declared or (serde.type if serde is not None else None)
        payload = read_near(program, declared, scope, origin, PLAIN_MAPPER)
    for found, pattern in _topics(program, call.args[0].value, scope):
        yield channel_use("receive", found, payload, origin, FRAMEWORK.name, pattern=pattern)


def _declared_as(call: Call, scope: Scope) -> TypeExpr | None:
    """`V` of `KStream<K, V> stream = builder.stream(…)`."""
    for statement in _assignments(scope):
        if statement.value is call and isinstance(statement.type, NamedType):
            return statement.type.args[-1] if statement.type.args else None
    return None


def _assignments(scope: Scope) -> list[Assign]:
    statements = nested_statements(scope.statements or ())
    return [statement for statement in statements if isinstance(statement, Assign)]


def _is_stream(program: Program, expr: Expr, scope: Scope) -> bool:
    """A stream in a variable, or what calls on one give."""
    for _ in range(_MAX_CALLS):
        if type_name(_stream_type(program, expr, scope)) in _STREAMS:
            return True
        match expr:
            case Call(callee=Attribute(value=inner, name=name)):
                if name in _SOURCES and _is_library_class(program, inner, scope, _BUILDERS):
                    return True
                expr = inner
            case _:
                return False
    return False


def _stream_type(program: Program, expr: Expr, scope: Scope) -> TypeExpr | None:
    """The declared type of a variable that holds a stream."""
    if isinstance(expr, Name):
        for statement in _assignments(scope):
            target = statement.target
            if isinstance(target, Name) and target.id == expr.id and statement.type is not None:
                return statement.type
    value = program.evaluate(expr, scope)
    return value.type if isinstance(value, ByType) else None


def _sink(program: Program, call: Call, receiver: Expr, scope: Scope) -> EventUse:
    origin = program.origin(call, scope)
    found = address(program, call.args[0].value, scope)
    serde = _carried_by(program, call, scope)
    if serde is not None and serde.type is not None:
        item = payload_type(serde.type)
        payload = Payload(program.schema(item, scope, PLAIN_MAPPER), type_name(item))
    else:
        payload = _stream_payload(program, receiver, scope)
    return channel_use("send", found, payload, origin, FRAMEWORK.name)


def _stream_payload(program: Program, receiver: Expr, scope: Scope) -> Payload:
    """The payload of a stream of a declared type."""
    type = _stream_type(program, receiver, scope)
    if not isinstance(type, NamedType) or type_name(type) not in _STREAMS or not type.args:
        origin = program.origin(receiver, scope)
        return undetermined_payload(Reason("stream-content-not-followed"), origin)
    item = payload_type(type.args[-1])
    if is_text(item):
        origin = program.origin(receiver, scope)
        return undetermined_payload(Reason("stream-of-text"), origin, is_text=True)
    return Payload(program.schema(item, scope, PLAIN_MAPPER), type_name(item))


FRAMEWORK = Framework(
    name="Apache Kafka",
    markers=(b"org.apache.kafka.clients.consumer", b"org.apache.kafka.streams"),
    calls=(b".subscribe(", b".assign(", b".stream(", b".table(", b".globalTable(", b".to("),
    events=events,
    protocols=("kafka",),
)


# --------------------------------------------------------------------------- serdes


_OPTIONS = frozenset({"Consumed", "Produced"})
_TEXTS = frozenset({"String", "ByteArray", "Bytes"})
_JSON = "Json"
"""What the names of serdes hold that read and write JSON: Spring's, Confluent's `KafkaJson…`."""


class _SerdePayload(Struct, frozen=True, eq=False):
    """What a serde says of the payload."""

    type: TypeExpr | None = None
    is_text: bool = False
    reason: Reason = NO_REASON
    """Why the type is undetermined; empty where it could."""


def _carried_by(program: Program, call: Call, scope: Scope) -> _SerdePayload | None:
    """What the serde among the arguments of `stream` or `to` says; None where none is given."""
    for given in call.args[1:]:
        match given.value:
            case Call(callee=Attribute(value=Name(id=name), name="with"), args=(_, serde, *_)):
                pass
            case Call(callee=Attribute(value=Name(id=name), name="valueSerde"), args=(serde,)):
                pass
            case _:
                continue
        if name in _OPTIONS:
            return _carried_type(program, serde.value, scope)
    return None


def _carried_type(program: Program, expr: Expr, scope: Scope) -> _SerdePayload:
    match expr:
        case Call(callee=Attribute(value=Name(id="Serdes"), name=name), args=()):
            if name in _TEXTS:
                return _SerdePayload(is_text=True)
            return _SerdePayload(reason=Reason("serdes-no-json", name=name))
        case _:
            pass
    value = program.evaluate(expr, scope)
    made = (
        expr if isinstance(expr, New) else value.site if isinstance(value, LibraryResult) else None
    )
    if isinstance(made, New) and _JSON in type_name(made.type):
        for given in made.args[:1]:
            if isinstance(given.value, TypeValue):
                return _SerdePayload(given.value.type)
        return _argument(made.type)
    if isinstance(value, ByType) and _JSON in type_name(value.type):
        return _argument(value.type)
    return _SerdePayload(reason=Reason("serde-undetermined"))


def _argument(type: TypeExpr | None) -> _SerdePayload:
    if isinstance(type, NamedType) and type.args:
        return _SerdePayload(type.args[-1])
    return _SerdePayload(reason=Reason("serde-undetermined"))
