"""boto3 and aioboto3: topics of SNS, queues of SQS, events of EventBridge.

All their operations take keywords alone, which tells them apart whatever they are called on.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, origin_at
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, ObjectLiteral
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import (
    Payload,
    enclosing_function,
    handler_payload,
)
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    entries,
    entry_uses,
    method_calls,
    receive,
    sends,
)
from contract_scan.parsers.source.python.web.common import argument

_CALLS = (
    *(b".publish(", b".publish_batch(", b".send_message(", b".send_message_batch("),
    *(b".send_messages(", b".receive_message(", b".receive_messages(", b".put_events("),
)
_NAMES = (b"boto",)
_TOPICS = ("TopicArn", "TargetArn")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent to a topic, a queue or an event bus, or received from a queue."""
    if not program.files_containing(*_NAMES):
        return
    for call, callee, scope in method_calls(program, *_CALLS):
        given = {item.name for item in call.args}
        if given & _KEYWORDS and not _is_own(program, call, scope):
            protocols = () if callee.name == "put_events" else ("sns", "sqs")
            for use in _uses(program, framework, call, callee, scope):
                yield replace(with_resource_name(use), protocols=protocols)


_KEYWORDS = frozenset(
    {"TopicArn", "TargetArn", "QueueUrl", "Message", "MessageBody", "Entries"}
    | {"PublishBatchRequestEntries", "MaxNumberOfMessages", "WaitTimeSeconds"}
)


def _is_own(program: Program, call: Call, scope: Scope) -> bool:
    """Whether a function of the project is called, which hands on what it gets."""
    return isinstance(program.evaluate(call.callee, scope), FunctionValue)


def _uses(
    program: Program, framework: Framework, call: Call, callee: Attribute, scope: Scope
) -> Iterator[EventUse]:
    names = {item.name for item in call.args}
    topic = argument(call, -1, *_TOPICS)
    queue = argument(call, -1, "QueueUrl")
    match callee.name:
        case "publish" if "Message" in names and "PhoneNumber" not in names:
            message = _default_message(argument(call, -1, "Message"))
            yield from sends(program, framework, scope, call, topic or callee.value, message)
        case "publish_batch":
            address, many = topic or callee.value, argument(call, -1, "PublishBatchRequestEntries")
            yield from entry_uses(program, framework, call, scope, many, address, "Message")
        case "send_message" if "MessageBody" in names:
            message = argument(call, -1, "MessageBody")
            yield from sends(program, framework, scope, call, queue or callee.value, message)
        case "send_message_batch" | "send_messages" if "Entries" in names:
            address, many = queue or callee.value, argument(call, -1, "Entries")
            yield from entry_uses(program, framework, call, scope, many, address, "MessageBody")
        case "receive_message" | "receive_messages":
            content = _without_event_envelope(
                program, handler_payload(program, enclosing_function(scope))
            )
            for text, unresolved in addresses(program, queue or callee.value, scope):
                origin = origin_at(scope, call.span)
                yield receive(framework, text, content, origin, unresolved=unresolved)
        case "put_events" if "Entries" in names:
            yield from _event_bus_uses(program, framework, call, scope)
        case _:
            return


def _default_message(message: Expr | None) -> Expr | None:
    """What all subscribers get: `json.dumps({"default": json.dumps(order)})`."""
    match message:
        case Call(args=[first, *_]) if isinstance(first.value, ObjectLiteral):
            for entry in first.value.entries:
                if entry.key == "default":
                    return entry.value
        case _:
            pass
    return message


def _event_bus_uses(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    """`put_events(Entries=[{"Source": …, "DetailType": …, "Detail": …}])`."""
    entry_list = argument(call, -1, "Entries")
    for use, found in entries(program, framework, call, scope, entry_list, "DetailType", "Detail"):
        names = [
            program.evaluator.text(found[key]) for key in ("EventBusName", "Source") if key in found
        ]
        known = [name for name in names if name]
        yield replace(
            use,
            aliases=(
                *known,
                *(f"{name}/{use.address}" for name in known),
                *(f"{name}.{use.address}" for name in known),
            )
            if use.address
            else (),
        )


def with_resource_name(use: EventUse) -> EventUse:
    """A use whose address is an ARN or the URL of a queue, renamed to the name of the topic or
    queue; the ARN or URL stays as an alias."""
    address = use.address
    if address.startswith("arn:"):
        name = address.rpartition(":")[2]
    elif address.startswith(("http://", "https://")) or ".amazonaws.com" in address:
        name = address.rstrip("/").rpartition("/")[2]
    else:
        return use
    if not name.replace("{}", ""):
        return replace(use, address="", unresolved=Reason("address-computed"))
    return replace(use, address=name, aliases=(*use.aliases, address))


def _without_event_envelope(program: Program, content: Payload) -> Payload:
    """The message in the envelope of EventBridge or SNS: a rule of EventBridge puts it in
    `detail`."""
    flat = program.types.flat(content.schema)
    if not isinstance(flat, Object) or flat.name:
        return content
    fields = {field.name: field for field in flat.fields}
    if "detail" in fields and fields.keys() <= _EVENT_KEYS:
        return Payload(fields["detail"].schema)
    if fields and fields.keys() <= _SNS_KEYS and "Message" in fields:
        return Payload(Unknown(reason=Reason("message-not-parsed")))
    return content


_EVENT_KEYS = frozenset(
    {"version", "id", "detail-type", "source", "account", "time", "region", "resources", "detail"}
)
_SNS_KEYS = frozenset({"Type", "MessageId", "TopicArn", "Subject", "Message", "Timestamp"})

FRAMEWORK = Framework(name="boto3", markers=(*_NAMES, *_CALLS), calls=_CALLS, events=events)
