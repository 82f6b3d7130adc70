"""Spring JMS: `@JmsListener`, `JmsTemplate`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Lambda, New
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    Listener,
    listener_payload,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.messages import (
    Messaging,
    framework,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import argument_payload
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite, sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.messaging.addresses import Address

_TEMPLATES = frozenset(
    {"JmsTemplate", "JmsOperations", "JmsMessagingTemplate", "JmsMessageOperations"}
)
_CONVERTERS = frozenset({"MappingJackson2MessageConverter", "JacksonJsonMessageConverter"})
_DESTINATIONS = ("Queue", "Topic")
_EXTRAS = frozenset({"MessagePostProcessor"})


def _receive_uses(program: Program, listener: Listener, variant: str) -> Iterator[EventUse]:
    destination = listener.annotation.get("destination")
    found = Address(reason=Reason("no-destination"))
    if destination is not None:
        found = address(program, *destination)
    payload = listener_payload(program, listener, variant)
    yield channel_use("receive", found, payload, listener.origin, FRAMEWORK.name)


def _send_uses(program: Program, call: Call, scope: Scope, variant: str) -> Iterator[EventUse]:
    assert isinstance(call.callee, Attribute)
    args = [given.value for given in call.args]
    if call.callee.name in ("send", "sendAndReceive"):
        yield from _made_by_creator(program, call, scope, args, variant)
        return
    if len(args) > 1 and _is_extra(program, args[-1], scope):
        args = args[:-1]
    destination, payload = (args[0], args[1]) if len(args) > 1 else (None, args[0])
    for site in sites_of_call(program, call, scope, (destination, payload)):
        found = _destination(program, destination, site.scope)
        origin = program.origin(site.shown, site.shown_scope)
        content = argument_payload(program, site, payload, origin, variant)
        yield channel_use("send", found, content, origin, FRAMEWORK.name)


def _is_extra(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether an argument changes the message rather than being it."""
    if isinstance(expr, Lambda):
        return True
    name = program.qualified_name(expr, scope)
    return name.rpartition(".")[2] in _EXTRAS


def _destination(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """A name, `new ActiveMQQueue("orders")`, or the default of the settings."""
    if expr is None:
        key = "spring.jms.template.defaultdestination"
        text = settings(program, scope.file.path).get(key, "")
        why = Reason("default-destination-not-set")
        return Address(text=text) if text else Address(reason=why)
    value = program.evaluate(expr, scope)
    match value:
        case LibraryResult(site=New(type=type, args=(name, *_))) if type_name(type).endswith(
            _DESTINATIONS
        ):
            return address(program, name.value, value.scope)
        case _:
            pass
    return address(program, expr, scope)


def _made_by_creator(
    program: Program, call: Call, scope: Scope, args: list[Expr], variant: str
) -> Iterator[EventUse]:
    """`send(destination, session -> session.createTextMessage(text))`."""
    destination, creator = (args[0], args[1]) if len(args) > 1 else (None, args[0])
    found = _destination(program, destination, scope)
    origin = program.origin(call, scope)
    payload, place = None, scope
    if isinstance(creator, Lambda):
        inside = program.function_scope(creator.function, scope)
        for made, within in calls_in(program, inside.statements or (), inside):
            match made:
                case Call(
                    callee=Attribute(name="createTextMessage" | "createObjectMessage"),
                    args=(first,),
                ):
                    payload, place = first.value, within
                case _:
                    pass
    content = argument_payload(
        program, SendSite(call, place, call, scope), payload, origin, variant
    )
    yield channel_use("send", found, content, origin, FRAMEWORK.name)


FRAMEWORK = framework(
    Messaging(
        name="Spring JMS",
        markers=(b"org.springframework.jms",),
        calls=(
            *(b".convertAndSend(", b".convertSendAndReceive", b".send("),
            *(f"new {name}".encode() for name in sorted(_CONVERTERS)),
        ),
        protocols=("jms",),
        listener="JmsListener",
        converters=_CONVERTERS,
        templates=_TEMPLATES,
        packages=("org.springframework.jms",),
        sends=frozenset({"convertAndSend", "convertSendAndReceive", "send", "sendAndReceive"}),
        read_listener=_receive_uses,
        read_send=_send_uses,
    )
)
