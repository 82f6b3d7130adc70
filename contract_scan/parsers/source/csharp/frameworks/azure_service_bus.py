"""Azure Service Bus: senders, processors and receivers of queues and topics."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Items, LibraryResult, Scope
from contract_scan.parsers.source.csharp.messaging.addresses import Address, address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
    received_message,
)
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.inherited_members import (
    place_of,
    seen_from_below,
)
from contract_scan.parsers.source.csharp.resolution.value_sources import (
    made_by,
    sources,
    variable,
    without_wrappers,
)
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    read_in,
    read_near,
    serialised_payload,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    FileFacts,
    NamedType,
    New,
)
from contract_scan.parsers.source.language import Framework

_SENDS = frozenset(
    {"SendMessageAsync", "SendMessagesAsync", "ScheduleMessageAsync", "ScheduleMessagesAsync"}
    | {"TryAddMessage"}
)
_RECEIVERS = frozenset(
    {"CreateProcessor", "CreateSessionProcessor", "CreateReceiver"}
    | {"AcceptSessionAsync", "AcceptNextSessionAsync"}
)
_CLIENT = frozenset({"ServiceBusClient"})
_SENDER = frozenset({"ServiceBusSender"})
_BATCH = frozenset({"ServiceBusMessageBatch"})
_CALLS = (
    *(f".{name}(".encode() for name in sorted(_SENDS)),
    *(f".{name}(".encode() for name in sorted(_RECEIVERS)),
)
_MAX_DEPTH = 6


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent, and every place that receives."""
    for file in program.seeds(framework):
        for call, callee, scope in method_calls(program, file, *_CALLS):
            if callee.name in _SENDS and call.args:
                yield from _send_uses(program, call, callee.value, scope)
            elif callee.name not in _RECEIVERS or not call.args:
                continue
            elif is_of(program, callee.value, scope, _CLIENT):
                for seen in seen_from_below(program, scope):
                    yield _receive_use(program, file, call, seen)


# --------------------------------------------------------------------------- sending


def _send_uses(program: Program, call: Call, receiver: Expr, scope: Scope) -> Iterator[EventUse]:
    if not _is_sender(program, receiver, scope):
        return

    def read_message(seen: Scope) -> OutgoingMessage:
        message = call.args[0].value
        return OutgoingMessage(_destination(program, receiver, seen), _body(program, message, seen))

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _is_sender(program: Program, receiver: Expr, scope: Scope) -> bool:
    if made_by(program, receiver, scope, "CreateSender", "CreateMessageBatchAsync") is not None:
        return True
    return is_of(program, receiver, scope, _SENDER | _BATCH)


def _destination(program: Program, receiver: Expr, scope: Scope) -> Address:
    """What the sender, or the sender of the batch, was made for."""
    batch = made_by(program, receiver, scope, "CreateMessageBatchAsync")
    if batch is not None and isinstance(batch[0].callee, Attribute):
        receiver, scope = batch[0].callee.value, batch[1]
    made = made_by(program, receiver, scope, "CreateSender")
    if made is None or not made[0].args:
        return Address(reason=Reason("sender-destination-not-followed"))
    return address(program, made[0].args[0].value, made[1])


def _body(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> Payload:
    """What `new ServiceBusMessage(body)` holds; of several messages, what all of them hold."""
    expr = without_wrappers(expr)
    if isinstance(expr, New) and _is_message(expr):
        if expr.args:
            return serialised_payload(program, expr.args[0].value, scope, "bare")
        body = next((entry.value for entry in expr.entries if entry.key == "Body"), None)
        if body is not None:
            return serialised_payload(program, body, scope, "bare")
    elif depth < _MAX_DEPTH:
        given = list(sources(program, expr, scope))
        if len(given) == 1 and isinstance(without_wrappers(given[0][0]), New):
            return _body(program, *given[0], depth + 1)
        value = program.evaluator.unwrap(program.evaluate(expr, scope))
        if isinstance(value, Items) and value.values:
            value = value.values[0]
        if (
            isinstance(value, LibraryResult)
            and isinstance(value.site, New)
            and value.site is not expr
        ):
            return _body(program, value.site, value.scope, depth + 1)
    return undetermined_because(Reason("message-content-not-followed"))


def _is_message(made: New) -> bool:
    return made.type is None or (
        isinstance(made.type, NamedType) and unqualified_name(made.type.name) == "ServiceBusMessage"
    )


# --------------------------------------------------------------------------- receiving


def _receive_use(program: Program, file: FileFacts, call: Call, scope: Scope) -> EventUse:
    handler = _handler(program, call, scope)
    payload = read_in(program, handler) if handler is not None else read_near(program, file, scope)
    found = address(program, call.args[0].value, scope)
    message = received_message(found, payload)
    return channel_use("receive", message, place_of(program, call, scope), FRAMEWORK.name)


def _handler(program: Program, call: Call, scope: Scope) -> Scope | None:
    """The function that the processor is told to call: `processor.ProcessMessageAsync += Handle`,
    where there is just one."""
    name = _assigned_to(call, scope)
    owner = scope.owner_around
    places = [scope]
    if owner is not None:
        inside = program.class_scope(owner)
        places = [program.function_scope(method, inside) for method in owner.decl.methods]
    found: list[Scope] = []
    for place in places:
        for statement in reaching_definitions.nested_statements(place.statements or ()):
            match statement:
                case Assign(
                    target=Attribute(value=holder, name="ProcessMessageAsync"), value=given
                ) if given is not None and (not name or variable(holder) == name):
                    function = program.function_value(given, place)
                    if function is not None:
                        found.append(program.function_scope(function.function, function.scope))
                case _:
                    pass
    return found[0] if len(found) == 1 else None


def _assigned_to(call: Call, scope: Scope) -> str:
    """The local name or member that holds what a call gives."""
    current: Scope | None = scope
    while current is not None:
        for statement in reaching_definitions.nested_statements(current.statements or ()):
            if not isinstance(statement, Assign) or statement.value is None:
                continue
            if without_wrappers(statement.value) is call:
                return variable(statement.target)
        current = current.parent
    return ""


FRAMEWORK = Framework(
    name="Azure Service Bus",
    markers=(b"Azure.Messaging.ServiceBus", b"ServiceBusSender", b"ServiceBusClient"),
    calls=_CALLS,
    events=events,
)
