"""amqplib: `publish`, `sendToQueue`, `consume`, with the bindings of queues."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Instance,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, NamedType
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses
from contract_scan.parsers.source.typescript.resolution import walker

NAME = "amqplib"
_METHODS = frozenset({"sendToQueue", "publish", "consume", "bindQueue"})
_LIBRARIES = ("amqplib", "amqp-connection-manager", "callback_api")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every queue or routing key that is sent to or consumed."""
    for file in program.seeds(framework):
        found = [
            (call, scope)
            for call, scope in walker.calls(program, file)
            if isinstance(call.callee, Attribute) and _is_channel(program, call.callee, scope)
        ]
        bindings = [pair for pair in found if _method(pair[0]) == "bindQueue"]
        for call, scope in found:
            match _method(call), [argument.value for argument in call.args]:
                case "sendToQueue", [queue, content, *_]:
                    yield from uses(program, _send_site(queue, content, scope, call.span))
                case "publish", [exchange, key, content, *_]:
                    empty = program.text(key, scope) == ""
                    address = exchange if empty else key
                    for use in uses(program, _send_site(address, content, scope, call.span)):
                        yield (
                            use
                            if empty
                            else _with_exchange_aliases(use, program.text(exchange, scope))
                        )
                case "consume", [queue, handler, *_]:
                    yield from _receive_uses(program, queue, handler, scope, call.span, bindings)


def _is_channel(program: Program, callee: Attribute, scope: Scope) -> bool:
    """Whether a method of a channel is called: by the type or origin of the receiver, or where
    neither is known by its name."""
    if callee.name not in _METHODS:
        return False
    value = program.evaluate(callee.value, scope)
    options = value.options if isinstance(value, OneOf) else (value,)
    for option in options:
        if program.evaluator.qualified_name(option).startswith(_LIBRARIES):
            return True
    if isinstance(program.evaluate(callee, scope), FunctionValue):
        return False
    known = any(_is_known(option) for option in options)
    name = dotted_name_of(callee.value).rsplit(".", 1)[-1].lower()
    return callee.name == "sendToQueue" or (not known and name.endswith(("channel", "ch")))


def _is_known(value: Value) -> bool:
    """Whether anything is declared of a value."""
    if isinstance(value, ByType):
        return not (isinstance(value.type, NamedType) and value.type.name in ("any", "unknown"))
    return isinstance(value, Instance)


def _method(call: Call) -> str:
    return call.callee.name if isinstance(call.callee, Attribute) else ""


def _send_site(address: Expr, content: Expr, scope: Scope, span: Span) -> MessageSite:
    return MessageSite(
        direction="send",
        address=address,
        payload=content,
        scope=scope,
        span=span,
        framework=NAME,
    )


def _with_exchange_aliases(use: EventUse, exchange: str | None) -> EventUse:
    """A message that is sent through an exchange; a contract may list the exchange instead of
    the routing key."""
    if not exchange:
        return use
    if use.unresolved:
        return replace(use, aliases=(exchange,))
    return replace(use, aliases=(exchange, f"{exchange}/{use.address}"))


def _receive_uses(
    program: Program,
    queue: Expr,
    handler: Expr,
    scope: Scope,
    span: Span,
    bindings: list[tuple[Call, Scope]],
) -> Iterator[EventUse]:
    """The queue, or the routing keys that are bound to it in the same file."""
    function = program.function_value(handler, scope)
    unseen = Unknown(reason=Reason("consumer-not-found"))
    name = program.text(queue, scope)
    bound = [
        (call, place)
        for call, place in bindings
        if len(call.args) > 2
        and _is_same_queue(program, call.args[0].value, place, queue, scope, name)
    ]
    addresses = [(queue, scope)]
    if bound:
        addresses = [(_binding_address(program, call, place), place) for call, place in bound]
    for address, place in addresses:
        text = program.text(address, place) or ""
        site = MessageSite(
            direction="receive",
            address=address,
            payload=None,
            shape=unseen if function is None else None,
            handler=function,
            scope=place,
            span=span,
            framework=NAME,
            pattern="*" in text or "#" in text,
        )
        yield from uses(program, site)


def _binding_address(program: Program, call: Call, scope: Scope) -> Expr:
    """The routing key of `bindQueue(queue, exchange, key)`; the exchange where it is empty."""
    key = call.args[2].value
    return call.args[1].value if program.text(key, scope) == "" else key


def _is_same_queue(
    program: Program, one: Expr, place: Scope, other: Expr, scope: Scope, name: str | None
) -> bool:
    """Whether two expressions name one queue: the same text, or the same expression of one
    function."""
    text = program.text(one, place)
    if text is not None or name is not None:
        return text == name
    written = (getattr(one, "id", None), getattr(one, "name", None))
    return place.function is scope.function and written == (
        getattr(other, "id", None),
        getattr(other, "name", None),
    )


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"amqplib", b"amqp-connection", b".sendToQueue(", b".publish(", b".consume("),
    calls=(b".sendToQueue(", b".publish(", b".consume(", b".bindQueue("),
    events=events,
    protocols=("amqp",),
)
