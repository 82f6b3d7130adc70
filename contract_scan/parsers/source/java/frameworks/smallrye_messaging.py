"""MicroProfile Reactive Messaging (SmallRye): `@Incoming`, `@Outgoing`, `@Channel`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    NullType,
    Param,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    payload_parameter,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import (
    HandledPayload,
    Payload,
    argument_payload,
    given_back,
    is_text,
    parameter_payload,
    payload_type,
    undetermined_payload,
)
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    find,
    has,
    nested_annotations,
    simple_name,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import build_texts, module_of
from contract_scan.parsers.source.java.resolution.properties import (
    normal,
    resolve_placeholders,
    settings,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.serialization.validation import with_validation
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_End: TypeAlias = Literal["incoming", "outgoing"]

_PREFIX = "mp.messaging."
_PRODUCTION = "%prod."
"""What Quarkus puts before keys that hold in production, which is where contracts do."""
_NAMES = ("topic", "queue.name", "address", "destination", "subject", "channel", "queue")
"""Settings that name where a channel leads, of the connectors."""
_ALIASES = ("exchange.name", "routing-keys", "default-routing-key")


class _Channels(Struct, frozen=True):
    """The settings of one module."""

    values: Mapping[str, str]

    def is_connected(self, direction: _End, name: str) -> bool:
        """Whether settings connect a channel to a broker."""
        start = normal(f"{_PREFIX}{direction}.{name}.")
        starts = (start, f"{_PRODUCTION}{start}")
        return any(key.replace('"', "").startswith(starts) for key in self.values)

    def is_batch(self, name: str) -> bool:
        """Whether several messages of a channel are taken at once."""
        return (self._value(f"{_PREFIX}incoming.{name}.batch") or "").strip().lower() == "true"

    def connector(self, direction: _End, name: str) -> str:
        """The connector of a channel; empty where none is named."""
        return self._value(f"{_PREFIX}{direction}.{name}.connector") or ""

    def address(self, direction: _End, name: str) -> tuple[Address, tuple[str, ...]]:
        """Where a channel leads, and what else a contract may call it; without a setting it leads
        to what is called like it."""
        start = f"{_PREFIX}{direction}.{name}."
        aliases: list[str] = []
        for key in _ALIASES:
            text, missing = resolve_placeholders(self._value(start + key) or "", self.values)
            if not missing:
                aliases.extend(part.strip() for part in text.split(","))
        known = tuple(dict.fromkeys(a for a in aliases if a not in ("", "#", "*")))
        given = next((v for key in _NAMES if (v := self._value(start + key))), name)
        text, missing = resolve_placeholders(given, self.values)
        if missing:
            return Address(reason=Reason("property-not-set", missing=missing)), known
        return Address(text=text), known

    def _value(self, key: str) -> str | None:
        for start in (_PRODUCTION, ""):
            for name in (normal(key), normal(self._with_quoted_channel(key))):
                found = self.values.get(start + name)
                if found:
                    return found
        return None

    @staticmethod
    def _with_quoted_channel(key: str) -> str:
        """The key with the name of the channel in quotation marks."""
        start, _, rest = key.removeprefix(_PREFIX).partition(".")
        name, _, setting = rest.rpartition(".")
        return f'{_PREFIX}{start}."{name}".{setting}'


_EMITTERS = frozenset({"Emitter", "MutinyEmitter", "ContextualEmitter"})
_PROTOCOLS = {
    "smallryekafka": "kafka",
    "smallryerabbitmq": "amqp",
    "smallryeamqp": "amqp",
    "smallryemqtt": "mqtt",
    "smallryejms": "jms",
    "smallryeawssqs": "sqs",
}


class ChannelUsage(Struct, frozen=True, eq=False):
    """One end of a channel in code."""

    direction: _End
    channel: Address
    payload: Payload
    origin: Origin


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every end of a channel that leads to a broker."""
    modules: dict[str, list[ChannelUsage]] = {}
    for file in program.seeds(framework):
        uses = modules.setdefault(module_of(program, file.path), [])
        for symbol in program.classes(file):
            scope = program.class_scope(symbol)
            for method in symbol.decl.methods:
                uses.extend(_of_method(program, method, symbol, scope))
            uses.extend(_of_channels(program, symbol, scope))
    for uses in modules.values():
        yield from _external_uses(program, uses)


def _external_uses(program: Program, uses: list[ChannelUsage]) -> Iterator[EventUse]:
    """The ends whose other end is outside the application."""
    for use in uses:
        direction: Direction = "send" if use.direction == "outgoing" else "receive"
        if use.channel.reason:
            yield channel_use(direction, use.channel, use.payload, use.origin, FRAMEWORK.name)
            continue
        channels = _Channels(settings(program, use.origin.path))
        name = use.channel.text
        others = {other.direction for other in uses if other.channel.text == name}
        if not channels.is_connected(use.direction, name) and len(others) > 1:
            continue
        found, aliases = channels.address(use.direction, name)
        connector = channels.connector(use.direction, name)
        protocol = _PROTOCOLS.get(connector.replace("-", ""), "")
        event = channel_use(
            direction,
            found,
            use.payload,
            use.origin,
            FRAMEWORK.name,
            aliases=tuple(alias for alias in aliases if alias != found.text),
        )
        yield replace(event, protocols=(protocol,)) if protocol else event


# --------------------------------------------------------------------------- methods


def _of_method(
    program: Program, method: Function, symbol: ClassSymbol, scope: Scope
) -> Iterator[ChannelUsage]:
    origin = _origin(symbol, method)
    for name in _names(method.annotations, "Incoming"):
        channel = address(program, name, scope)
        yield ChannelUsage(
            "incoming", channel, _handler_payload(program, method, symbol, scope, channel), origin
        )
    for name in _names(method.annotations, "Outgoing"):
        payload = undetermined_payload(Reason("method-returns-nothing", method=method.name), origin)
        if method.returns is not None and not isinstance(method.returns, NullType):
            handled = HandledPayload(method.returns, method, scope, origin, batches=False)
            payload = given_back(program, handled, wire_variant(program, symbol.file.path))
        yield ChannelUsage("outgoing", address(program, name, scope), payload, origin)


def _origin(symbol: ClassSymbol, method: Function) -> Origin:
    whole = f"{symbol.qualified_name}.{method.name}"
    return Origin(symbol.file.path, method.name_span, "", whole)


def _names(annotations: tuple[Annotation, ...], wanted: str) -> Iterator[Expr]:
    """The channels of `@Incoming("a")`, also of several and of `@Incomings`."""
    for annotation in annotations:
        if simple_name(annotation) == wanted:
            value = argument(annotation, "value")
            if value is not None:
                yield value
        elif simple_name(annotation) == f"{wanted}s":
            for call in nested_annotations(argument(annotation, "value")):
                yield from (given.value for given in call.args[:1])


def _handler_payload(
    program: Program, method: Function, symbol: ClassSymbol, scope: Scope, channel: Address
) -> Payload:
    origin = _origin(symbol, method)
    param = payload_parameter(method)
    if param is None or param.type is None:
        return undetermined_payload(
            Reason("handler-input-type-missing", method=method.name), origin
        )
    path = symbol.file.path
    is_batch = _Channels(settings(program, path)).is_batch(channel.text)
    handled = HandledPayload(param.type, method, scope, origin, is_batch)
    variant = with_validation(wire_variant(program, path), _is_validated(program, param, path))
    return parameter_payload(program, handled, variant)


def _is_validated(program: Program, param: Param, path: str) -> bool | None:
    """Whether a payload is validated before the method runs. Hibernate Validator intercepts methods
    of beans that have a parameter marked `@Valid`, but does not look into the envelope of a
    message; a container that brings another validator is not seen."""
    envelope = param.type is not None and payload_type(param.type, batches=False) != param.type
    if not has(param.annotations, "Valid") or envelope:
        return False
    builds = build_texts(program, module_of(program, path))
    return True if any(b"hibernate-validator" in text for text in builds) else None


# --------------------------------------------------------------------------- channels


class ChannelInjection(Struct, frozen=True, eq=False):
    """A member or parameter that a channel is injected into."""

    name: str
    type: NamedType
    channel: Address
    origin: Origin


def _of_channels(program: Program, symbol: ClassSymbol, scope: Scope) -> Iterator[ChannelUsage]:
    """`@Channel("a") Emitter<T>` sends; a stream receives."""
    variant = wire_variant(program, symbol.file.path)
    for holder in _holders(program, symbol, scope):
        around = Function(name=holder.name, span=symbol.decl.span)
        if type_name(holder.type) not in _EMITTERS:
            handled = HandledPayload(holder.type, around, scope, holder.origin, batches=False)
            type = payload_type(holder.type, batches=False)
            payload = (
                undetermined_payload(
                    Reason("handler-input-type-missing", method=holder.name), holder.origin
                )
                if is_text(type)
                else parameter_payload(program, handled, variant)
            )
            yield ChannelUsage("incoming", holder.channel, payload, holder.origin)
            continue
        item = holder.type.args[0] if holder.type.args else holder.type
        uses = list(_sends(program, symbol, scope, holder, variant)) if is_text(item) else []
        yield from uses
        if not uses:
            handled = HandledPayload(item, around, scope, holder.origin, batches=False)
            payload = given_back(program, handled, variant)
            yield ChannelUsage("outgoing", holder.channel, payload, holder.origin)


def _holders(program: Program, symbol: ClassSymbol, scope: Scope) -> Iterator[ChannelInjection]:
    path = symbol.file.path
    for member in symbol.decl.members:
        name = argument(find(member.annotations, "Channel"), "value")
        if name is not None and isinstance(member.type, NamedType):
            origin = Origin(path, member.name_span, "", f"{symbol.qualified_name}.{member.name}")
            yield ChannelInjection(member.name, member.type, address(program, name, scope), origin)
    for method in symbol.decl.methods:
        for param in method.params:
            name = argument(find(param.annotations, "Channel"), "value")
            if name is not None and isinstance(param.type, NamedType):
                origin = Origin(path, param.place, "", f"{symbol.qualified_name}.{method.name}")
                yield ChannelInjection(
                    param.name, param.type, address(program, name, scope), origin
                )


def _sends(
    program: Program, symbol: ClassSymbol, scope: Scope, holder: ChannelInjection, variant: str
) -> Iterator[ChannelUsage]:
    """What the sends of an emitter of text are given."""
    for method in symbol.decl.methods:
        inside = program.function_scope(method, scope)
        for call, place in calls_in(program, inside.statements or (), inside):
            match call:
                case Call(
                    callee=Attribute(
                        value=Name(id=name) | Attribute(value=Name(id="this"), name=name),
                        name="send" | "sendAndForget" | "sendAndAwait",
                    ),
                    args=(first, *_),
                ) if name == holder.name:
                    origin = program.origin(call, place)
                    site = SendSite(call, place, call, place)
                    payload = argument_payload(program, site, first.value, origin, variant)
                    yield ChannelUsage("outgoing", holder.channel, payload, origin)
                case _:
                    pass


FRAMEWORK = Framework(
    name="SmallRye Reactive Messaging",
    markers=(b"org.eclipse.microprofile.reactive.messaging", b"io.smallrye.reactive.messaging"),
    calls=(b".send(", b".sendAndForget(", b".sendAndAwait("),
    events=events,
)
