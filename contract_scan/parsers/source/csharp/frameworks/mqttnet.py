"""MQTTnet: messages made by builders, subscriptions by topic or filter, managed clients."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.messaging.addresses import Address, address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    received_message,
)
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.value_sources import sources, without_wrappers
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    read_near,
    serialised_payload,
    undetermined_because,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, FileFacts, Lambda, New
from contract_scan.parsers.source.language import Framework

_PUBLISHES = frozenset({"PublishAsync", "EnqueueAsync"})
_PLAIN = frozenset({"PublishStringAsync", "PublishBinaryAsync"})
_PAYLOADS = ("WithPayload", "WithPayloadSegment")
_CALLS = (
    *(f".{name}(".encode() for name in sorted(_PUBLISHES | _PLAIN)),
    b".SubscribeAsync(",
    b".ApplicationMessageReceivedAsync",
)
_MAX_STEPS = 30
"""Links of a chain of calls that are looked at."""


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is published to or subscribed to."""
    for path in program.files_containing(b"MQTTnet"):
        file = program.facts(path)
        subscribed: list[tuple[Call, Address, Scope]] = []
        for call, callee, scope in method_calls(program, file, *_CALLS):
            if program.function_value(callee, scope) is not None:
                continue  # a method of the project
            name = callee.name
            if (name in _PUBLISHES and call.args) or (name in _PLAIN and len(call.args) > 1):
                yield from _publish_uses(program, call, name, scope)
            elif name == "SubscribeAsync" and call.args:
                subscribed += [(call, topic, scope) for topic in _topics(program, call, scope)]
        yield from _subscription_uses(program, file, subscribed)


# --------------------------------------------------------------------------- publishing


def _publish_uses(program: Program, call: Call, name: str, scope: Scope) -> Iterator[EventUse]:
    def read_message(seen: Scope) -> OutgoingMessage:
        first = call.args[0].value
        if name in _PLAIN:
            given = serialised_payload(program, call.args[1].value, seen, "bare")
            return OutgoingMessage(address(program, first, seen), given)
        topic = _builder_argument(program, first, seen, "WithTopic")
        if topic is None and len(call.args) > 1 and name == "EnqueueAsync":
            given = serialised_payload(program, call.args[1].value, seen, "bare")
            return OutgoingMessage(address(program, first, seen), given)
        if topic is None:
            return OutgoingMessage(
                Address(reason=Reason("message-constructor-not-followed")), _NOTHING
            )
        found = [_builder_argument(program, first, seen, method) for method in _PAYLOADS]
        body = next((each for each in found if each is not None), None)
        payload = (
            serialised_payload(program, body[0], body[1], "bare") if body is not None else _NOTHING
        )
        return OutgoingMessage(address(program, *topic), payload)

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


_NOTHING = undetermined_because(Reason("message-content-not-followed"))


def _builder_argument(
    program: Program, expr: Expr, scope: Scope, method: str
) -> tuple[Expr, Scope] | None:
    """The argument of a builder's method in the chain of calls that makes a value."""
    for _ in range(_MAX_STEPS):
        plain = without_wrappers(expr)
        match plain:
            case Call(callee=Attribute(name=name), args=(first, *_)) if name == method:
                return first.value, scope
            case Call(callee=Attribute(value=inner)):
                expr = inner
            case New(entries=entries):
                key = method.removeprefix("With")
                held = next((e.value for e in entries if e.key == key), None)
                return None if held is None else (held, scope)
            case _:
                made = list(sources(program, plain, scope))
                if len(made) != 1:
                    return None
                expr, scope = made[0]
    return None


# --------------------------------------------------------------------------- subscribing


def _topics(program: Program, call: Call, scope: Scope) -> Iterator[Address]:
    """`SubscribeAsync("a/b")`, a filter, or options with several filters."""
    first = call.args[0].value
    filters = list(_filters(program, first, scope, 0))
    if filters:
        for given, place in filters:
            yield address(program, given, place)
        return
    yield address(program, first, scope)


def _filters(
    program: Program, expr: Expr, scope: Scope, depth: int
) -> Iterator[tuple[Expr, Scope]]:
    """The topics of `WithTopicFilter(f => f.WithTopic("a"))`, `WithTopicFilter("a")` and
    `WithTopic("a")` in a chain of calls."""
    for _ in range(_MAX_STEPS):
        plain = without_wrappers(expr)
        match plain:
            case Call(callee=Attribute(value=inner, name=name), args=args):
                if name == "WithTopic" and args:
                    yield args[0].value, scope
                elif name == "WithTopicFilter" and args:
                    yield from _of_filter(program, args[0].value, scope, depth)
                expr = inner
            case New(entries=entries):
                yield from ((e.value, scope) for e in entries if e.key == "Topic")
                return
            case _:
                made = list(sources(program, plain, scope))
                if len(made) != 1:
                    return
                expr, scope = made[0]


def _of_filter(
    program: Program, expr: Expr, scope: Scope, depth: int
) -> Iterator[tuple[Expr, Scope]]:
    if not isinstance(expr, Lambda):
        inside = list(_filters(program, expr, scope, depth + 1)) if depth < 2 else []
        yield from inside or [(expr, scope)]
        return
    body = program.function_scope(expr.function, scope)
    for call, place in calls_in(program, body.statements or (), body):
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            continue
        if call.callee.name == "WithTopic" and call.args:
            yield call.args[0].value, place


def _subscription_uses(
    program: Program, file: FileFacts, subscribed: list[tuple[Call, Address, Scope]]
) -> Iterator[EventUse]:
    """One event of the client receives the messages of all of its subscriptions."""
    for call, topic, scope in subscribed:
        payload: Payload | None = undetermined_because(Reason("handler-shared-by-topics"))
        if len(subscribed) == 1:
            payload = read_near(program, file, scope)
        message = received_message(topic, payload)
        yield channel_use("receive", message, program.origin(call, scope), FRAMEWORK.name)


FRAMEWORK = Framework(
    name="MQTTnet",
    markers=(b"MQTTnet",),
    calls=_CALLS,
    events=events,
    protocols=("mqtt",),
)
