"""Dapr: `PublishEventAsync`, `[Topic]`, `WithTopic`, topic handlers."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.payloads import handler_payload
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
)
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find_all
from contract_scan.parsers.source.csharp.resolution.arguments import call_argument
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    serialised_payload,
    undetermined_because,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
)
from contract_scan.parsers.source.language import Framework

_CLIENTS = frozenset({"DaprClient", "IDaprPublishSubscribeClient", "DaprPublishSubscribeClient"})
_SENDS = frozenset({"PublishEventAsync", "BulkPublishEventAsync"})
_CALLS = (b".PublishEventAsync", b".BulkPublishEventAsync", b".WithTopic(", b"[Topic(")
_WEB = "bare@web"
"""What handlers read, as ASP.NET Core does by default."""
_ENVELOPES = frozenset({"CloudEvent", "BulkSubscribeMessage", "BulkSubscribeMessageEntry"})
_MAX_CHAIN = 40


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every event that is published, every handler of a topic."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                origin = Origin(
                    file.path, method.name_span, "", f"{symbol.qualified_name}.{method.name}"
                )
                for marked in find_all(method.annotations, "Topic"):
                    yield _topic_attribute_use(program, marked, method, inside, origin)
            for marked in find_all(symbol.decl.annotations, "DaprTopic"):
                handler = next((m for m in symbol.decl.methods if m.name == "HandleAsync"), None)
                if handler is not None:
                    yield _topic_attribute_use(program, marked, handler, inside, symbol.origin)
        for call, callee, scope in method_calls(program, file, *_CALLS):
            for delegate in (a.value for a in call.args if isinstance(a.value, Lambda)):
                function = delegate.function
                for marked in find_all(function.annotations, "Topic"):
                    origin = program.origin(delegate, scope)
                    yield _topic_attribute_use(program, marked, function, scope, origin)
            if callee.name in _SENDS and len(call.args) >= 2:
                if is_of(program, callee.value, scope, _CLIENTS):
                    yield from _publish_uses(program, call, scope)
            elif callee.name == "WithTopic" and len(call.args) >= 2:
                yield _mapped_topic_use(program, call, callee.value, scope)


# --------------------------------------------------------------------------- publishing


def _publish_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    assert isinstance(call.callee, Attribute)
    topic, data = call_argument(call, "topicName", 1), call_argument(call, "data", 2)
    is_bulk = call.callee.name == "BulkPublishEventAsync"

    def read_message(seen: Scope) -> OutgoingMessage:
        found = address(program, topic, seen)
        if data is None:
            return OutgoingMessage(found, undetermined_because(Reason("no-payload")))
        payload = serialised_payload(program, data, seen, _serialization_mode(program))
        if is_bulk:
            payload = undetermined_because(Reason("events-published-in-batch"))
        return OutgoingMessage(found, payload)

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _serialization_mode(program: Program) -> str:
    """The client writes with the serializer's defaults for the web, unless it is given options."""
    return "bare@?" if program.any_file_contains(b".UseJsonSerializationOptions(") else _WEB


# --------------------------------------------------------------------------- handlers


def _topic_attribute_use(
    program: Program, marked: Annotation, method: Function, scope: Scope, origin: Origin
) -> EventUse:
    """`[Topic("pubsub", "orders")]` on an action or a delegate."""
    found = address(program, argument(marked, 1, "name", "topicName"), scope)
    payload = handler_payload(program, method, scope, _WEB, _ENVELOPES)
    return channel_use("receive", OutgoingMessage(found, payload), origin, FRAMEWORK.name)


def _mapped_topic_use(program: Program, call: Call, chain: Expr, scope: Scope) -> EventUse:
    """`app.MapPost("/orders", (Order order) => …).WithTopic("pubsub", "orders")`."""
    found = address(program, call.args[1].value, scope)
    payload = undetermined_because(Reason("topic-handler-not-followed"))
    for _ in range(_MAX_CHAIN):
        match chain:
            case Call(callee=Attribute(value=inner, name=name), args=args):
                if name.startswith("Map") and len(args) >= 2:
                    function = program.function_value(args[-1].value, scope)
                    if function is not None:
                        payload = handler_payload(
                            program, function.function, function.scope, _WEB, _ENVELOPES
                        )
                    break
                chain = inner
            case _:
                break
    return channel_use(
        "receive", OutgoingMessage(found, payload), program.origin(call, scope), FRAMEWORK.name
    )


FRAMEWORK = Framework(
    name="Dapr",
    markers=(b"Dapr", b"PublishEventAsync"),
    calls=_CALLS,
    events=events,
)
