"""Spring for Apache Kafka, and Kafka's own producer."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, LibraryResult, Scope, Value
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, NamedType
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    Listener,
    listener_payload,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.messages import (
    Messaging,
    framework,
    header_address,
    message_content,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import (
    Payload,
    argument_payload,
    undetermined_payload,
)
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite, sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import (
    constant_name,
    element_of,
    items,
    nested_annotations,
    type_name,
)
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.messaging.addresses import Address

_TEMPLATES = frozenset(
    {
        *("KafkaTemplate", "KafkaOperations", "ReplyingKafkaTemplate", "RoutingKafkaTemplate"),
        *("ReactiveKafkaProducerTemplate", "KafkaProducer", "Producer", "MockProducer"),
        "AggregatingReplyingKafkaTemplate",
    }
)
_SERIALIZERS = frozenset({"JsonSerializer", "JacksonJsonSerializer"})


# --------------------------------------------------------------------------- receiving


def _receive_uses(program: Program, listener: Listener, variant: str) -> Iterator[EventUse]:
    payload = listener_payload(program, listener, variant)
    for found, is_pattern in _topics(program, listener):
        yield channel_use(
            "receive", found, payload, listener.origin, FRAMEWORK.name, pattern=is_pattern
        )


def _topics(program: Program, listener: Listener) -> Iterator[tuple[Address, bool]]:
    topics = listener.annotation.get("topics")
    for item in items(topics[0]) if topics is not None else ():
        assert topics is not None
        found = address(program, item, topics[1])
        if "," in found.text:
            for part in found.text.split(","):
                yield Address(text=part.strip()), False
        else:
            yield found, False
    pattern = listener.annotation.get("topicPattern")
    if pattern is not None:
        yield address(program, *pattern), True
    partitions = listener.annotation.get("topicPartitions")
    for call in nested_annotations(partitions[0]) if partitions is not None else ():
        assert partitions is not None
        yield address(program, element_of(call.args, "topic"), partitions[1]), False


# --------------------------------------------------------------------------- sending


def _send_uses(program: Program, call: Call, scope: Scope, variant: str) -> Iterator[EventUse]:
    assert isinstance(call.callee, Attribute)
    args = tuple(a.value for a in call.args)
    if call.callee.name == "sendDefault":
        found = _default_topic(program, scope)
        for site in sites_of_call(program, call, scope, args[-1:]):
            yield _event(program, site, found, args[-1] if args else None, variant)
    elif len(args) == 1:
        yield from _record_uses(program, call, scope, args[0], variant)
    elif args:
        topic, payload = args[0], args[-1]
        for site in sites_of_call(program, call, scope, (topic, payload)):
            found = address(program, topic, site.scope)
            yield _event(program, site, found, payload, variant)


def _default_topic(program: Program, scope: Scope) -> Address:
    values = settings(program, scope.file.path)
    topic = values.get("spring.kafka.template.defaulttopic", "")
    if topic:
        return Address(text=topic)
    return Address(reason=Reason("default-topic-not-set"))


def _record_uses(
    program: Program, call: Call, scope: Scope, record: Expr, variant: str
) -> Iterator[EventUse]:
    """`send(new ProducerRecord<>(topic, key, value))` and `send(message)`."""
    value = program.evaluate(record, scope)
    if (
        isinstance(value, LibraryResult)
        and type_name(getattr(value.site, "type", None)) == "ProducerRecord"
    ):
        args = tuple(a.value for a in value.site.args)
        topic, payload = args[0] if args else None, _record_value(args)
        for site in sites_of_call(program, call, value.scope, (topic, payload)):
            found = address(program, topic, site.scope)
            yield _event(program, site, found, payload, variant)
        return
    made = message_content(program, record, scope)
    if made is not None:
        found = header_address(program, made.message, "TOPIC")
        yield _event(program, SendSite(call, made.scope, call, scope), found, made.payload, variant)
        return
    yield _record_of_type(program, call, scope, value, variant)


def _record_of_type(
    program: Program, call: Call, scope: Scope, value: Value, variant: str
) -> EventUse:
    """A record whose making is not seen: its declared type may tell the payload."""
    origin = program.origin(call, scope)
    content = undetermined_payload(Reason("record-made-elsewhere"), origin)
    if isinstance(value, ByType) and isinstance(value.type, NamedType) and value.type.args:
        payload = value.type.args[-1]
        content = Payload(program.schema(payload, value.scope, variant), type_name(payload))
    found = Address(reason=Reason("topic-record-made-elsewhere"))
    return channel_use("send", found, content, origin, FRAMEWORK.name)


def _record_value(args: tuple[Expr, ...]) -> Expr | None:
    """The value among the arguments of `new ProducerRecord`; headers may follow it."""
    if len(args) == 6:
        return args[4]
    if len(args) == 5 and "eader" in (constant_name(args[4]) or ""):
        return args[3]
    return args[-1] if len(args) > 1 else None


def _event(
    program: Program, site: SendSite, found: Address, payload: Expr | None, variant: str
) -> EventUse:
    origin = program.origin(site.shown, site.shown_scope)
    content = argument_payload(program, site, payload, origin, variant)
    declared = _template_type(program, site) if isinstance(content.schema, Unknown) else None
    if payload is not None and declared is not None:
        content = Payload(program.schema(*declared, variant), type_name(declared[0]))
    return channel_use("send", found, content, origin, FRAMEWORK.name)


def _template_type(program: Program, site: SendSite) -> tuple[NamedType, Scope] | None:
    """The value type of `KafkaTemplate<K, V>`, where it says something."""
    callee = site.call.callee
    if not isinstance(callee, Attribute):
        return None
    value = program.evaluate(callee.value, site.scope)
    if not isinstance(value, ByType) or not isinstance(value.type, NamedType):
        return None
    args = value.type.args
    if len(args) != 2 or not isinstance(args[1], NamedType):
        return None
    if type_name(args[1]) in ("Object", "String", "byte[]"):
        return None
    return args[1], value.scope


FRAMEWORK = framework(
    Messaging(
        name="Spring Kafka",
        markers=(b"org.springframework.kafka", b"org.apache.kafka.clients.producer"),
        calls=(b".send(", b".sendDefault(", b".sendAndReceive(", b"JsonSerializer<"),
        protocols=("kafka",),
        listener="KafkaListener",
        handler="KafkaHandler",
        converters=_SERIALIZERS,
        templates=_TEMPLATES,
        packages=("org.springframework.kafka", "org.apache.kafka"),
        sends=frozenset({"send", "sendDefault", "sendAndReceive"}),
        read_listener=_receive_uses,
        read_send=_send_uses,
    )
)
