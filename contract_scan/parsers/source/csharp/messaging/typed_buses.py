"""Service buses whose messages are typed: sends by the message's type, handlers that name it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Instance,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
)
from contract_scan.parsers.source.csharp.messaging.typed_messages import (
    qualified_type_name,
    spellings,
)
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.projects import before_version
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    object_payload,
    type_name,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Expr,
    FileFacts,
    NamedType,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address


class TypedBus(Struct, frozen=True, kw_only=True):
    """What sets one library apart."""

    name: str
    protocols: tuple[str, ...] = ()
    namespace: str
    """What files that use the library import, or other libraries with the same names do not."""
    senders: frozenset[str]
    """Types that send."""
    sends: frozenset[str]
    """Their methods."""
    handlers: frozenset[str]
    """Interfaces of handlers, with the message as type argument."""
    markers: tuple[bytes, ...]
    not_json: tuple[bytes, ...]
    """What start-up code holds where messages are not written as JSON."""
    chosen: bytes = b""
    """What start-up code holds where messages are written as JSON; empty: it need not say so."""
    newtonsoft: tuple[bytes, ...]
    """What start-up code holds where Newtonsoft.Json writes messages."""
    newtonsoft_before: int = 0
    """The first version that does not use Newtonsoft.Json where it is told nothing."""
    options: re.Pattern[bytes]
    """How start-up code gives options to the serializer."""
    subscribes: frozenset[str] = frozenset()
    """Methods that are given a handler, with the message as their first type argument."""
    queued: frozenset[str] = frozenset()
    """Methods of both that are given the address, in front of everything else."""
    routed: Callable[[Program, Call, Scope], tuple[str, ...]] | None = None
    """Further names that a call itself gives: of a topic or a queue."""
    names: Callable[[Program, ClassSymbol], tuple[str, ...]] | None = None
    """Further names that the library gives the address of a message."""


def framework(bus: TypedBus) -> Framework:
    """A described library as the engine has it."""
    return Framework(
        name=bus.name,
        markers=bus.markers,
        calls=_calls(bus),
        events=partial(_bus_uses, bus=bus),
        protocols=bus.protocols,
    )


def _calls(bus: TypedBus) -> tuple[bytes, ...]:
    names = sorted(bus.sends | bus.subscribes)
    return tuple(f".{name}{opening}".encode() for name in names for opening in "(<")


def _bus_uses(program: Program, framework: Framework, bus: TypedBus) -> Iterator[EventUse]:
    """Every message that is published, sent or handled."""
    for file in program.seeds(framework):
        if not _may_use(file, bus):
            continue
        for symbol in program.classes(file):
            if symbol.decl.kind != "interface":
                yield from _handler_uses(program, symbol, bus)
        for call, callee, scope in method_calls(program, file, *_calls(bus)):
            sends, subscribes = callee.name in bus.sends, callee.name in bus.subscribes
            if not (sends or subscribes) or not (call.args or call.type_args):
                continue
            if not is_of(program, callee.value, scope, bus.senders):
                continue
            if sends:
                yield from _send_uses(program, call, scope, bus)
            elif call.type_args:
                origin = program.origin(call, scope)
                use = _receive_use(program, call.type_args[0], scope, origin, bus)
                yield _at_queue(program, use, call, scope, bus)


_OTHERWISE = Reason("messages-not-json")
_RIVALS = ("EasyNetQ", "MassTransit", "NServiceBus", "Rebus")
"""Libraries whose interfaces bear the same names."""


def _may_use(file: FileFacts, bus: TypedBus) -> bool:
    """Whether a file uses the library: it imports it, or no other one of the same names."""
    roots = {entry.module.split(".")[0] for entry in file.imports}
    return bus.namespace in roots or roots.isdisjoint(_RIVALS)


def _serialization_mode(program: Program, bus: TypedBus) -> str:
    """How messages are written: with the serializer's own defaults, unless it is given options."""
    for path in program.files_containing(b"Serializ"):
        if program.files.find(path, bus.options):
            return "bare@?"
    old = bus.newtonsoft_before and before_version(program, bus.name, bus.newtonsoft_before)
    return "newtonsoft" if old or program.any_file_contains(*bus.newtonsoft) else "bare"


def _unless_otherwise(program: Program, payload: Payload, bus: TypedBus) -> Payload:
    if program.any_file_contains(*bus.not_json):
        return undetermined_because(_OTHERWISE)
    if bus.chosen and not program.any_file_contains(bus.chosen):
        return undetermined_because(Reason("bus-serializer-not-found", bus=bus.name))
    return payload


# --------------------------------------------------------------------------- sending


def _send_uses(program: Program, call: Call, scope: Scope, bus: TypedBus) -> Iterator[EventUse]:
    def read_message(seen: Scope) -> OutgoingMessage:
        variant = _serialization_mode(program, bus)
        if call.type_args:
            value: Value = ByType(call.type_args[0], seen, call.span)
            schema = program.schema_of(value, variant)
            payload = Payload(schema=schema, message=type_name(program, value))
        else:
            expr = _message(program, call, seen, bus)
            value = program.evaluator.unwrap(program.evaluate(without_wrappers(expr), seen))
            payload = object_payload(program, expr, seen, variant)
        message = _message_of_value(program, value, payload, bus)
        if bus.routed is not None:
            message = replace(message, aliases=(*message.aliases, *bus.routed(program, call, seen)))
        if not _is_queued(call, bus):
            return message
        found = address(program, call.args[0].value, seen)
        names = (message.address.text, *message.aliases) if message.address.text else ()
        return OutgoingMessage(found, message.payload, names)

    yield from channel_uses(program, call, scope, read_message, bus.name)


def _is_queued(call: Call, bus: TypedBus) -> bool:
    return getattr(call.callee, "name", "") in bus.queued and bool(call.args)


def _at_queue(program: Program, use: EventUse, call: Call, scope: Scope, bus: TypedBus) -> EventUse:
    """What is received from a queue that the call names."""
    if bus.routed is not None:
        use = replace(use, aliases=(*use.aliases, *bus.routed(program, call, scope)))
    if not _is_queued(call, bus):
        return use
    found = address(program, call.args[0].value, scope)
    names = (use.address, *use.aliases) if use.address else ()
    return replace(use, address=found.text, aliases=names, unresolved=found.reason)


def _message(program: Program, call: Call, scope: Scope, bus: TypedBus) -> Expr:
    """The message of `Send(message)`, `Send("endpoint", message)`, `Defer(delay, message)`."""
    first = call.args[0].value
    is_delayed = getattr(call.callee, "name", "").startswith("Defer")
    is_routed = is_delayed or _is_queued(call, bus) or isinstance(program.text(first, scope), str)
    return call.args[1].value if len(call.args) > 1 and is_routed else first


def _message_of_value(
    program: Program, value: Value, payload: Payload, bus: TypedBus
) -> OutgoingMessage:
    symbol = symbol_of(program, value)
    is_made = isinstance(value, Instance) and value.site is not None
    if symbol is None or (not is_made and _is_base(program, symbol)):
        return OutgoingMessage(Address(reason=Reason("message-type-undetermined")), payload)
    payload = _unless_otherwise(program, payload, bus)
    return _message_by_type(program, symbol, payload, bus)


def _message_by_type(
    program: Program, symbol: ClassSymbol, payload: Payload, bus: TypedBus
) -> OutgoingMessage:
    """A message whose address is its type: the names that the library gives it, else the type's
    name."""
    own = bus.names(program, symbol) if bus.names is not None else ()
    name = symbol.decl.name.partition("`")[0]
    first, *more = (*own, qualified_type_name(symbol, "."))
    aliases = tuple(dict.fromkeys((*more, *spellings(name))))
    return OutgoingMessage(
        Address(text=first), payload, tuple(each for each in aliases if each != first)
    )


def _is_base(program: Program, symbol: ClassSymbol) -> bool:
    """Whether other messages derive from a class; an interface may be published itself."""
    return symbol.decl.kind != "interface" and bool(program.names.classes.implementations(symbol))


# --------------------------------------------------------------------------- handling


def _handler_uses(program: Program, symbol: ClassSymbol, bus: TypedBus) -> Iterator[EventUse]:
    scope = program.class_scope(symbol)
    for base in symbol.decl.bases:
        if (
            not isinstance(base, NamedType)
            or not base.args
            or unqualified_name(base.name) not in bus.handlers
        ):
            continue
        if not isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol):
            continue
        origin = Origin(symbol.file.path, base.span, "", symbol.qualified_name)
        yield _receive_use(program, base.args[0], scope, origin, bus)


def _receive_use(
    program: Program, type: TypeExpr, scope: Scope, origin: Origin, bus: TypedBus
) -> EventUse:
    value = ByType(type, scope, type.span)
    schema = program.schema(type, scope, READING + _serialization_mode(program, bus))
    payload = Payload(schema=schema, message=type_name(program, value))
    found = symbol_of(program, value)
    message = OutgoingMessage(Address(reason=Reason("message-type-undetermined")), payload)
    if found is not None:
        message = _message_by_type(program, found, _unless_otherwise(program, payload, bus), bus)
    return channel_use("receive", message, origin, bus.name)
