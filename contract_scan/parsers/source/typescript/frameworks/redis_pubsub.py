"""Redis publish and subscribe: `redis` (node-redis) and `ioredis`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Expr, Lambda
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall
from contract_scan.parsers.source.typescript.messaging.pubsub import Clients, pubsub_uses
from contract_scan.parsers.source.typescript.messaging.received import handler_of

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_BY_PATTERN = frozenset({"pSubscribe", "psubscribe"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every channel that is published to or subscribed to."""
    return pubsub_uses(program, framework, _CLIENTS)


def _channels(call: LibraryCall) -> list[Expr]:
    """Channels are given as a list (node-redis), or one by one (ioredis)."""
    first = call.argument(0)
    if isinstance(first, ArrayLiteral):
        return list(first.items)
    values = [a.value for a in call.call.args if not a.spread]
    if len(values) > 1 and call.kind.startswith("ioredis"):
        return [value for value in values if not isinstance(value, Lambda)]
    return values[:1]


def _listener(program: Program, call: LibraryCall) -> FunctionValue | None:
    """The function that node-redis gives the messages of a subscription; that of ioredis is told
    when the subscription stands."""
    second = call.argument(1)
    if second is None or call.kind.startswith("ioredis"):
        return None
    return handler_of(program, second, call.scope)


_CLIENTS = Clients(
    modules=("redis", "ioredis", "@redis/client", "async-redis", "handy-redis"),
    publishes=frozenset({"publish", "sPublish", "spublish"}),
    subscribes=_BY_PATTERN | {"subscribe", "sSubscribe", "ssubscribe"},
    messages=frozenset({"message", "pmessage", "messageBuffer", "smessage"}),
    addresses=_channels,
    listener=_listener,
    is_pattern=lambda call: call.method in _BY_PATTERN,
    named=("redis",),
)
FRAMEWORK = Framework(
    name="Redis",
    markers=(
        *(b"redis'", b'redis"', b"@redis/client"),
        *(b"pSubscribe(", b"psubscribe("),
        *(b"edis.publish(", b"edisClient.publish(", b"edis.subscribe(", b"edisClient.subscribe("),
    ),
    calls=(
        b".publish(",
        b"ubscribe(",
        b".on('message",
        b'.on("message',
        b".on('pmes",
        b'.on("pmes',
    ),
    events=events,
    protocols=("redis",),
)
