"""kafkajs: `producer.send({ topic, messages })`, `consumer.subscribe` with `consumer.run`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Entry,
    Expr,
    Index,
    LiteralExpr,
    ObjectLiteral,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses
from contract_scan.parsers.source.typescript.resolution import walker

NAME = "kafkajs"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is produced to or consumed."""
    for file in program.seeds(framework):
        consumers: dict[object, _Consumer] = {}
        for call, scope in walker.calls(program, file):
            if not isinstance(call.callee, Attribute) or not call.args:
                continue
            first = call.args[0].value
            match call.callee.name:
                case "send" if not _is_own(program, call, scope):
                    yield from _send_uses(program, first, scope, call.span)
                case "sendBatch" if not _is_own(program, call, scope):
                    for inner in _topic_messages(first):
                        yield from _send_uses(program, inner, scope, call.span)
                case "subscribe":
                    topic = _entry(first, "topic") or _entry(first, "topics")
                    if topic is not None:
                        consumer = _consumer(program, consumers, call.callee.value, scope)
                        consumer.subscriptions.append((topic, scope, call.span))
                case "run":
                    consumer = _consumer(program, consumers, call.callee.value, scope)
                    consumer.handlers.extend(_handlers(program, first, scope))
        for consumer in consumers.values():
            yield from _receive_uses(program, consumer)


class _Consumer:
    """One consumer of a file: what it subscribes to, and what its handlers take."""

    def __init__(self) -> None:
        self.subscriptions: list[tuple[Expr, Scope, Span]] = []
        self.handlers: list[FunctionValue] = []


def _consumer(
    program: Program, consumers: dict[object, _Consumer], receiver: Expr, scope: Scope
) -> _Consumer:
    value = program.evaluate(receiver, scope)
    key: object = value.identity if isinstance(value, LibraryResult) else dotted_name_of(receiver)
    return consumers.setdefault(key, _Consumer())


def _is_own(program: Program, call: Call, scope: Scope) -> bool:
    """Whether a method of the project's own is called: what it does is read where it stands."""
    return isinstance(program.evaluate(call.callee, scope), FunctionValue)


def _send_uses(program: Program, message: Expr, scope: Scope, span: Span) -> Iterator[EventUse]:
    """`{ topic, messages: [{ key, value }] }`."""
    topic, messages = _entry(message, "topic"), _entry(message, "messages")
    if topic is None or messages is None:
        return
    values: list[Expr | None] = [*_values(messages)]
    for value in values or [None]:
        site = MessageSite(
            direction="send",
            address=topic,
            payload=value,
            shape=None if value is not None else Unknown(reason=Reason("messages-not-found")),
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


def _handlers(program: Program, options: Expr, scope: Scope) -> Iterator[FunctionValue]:
    for name in ("eachMessage", "eachBatch"):
        expr = _entry(options, name)
        function = program.function_value(expr, scope) if expr is not None else None
        if function is not None:
            yield function


def _receive_uses(program: Program, consumer: _Consumer) -> Iterator[EventUse]:
    """The topics of a consumer with the schema that its handler reads; which of several topics
    a message belongs to is undetermined."""
    topics = [
        (expr, scope, span)
        for topic, scope, span in consumer.subscriptions
        for expr in (topic.items if isinstance(topic, ArrayLiteral) else (topic,))
    ]
    handler = consumer.handlers[0] if len(consumer.handlers) == 1 == len(topics) else None
    reason = _SEVERAL if consumer.handlers else Reason("parsing-handler-not-found")
    for expr, scope, span in topics:
        site = MessageSite(
            direction="receive",
            address=expr,
            payload=None,
            shape=None if handler is not None else Unknown(reason=reason),
            handler=handler,
            scope=scope,
            span=span,
            framework=NAME,
            pattern=isinstance(expr, UnsupportedSyntax),
        )
        yield from uses(program, site)


_SEVERAL = Reason("kafka-consumer-shared")


def _entry(expr: Expr | None, name: str) -> Expr | None:
    """A property of an object literal."""
    if isinstance(expr, ObjectLiteral):
        found: list[Entry] = [e for e in expr.entries if e.key == name and not e.spread]
        return found[-1].value if found else None
    return None


FRAMEWORK = Framework(
    name=NAME,
    markers=(
        b"kafkajs",
        b"messages:",
        b"messages }",
        b"eachMessage",
        b"eachBatch",
        b".subscribe({",
    ),
    calls=(b".send(", b".sendBatch(", b".subscribe(", b"eachMessage", b"eachBatch"),
    events=events,
    protocols=("kafka",),
)
