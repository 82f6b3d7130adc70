"""Web sockets without topics: the address is the path at which a class takes them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import (
    Payload,
    argument_payload,
    undetermined_payload,
)
from contract_scan.parsers.source.java.messaging.reading import read_as
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.properties import resolve_placeholders, settings
from contract_scan.parsers.source.java.serialization.jackson.settings import READING, wire_variant
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.messaging.addresses import Address

_CONTEXT = ("server.servlet.contextpath", "server.contextpath", "quarkus.http.rootpath")


class SocketPath(Struct, frozen=True):
    """A path at which sockets are taken."""

    text: str = ""
    own: str = ""
    """The path without the one of the application, which a contract may keep with its server."""
    reason: Reason = NO_REASON
    """Why it is undetermined; empty where it could."""


_WHICH = SocketPath(reason=Reason("sending-socket-undetermined"))


class Sockets(Struct, frozen=True):
    """The classes of a library that take sockets, by key, with their paths."""

    addresses: Mapping[str, tuple[SocketPath, ...]]

    def sockets_around(self, program: Program, scope: Scope) -> tuple[SocketPath, ...]:
        """The sockets that a place in code sends to: those of the class around it; outside
        of such classes, those of the only one there is."""
        owner = scope.owner_around
        for symbol in (owner, *program.bases(owner)) if owner is not None else ():
            if symbol.key in self.addresses:
                return self.addresses[symbol.key]
        below = [
            self.addresses[one.key]
            for one in (program.names.classes.implementations(owner) if owner is not None else ())
            if one.key in self.addresses
        ]
        every = below or list(self.addresses.values())
        return every[0] if len(every) == 1 else (_WHICH,)


def text_message_uses(
    program: Program,
    sockets: Sockets,
    call: Call,
    text: Expr,
    scope: Scope,
    framework: str,
) -> list[EventUse]:
    """The sends that a call with a text stands for, one for each caller that tells them apart."""
    variant = wire_variant(program, scope.file.path)
    found: list[EventUse] = []
    for site in sites_of_call(program, call, scope, (text,)):
        origin = program.origin(site.shown, site.shown_scope)
        payload = argument_payload(program, site, text, origin, variant)
        found += uses("send", sockets.sockets_around(program, scope), payload, origin, framework)
    return found


def read_text(program: Program, method: FunctionValue, origin: Origin) -> Payload:
    """What a method makes of the text that it takes."""
    name = method.function.name
    read = read_as(program, program.function_scope(method.function, method.scope))
    if read is None:
        return undetermined_payload(
            Reason("handler-takes-text-or-bytes", name=name), origin, is_text=True
        )
    schema = program.schema(read.type, method.scope, f"{read.variant};{READING}")
    return Payload(schema, type_name(read.type))


def uses(
    direction: Direction,
    addresses: tuple[SocketPath, ...],
    payload: Payload,
    origin: Origin,
    framework: str,
) -> list[EventUse]:
    """One use for each path."""
    return [
        channel_use(
            direction,
            Address(one.text, one.reason),
            payload,
            origin,
            framework,
            aliases=(one.own,) if one.own != one.text else (),
        )
        for one in addresses
    ]


def socket_path(program: Program, expr: Expr | None, scope: Scope) -> SocketPath:
    """A path as it is written in code, behind the context path of the settings."""
    own = address(program, expr, scope)
    if own.reason:
        return SocketPath(reason=own.reason)
    if "*" in own.text:
        return SocketPath(reason=Reason("path-stands-for-several", own=own.text))
    values = settings(program, scope.file.path)
    written = next((values[key] for key in _CONTEXT if key in values), "")
    context, missing = resolve_placeholders(written, values)
    if missing:
        return SocketPath(reason=Reason("context-path-property-not-set", missing=missing))
    return SocketPath(text=join_paths(context, own.text), own=own.text)
