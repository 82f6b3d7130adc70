"""AWS SDK for .NET: messages of SQS and SNS."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Items, LibraryResult, Scope
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
    received_message,
)
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.value_sources import (
    made_by,
    sources,
    without_wrappers,
)
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    read_near,
    serialised_payload,
    undetermined_because,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FileFacts,
    NamedType,
    New,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address, resource_name

_QUEUES = frozenset({"IAmazonSQS", "AmazonSQSClient"})
_TOPICS = frozenset({"IAmazonSimpleNotificationService", "AmazonSimpleNotificationServiceClient"})
_CALLS = (
    *(b".SendMessageAsync(", b".PublishAsync(", b".ReceiveMessageAsync("),
    *(b".SendMessageBatchAsync(", b".PublishBatchAsync("),
)
_ENTRIES = ("Entries", "PublishBatchRequestEntries")
_REQUESTS = frozenset(
    {
        *("SendMessageRequest", "PublishRequest", "ReceiveMessageRequest"),
        *("SendMessageBatchRequest", "PublishBatchRequest"),
    }
)
_ADDRESSES = ("QueueUrl", "TopicArn")
_BODIES = ("MessageBody", "Message")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent, and every queue that is polled."""
    for file in program.seeds(framework):
        for call, callee, scope in method_calls(program, file, *_CALLS):
            name, receiver = callee.name, callee.value
            if not call.args:
                continue
            if name == "SendMessageAsync" and is_of(program, receiver, scope, _QUEUES):
                yield from _send_uses(program, call, scope, "sqs")
            elif name == "PublishAsync" and is_of(program, receiver, scope, _TOPICS):
                yield from _send_uses(program, call, scope, "sns")
            elif name == "SendMessageBatchAsync" and is_of(program, receiver, scope, _QUEUES):
                yield from _batch(program, call, scope, "sqs")
            elif name == "PublishBatchAsync" and is_of(program, receiver, scope, _TOPICS):
                yield from _batch(program, call, scope, "sns")
            elif name == "ReceiveMessageAsync" and is_of(program, receiver, scope, _QUEUES):
                yield _receive_use(program, file, call, scope)


# --------------------------------------------------------------------------- requests


def _request(program: Program, expr: Expr, scope: Scope) -> tuple[New, Scope] | None:
    """`new SendMessageRequest { … }`, also in a variable."""
    plain = without_wrappers(expr)
    if isinstance(plain, New):
        named = isinstance(plain.type, NamedType) and plain.type.name in _REQUESTS
        return (plain, scope) if named or plain.type is None else None
    given = list(sources(program, plain, scope))
    return _request(program, *given[0]) if len(given) == 1 and given[0][0] is not expr else None


def _part(made: New, names: tuple[str, ...], position: int) -> Expr | None:
    """A property that is set, or an argument of the constructor."""
    for entry in made.entries:
        if entry.key in names:
            return entry.value
    return made.args[position].value if position < len(made.args) else None


def _send_uses(program: Program, call: Call, scope: Scope, protocol: str) -> Iterator[EventUse]:
    first = call.args[0].value
    request = _request(program, first, scope)
    if request is not None and _part(request[0], ("PhoneNumber",), 9) is not None:
        return

    def read_message(seen: Scope) -> OutgoingMessage:
        made = _request(program, first, seen)
        if made is None:
            return _message_of_arguments(program, call, seen)
        where, what = _part(made[0], _ADDRESSES, 0), _part(made[0], _BODIES, 1)
        return OutgoingMessage(_address(program, where, made[1]), _payload(program, what, made[1]))

    for use in channel_uses(program, call, scope, read_message, FRAMEWORK.name):
        yield replace(use, protocols=(protocol,))


def _batch(program: Program, call: Call, scope: Scope, protocol: str) -> Iterator[EventUse]:
    """`SendMessageBatchAsync(request)`: one use for each place that makes an entry nearby."""
    first = call.args[0].value
    request = _request(program, first, scope)
    listed = (
        (_part(request[0], _ENTRIES, 1), request[1])
        if request is not None
        else (call.args[1].value if len(call.args) > 1 else None, scope)
    )
    made: list[tuple[New | None, Scope]] = list(_entries(program, *listed))

    def reader_of_entry(entry: New | None, place: Scope) -> Callable[[Scope], OutgoingMessage]:
        def read_message(seen: Scope) -> OutgoingMessage:
            given = _request(program, first, seen)
            where = (_part(given[0], _ADDRESSES, 0), given[1]) if given else (first, seen)
            found = _address(program, *where)
            if entry is None:
                return OutgoingMessage(
                    found, undetermined_because(Reason("entries-made-elsewhere"))
                )
            return OutgoingMessage(found, _payload(program, _part(entry, _BODIES, 1), place))

        return read_message

    for entry, place in made or [(None, scope)]:
        for use in channel_uses(
            program, call, scope, reader_of_entry(entry, place), FRAMEWORK.name
        ):
            yield replace(use, protocols=(protocol,))


def _entries(
    program: Program, listed: Expr | None, scope: Scope
) -> Iterator[tuple[New | None, Scope]]:
    """What a list of entries is made of."""
    value = None if listed is None else program.evaluate(listed, scope)
    for item in value.values if isinstance(value, Items) else ():
        if isinstance(item, LibraryResult) and isinstance(item.site, New):
            yield item.site, item.scope


def _message_of_arguments(program: Program, call: Call, scope: Scope) -> OutgoingMessage:
    """`SendMessageAsync(url, body)`."""
    if len(call.args) < 2 or is_of(program, call.args[0].value, scope, _REQUESTS):
        why = Address(reason=Reason("request-made-elsewhere"))
        return OutgoingMessage(why, undetermined_because(Reason("request-made-elsewhere")))
    where, what = call.args[0].value, call.args[1].value
    return OutgoingMessage(_address(program, where, scope), _payload(program, what, scope))


def _payload(program: Program, expr: Expr | None, scope: Scope) -> Payload:
    if expr is None:
        return undetermined_because(Reason("no-payload"))
    return serialised_payload(program, expr, scope, "")


def _address(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """The name that a URL or an ARN ends in, or that a queue's URL is asked for by."""
    if expr is None:
        return Address(reason=Reason("neither-queue-nor-topic-given"))
    for holder, place in ((expr, scope), *sources(program, without_wrappers(expr), scope)):
        plain = without_wrappers(holder)
        if isinstance(plain, Attribute) and plain.name == "QueueUrl":
            plain = plain.value
        asked = made_by(program, plain, place, "GetQueueUrlAsync", "CreateQueueAsync")
        if asked is not None and asked[0].args:
            return address(program, asked[0].args[0].value, asked[1])
    return resource_name(address(program, expr, scope))


# --------------------------------------------------------------------------- polling


def _receive_use(program: Program, file: FileFacts, call: Call, scope: Scope) -> EventUse:
    first = call.args[0].value
    request = _request(program, first, scope)
    where = (
        (_part(request[0], _ADDRESSES, 0), request[1]) if request is not None else (first, scope)
    )
    payload = read_near(program, file, scope)
    message = received_message(_address(program, *where), payload)
    use = channel_use("receive", message, program.origin(call, scope), FRAMEWORK.name)
    return replace(use, protocols=("sqs",))


FRAMEWORK = Framework(
    name="AWS SDK for .NET",
    markers=(b"Amazon.SQS", b"Amazon.SimpleNotificationService", b"IAmazonSQS"),
    calls=_CALLS,
    events=events,
)
