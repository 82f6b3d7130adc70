"""MassTransit: `Publish` and `Send` of typed messages, `IConsumer<T>`, sagas, topics of riders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.messaging.sites import wrapper_scopes
from contract_scan.parsers.source.csharp.messaging.typed_messages import (
    qualified_type_name,
    spellings,
)
from contract_scan.parsers.source.csharp.resolution.annotations import find, text
from contract_scan.parsers.source.csharp.resolution.callers import calls_of, method_calls
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.serialization.json_texts import type_name
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.csharp.serialization.wire import expression_schema
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    NamedType,
    NullableType,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework

VARIANT = "masstransit"
_SENDERS = frozenset(
    {
        "IPublishEndpoint",
        "ISendEndpoint",
        "ISendEndpointProvider",
        "IBus",
        "IBusControl",
        "ConsumeContext",
        "IPublishEndpointProvider",
        "BehaviorContext",
        "ITopicProducer",
        "IMessageScheduler",
    }
)
_SENDS = frozenset({"Publish", "Send", "Produce", "PublishBatch", "SendBatch"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent, published or consumed."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            yield from _consumer_uses(program, framework, symbol)
        for call, callee, scope in method_calls(program, file, b".Publish", b".Send", b".Produce"):
            if callee.name in _SENDS and call.args:
                yield from _send_uses(program, framework, call, callee, scope)


# --------------------------------------------------------------------------- sending


def _send_uses(
    program: Program, framework: Framework, call: Call, callee: Attribute, scope: Scope
) -> Iterator[EventUse]:
    receiver = program.evaluator.unwrap(program.evaluate(callee.value, scope))
    if not _is_sender(program, receiver):
        return
    use = _message(program, framework, call, scope, receiver, call, scope)
    if not isinstance(use.payload, Unknown) or use.address:
        yield use
        return
    wrapped = list(wrapper_scopes(program, scope))
    for inside, outer, place in wrapped:
        yield _message(program, framework, call, inside, receiver, outer, place)
    if not wrapped:
        yield use


def _is_sender(program: Program, value: Value) -> bool:
    if not isinstance(value, ByType):
        return False
    type = value.type.item if isinstance(value.type, NullableType) else value.type
    if not isinstance(type, NamedType) or unqualified_name(type.name) not in _SENDERS:
        return False
    return isinstance(program.names.lookup_type(type.name, value.scope), LibrarySymbol)


def _message(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    receiver: Value,
    place: Call,
    outside: Scope,
) -> EventUse:
    """The message of a call: the type it names, else the type of what is sent."""
    value: Value
    if call.type_args:
        value = ByType(call.type_args[0], scope, call.span)
    elif isinstance(receiver, ByType) and _topic_type(receiver) is not None:
        value = cast("Value", _topic_type(receiver))
    else:
        value = program.evaluator.unwrap(program.evaluate(call.args[0].value, scope))
    symbol = symbol_of(program, value)
    schema: Schema
    if symbol is not None or call.type_args:
        schema = program.schema_of(value, VARIANT)
    else:
        schema = expression_schema(program, call.args[0].value, scope, VARIANT)
    origin = program.origin(place, outside)
    return _use(program, framework, "send", symbol, value, schema, origin)


def _topic_type(receiver: ByType) -> ByType | None:
    """`ITopicProducer<T>` sends messages of its type."""
    type = receiver.type
    if (
        isinstance(type, NamedType)
        and unqualified_name(type.name) == "ITopicProducer"
        and type.args
    ):
        return ByType(type.args[-1], receiver.scope, receiver.span)
    return None


# --------------------------------------------------------------------------- receiving


def _consumer_uses(
    program: Program, framework: Framework, symbol: ClassSymbol
) -> Iterator[EventUse]:
    scope = program.class_scope(symbol)
    if symbol.decl.kind == "interface":
        return
    for base in symbol.decl.bases:
        if not isinstance(base, NamedType) or not base.args:
            continue
        if unqualified_name(base.name) not in ("IConsumer", "IJobConsumer"):
            continue
        if not isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol):
            continue
        type = base.args[0]
        if isinstance(type, NamedType) and unqualified_name(type.name) == "Batch" and type.args:
            type = type.args[0]
        origin = Origin(symbol.file.path, base.span, "", symbol.qualified_name)
        yield _receive_use_of_type(program, framework, type, scope, origin)
    if not _is_saga(symbol):
        return
    for member in symbol.decl.members:
        written = member.type
        if (
            isinstance(written, NamedType)
            and unqualified_name(written.name) == "Event"
            and written.args
        ):
            origin = Origin(symbol.file.path, member.name_span, "", symbol.qualified_name)
            yield _receive_use_of_type(program, framework, written.args[0], scope, origin)


def _is_saga(symbol: ClassSymbol) -> bool:
    return any(
        isinstance(base, NamedType) and unqualified_name(base.name) == "MassTransitStateMachine"
        for base in symbol.decl.bases
    )


def _receive_use_of_type(
    program: Program, framework: Framework, type: TypeExpr, scope: Scope, origin: Origin
) -> EventUse:
    value = ByType(type, scope)
    schema = program.schema(type, scope, READING + VARIANT)
    return _use(program, framework, "receive", symbol_of(program, value), value, schema, origin)


# --------------------------------------------------------------------------- addresses


def _use(
    program: Program,
    framework: Framework,
    direction: str,
    symbol: ClassSymbol | None,
    value: Value,
    schema: Schema,
    origin: Origin,
) -> EventUse:
    address = "" if symbol is None else _address(program, symbol)
    return EventUse(
        direction="send" if direction == "send" else "receive",
        address=address,
        payload=schema,
        message=type_name(program, value),
        aliases=_aliases(address, type_name(program, value)),
        unresolved=NO_REASON if address else Reason("message-type-undetermined"),
        framework=framework.name,
        origin=origin,
    )


def _address(program: Program, symbol: ClassSymbol) -> str:
    """The name of what a message goes to: given by an attribute or start-up code, else made of the
    type's namespace and name."""
    scope = program.class_scope(symbol)
    marked = find(symbol.decl.annotations, "EntityName")
    if marked is not None:
        written = text(program, marked, scope, 0, "entityName")
        if written:
            return written
    configured = _configured_names(program).get(symbol.key)
    if configured:
        return configured
    return qualified_type_name(symbol, ":")


def _aliases(address: str, name: str) -> tuple[str, ...]:
    """Names that contracts give a message whose address is made of its type."""
    return spellings(name) if name and address.endswith(f":{name}") else ()


@memoised
def _configured_names(program: Program) -> dict[str, str]:
    """Key of a message's type → the name that start-up code sets for it."""
    found: dict[str, str] = {}
    for path in program.files_containing(
        b".SetEntityName(", b".TopicEndpoint<", b".AddProducer<", b".MapEndpointConvention<"
    ):
        for call, scope in calls_of(program, program.facts(path), b"<"):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                _configure(program, call, call.callee, scope, found)
    return found


def _configure(
    program: Program, call: Call, callee: Attribute, scope: Scope, found: dict[str, str]
) -> None:
    if not call.type_args or not call.args:
        return
    symbol = symbol_of(program, ByType(call.type_args[-1], scope))
    if symbol is None:
        return
    if callee.name in ("TopicEndpoint", "AddProducer"):
        name = program.text(call.args[0].value, scope)
        if name:
            found[symbol.key] = name
    elif callee.name == "Message":
        name = _entity_name(program, call, scope)
        if name:
            found[symbol.key] = name


def _entity_name(program: Program, call: Call, scope: Scope) -> str | None:
    """`cfg.Message<T>(x => x.SetEntityName("name"))`."""
    function = program.function_value(call.args[0].value, scope)
    if function is None:
        return None
    inside = program.function_scope(function.function, function.scope)
    for inner, place in calls_in(program, inside.statements or (), inside):
        if not isinstance(inner, Call) or not isinstance(inner.callee, Attribute):
            continue
        if inner.callee.name == "SetEntityName" and inner.args:
            return program.text(inner.args[0].value, place)
    return None


FRAMEWORK = Framework(
    name="MassTransit",
    markers=(
        b"MassTransit",
        b"IConsumer<",
        b"IPublishEndpoint",
        b"ISendEndpoint",
        b"ITopicProducer<",
        b"ConsumeContext<",
    ),
    calls=(b".Publish(", b".Publish<", b".Send(", b".Send<", b".Produce("),
    events=events,
)
