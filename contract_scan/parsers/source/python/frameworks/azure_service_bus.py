"""Azure Service Bus: queues and topics that are sent to and received from."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Items,
    LibraryResult,
    OneOf,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import (
    Payload,
    enclosing_function,
    handler_payload,
    of_value,
)
from contract_scan.parsers.source.python.messaging.syntax import is_own_attribute
from contract_scan.parsers.source.python.messaging.trace import attribute_values
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    known_places,
    made_by,
    method_calls,
    receive,
    use,
)
from contract_scan.parsers.source.python.web.common import argument

_NAMES = (b"azure.servicebus",)
_CALLS = (
    *(b".send_messages(", b".schedule_messages(", b".add_message("),
    *(b".get_queue_receiver(", b".get_subscription_receiver("),
)
_SENDS = frozenset({"send_messages", "schedule_messages", "add_message"})
_SENDERS = ("get_queue_sender", "get_topic_sender")
_MESSAGE = "ServiceBusMessage"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent to or received from a queue or topic."""
    if not program.files_containing(*_NAMES):
        return
    for call, callee, scope in method_calls(program, *_CALLS):
        if callee.name in _SENDS:
            yield from _send_uses(program, framework, call, callee.value, scope)
        elif callee.name == "get_queue_receiver":
            yield from _receive_uses(program, framework, call, scope, "queue_name")
        elif callee.name == "get_subscription_receiver":
            yield from _receive_uses(program, framework, call, scope, "topic_name")


def _send_uses(
    program: Program, framework: Framework, call: Call, sender: Expr, scope: Scope
) -> Iterator[EventUse]:
    message = argument(call, 0, "message", "messages")
    if message is None or not _is_sender(program, sender, message, scope):
        return
    seen: set[tuple[object, ...]] = set()
    for known, origin in known_places(program, call, scope, [sender, message]):
        contents = list(_messages(program, program.evaluate(message, known)))
        for text, unresolved in _addresses(program, sender, known):
            for content in contents:
                key = (text, content.name, origin.span)
                if key not in seen:
                    seen.add(key)
                    yield use(framework, "send", text, content, origin, unresolved)


def _is_sender(program: Program, sender: Expr, message: Expr, scope: Scope) -> bool:
    """Whether messages of this library are sent, rather than a batch of them that was filled by
    `add_message`."""
    if made_by(program, program.evaluate(sender, scope), "azure.servicebus.*"):
        value = program.evaluate(message, scope)
        is_batch = isinstance(value, LibraryResult) and value.name.endswith(".create_message_batch")
        return not is_batch
    pending = [program.evaluate(message, scope)]
    return any(isinstance(v, LibraryResult) and v.name.endswith(_MESSAGE) for v in _flat(pending))


def _flat(pending: list[Value]) -> Iterator[Value]:
    while pending:
        value = pending.pop(0)
        match value:
            case Items(values=values):
                pending.extend(values)
            case OneOf(options=options):
                pending.extend(options)
            case _:
                yield value


def _messages(program: Program, value: Value) -> Iterator[Payload]:
    for item in _flat([value]):
        if isinstance(item, LibraryResult) and item.name.endswith(_MESSAGE):
            yield of_value(program, item)
        elif isinstance(item, ByType):
            yield Payload(Unknown(reason=Reason("message-construction-not-found")))
        else:
            yield of_value(program, item)


def _addresses(program: Program, sender: Expr, scope: Scope) -> list[tuple[str, Reason]]:
    values = [program.evaluate(sender, scope)]
    if is_own_attribute(sender) and scope.owner is not None:
        values += [value for value, _ in attribute_values(program, scope.owner, sender.name)]
    for value in _flat(values):
        current: Value | None = value
        while isinstance(current, LibraryResult):
            last = current.name.rpartition(".")[2]
            if last in _SENDERS and isinstance(current.site, Call):
                name = argument(current.site, 0, "queue_name", "topic_name")
                return list(addresses(program, name, current.scope))
            current = current.receiver
    return [("", Reason("sender-destination-not-found"))]


def _receive_uses(
    program: Program, framework: Framework, call: Call, scope: Scope, name: str
) -> Iterator[EventUse]:
    content = handler_payload(program, enclosing_function(scope))
    for text, unresolved in addresses(program, argument(call, 0, name), scope):
        yield receive(framework, text, content, origin_at(scope, call.span), unresolved=unresolved)


FRAMEWORK = Framework(
    name="Azure Service Bus",
    markers=(*_NAMES, *_CALLS),
    calls=_CALLS,
    protocols=("amqp", "jms"),
    events=events,
)
