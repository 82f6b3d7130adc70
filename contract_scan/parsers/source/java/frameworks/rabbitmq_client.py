"""RabbitMQ's Java client: `basicPublish`, `basicConsume`, `queueBind`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import with_receivers
from contract_scan.parsers.source.facts.nodes import Call, Expr, FileFacts, Name
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import PLAIN_MAPPER, argument_payload
from contract_scan.parsers.source.java.messaging.readers import read_near
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import sites_of_call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address, routed_address

_WILDCARDS = frozenset({"", "#", "*"})


class Binding(Struct, frozen=True):
    """`queueBind(queue, exchange, routingKey)`."""

    queue: Address
    name: str
    """The variable that holds the queue's name, where it is one."""
    aliases: tuple[str, ...]


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, and every queue that is consumed."""
    for file in program.seeds(framework):
        for call, callee, scope in with_receivers(program.calls(file)):
            if callee.name == "basicPublish" and len(call.args) >= 4:
                yield from _publish_uses(program, call, scope)
            elif callee.name == "basicConsume" and call.args:
                yield _consume_use(program, file, call, scope)


def _publish_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    exchange, key, body = (call.args[i].value for i in (0, 1, -1))
    for site in sites_of_call(program, call, scope, (exchange, key, body)):
        into, key_text = (_text(program, expr, site.scope) for expr in (exchange, key))
        found, aliases = routed_address(into, key_text)
        origin = program.origin(site.shown, site.shown_scope)
        payload = argument_payload(program, site, body, origin, PLAIN_MAPPER)
        yield channel_use("send", found, payload, origin, FRAMEWORK.name, aliases=aliases)


def _text(program: Program, expr: Expr, scope: Scope) -> Address:
    """An exchange or routing key, which may be empty."""
    return Address() if program.text(expr, scope) == "" else address(program, expr, scope)


def _consume_use(program: Program, file: FileFacts, call: Call, scope: Scope) -> EventUse:
    queue = call.args[0].value
    found = _text(program, queue, scope)
    bound = [
        binding
        for binding in _bindings(program, file)
        if (found.text and binding.queue.text == found.text)
        or (found.reason and binding.name and binding.name == _variable(queue))
    ]
    aliases = tuple(dict.fromkeys(alias for binding in bound for alias in binding.aliases))
    if found.reason and aliases:
        # A queue of the broker's naming: the routing key or exchange is what a contract knows.
        found, aliases = Address(text=aliases[0]), aliases[1:]
    elif not found.text and not found.reason:
        found = Address(reason=Reason("queue-named-by-broker"))
    origin = program.origin(call, scope)
    payload = read_near(program, None, scope, origin, PLAIN_MAPPER)
    return channel_use("receive", found, payload, origin, FRAMEWORK.name, aliases=aliases)


def _bindings(program: Program, file: FileFacts) -> Iterator[Binding]:
    for call, callee, scope in with_receivers(program.calls(file)):
        if callee.name == "queueBind" and len(call.args) >= 3:
            queue, exchange, key = (call.args[i].value for i in range(3))
            names = (_text(program, key, scope).text, _text(program, exchange, scope).text)
            yield Binding(
                queue=_text(program, queue, scope),
                name=_variable(queue),
                aliases=tuple(name for name in names if name not in _WILDCARDS),
            )


def _variable(expr: Expr) -> str:
    return expr.id if isinstance(expr, Name) else ""


FRAMEWORK = Framework(
    name="RabbitMQ Java client",
    markers=(b"com.rabbitmq.client",),
    calls=(b".basicPublish(", b".basicConsume(", b".queueBind("),
    events=events,
    protocols=("amqp",),
)
