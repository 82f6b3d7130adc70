"""RabbitMQ.Client: `BasicPublish`, `BasicConsume`, `QueueBind`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, Scope
from contract_scan.parsers.source.csharp.messaging.addresses import Address, address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
    received_message,
)
from contract_scan.parsers.source.csharp.resolution.arguments import call_argument
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.inherited_members import (
    place_of,
    seen_from_below,
)
from contract_scan.parsers.source.csharp.resolution.value_sources import variable, without_wrappers
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    read_near,
    serialised_payload,
    undetermined_because,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, FileFacts
from contract_scan.parsers.source.language import Framework

_SENDS = frozenset({"BasicPublish", "BasicPublishAsync"})
_CONSUMES = frozenset({"BasicConsume", "BasicConsumeAsync"})
_BINDS = frozenset({"QueueBind", "QueueBindAsync"})
_CHANNELS = frozenset({"IModel", "IChannel"})
_CALLS = (b".BasicPublish", b".BasicConsume", b".QueueBind")
_WILDCARDS = frozenset({"", "#", "*"})


class Binding(Struct, frozen=True):
    """`QueueBind(queue, exchange, routingKey)`."""

    queue: Address
    name: str
    """The name of the variable that holds the queue, where it is one."""
    exchange: Address
    key: Address

    @property
    def aliases(self) -> tuple[str, ...]:
        """What a contract may list instead of the queue."""
        return tuple(a.text for a in (self.key, self.exchange) if a.text not in _WILDCARDS)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, and every queue that is consumed."""
    for file in program.seeds(framework):
        for call, callee, scope in method_calls(program, file, *_CALLS):
            if callee.name in _SENDS and len(call.args) >= 2:
                yield from _publish_uses(program, call, scope)
            elif callee.name in _CONSUMES and _is_channel(program, call, scope):
                for seen in seen_from_below(program, scope):
                    yield _consume_use(program, file, call, seen)


# --------------------------------------------------------------------------- publishing


def _publish_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    exchange, key = call_argument(call, "exchange", 0), call_argument(call, "routingKey", 1)
    body = _body(program, call, scope)

    def read_message(seen: Scope) -> OutgoingMessage:
        into, routed = _text(program, exchange, seen), _text(program, key, seen)
        found = routed if routed.text or routed.reason else into
        if not found.text and not found.reason:
            found = Address(reason=Reason("neither-exchange-nor-routing-key-given"))
        payload = (
            serialised_payload(program, body, seen, "")
            if body is not None
            else undetermined_because(Reason("no-payload"))
        )
        aliases = (into.text,) if into.text and into.text != found.text else ()
        return OutgoingMessage(found, payload, aliases)

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _text(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """An exchange or routing key, which may be empty."""
    if expr is None or program.text(expr, scope) == "":
        return Address()
    if isinstance(expr, Attribute) and expr.name == "Empty":
        return Address()
    return address(program, expr, scope)


def _body(program: Program, call: Call, scope: Scope) -> Expr | None:
    """The body: named, or the last argument that is no cancellation token."""
    named = call_argument(call, "body", len(call.args))
    if named is not None:
        return named
    for argument in reversed(call.args[2:]):
        if argument.name or _is_token(program, argument.value, scope):
            continue
        return argument.value
    return None


def _is_token(program: Program, expr: Expr, scope: Scope) -> bool:
    value = program.evaluate(expr, scope)
    return isinstance(value, ByType) and getattr(value.type, "name", "") == "CancellationToken"


# --------------------------------------------------------------------------- consuming


def _is_channel(program: Program, call: Call, scope: Scope) -> bool:
    """Whether a call is one of a channel, which is all that has methods of these names, unless it
    is seen to be something of the project."""
    assert isinstance(call.callee, Attribute)
    if is_of(program, call.callee.value, scope, _CHANNELS):
        return True
    return program.function_value(call.callee, scope) is None


def _consume_use(program: Program, file: FileFacts, call: Call, scope: Scope) -> EventUse:
    queue = call_argument(call, "queue", 0)
    found = _text(program, queue, scope)
    bound = [
        binding
        for binding in _bindings(program, file)
        if (found.text and binding.queue.text == found.text)
        or (found.reason and binding.name and binding.name == _queue_variable(queue))
    ]
    aliases = tuple(dict.fromkeys(alias for binding in bound for alias in binding.aliases))
    if found.reason and aliases:
        # A queue of the broker's naming: the routing key or exchange is what a contract knows.
        found, aliases = Address(text=aliases[0]), aliases[1:]
    elif not found.text and not found.reason:
        found = Address(reason=Reason("queue-named-by-broker"))
    payload = read_near(program, file, scope)
    message = received_message(
        found, payload, tuple(alias for alias in aliases if alias != found.text)
    )
    return channel_use("receive", message, place_of(program, call, scope), FRAMEWORK.name)


def _bindings(program: Program, file: FileFacts) -> Iterator[Binding]:
    for call, callee, scope in method_calls(program, file, b".QueueBind"):
        if callee.name in _BINDS:
            queue = call_argument(call, "queue", 0)
            yield Binding(
                queue=_text(program, queue, scope),
                name=_queue_variable(queue),
                exchange=_text(program, call_argument(call, "exchange", 1), scope),
                key=_text(program, call_argument(call, "routingKey", 2), scope),
            )


def _queue_variable(expr: Expr | None) -> str:
    """The name of a variable, also of `declared.QueueName`."""
    match without_wrappers(expr) if expr is not None else None:
        case Attribute(value=holder, name="QueueName"):
            return variable(holder)
        case _:
            return variable(expr)


FRAMEWORK = Framework(
    name="RabbitMQ.Client",
    markers=(b"RabbitMQ.Client", b".BasicPublish", b".BasicConsume"),
    calls=_CALLS,
    events=events,
    protocols=("amqp",),
)
