"""AWS SDK for JavaScript, versions 2 and 3: SNS, SQS and EventBridge; `sqs-consumer`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Call, Expr, New
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import property_of
from contract_scan.parsers.source.typescript.messaging.received import handler_of, received_around
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses

NAME = "AWS SDK"

_MODULES = ("@aws-sdk/client-sns", "@aws-sdk/client-sqs", "@aws-sdk/client-eventbridge")
_OPERATIONS = {
    "publish": "Publish",
    "publishBatch": "PublishBatch",
    "sendMessage": "SendMessage",
    "sendMessageBatch": "SendMessageBatch",
    "putEvents": "PutEvents",
    "receiveMessage": "ReceiveMessage",
}
_COMMANDS = frozenset(
    f"{module}.{operation}Command" for module in _MODULES for operation in _OPERATIONS.values()
)
_VERSION_2 = (
    "aws-sdk",
    "aws-sdk/clients/sns",
    "aws-sdk/clients/sqs",
    "aws-sdk/clients/eventbridge",
)
_LOOP = Unknown(reason=Reason("receive-loop-not-followed"))


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic, queue and event bus that is sent to or polled."""
    for call, name, scope in library.constructions(program, framework, _COMMANDS):
        operation = name.rsplit(".", 1)[-1].removesuffix("Command")
        yield from _operation(program, operation, call, scope)
    modules = (*_MODULES, *_VERSION_2)
    methods = frozenset({*_OPERATIONS, "create"})
    for found in library.method_calls(program, framework, (*modules, "sqs-consumer"), methods):
        if found.kind.startswith("sqs-consumer"):
            if found.method == "create":
                yield from _consumer(program, found.call, found.scope)
        elif found.method in _OPERATIONS:
            yield from _operation(program, _OPERATIONS[found.method], found.call, found.scope)


def _operation(
    program: Program, operation: str, call: Call | New, scope: Scope
) -> Iterator[EventUse]:
    given = call.args[0].value if call.args else None
    match operation:
        case "Publish" | "PublishBatch":
            topic = property_of(program, given, scope, "TopicArn")
            topic = topic or property_of(program, given, scope, "TargetArn")
            if topic is not None:  # a text message to a phone has neither
                entries = "PublishBatchRequestEntries" if operation == "PublishBatch" else ""
                yield from _send_uses(program, topic, given, entries, "Message", call, scope)
        case "SendMessage" | "SendMessageBatch":
            queue = property_of(program, given, scope, "QueueUrl")
            entries = "Entries" if operation == "SendMessageBatch" else ""
            if queue is not None:
                yield from _send_uses(program, queue, given, entries, "MessageBody", call, scope)
        case "PutEvents":
            for entry in library.items_of(property_of(program, given, scope, "Entries")):
                yield from _event_bridge_uses(program, entry, call, scope)
        case "ReceiveMessage":
            queue = property_of(program, given, scope, "QueueUrl")
            if queue is not None:
                shape = received_around(program, scope) or _LOOP
                site = library.receive_site(NAME, queue, None, scope, call.span, shape=shape)
                yield from _short(program, site)


def _send_uses(
    program: Program,
    address: Expr,
    given: Expr | None,
    entries: str,
    body: str,
    call: Call | New,
    scope: Scope,
) -> Iterator[EventUse]:
    messages = [given]
    if entries:
        messages = [*library.items_of(property_of(program, given, scope, entries))]
    for message in messages:
        payload = property_of(program, message, scope, body)
        yield from _short(program, library.send_site(NAME, address, payload, scope, call.span))


def _event_bridge_uses(
    program: Program, entry: Expr, call: Call | New, scope: Scope
) -> Iterator[EventUse]:
    """An event of EventBridge: its type is the address, beside its source and bus."""
    kind = property_of(program, entry, scope, "DetailType")
    if kind is None:
        kind = library.constant(program, None, scope, call.span, "type of the event")
    detail = property_of(program, entry, scope, "Detail")
    parts = [
        program.text(property_of(program, entry, scope, name), scope)
        for name in ("Source", "EventBusName")
    ]
    for use in uses(program, library.send_site(NAME, kind, detail, scope, call.span)):
        source, bus = parts[0] or "", _resource_name(parts[1] or "")
        names = [f"{source}/{use.address}", f"{source}.{use.address}"] if source else []
        aliases = tuple(name for name in (*names, bus) if name and not use.unresolved)
        yield replace(use, aliases=aliases, message=use.message or use.address)


def _consumer(program: Program, call: Call | New, scope: Scope) -> Iterator[EventUse]:
    """`Consumer.create({ queueUrl, handleMessage })`."""
    given = call.args[0].value if call.args else None
    queue = property_of(program, given, scope, "queueUrl")
    if queue is None:
        return
    written = property_of(program, given, scope, "handleMessage")
    handler = handler_of(program, written, scope) if written is not None else None
    yield from _short(program, library.receive_site(NAME, queue, handler, scope, call.span))


def _short(program: Program, site: MessageSite) -> Iterator[EventUse]:
    """Uses by the name of the topic or queue, which stands at the end of its ARN or URL."""
    for use in uses(program, site):
        yield replace(use, address=_resource_name(use.address))


def _resource_name(address: str) -> str:
    return address.rsplit("/", 1)[-1].rsplit(":", 1)[-1]


FRAMEWORK = Framework(
    name=NAME,
    markers=(
        b"@aws-sdk/client-sns",
        b"@aws-sdk/client-sqs",
        b"@aws-sdk/client-eventbridge",
        b"aws-sdk'",
        b'aws-sdk"',
        b"aws-sdk/clients/",
        b"sqs-consumer",
    ),
    calls=(
        *(b"%sCommand(" % operation.encode() for operation in _OPERATIONS.values()),
        *(b".%s(" % method.encode() for method in _OPERATIONS),
        b"Consumer.create(",
    ),
    events=events,
    protocols=("sns", "sqs", "http"),
)
