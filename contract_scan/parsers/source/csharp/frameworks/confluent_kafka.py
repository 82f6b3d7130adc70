"""Confluent.Kafka: `ProduceAsync(topic, message)`, `Subscribe(topic)` with what is read there."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.csharp.messaging.addresses import Address, address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
)
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.inherited_members import (
    place_of,
    seen_from_below,
)
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    read_near,
    serialised_payload,
    type_name,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Call,
    Expr,
    FileFacts,
    Name,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework

_PRODUCERS = frozenset({"IProducer", "IDependentProducer"})
_CONSUMERS = frozenset({"IConsumer"})
_SENDS = frozenset({"ProduceAsync", "Produce"})
_NO_PAYLOAD = frozenset({"string", "String", "byte[]", "Null", "Ignore"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every place that produces to a topic or subscribes to one."""
    for file in program.seeds(framework):
        for call, callee, scope in method_calls(program, file, b".Produce", b".Subscribe("):
            name = callee.name
            receiver = program.evaluator.unwrap(program.evaluate(callee.value, scope))
            if name in _SENDS and len(call.args) >= 2:
                yield from _send_uses(program, framework, call, scope, receiver)
            elif name == "Subscribe" and call.args and _is_of_type(program, receiver, _CONSUMERS):
                for seen in seen_from_below(program, scope):
                    yield from _subscription_uses(program, framework, file, call, seen, receiver)


def _is_of_type(program: Program, value: Value, names: frozenset[str]) -> bool:
    """Whether a value is of one of the library's types (or of a project type that is one)."""
    if isinstance(value, LibraryResult):
        builders = {f"{name.removeprefix('I')}Builder" for name in names}
        return any(builder in value.name for builder in builders)
    if not isinstance(value, ByType):
        return False
    type = value.type.item if isinstance(value.type, NullableType) else value.type
    return isinstance(type, NamedType) and unqualified_name(type.name) in names


# --------------------------------------------------------------------------- sending


def _send_uses(
    program: Program, framework: Framework, call: Call, scope: Scope, receiver: Value
) -> Iterator[EventUse]:
    message = _message(call.args[1].value, scope)
    if message is None and not _is_of_type(program, receiver, _PRODUCERS):
        return

    def read_message(seen: Scope) -> OutgoingMessage:
        return OutgoingMessage(
            _topic(program, call.args[0], seen), _value(program, message, seen, receiver)
        )

    yield from channel_uses(program, call, scope, read_message, framework.name)


def _message(expr: Expr, scope: Scope) -> New | None:
    """`new Message<K, V> { Value = … }`, where it is seen."""
    if isinstance(expr, New):
        named = isinstance(expr.type, NamedType) and unqualified_name(expr.type.name) == "Message"
        return expr if named or expr.type is None else None
    if isinstance(expr, Name):
        for definition in reaching_definitions.reaching_definitions(
            scope.statements or (), expr.id, expr.span
        ):
            statement = definition.statement
            if isinstance(statement, Assign) and isinstance(statement.value, New):
                return _message(statement.value, scope)
    return None


def _value(program: Program, message: New | None, scope: Scope, receiver: Value) -> Payload:
    if message is not None:
        for entry in message.entries:
            if entry.key == "Value":
                return serialised_payload(program, entry.value, scope, "")
    declared = _type_argument(receiver, 1)
    if declared is not None and unqualified_name(_name(declared.type)) not in _NO_PAYLOAD:
        return _type_payload(program, declared)
    return undetermined_because(Reason("message-content-not-followed"))


def _name(type: TypeExpr) -> str:
    return type.name if isinstance(type, NamedType) else ""


def _type_argument(value: Value, position: int) -> BoundType | None:
    if isinstance(value, ByType):
        type = value.type.item if isinstance(value.type, NullableType) else value.type
        if isinstance(type, NamedType) and position < len(type.args):
            return BoundType(type.args[position], value.scope)
    if isinstance(value, LibraryResult) and isinstance(value.receiver, LibraryResult):
        return _type_argument(value.receiver, position)
    if isinstance(value, LibraryResult) and isinstance(value.site, New):
        type_made = value.site.type
        if isinstance(type_made, NamedType) and position < len(type_made.args):
            return BoundType(type_made.args[position], value.scope)
    return None


def _type_payload(program: Program, bound: BoundType, variant: str = "") -> Payload:
    schema = program.schema(bound.type, bound.scope, variant)
    return Payload(schema=schema, message=type_name(program, ByType(bound.type, bound.scope)))


def _topic(program: Program, argument: Argument, scope: Scope) -> Address:
    """The topic's name."""
    expr = argument.value
    if isinstance(expr, New) and expr.args:
        # `new TopicPartition("topic", …)`
        expr = expr.args[0].value
    return address(program, expr, scope)


# --------------------------------------------------------------------------- receiving


def _subscription_uses(
    program: Program,
    framework: Framework,
    file: FileFacts,
    call: Call,
    scope: Scope,
    receiver: Value,
) -> Iterator[EventUse]:
    topics = program.texts(call.args[0].value, scope)
    payload = _consumed_payload(program, file, scope, receiver, several=len(topics) > 1)
    for topic in topics or (None,):
        known = Address(topic) if topic else address(program, call.args[0].value, scope)
        pattern = known.text.startswith("^")
        origin = place_of(program, call, scope)
        yield channel_use(
            "receive", OutgoingMessage(known, payload), origin, framework.name, pattern=pattern
        )


def _consumed_payload(
    program: Program, file: FileFacts, scope: Scope, receiver: Value, *, several: bool
) -> Payload:
    """The type of the messages: a type argument of the consumer, or what a serializer reads them
    as in the same method, else in the same class."""
    declared = _type_argument(receiver, 1)
    if declared is not None and _name(declared.type) not in _NO_PAYLOAD:
        return _type_payload(program, declared, READING)
    reason = Reason("message-handling-not-followed")
    if several:
        return undetermined_because(reason)
    return read_near(program, file, scope) or undetermined_because(reason)


FRAMEWORK = Framework(
    name="Confluent.Kafka",
    markers=(b".ProduceAsync(", b".Produce(", b".Subscribe("),
    calls=(b".ProduceAsync(", b".Produce(", b".Subscribe("),
    events=events,
    protocols=("kafka",),
)
