"""MQTT: Eclipse Paho (3.1 and 5) and HiveMQ's client."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, LibraryResult, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import with_receivers
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    Lambda,
    Name,
    New,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import (
    PLAIN_MAPPER,
    Payload,
    argument_payload,
    undetermined_payload,
)
from contract_scan.parsers.source.java.messaging.readers import read_near
from contract_scan.parsers.source.java.messaging.reading import read_as
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite, sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import READING
from contract_scan.parsers.source.language import Framework

_PAHO = "org.eclipse.paho."
_MAX_LINKS = 30
"""Links of a chain of calls that are looked at."""


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is published to or subscribed to."""
    for file in program.seeds(framework):
        subscribed: list[tuple[Call, Expr, Scope]] = []
        for call, callee, scope in with_receivers(program.calls(file)):
            name, holder = callee.name, callee.value
            if name == "publish" and len(call.args) >= 2 and _is_paho(program, holder, scope):
                topic, message = call.args[0].value, call.args[1].value
                yield from _publish_uses(program, call, topic, message, scope)
            elif name == "subscribe" and call.args and _is_paho(program, holder, scope):
                subscribed += [(call, topic, scope) for topic in _topics(call.args[0].value)]
            elif name == "send" and not call.args:
                chain = _chain(holder)
                into, of = chain.get("topic"), chain.get("topicFilter")
                if "publishWith" in chain and into is not None:
                    yield from _publish_uses(program, call, into, chain.get("payload"), scope)
                elif "subscribeWith" in chain and of is not None:
                    subscribed.append((call, of, scope))
        yield from _receive_uses(program, subscribed)


def _is_paho(program: Program, expr: Expr, scope: Scope) -> bool:
    value = program.evaluator.unwrap(program.evaluate(expr, scope))
    name = program.evaluator.qualified_name(value)
    if isinstance(value, LibraryResult | ByType) and name.startswith(_PAHO):
        return True
    return isinstance(value, ByType) and type_name(value.type).startswith(("Mqtt", "IMqtt"))


def _chain(expr: Expr) -> dict[str, Expr | None]:
    """The methods of a builder that are called in a chain, with what each is given."""
    found: dict[str, Expr | None] = {}
    for _ in range(_MAX_LINKS):
        match expr:
            case Call(callee=Attribute(value=inner, name=name), args=args):
                found.setdefault(name, args[0].value if args else None)
                expr = inner
            case _:
                break
    return found


# --------------------------------------------------------------------------- publishing


def _publish_uses(
    program: Program, call: Call, topic: Expr, message: Expr | None, scope: Scope
) -> Iterator[EventUse]:
    body = _body(program, message, scope)
    for site in sites_of_call(program, call, scope, (topic, body)):
        origin = program.origin(site.shown, site.shown_scope)
        found = address(program, topic, site.scope)
        yield channel_use("send", found, _payload(program, site, body), origin, FRAMEWORK.name)


def _payload(program: Program, site: SendSite, body: Expr | None) -> Payload:
    origin = program.origin(site.shown, site.shown_scope)
    if body is None:
        return undetermined_payload(Reason("message-content-not-followed"), origin)
    return argument_payload(program, site, body, origin, PLAIN_MAPPER)


def _body(program: Program, expr: Expr | None, scope: Scope) -> Expr | None:
    """What a message of Paho holds: `new MqttMessage(bytes)`, `message.setPayload(bytes)`. Bytes
    and texts stand for themselves."""
    made = expr
    if isinstance(expr, Name):
        value = program.evaluate(expr, scope)
        if not isinstance(value, LibraryResult) or not isinstance(value.site, New):
            is_message = isinstance(value, ByType) and type_name(value.type) == "MqttMessage"
            return None if is_message else expr
        made = value.site
    if not isinstance(made, New) or type_name(made.type) != "MqttMessage":
        return expr
    if made.args:
        return made.args[0].value
    return _set_on(program, expr, scope) if isinstance(expr, Name) else None


def _set_on(program: Program, message: Name, scope: Scope) -> Expr | None:
    """What `message.setPayload(…)` is given in the same method."""
    given = [
        call.args[0].value
        for call, place in program.calls(scope.file)
        if place.function is scope.function and isinstance(call, Call) and call.args
        if isinstance(call.callee, Attribute) and call.callee.name == "setPayload"
        if isinstance(call.callee.value, Name) and call.callee.value.id == message.id
    ]
    return given[0] if len(given) == 1 else None


# --------------------------------------------------------------------------- subscribing


def _topics(expr: Expr) -> list[Expr]:
    """A topic, or an array of topics."""
    return list(expr.items) if isinstance(expr, ArrayLiteral) else [expr]


def _receive_uses(
    program: Program, subscribed: list[tuple[Call, Expr, Scope]]
) -> Iterator[EventUse]:
    """A topic's own listener gets its messages; the callback of the client gets those of all
    topics."""
    shared = sum(not _has_listener(call) for call, _, _ in subscribed)
    for call, topic, scope in subscribed:
        for site in sites_of_call(program, call, scope, (topic,)):
            origin = program.origin(site.shown, site.shown_scope)
            payload = _listener_payload(program, site, origin)
            if payload is None and shared > 1 and not _has_listener(call):
                payload = undetermined_payload(Reason("callback-shared-by-topics"), origin)
            elif payload is None:
                payload = read_near(program, None, scope, origin, PLAIN_MAPPER)
            found = address(program, topic, site.scope)
            yield channel_use("receive", found, payload, origin, FRAMEWORK.name)


def _listener_payload(program: Program, site: SendSite, origin: Origin) -> Payload | None:
    """The payload that a function reads which a caller passes to the project's own wrapper;
    None where it passes none."""
    if site.shown is site.call:
        return None
    for argument in site.shown.args:
        handler = program.function_value(argument.value, site.shown_scope)
        if handler is not None:
            inside = program.function_scope(handler.function, handler.scope)
            read = read_as(program, inside)
            if read is None:
                return undetermined_payload(Reason("message-handling-not-followed"), origin)
            schema = program.schema(read.type, inside, f"{read.variant};{READING}")
            return Payload(schema, type_name(read.type))
    return None


def _has_listener(call: Call) -> bool:
    """Whether what takes the messages stands beside the subscription."""
    if any(isinstance(argument.value, Lambda) for argument in call.args):
        return True
    return isinstance(call.callee, Attribute) and "callback" in _chain(call.callee.value)


FRAMEWORK = Framework(
    name="MQTT",
    markers=(b"org.eclipse.paho", b"com.hivemq.client"),
    calls=(b".publish(", b".subscribe(", b".publishWith(", b".subscribeWith(", b".setPayload("),
    events=events,
    protocols=("mqtt",),
)
