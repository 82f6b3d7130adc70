"""Azure Functions: triggers and outputs of queues and topics."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, ClassSymbol, Scope
from contract_scan.parsers.source.csharp.messaging.addresses import address, with_settings
from contract_scan.parsers.source.csharp.messaging.payloads import handler_payload
from contract_scan.parsers.source.csharp.messaging.sends import OutgoingMessage, channel_use
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find, simple_name
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    type_name,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayType,
    Function,
    NamedType,
    NullableType,
    NullType,
    Param,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address


class Binding(Struct, frozen=True):
    """How an attribute names its queue or topic."""

    position: int
    names: tuple[str, ...]
    protocol: str = ""


_TRIGGERS = {
    "ServiceBusTrigger": Binding(0, ("queueName", "topicName")),
    "QueueTrigger": Binding(0, ("queueName",)),
    "EventHubTrigger": Binding(0, ("eventHubName",)),
    "KafkaTrigger": Binding(1, ("topic",), "kafka"),
    "RabbitMQTrigger": Binding(0, ("queueName",), "amqp"),
}
_OUTPUTS = {
    "ServiceBusOutput": Binding(0, ("queueOrTopicName",)),
    "QueueOutput": Binding(0, ("queueName",)),
    "EventHubOutput": Binding(0, ("eventHubName",)),
    "KafkaOutput": Binding(1, ("topic",), "kafka"),
}
_OUTPUTS_OF_HOST = {
    "ServiceBus": Binding(0, ("queueOrTopicName",)),
    "Queue": Binding(0, ("queueName",)),
    "EventHub": Binding(0, ("eventHubName",)),
    "Kafka": Binding(1, ("topic",), "kafka"),
}
"""Of functions in the host's process. Other libraries have attributes of these names (Hangfire's
`[Queue("low")]`), so that more than the name has to tell them."""
_NAMESPACES = ("Microsoft.Azure.WebJobs", "Microsoft.Azure.Functions")
_AROUND = frozenset({"Task", "ValueTask", "IAsyncCollector", "ICollector", "IEnumerable", "List"})
_RAW = frozenset(
    {"string", "String", "byte", "object", "BinaryData", "ServiceBusMessage", "BrokeredMessage"}
    | {"EventData", "Message", "KafkaEventData", "QueueMessage", "OutputType"}
)
_WRAPPERS = frozenset({"IEnumerable", "List", "IReadOnlyList", "KafkaEventData"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every trigger and every output."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            scope = program.class_scope(symbol)
            for method in symbol.decl.methods:
                yield from _of_method(program, method, symbol, scope)
            yield from _of_members(program, symbol, scope)


def _of_method(
    program: Program, method: Function, symbol: ClassSymbol, scope: Scope
) -> Iterator[EventUse]:
    symbol_name = f"{symbol.qualified_name}.{method.name}"
    origin = Origin(symbol.file.path, method.name_span, "", symbol_name)
    outputs = _outputs(method, symbol)
    variant = _serialization_mode(program, method, symbol)
    for param in method.params:
        for marked in param.annotations:
            trigger, output = _TRIGGERS.get(simple_name(marked)), outputs.get(simple_name(marked))
            if trigger is not None:
                payload = _trigger_payload(program, method, param, scope, variant)
                yield _use(program, "receive", marked, trigger, payload, scope, origin)
            elif output is not None:
                payload = _output_payload(program, param.type, scope, method.name, variant)
                yield _use(program, "send", marked, output, payload, scope, origin)
    for marked in method.annotations:
        output = outputs.get(simple_name(marked))
        if output is not None:
            payload = _output_payload(program, method.returns, scope, method.name, variant)
            yield _use(program, "send", marked, output, payload, scope, origin)


def _outputs(method: Function, symbol: ClassSymbol) -> dict[str, Binding]:
    """The attributes that are outputs on a method and its parameters."""
    named = find(method.annotations, "Function", "FunctionName") is not None
    if named or any(e.module.startswith(_NAMESPACES) for e in symbol.file.imports):
        return {**_OUTPUTS, **_OUTPUTS_OF_HOST}
    return _OUTPUTS


def _of_members(program: Program, symbol: ClassSymbol, scope: Scope) -> Iterator[EventUse]:
    """Properties of what a function returns, each with an output of its own."""
    for member in symbol.decl.members:
        for marked in member.annotations:
            output = _OUTPUTS.get(simple_name(marked))
            if output is not None:
                symbol_name = f"{symbol.qualified_name}.{member.name}"
                origin = Origin(symbol.file.path, member.name_span, "", symbol_name)
                variant = variant_for(program, "worker", symbol.file.path)
                payload = _output_payload(program, member.type, scope, member.name, variant)
                yield _use(program, "send", marked, output, payload, scope, origin)


def _serialization_mode(program: Program, method: Function, symbol: ClassSymbol) -> str:
    """How messages are written and read: by the serializer of the worker process, or by
    Newtonsoft.Json as it is in that of the host."""
    isolated = find(method.annotations, "Function") is not None
    return variant_for(program, "worker" if isolated else "newtonsoft", symbol.file.path)


def _trigger_payload(
    program: Program, method: Function, param: Param, scope: Scope, variant: str
) -> Payload:
    """The message of a trigger: the type of the parameter that has the attribute."""
    return handler_payload(program, replace(method, params=(param,)), scope, variant, _WRAPPERS)


def _output_payload(
    program: Program, type: TypeExpr | None, scope: Scope, name: str, variant: str
) -> Payload:
    for _ in range(4):
        if isinstance(type, NullableType | ArrayType):
            type = type.item
        elif isinstance(type, NamedType) and unqualified_name(type.name) in _AROUND and type.args:
            type = type.args[0]
    if (
        not isinstance(type, NamedType)
        or isinstance(type, NullType)
        or unqualified_name(type.name) in _RAW
    ):
        return undetermined_because(Reason("message-passed-through", name=name))
    schema = program.schema(type, scope, variant)
    return Payload(schema=schema, message=type_name(program, ByType(type, scope)))


def _use(
    program: Program,
    direction: str,
    marked: Annotation,
    binding: Binding,
    payload: Payload,
    scope: Scope,
    origin: Origin,
) -> EventUse:
    found = address(program, argument(marked, binding.position, *binding.names), scope)
    if found.text:
        found = with_settings(program, found.text, scope.file.path)
    message = OutgoingMessage(
        found if found != Address() else Address(reason=Reason("no-address")), payload
    )
    use = channel_use("send" if direction == "send" else "receive", message, origin, FRAMEWORK.name)
    return replace(use, protocols=(binding.protocol,)) if binding.protocol else use


FRAMEWORK = Framework(
    name="Azure Functions (messages)",
    markers=(
        *(name.encode() + b"(" for name in sorted({*_TRIGGERS, "ServiceBusOutput", "QueueOutput"})),
        *(b"EventHubOutput(", b"KafkaOutput(", b"[ServiceBus(", b"[return: ServiceBus("),
        *(b"[Queue(", b"[EventHub(", b"[Kafka(", b"[return: Queue(", b"[return: EventHub("),
    ),
    events=events,
)
