"""Clients that publish and subscribe, and give what arrives to a listener of their own or to that
of a subscription: Redis, MQTT."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.facts.nodes import Expr
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall
from contract_scan.parsers.source.typescript.messaging.received import handler_of
from contract_scan.parsers.source.typescript.messaging.sites import uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.language import Framework


class Clients(Struct, frozen=True, kw_only=True):
    """What the clients of a library look like."""

    modules: tuple[str, ...]
    publishes: frozenset[str]
    subscribes: frozenset[str]
    messages: frozenset[str]
    """Events of a client that tell of a message."""
    addresses: Callable[[LibraryCall], list[Expr]]
    """What a call subscribes to."""
    listener: Callable[[Program, LibraryCall], FunctionValue | None] = lambda _, __: None
    """What takes the messages of one subscription; None: the client's own listener does."""
    is_pattern: Callable[[LibraryCall], bool] = lambda _: False
    named: tuple[str, ...] = ()
    """Words in the names of what is a client, where nothing else tells it."""


def pubsub_uses(program: Program, framework: Framework, clients: Clients) -> Iterator[EventUse]:
    """Everything that is published or subscribed to."""
    known: dict[object, library.Subscriber] = {}
    methods = clients.publishes | clients.subscribes | {"on"}
    for found in library.method_calls(
        program, framework, clients.modules, methods, named=clients.named
    ):
        address, second = found.argument(0), found.argument(1)
        if address is None:
            continue
        if found.method in clients.publishes:
            if second is not None:
                site = library.send_site(
                    framework.name, address, second, found.scope, found.call.span
                )
                yield from uses(program, site)
            continue
        client = known.setdefault(library.receiver_key(found), library.Subscriber())
        if found.method in clients.subscribes:
            client.subscriptions.append(found)
        elif program.text(address, found.scope) in clients.messages and second is not None:
            client.handlers.append(handler_of(program, second, found.scope))
    for client in known.values():
        yield from _receive_uses(program, framework, clients, client)


def _receive_uses(
    program: Program, framework: Framework, clients: Clients, client: library.Subscriber
) -> Iterator[EventUse]:
    subscribed = [
        (call, address) for call in client.subscriptions for address in clients.addresses(call)
    ]
    for call, address in subscribed:
        handler, shape = client.handler(len(subscribed))
        own = clients.listener(program, call)
        if own is not None:
            handler, shape = own, None
        site = library.receive_site(
            framework.name,
            address,
            handler,
            call.scope,
            call.call.span,
            shape=shape,
            pattern=clients.is_pattern(call),
        )
        yield from uses(program, site)
