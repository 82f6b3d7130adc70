"""StackExchange.Redis: channels that are published to and subscribed to."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope, named_function_scope
from contract_scan.parsers.source.csharp.messaging.addresses import Address, address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
    received_message,
)
from contract_scan.parsers.source.csharp.resolution.arguments import call_argument
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.value_sources import sources, without_wrappers
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    read_in,
    serialised_payload,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, NamedType, New
from contract_scan.parsers.source.language import Framework

_CLIENTS = frozenset({"ISubscriber", "IDatabase", "IDatabaseAsync", "GetSubscriber", "GetDatabase"})
_SENDS = frozenset({"Publish", "PublishAsync"})
_RECEIVES = frozenset({"Subscribe", "SubscribeAsync"})
_CALLS = (b".Publish(", b".PublishAsync(", b".Subscribe(", b".SubscribeAsync(")
_CHANNEL = "RedisChannel"
_PATTERNS = frozenset({"Pattern"})
_MAX_STEPS = 4


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every channel that is published to or subscribed to."""
    for file in program.seeds(framework):
        for call, callee, scope in method_calls(program, file, *_CALLS):
            if not call.args or not is_of(program, callee.value, scope, _CLIENTS):
                continue
            if callee.name in _SENDS and len(call.args) > 1:
                yield from _publish_uses(program, call, scope)
            elif callee.name in _RECEIVES:
                yield _subscription_use(program, call, scope)


def _publish_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    channel, message = call_argument(call, "channel", 0), call_argument(call, "message", 1)
    if channel is None or message is None:
        return

    def read_message(seen: Scope) -> OutgoingMessage:
        found, _ = _channel(program, channel, seen)
        return OutgoingMessage(found, serialised_payload(program, message, seen, ""))

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _subscription_use(program: Program, call: Call, scope: Scope) -> EventUse:
    found, pattern = _channel(program, call.args[0].value, scope)
    payload: Payload | None = None
    for argument in call.args[1:]:
        handler = program.function_value(argument.value, scope)
        if handler is not None:
            inside = program.function_scope(handler.function, handler.scope)
            payload = payload or read_in(program, inside)
    # `queue.OnMessage(message => …)` stands near by.
    payload = payload or read_in(program, named_function_scope(scope) or scope)
    message = received_message(found, payload)
    origin = program.origin(call, scope)
    return channel_use("receive", message, origin, FRAMEWORK.name, pattern=pattern)


def _channel(program: Program, expr: Expr, scope: Scope) -> tuple[Address, bool]:
    """A channel, and whether it is a pattern: a text, `RedisChannel.Literal("a")`,
    `RedisChannel.Pattern("a*")`, `new RedisChannel("a", PatternMode.Literal)`."""
    for _ in range(_MAX_STEPS):
        expr = without_wrappers(expr)
        match expr:
            case Call(callee=Attribute(value=Name(id=holder), name=name), args=(first, *_)) if (
                holder == _CHANNEL
            ):
                return address(program, first.value, scope), name in _PATTERNS
            case New(type=NamedType(name=name), args=(first, *mode)) if (
                unqualified_name(name) == _CHANNEL
            ):
                found = address(program, first.value, scope)
                modes = [getattr(argument.value, "name", "") for argument in mode]
                is_auto = "Auto" in modes or not modes
                return found, "Pattern" in modes or (is_auto and "*" in found.text)
            case _:
                made = list(sources(program, expr, scope))
                if len(made) != 1:
                    break
                expr, scope = made[0]
    found = address(program, expr, scope)
    return found, "*" in found.text


FRAMEWORK = Framework(
    name="StackExchange.Redis",
    markers=(b"StackExchange.Redis", b"IConnectionMultiplexer", b"ConnectionMultiplexer."),
    calls=_CALLS,
    events=events,
    protocols=("redis",),
)
