"""pika: `basic_publish`, `basic_consume` and the bindings of the queues that are consumed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import handler_payload
from contract_scan.parsers.source.python.messaging.received import received_by
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    callback,
    is_amqp_pattern,
    receive,
    sends,
    through_exchange,
)
from contract_scan.parsers.source.python.web.common import argument, place
from contract_scan.parsers.source.python.web.mounts import all_calls, called_name

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_MARKERS = (b"basic_publish", b"basic_consume")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published or consumed through a pika channel."""
    for path in program.holding(*_MARKERS):
        calls = [(c, s) for c, s in all_calls(program, path) if isinstance(c, Call)]
        bindings = [(c, s) for c, s in calls if called_name(c) == "queue_bind"]
        for call, scope in calls:
            match called_name(call):
                case "basic_publish":
                    yield from _publish_uses(program, framework, call, scope)
                case "basic_consume":
                    yield from _consume_uses(program, framework, call, scope, bindings)
                case _:
                    continue


def _publish_uses(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    key = argument(call, 1, "routing_key")
    body = argument(call, 2, "body")
    exchange = argument(call, 0, "exchange")
    if key is not None and program.text(key, scope) == "":
        key = exchange  # a fanout exchange has no keys
    for use in sends(program, framework, scope, call, key, body):
        yield through_exchange(program, use, exchange, scope)


def _consume_uses(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    bindings: list[tuple[Call, Scope]],
) -> Iterator[EventUse]:
    handler = callback(program, argument(call, 1, "on_message_callback", "callback"), scope)
    origin = place(scope, call.span)
    queue_expr = argument(call, 0, "queue")
    if not bindings:
        yield from received_by(program, framework, queue_expr, scope, handler, origin)
        return
    content = handler_payload(program, handler)
    for queue, unresolved in addresses(program, queue_expr, scope):
        keys = [
            key
            for bind, inside in bindings
            if queue in [q for q, _ in addresses(program, argument(bind, 0, "queue"), inside)]
            for key, _ in addresses(program, argument(bind, 2, "routing_key"), inside)
            if key
        ]
        if not keys:
            yield receive(framework, queue, content, origin, unresolved=unresolved)
        for key in dict.fromkeys(keys):
            yield receive(framework, key, content, origin, pattern=is_amqp_pattern(key))


FRAMEWORK = Framework(
    name="pika", markers=_MARKERS, calls=_MARKERS, protocols=("amqp",), events=events
)
