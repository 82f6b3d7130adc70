"""Wolverine's messages: what is published, sent and returned by handlers, where start-up code
routes it to a broker. What stays inside the process is no channel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, ClassSymbol, Instance, Scope
from contract_scan.parsers.source.csharp.frameworks.wolverine.routing import (
    Listener,
    Routing,
    Rule,
    message_name,
    message_routing,
    topic_name,
)
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
)
from contract_scan.parsers.source.csharp.messaging.typed_messages import spellings
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.projects import project_of
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
    Function,
    NamedType,
    NullableType,
    TupleType,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_NAME = "Wolverine messages"
_BUSES = frozenset(
    {
        *("IMessageBus", "IMessageContext", "ICommandBus", "MessageBus", "MessageContext"),
        *("IDbContextOutbox", "IMartenOutbox", "IMessagePublisher"),
    }
)
_SENDS = frozenset({"PublishAsync", "SendAsync", "ScheduleAsync", "BroadcastToTopicAsync"})
_CALLS = tuple(f".{name}(".encode() for name in sorted(_SENDS))
_OPTIONS = re.compile(rb"\.UseSystemTextJsonForSerialization\(\s*[^)\s]")
_OTHERS = (
    *(b".UseNewtonsoftForSerialization(", b".UseMemoryPackSerialization(", b".UseProtobufSerial"),
    *(b".UseMessagePackSerialization(", b".UseMassTransitInterop(", b".UseNServiceBusInterop("),
)
_UNCLEAR = Reason("routing-rule-not-followed")
_SEVERAL = Reason("several-message-types")
_Item = TypeVar("_Item", Rule, Listener)
_SUFFIXES = ("Handler", "Consumer")
_METHODS = frozenset({"Handle", "Handles", "Consume", "Consumes", "Orchestrate", "Start", "Starts"})
_MARKS = ("WolverineHandler",)
_SAGA = "Saga"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that leaves the process or enters it."""
    routing = message_routing(program)
    if not (routing.rules or routing.listeners or routing.conventional):
        return
    for file in program.seeds(framework):
        for call, callee, scope in method_calls(program, file, *_CALLS):
            if callee.name not in _SENDS or not call.args:
                continue
            if is_of(program, callee.value, scope, _BUSES):
                yield from _send_uses(program, call, callee.name, scope, routing)
    for handled in _handlers(program):
        yield from _cascading_uses(program, handled, routing)
        yield from _by_convention(program, handled, routing)
    for listener in routing.listeners:
        yield _listener_use(program, listener)


# --------------------------------------------------------------------------- sending


def _send_uses(
    program: Program, call: Call, name: str, scope: Scope, routing: Routing
) -> Iterator[EventUse]:
    symbols: dict[str, ClassSymbol] = {}
    is_broadcast = name == "BroadcastToTopicAsync"

    def read_message(seen: Scope) -> OutgoingMessage:
        expr = call.args[-1 if is_broadcast else 0].value
        if is_broadcast and len(call.args) > 1:
            expr = call.args[1].value
        value = program.evaluator.unwrap(program.evaluate(without_wrappers(expr), seen))
        symbol = symbol_of(program, value)
        payload = object_payload(program, expr, seen, _serialization_mode(program, scope.file.path))
        if is_broadcast:
            names = () if symbol is None else spellings(_short(symbol))
            return OutgoingMessage(address(program, call.args[0].value, seen), payload, names)
        is_made = isinstance(value, Instance) and value.site is not None
        if symbol is None or (not is_made and program.names.classes.implementations(symbol)):
            return OutgoingMessage(Address(reason=Reason("message-type-undetermined")), payload)
        symbols[symbol.key] = symbol
        return OutgoingMessage(Address(text=symbol.key), payload)

    for use in channel_uses(program, call, scope, read_message, _NAME):
        symbol = symbols.get(use.address)
        if symbol is None:
            yield _unless_otherwise(program, use)
        else:
            yield from _routed_uses(program, use, symbol, routing)


def _cascading_uses(
    program: Program, handled: _HandledMessage, routing: Routing
) -> Iterator[EventUse]:
    """Messages that a handler returns, which Wolverine sends."""
    for given in handled.produced:
        symbol = symbol_of(program, given)
        if symbol is None or symbol.decl.kind in ("interface", "enum"):
            continue
        payload = Payload(
            schema=program.schema_of(given, _serialization_mode(program, handled.symbol.file.path)),
            message=type_name(program, given),
        )
        origin = Origin(
            handled.symbol.file.path,
            given.span or handled.method.name_span,
            "",
            f"{handled.symbol.qualified_name}.{handled.method.name}",
        )
        use = channel_use("send", OutgoingMessage(Address(text=symbol.key), payload), origin, _NAME)
        yield from _routed_uses(program, use, symbol, routing)


def _routed_uses(
    program: Program, use: EventUse, symbol: ClassSymbol, routing: Routing
) -> Iterator[EventUse]:
    """A use for each destination of a message; none if the message stays in the process."""
    use = _unless_otherwise(program, use)
    rules = _items_of_application(program, use.origin.path, routing.rules)
    fitting = [r for r in rules if any(f.matches(program, symbol) for f in r.filters)]
    for rule in fitting:
        to = Address(text=topic_name(program, symbol)) if rule.by_type else rule.address
        yield _with_address(program, use, symbol, to, rule.aliases)
    if fitting:
        return
    if any(not rule.filters or _is_unclear(rule) for rule in rules):
        yield replace(use, address="", unresolved=_UNCLEAR)
        return
    is_local = any(handled.message.key == symbol.key for handled in _handlers(program))
    if not is_local:
        found = _convention(program, use.origin.path, symbol, routing)
        if found is not None:
            yield _with_address(program, use, symbol, found, ())


def _is_unclear(rule: Rule) -> bool:
    return any(each.kind == "unknown" for each in rule.filters)


def _with_address(
    program: Program, use: EventUse, symbol: ClassSymbol, found: Address, more: tuple[str, ...]
) -> EventUse:
    names = (*more, message_name(program, symbol), *spellings(_short(symbol)))
    aliases = tuple(dict.fromkeys(name for name in names if name != found.text))
    return replace(use, address=found.text, aliases=aliases, unresolved=found.reason)


def _short(symbol: ClassSymbol) -> str:
    return symbol.decl.name.partition("`")[0]


# --------------------------------------------------------------------------- receiving


def _by_convention(
    program: Program, handled: _HandledMessage, routing: Routing
) -> Iterator[EventUse]:
    """Where names are made of types, each message that is handled has a queue."""
    path = handled.symbol.file.path
    found = _convention(program, path, handled.message, routing)
    if found is None:
        return
    origin = Origin(
        path, handled.method.name_span, "", f"{handled.symbol.qualified_name}.{handled.method.name}"
    )
    use = channel_use(
        "receive", OutgoingMessage(found, _handled_payload(program, handled)), origin, _NAME
    )
    yield _with_address(program, _unless_otherwise(program, use), handled.message, found, ())


def _handled_payload(program: Program, handled: _HandledMessage) -> Payload:
    first = handled.method.params[0].type
    assert first is not None
    schema = program.schema(
        first, handled.scope, READING + _serialization_mode(program, handled.symbol.file.path)
    )
    return Payload(schema=schema, message=_short(handled.message))


def _listener_use(program: Program, listener: Listener) -> EventUse:
    """The message that a listener names, or the only message that a handler takes."""
    payload = undetermined_because(_SEVERAL)
    own = [
        handled
        for handled in _handlers(program)
        if _host(program, handled.symbol.file.path) == _host(program, listener.origin.path)
    ]
    messages = {handled.message.key: handled for handled in own}
    if listener.message is not None:
        variant = READING + _serialization_mode(program, listener.origin.path)
        schema = program.schema(listener.message.type, listener.message.scope, variant)
        payload = Payload(schema=schema, message=type_name(program, listener.message))
    elif len(messages) == 1:
        payload = _handled_payload(program, next(iter(messages.values())))
    message = OutgoingMessage(listener.address, payload)
    return _unless_otherwise(program, channel_use("receive", message, listener.origin, _NAME))


# --------------------------------------------------------------------------- hosts


def _items_of_application(program: Program, path: str, items: tuple[_Item, ...]) -> list[_Item]:
    """What the application that a file belongs to says."""
    host = _host(program, path)
    return [item for item in items if host is None or item.folder == host]


def _host(program: Program, path: str) -> str | None:
    """The project that starts Wolverine for a file: its own, else the nearest one."""
    hosts = {project_of(program, each).folder for each in program.files_containing(b"UseWolverine")}
    if len(hosts) < 2:
        return next(iter(hosts), None)
    folder = project_of(program, path).folder

    def shared_depth(host: str) -> int:
        pairs = zip(host.split("/"), folder.split("/"), strict=False)
        return next((i for i, (a, b) in enumerate(pairs) if a != b), len(folder.split("/")))

    return folder if folder in hosts else max(sorted(hosts), key=shared_depth)


def _convention(
    program: Program, path: str, symbol: ClassSymbol, routing: Routing
) -> Address | None:
    """The name that is made of a type; None where names are not made so."""
    host = _host(program, path)
    found = [changed for folder, changed in routing.conventional if host in (None, folder)]
    if not found:
        return None
    if any(found):
        return Address(reason=Reason("startup-changes-type-names"))
    return Address(text=message_name(program, symbol))


# --------------------------------------------------------------------------- serializers


def _is_of_host(program: Program, each: str, path: str) -> bool:
    """Whether a file that configures Wolverine speaks for another one."""
    return _host(program, path) in (None, project_of(program, each).folder)


def _serialization_mode(program: Program, path: str) -> str:
    """Camel case, as Wolverine configures System.Text.Json itself
    (https://github.com/JasperFx/wolverine: SystemTextJsonSerializer.DefaultOptions)."""
    for each in program.files_containing(b"UseSystemTextJsonForSerialization"):
        if _is_of_host(program, each, path) and program.files.find(each, _OPTIONS):
            return "bare@?"
    return "bare@web"


def _unless_otherwise(program: Program, use: EventUse) -> EventUse:
    path = use.origin.path
    if not any(_is_of_host(program, each, path) for each in program.files_containing(*_OTHERS)):
        return use
    return replace(use, payload=undetermined_because(Reason("other-message-serializer")).schema)


class _HandledMessage(Struct, frozen=True):
    """A message that a method takes, and those that it gives."""

    method: Function
    scope: Scope
    symbol: ClassSymbol
    message: ClassSymbol
    produced: tuple[ByType, ...]


@memoised
def _handlers(program: Program) -> tuple[_HandledMessage, ...]:
    """Every method that handles a message of the project."""
    found: list[_HandledMessage] = []
    for path in program.files_containing(b"Handle", b"Consume", b"WolverineHandler"):
        for symbol in program.classes(program.facts(path)):
            if _is_handler(symbol):
                found.extend(_of_class(program, symbol))
    return tuple(found)


def _is_handler(symbol: ClassSymbol) -> bool:
    if symbol.decl.kind == "interface" or "abstract" in symbol.decl.modifiers:
        return False
    if find(symbol.decl.annotations, "WolverineIgnore") is not None:
        return False
    name = symbol.decl.name.partition("`")[0]
    bases = [unqualified_name(b.name) for b in symbol.decl.bases if isinstance(b, NamedType)]
    marked = find(symbol.decl.annotations, *_MARKS) is not None or "IWolverineHandler" in bases
    return marked or name.endswith(_SUFFIXES) or _SAGA in bases


def _of_class(program: Program, symbol: ClassSymbol) -> Iterator[_HandledMessage]:
    scope = program.class_scope(symbol)
    for method in symbol.decl.methods:
        if method.name.removesuffix("Async") not in _METHODS or not method.params:
            continue
        first = method.params[0].type
        message = symbol_of(program, ByType(first, scope)) if first is not None else None
        if message is None or message.decl.kind == "interface":
            continue
        gives = tuple(ByType(type, scope, type.span) for type in _returned_types(method.returns))
        yield _HandledMessage(method, scope, symbol, message, gives)


def _returned_types(type: TypeExpr | None) -> Iterator[TypeExpr]:
    """The parts of the type that a method returns: Wolverine publishes each as a message."""
    match type:
        case None:
            return
        case NullableType(item=item):
            yield from _returned_types(item)
        case TupleType(items=items):
            for item in items:
                yield from _returned_types(item)
        case NamedType(name=name, args=(inner,)) if unqualified_name(name) in ("Task", "ValueTask"):
            yield from _returned_types(inner)
        case _:
            yield type


FRAMEWORK = Framework(
    name=_NAME,
    markers=(b"Wolverine", b"IMessageBus", b"IMessageContext"),
    calls=(*_CALLS, b"UseWolverine", b"WolverineOptions", b".ListenTo", b".UseConventionalRouting"),
    events=events,
)
