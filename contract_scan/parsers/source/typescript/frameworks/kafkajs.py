"""kafkajs: `producer.send({ topic, messages })`, `consumer.subscribe` with `consumer.run`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.facts import (
    ArrayLiteral,
    Attribute,
    Entry,
    Expr,
    Index,
    LiteralExpr,
    ObjectLiteral,
    Opaque,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.values import FunctionValue, Scope
from contract_scan.parsers.source.typescript.messaging.received import received_shape
from contract_scan.parsers.source.typescript.messaging.sites import Site, uses
from contract_scan.parsers.source.typescript.web import walker

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

NAME = "kafkajs"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is produced to or consumed."""
    for file in program.seeds(framework):
        subscriptions: list[tuple[Expr, Scope, Span]] = []
        shapes: list[Schema] = []
        for call, scope in walker.calls(program, file):
            if not isinstance(call.callee, Attribute) or not call.args:
                continue
            first = call.args[0].value
            match call.callee.name:
                case "send":
                    yield from _sent(program, first, scope, call.span)
                case "sendBatch":
                    for inner in _topic_messages(first):
                        yield from _sent(program, inner, scope, call.span)
                case "subscribe":
                    topic = _entry(first, "topic") or _entry(first, "topics")
                    if topic is not None:
                        subscriptions.append((topic, scope, call.span))
                case "run":
                    shapes.extend(_handlers(program, first, scope))
        yield from _received(program, subscriptions, shapes)


def _sent(program: Program, message: Expr, scope: Scope, span: Span) -> Iterator[EventUse]:
    """`{ topic, messages: [{ key, value }] }`."""
    topic, messages = _entry(message, "topic"), _entry(message, "messages")
    if topic is None or messages is None:
        return
    values: list[Expr | None] = [*_values(messages)]
    for value in values or [None]:
        site = Site(
            direction="send",
            address=topic,
            payload=value,
            shape=None if value is not None else Unknown(reason="the messages are not seen here"),
            scope=scope,
            span=span,
            framework=NAME,
        )
        yield from uses(program, site)


def _values(messages: Expr) -> Iterator[Expr]:
    """The `value`s of `[{ value }, …]`; that of any message where the list is no literal."""
    if isinstance(messages, ArrayLiteral):
        for item in messages.items:
            value = _entry(item, "value")
            if value is not None:
                yield value
    else:
        first = Index(value=messages, index=LiteralExpr(value=0), span=messages.span)
        yield Attribute(value=first, name="value", span=messages.span)


def _topic_messages(batch: Expr) -> list[Expr]:
    listed = _entry(batch, "topicMessages")
    return list(listed.items) if isinstance(listed, ArrayLiteral) else []


def _handlers(program: Program, options: Expr, scope: Scope) -> Iterator[Schema]:
    for name in ("eachMessage", "eachBatch"):
        expr = _entry(options, name)
        function = program.function_value(expr, scope) if expr is not None else None
        if isinstance(function, FunctionValue):
            yield received_shape(program, function)


def _received(
    program: Program, subscriptions: list[tuple[Expr, Scope, Span]], shapes: list[Schema]
) -> Iterator[EventUse]:
    """Topics of a file with what its consumers take; with several consumers, which takes what is
    not told."""
    shape: Schema = Unknown(reason="no consumer that is seen parses the message")
    if len(shapes) == 1 and len(subscriptions) == 1:
        shape = shapes[0]
    elif shapes:
        shape = Unknown(reason="several topics or consumers of a file share a handler")
    for topic, scope, span in subscriptions:
        expressions = topic.items if isinstance(topic, ArrayLiteral) else (topic,)
        for expr in expressions:
            pattern = isinstance(expr, Opaque)
            site = Site(
                direction="receive",
                address=expr,
                payload=None,
                shape=shape if len(expressions) == 1 else Unknown(reason=_SEVERAL),
                scope=scope,
                span=span,
                framework=NAME,
                pattern=pattern,
            )
            yield from uses(program, site)


_SEVERAL = "several topics share a handler"


def _entry(expr: Expr | None, name: str) -> Expr | None:
    """A property of an object literal."""
    if isinstance(expr, ObjectLiteral):
        found: list[Entry] = [e for e in expr.entries if e.key == name and not e.spread]
        return found[-1].value if found else None
    return None


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"kafkajs", b"messages:"),
    calls=(b".send(", b".sendBatch(", b".subscribe(", b"eachMessage", b"eachBatch"),
    events=events,
)
