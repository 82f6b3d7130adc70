"""Dapr: topics that a client publishes to, and functions that subscribe to topics."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.schema import Object
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope, origin_at
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging import reads
from contract_scan.parsers.source.python.messaging.payloads import Payload, handler_payload
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    is_of,
    made_by,
    method_calls,
    receive,
    sends,
)
from contract_scan.parsers.source.python.web.common import (
    DeclaredFunction,
    argument,
    functions,
)

_NAMES = (b"import dapr", b"from dapr")
_CALLS = (b".publish_event(",)
_SUBSCRIBES = (b".subscribe(",)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every event that is published to or taken from a topic."""
    if not program.files_containing(*_NAMES):
        return
    for call, callee, scope in method_calls(program, *_CALLS):
        if callee.name == "publish_event" and _is_client(program, callee.value, scope):
            topic, data = argument(call, 1, "topic_name"), argument(call, 2, "data")
            pubsub = argument(call, 0, "pubsub_name")
            for use in sends(program, framework, scope, call, topic, data):
                yield _with_pubsub_alias(program, use, pubsub, scope)
    for path in program.files_containing(*_SUBSCRIBES):
        for declared in functions(program, program.facts(path)):
            for annotation in declared.function.annotations:
                yield from _subscription_uses(program, framework, declared, annotation)


def _is_client(program: Program, expr: Expr, scope: Scope) -> bool:
    return is_of(program, expr, scope, ("dapr.*",), ("dapr", "dapr_client"))


def _subscription_uses(
    program: Program, framework: Framework, declared: DeclaredFunction, annotation: Annotation
) -> Iterator[EventUse]:
    """`@app.subscribe(pubsub_name="orders", topic="created")`."""
    callee, scope = annotation.callee, declared.scope
    if (
        not isinstance(callee, Attribute)
        or callee.name != "subscribe"
        or not annotation.has_parentheses
    ):
        return
    if not made_by(program, program.evaluate(callee.value, scope), "dapr.*"):
        return
    pubsub = argument(annotation, 0, "pubsub_name", "pubsub")
    topic = argument(annotation, 1, "topic")
    content = _subscriber_payload(program, declared)
    origin = origin_at(scope, annotation.span)
    for text, unresolved in addresses(program, topic, scope):
        use = receive(framework, text, content, origin, unresolved=unresolved)
        yield _with_pubsub_alias(program, use, pubsub, scope)


def _subscriber_payload(program: Program, declared: DeclaredFunction) -> Payload:
    """The message that a subscriber reads: the event's text, or the `data` of a cloud event."""
    content = handler_payload(program, declared.value)
    params = [param for param in declared.function.params if param.name != "self"]
    if not program.types.is_unknown(content.schema) or not params:
        return content
    fields_read = reads.of_parameter(program, declared.value, params[0].name)
    for field in fields_read.fields if isinstance(fields_read, Object) else ():
        if field.name == "data" and isinstance(field.schema, Object):
            return Payload(field.schema)
    return content


def _with_pubsub_alias(
    program: Program, use: EventUse, pubsub: Expr | None, scope: Scope
) -> EventUse:
    """An event with `component/topic` as an alias of its address."""
    name = program.text(pubsub, scope)
    if not name or use.unresolved:
        return use
    return replace(use, aliases=(f"{name}/{use.address}",))


FRAMEWORK = Framework(
    name="Dapr", markers=(*_NAMES, *_CALLS, *_SUBSCRIBES), calls=_CALLS, events=events
)
