"""NServiceBus: `Publish` and `Send` of typed messages, `IHandleMessages<T>`, sagas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.csharp.aspnet.callers import calls_of
from contract_scan.parsers.source.csharp.events.addresses import Address
from contract_scan.parsers.source.csharp.events.classes import symbol_of
from contract_scan.parsers.source.csharp.events.payloads import (
    Payload,
    described,
    not_told,
    type_name,
)
from contract_scan.parsers.source.csharp.events.sends import Sent, channel_use, followed, is_of
from contract_scan.parsers.source.csharp.events.sources import bare
from contract_scan.parsers.source.csharp.events.typed import qualified, spellings
from contract_scan.parsers.source.csharp.settings import READING
from contract_scan.parsers.source.csharp.settings_values import plain
from contract_scan.parsers.source.facts import Attribute, Call, Expr, NamedType
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    External,
    Instance,
    Scope,
    Typed,
    Value,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_SENDERS = frozenset(
    {
        *("IMessageSession", "IEndpointInstance", "IMessageHandlerContext", "IPipelineContext"),
        *("ITransactionalSession", "IFunctionEndpoint", "IUniformSession"),
        *("IMessageProcessingContext", "TestableMessageSession"),
    }
)
_SENDS = frozenset({"Publish", "Send", "SendLocal", "Reply"})
_HANDLERS = frozenset({"IHandleMessages", "IAmStartedByMessages"})
_CALLS = (
    *(b".Publish(", b".Publish<", b".Send(", b".Send<", b".SendLocal(", b".SendLocal<"),
    *(b".Reply(", b".Reply<"),
)
_NOT_JSON = b"UseSerialization<XmlSerializer>"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, sent or handled."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if symbol.decl.kind != "interface":
                yield from _handled(program, symbol)
        for call, scope in calls_of(program, file, *_CALLS):
            if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
                continue
            if call.callee.name not in _SENDS or not (call.args or call.type_args):
                continue
            if is_of(program, call.callee.value, scope, _SENDERS):
                yield from _sent(program, call, scope)


# --------------------------------------------------------------------------- sending


def _sent(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    def read(seen: Scope) -> Sent:
        if call.type_args:
            value: Value = Typed(call.type_args[0], seen, call.span)
            schema = program.schema_of(value, "bare")
            return _typed(program, value, Payload(schema=schema, message=type_name(program, value)))
        expr = _message(program, call, seen)
        value = program.evaluator.unwrapped(program.evaluate(bare(expr), seen))
        return _typed(program, value, described(program, expr, seen, "bare"))

    yield from followed(program, call, scope, read, FRAMEWORK.name)


def _message(program: Program, call: Call, scope: Scope) -> Expr:
    """The message of `Send(message)`, `Send("endpoint", message)`."""
    first = call.args[0].value
    if len(call.args) > 1 and isinstance(program.text(first, scope), str):
        return call.args[1].value
    return first


def _typed(program: Program, value: Value, payload: Payload) -> Sent:
    symbol = symbol_of(program, value)
    is_made = isinstance(value, Instance) and value.site is not None
    if symbol is None or (not is_made and _is_base(program, symbol)):
        return Sent(Address(why="the type of the message cannot be told"), payload)
    if program.mentions(_NOT_JSON):
        payload = not_told("messages are written as XML")
    name = symbol.decl.name.partition("`")[0]
    return Sent(Address(text=qualified(symbol, ".")), payload, spellings(name))


def _is_base(program: Program, symbol: ClassSymbol) -> bool:
    """Whether other messages derive from a class; an interface may be published itself."""
    return symbol.decl.kind != "interface" and bool(program.implementations(symbol))


# --------------------------------------------------------------------------- handling


def _handled(program: Program, symbol: ClassSymbol) -> Iterator[EventUse]:
    scope = program.class_scope(symbol)
    for base in symbol.decl.bases:
        if not isinstance(base, NamedType) or not base.args or plain(base.name) not in _HANDLERS:
            continue
        if not isinstance(program.names.lookup_type(base.name, scope), External):
            continue
        value = Typed(base.args[0], scope, base.span)
        schema = program.schema(base.args[0], scope, f"{READING}bare")
        payload = Payload(schema=schema, message=type_name(program, value))
        found = symbol_of(program, value)
        sent = Sent(Address(why="the type of the message cannot be told"), payload)
        if found is not None:
            name = found.decl.name.partition("`")[0]
            told = not_told("messages are read as XML") if program.mentions(_NOT_JSON) else payload
            sent = Sent(Address(text=qualified(found, ".")), told, spellings(name))
        origin = Origin(symbol.file.path, base.span, "", symbol.qualified_name)
        yield channel_use("receive", sent, origin, FRAMEWORK.name)


FRAMEWORK = Framework(
    name="NServiceBus",
    markers=(b"NServiceBus", b"IHandleMessages<", b"IMessageHandlerContext", b"IMessageSession"),
    calls=_CALLS,
    events=events,
)
