"""Spring Cloud AWS: `@SqsListener`, `SqsTemplate`, `SnsTemplate` and the older templates."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Lambda
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    Listener,
    listener_payload,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.messages import (
    Messaging,
    framework,
    message_content,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import argument_payload
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite, sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import items
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.messaging.addresses import Address, resource_name

_QUEUES = frozenset(
    {"SqsTemplate", "SqsOperations", "SqsAsyncOperations", "QueueMessagingTemplate"}
)
_TOPICS = frozenset({"SnsTemplate", "SnsOperations", "NotificationMessagingTemplate"})
_DEFAULT_QUEUE = "spring.cloud.aws.sqs.template.defaultqueue"


def _receive_uses(program: Program, listener: Listener, variant: str) -> Iterator[EventUse]:
    del variant
    payload = listener_payload(program, listener, wire_variant(program, listener.symbol.file.path))
    queues = listener.annotation.get("value", "queueNames")
    for item in items(queues[0]) if queues is not None else ():
        assert queues is not None
        found = resource_name(address(program, item, queues[1]))
        event = channel_use("receive", found, payload, listener.origin, FRAMEWORK.name)
        yield replace(event, protocols=("sqs",))


def _send_uses(program: Program, call: Call, scope: Scope, variant: str) -> Iterator[EventUse]:
    assert isinstance(call.callee, Attribute)
    del variant
    args = [given.value for given in call.args]
    is_topic = program.qualified_name(call.callee.value, scope).rpartition(".")[2] in _TOPICS
    if len(args) == 1 and isinstance(args[0], Lambda):
        yield _use_of_options(program, call, args[0], scope)
        return
    destination, payload = (args[0], args[1]) if len(args) > 1 else (None, args[0])
    for site in sites_of_call(program, call, scope, (destination, payload)):
        found = _destination(program, destination, site.scope)
        event = _event(program, site, found, payload)
        yield replace(event, protocols=("sns",) if is_topic else ("sqs",))


def _destination(program: Program, expr: Expr | None, scope: Scope) -> Address:
    if expr is not None:
        return resource_name(address(program, expr, scope))
    text = settings(program, scope.file.path).get(_DEFAULT_QUEUE, "")
    if text:
        return resource_name(Address(text=text))
    return Address(reason=Reason("default-queue-not-set"))


def _event(program: Program, site: SendSite, found: Address, payload: Expr | None) -> EventUse:
    origin = program.origin(site.shown, site.shown_scope)
    variant = wire_variant(program, site.scope.file.path)
    if payload is not None:
        content = message_content(program, payload, site.scope)
        if content is not None:
            payload, site = (
                content.payload,
                SendSite(site.call, content.scope, site.shown, site.scope),
            )
    message = argument_payload(program, site, payload, origin, variant)
    return channel_use("send", found, message, origin, FRAMEWORK.name)


def _use_of_options(program: Program, call: Call, options: Lambda, scope: Scope) -> EventUse:
    """`send(to -> to.queue("orders").payload(order))`."""
    inside = program.function_scope(options.function, scope)
    steps: dict[str, tuple[Expr, Scope]] = {}
    for step, place in calls_in(program, inside.statements or (), inside):
        if isinstance(step, Call) and isinstance(step.callee, Attribute) and step.args:
            steps.setdefault(step.callee.name, (step.args[0].value, place))
    queue, payload = steps.get("queue"), steps.get("payload")
    found = _destination(program, *(queue or (None, scope)))
    site = SendSite(call, payload[1] if payload is not None else scope, call, scope)
    event = _event(program, site, found, payload[0] if payload is not None else None)
    return replace(event, protocols=("sqs",))


FRAMEWORK = framework(
    Messaging(
        name="Spring Cloud AWS",
        markers=(b"io.awspring.cloud", b"org.springframework.cloud.aws"),
        calls=(b".send(", b".sendAsync(", b".convertAndSend(", b".sendNotification("),
        listener="SqsListener",
        templates=_QUEUES | _TOPICS,
        packages=("io.awspring.cloud", "org.springframework.cloud.aws"),
        sends=frozenset(
            {"send", "sendAsync", "convertAndSend", "sendNotification", "sendAndReceive"}
        ),
        read_listener=_receive_uses,
        read_send=_send_uses,
    )
)
