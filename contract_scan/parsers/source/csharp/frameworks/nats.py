"""NATS.Net and the older NATS.Client: subjects that are published to, asked and subscribed to, in
core NATS and in JetStream."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, Scope, named_function_scope
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
    received_message,
)
from contract_scan.parsers.source.csharp.resolution.arguments import call_argument
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    RAW,
    Payload,
    read_in,
    serialised_payload,
    type_name,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Attribute,
    Call,
    Expr,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework

_VARIANT = "nats"
_CLIENTS = frozenset(
    {
        *("INatsConnection", "NatsConnection", "INatsClient", "NatsClient"),
        *("INatsJSContext", "NatsJSContext", "CreateJetStreamContext"),
    }
)
_OLD_CLIENTS = frozenset({"IConnection", "IJetStream", "CreateConnection"})
"""Of NATS.Client, which takes and gives bytes."""
_SENDS = frozenset({"PublishAsync", "TryPublishAsync", "RequestAsync", "RequestManyAsync"})
_OLD_SENDS = frozenset({"Publish", "PublishAsync", "Request", "RequestAsync"})
_RECEIVES = frozenset({"SubscribeAsync", "SubscribeCoreAsync"})
_OLD_RECEIVES = frozenset(
    {"SubscribeAsync", "SubscribeSync", "PushSubscribeAsync", "PushSubscribeSync", "PullSubscribe"}
)
_CALLS = tuple(
    f".{name}".encode() for name in sorted(_SENDS | _OLD_SENDS | _RECEIVES | _OLD_RECEIVES)
)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, asked for or subscribed to."""
    for file in program.seeds(framework):
        for call, callee, scope in method_calls(program, file, *_CALLS):
            name, client = callee.name, callee.value
            if name in _SENDS and is_of(program, client, scope, _CLIENTS):
                yield from _send_uses(program, call, scope)
            elif name in _RECEIVES and is_of(program, client, scope, _CLIENTS):
                yield _subscription_use(program, call, scope)
            elif not call.args or not is_of(program, client, scope, _OLD_CLIENTS):
                continue
            elif name in _OLD_SENDS:
                yield from _bytes_uses(program, call, scope)
            elif name in _OLD_RECEIVES:
                yield _subscribed_to_bytes(program, call, scope)


# --------------------------------------------------------------------------- NATS.Net


def _send_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    subject = call_argument(call, "subject", 0)
    data = call_argument(call, "data", 1)
    if subject is None or _is_answer(subject):
        return

    def read_message(seen: Scope) -> OutgoingMessage:
        payload = (
            undetermined_because(Reason("no-message"))
            if data is None
            else _data(program, data, seen)
        )
        if _has_serializer(call):
            payload = undetermined_because(Reason("serializer-passed-to-call"))
        return OutgoingMessage(address(program, subject, seen), payload)

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _is_answer(subject: Expr) -> bool:
    """An answer goes to the inbox of whoever asked."""
    return isinstance(subject, Attribute) and subject.name in ("ReplyTo", "Reply")


def _has_serializer(call: Call) -> bool:
    return any(argument.name in ("serializer", "requestSerializer") for argument in call.args)


def _data(program: Program, expr: Expr, scope: Scope) -> Payload:
    """An object is written as JSON; a text or bytes go as they are."""
    value = program.evaluator.unwrap(program.evaluate(expr, scope))
    is_raw = isinstance(value, ByType) and _is_raw(value.type)
    if not is_raw and _registries(program):
        return undetermined_because(Reason("serializer-registry-writes-messages"))
    return serialised_payload(program, expr, scope, _VARIANT)


def _registries(program: Program) -> bool:
    """Whether the project chooses serializers other than the library's own for JSON."""
    return program.any_file_contains(b": INatsSerializerRegistry", b"NatsJsonContextSerializer")


def _subscription_use(program: Program, call: Call, scope: Scope) -> EventUse:
    found = address(program, call_argument(call, "subject", 0), scope)
    payload: Payload | None
    if call.type_args and not _is_raw(call.type_args[0]):
        type = call.type_args[0]
        schema = program.schema(type, scope, READING + _VARIANT)
        payload = Payload(schema=schema, message=type_name(program, ByType(type, scope)))
        if _registries(program) or any(a.name == "serializer" for a in call.args):
            payload = undetermined_because(Reason("serializer-registry-reads-messages"))
    else:
        payload = read_in(program, named_function_scope(scope) or scope)
    message = received_message(found, payload)
    return _use(program, message, call, scope)


def _is_raw(type: TypeExpr) -> bool:
    inner = type.item if isinstance(type, ArrayType | NullableType) else type
    return (
        not isinstance(inner, NamedType) or unqualified_name(inner.name).removesuffix("[]") in RAW
    )


# --------------------------------------------------------------------------- NATS.Client


def _bytes_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    subject, data = call_argument(call, "subject", 0), call_argument(call, "data", 1)
    if subject is None or _is_answer(subject):
        return

    def read_message(seen: Scope) -> OutgoingMessage:
        if data is None:
            return OutgoingMessage(
                address(program, subject, seen), undetermined_because(Reason("no-message"))
            )
        return OutgoingMessage(
            address(program, subject, seen), serialised_payload(program, data, seen, "")
        )

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _subscribed_to_bytes(program: Program, call: Call, scope: Scope) -> EventUse:
    payload: Payload | None = None
    handlers = [program.function_value(argument.value, scope) for argument in call.args[1:]]
    for handler in handlers:
        if handler is not None:
            inside = program.function_scope(handler.function, handler.scope)
            payload = payload or read_in(program, inside)
    payload = payload or read_in(program, named_function_scope(scope) or scope)
    found = address(program, call.args[0].value, scope)
    message = received_message(found, payload)
    return _use(program, message, call, scope)


def _use(program: Program, message: OutgoingMessage, call: Call | New, scope: Scope) -> EventUse:
    tokens = message.address.text.split(".")
    pattern = "*" in tokens or ">" in tokens
    origin = program.origin(call, scope)
    return channel_use("receive", message, origin, FRAMEWORK.name, pattern=pattern)


FRAMEWORK = Framework(
    name="NATS.Net",
    markers=(b"NATS.Client", b"NATS.Net", b"INatsConnection", b"INatsClient", b"INatsJSContext"),
    calls=_CALLS,
    events=events,
    protocols=("nats",),
)
