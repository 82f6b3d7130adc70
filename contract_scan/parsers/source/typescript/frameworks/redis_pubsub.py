"""Redis publish and subscribe: `redis` (node-redis) and `ioredis`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.facts import ArrayLiteral, Expr, Lambda
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.values import FunctionValue
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall
from contract_scan.parsers.source.typescript.messaging.received import handler_of
from contract_scan.parsers.source.typescript.messaging.sites import uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

NAME = "Redis"

_MODULES = ("redis", "ioredis", "@redis/client", "async-redis", "handy-redis")
_SUBSCRIBES = frozenset({"subscribe", "pSubscribe", "psubscribe", "sSubscribe", "ssubscribe"})
_PUBLISHES = frozenset({"publish", "sPublish", "spublish"})
_MESSAGES = frozenset({"message", "pmessage", "messageBuffer", "smessage"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every channel that is published to or subscribed to."""
    connections: dict[object, library.Subscriber] = {}
    methods = _SUBSCRIBES | _PUBLISHES | {"on"}
    for found in library.method_calls(program, framework, _MODULES, methods):
        address, second = found.argument(0), found.argument(1)
        if address is None:
            continue
        if found.method in _PUBLISHES:
            if second is not None:
                site = library.sent(NAME, address, second, found.scope, found.call.span)
                yield from uses(program, site)
            continue
        connection = connections.setdefault(library.receiver_key(found), library.Subscriber())
        if found.method == "on":
            if program.text(address, found.scope) in _MESSAGES and second is not None:
                connection.handlers.append(handler_of(program, second, found.scope))
        else:
            connection.subscriptions.append(found)
    for connection in connections.values():
        yield from _received(program, connection)


def _received(program: Program, connection: library.Subscriber) -> Iterator[EventUse]:
    subscribed = [
        (call, address) for call in connection.subscriptions for address in _channels(call)
    ]
    for call, address in subscribed:
        handler, shape = connection.handler(len(subscribed))
        own = _listener(program, call)
        if own is not None:
            handler, shape = own, None
        site = library.received(
            NAME,
            address,
            handler,
            call.scope,
            call.call.span,
            shape=shape,
            pattern=call.method.lower().startswith("ps"),
        )
        yield from uses(program, site)


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


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"redis'", b'redis"', b"@redis/client"),
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
