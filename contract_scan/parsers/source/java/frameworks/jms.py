"""JMS without a framework: producers, consumers, and message-driven beans."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, LibraryResult, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in, with_receivers
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call, Expr, Name, New
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import PLAIN_MAPPER, argument_payload
from contract_scan.parsers.source.java.messaging.readers import read_near
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    element_of,
    find,
    nested_annotations,
    type_name,
)
from contract_scan.parsers.source.java.web.chains import library_type, method
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_SENDERS = frozenset({"MessageProducer", "QueueSender", "TopicPublisher", "JMSProducer"})
_MAKE_SENDER = frozenset({"createProducer", "createSender", "createPublisher"})
_MAKE_RECEIVER = frozenset(
    {
        *("createConsumer", "createReceiver", "createSubscriber", "createDurableSubscriber"),
        *("createSharedConsumer", "createDurableConsumer", "createSharedDurableConsumer"),
    }
)
_MAKE_DESTINATION = frozenset({"createQueue", "createTopic"})
_MESSAGES = frozenset({"createTextMessage", "createObjectMessage"})
_DESTINATIONS = frozenset({"destinationLookup", "destination"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent, every consumer, every message-driven bean."""
    for file in program.seeds(framework):
        for call, callee, scope in with_receivers(program.calls(file)):
            name = method(call)
            if name in ("send", "publish") and call.args:
                if _is_of_type(program, callee.value, scope, _SENDERS, _MAKE_SENDER):
                    yield from _send_uses(program, call, scope)
            elif name in _MAKE_RECEIVER and call.args:
                yield _receive_use(program, call, scope)
        for symbol in program.classes(file):
            bean = find(symbol.decl.annotations, "MessageDriven")
            if bean is not None:
                yield _message_driven_use(program, symbol, bean)


def _is_of_type(
    program: Program, expr: Expr, scope: Scope, types: frozenset[str], makers: frozenset[str]
) -> bool:
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult) and value.name.rpartition(".")[2] in makers:
        return True
    return library_type(program, value) in types


# --------------------------------------------------------------------------- sent


def _send_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    assert isinstance(call.callee, Attribute)
    args = [each.value for each in call.args]
    value = program.evaluate(call.callee.value, scope)
    made = (
        value if isinstance(value, LibraryResult) else _made_in_class(program, scope, _MAKE_SENDER)
    )
    to: tuple[Expr, Scope] | None = None
    if len(args) > 1 and _is_destination(program, args[0], scope):
        to, args = (args[0], scope), args[1:]
    elif made is not None and made.site.args:
        to = made.site.args[0].value, made.scope
    message, place = _message(program, args[0], scope)
    for site in sites_of_call(program, call, place, (to[0] if to is not None else None, message)):
        inside = site.scope if to is not None and to[1] is place else to[1] if to else scope
        found = _address(program, to[0] if to else None, inside)
        origin = program.origin(site.shown, site.shown_scope)
        payload = argument_payload(program, site, message, origin, PLAIN_MAPPER)
        yield channel_use("send", found, payload, origin, FRAMEWORK.name)


def _is_destination(program: Program, expr: Expr, scope: Scope) -> bool:
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult) and value.name.rpartition(".")[2] in _MAKE_DESTINATION:
        return True
    return library_type(program, value) in ("Queue", "Topic", "Destination")


def _message(program: Program, expr: Expr, scope: Scope) -> tuple[Expr | None, Scope]:
    """What a message holds: given when it is made, or set later; text that is sent as it is."""
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult) and value.name.rpartition(".")[2] in _MESSAGES:
        if value.site.args:
            return value.site.args[0].value, value.scope
        return _set_later(program, expr, scope), scope
    if library_type(program, value).endswith("Message"):
        return _set_later(program, expr, scope), scope
    return expr, scope


def _set_later(program: Program, expr: Expr, scope: Scope) -> Expr | None:
    """`message.setText(json)` in the same function."""
    if not isinstance(expr, Name):
        return None
    for call, _ in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or method(call) not in ("setText", "setObject"):
            continue
        if isinstance(call.callee, Attribute) and call.args:
            receiver = call.callee.value
            if isinstance(receiver, Name) and receiver.id == expr.id:
                return call.args[0].value
    return None


def _made_in_class(program: Program, scope: Scope, makers: frozenset[str]) -> LibraryResult | None:
    """What the class around a place makes once, and keeps in a field."""
    owner = scope.owner_around
    if owner is None:
        return None
    found: list[LibraryResult] = []
    inside = program.class_scope(owner)
    for function in owner.decl.methods:
        place = program.function_scope(function, inside)
        for call, within in calls_in(program, place.statements or (), place):
            if isinstance(call, Call) and method(call) in makers:
                value = program.evaluate(call, within)
                if isinstance(value, LibraryResult):
                    found.append(value)
    return found[0] if len(found) == 1 else None


# --------------------------------------------------------------------------- received


def _receive_use(program: Program, call: Call, scope: Scope) -> EventUse:
    found = _address(program, call.args[0].value, scope)
    origin = program.origin(call, scope)
    payload = read_near(program, None, scope, origin, PLAIN_MAPPER)
    return channel_use("receive", found, payload, origin, FRAMEWORK.name)


def _message_driven_use(program: Program, symbol: ClassSymbol, bean: Annotation) -> EventUse:
    """`@MessageDriven(activationConfig = @ActivationConfigProperty(…))`."""
    inside = program.class_scope(symbol)
    found = Address(reason=Reason("no-destination"))
    configured = argument(bean, "mappedName")
    for item in nested_annotations(argument(bean, "activationConfig")):
        if program.text(element_of(item.args, "propertyName"), inside) in _DESTINATIONS:
            configured = element_of(item.args, "propertyValue")
    if configured is not None:
        found = _without_jndi_path(address(program, configured, inside))
    function = next((f for f in symbol.decl.methods if f.name == "onMessage"), None)
    scope = program.function_scope(function, inside) if function is not None else inside
    span = function.name_span if function is not None else symbol.decl.name_span
    origin = Origin(symbol.file.path, span, "", symbol.qualified_name)
    payload = read_near(program, None, scope, origin, PLAIN_MAPPER)
    return channel_use("receive", found, payload, origin, FRAMEWORK.name)


# --------------------------------------------------------------------------- destinations


def _address(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """`session.createQueue("orders")`, `new ActiveMQTopic("orders")`, an injected queue."""
    if expr is None:
        return Address(reason=Reason("destination-given-elsewhere"))
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult):
        name = value.name.rpartition(".")[2]
        is_new = isinstance(value.site, New) and type_name(value.site.type).endswith(
            ("Queue", "Topic")
        )
        if value.site.args and (name in _MAKE_DESTINATION or is_new):
            return address(program, value.site.args[0].value, value.scope)
    injected = _injected_destination(program, expr, scope)
    if injected is not None:
        return _without_jndi_path(injected)
    return Address(reason=Reason("destination-made-elsewhere"))


def _injected_destination(program: Program, expr: Expr, scope: Scope) -> Address | None:
    """The destination that `@Resource(lookup = "java:/jms/queue/orders")` injects into a
    field."""
    owner = scope.owner_around
    name = expr.id if isinstance(expr, Name) else expr.name if isinstance(expr, Attribute) else ""
    for member in owner.decl.members if owner is not None else ():
        resource = find(member.annotations, "Resource")
        written_name = argument(resource, "lookup", "mappedName", "name")
        if member.name == name and owner is not None and written_name is not None:
            return address(program, written_name, program.class_scope(owner))
    return None


def _without_jndi_path(found: Address) -> Address:
    """The last part of a JNDI name."""
    if found.text.startswith("java:") or "/" in found.text:
        return Address(text=found.text.rpartition("/")[2] or found.text)
    return found


FRAMEWORK = Framework(
    name="JMS",
    markers=(b"javax.jms", b"jakarta.jms"),
    calls=(b".send(", b".publish(", *(f".{name}(".encode() for name in sorted(_MAKE_RECEIVER))),
    events=events,
    protocols=("jms",),
)
