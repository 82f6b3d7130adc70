"""Methods that receive messages: `@KafkaListener`, `@RabbitListener`, on methods and classes."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Anything
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Function,
    NamedType,
    NullType,
    Param,
)
from contract_scan.parsers.source.java.frameworks.spring.annotations import (
    Merged,
    merged_annotations,
)
from contract_scan.parsers.source.java.messaging.payloads import (
    HandledPayload,
    Payload,
    parameter_payload,
    undetermined_payload,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    constant_name,
    has,
    nested_annotations,
    simple_name,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.serialization.validation import with_validation

_NOT_PAYLOAD = frozenset(
    {
        *("Acknowledgment", "Consumer", "ConsumerRecordMetadata", "MessageHeaders", "Channel"),
        *("KafkaConsumer", "MessageHeaderAccessor", "Exchange", "UUID", "Locale", "Principal"),
        *("Acknowledgement", "BatchAcknowledgement", "Visibility", "QueueMessageVisibility"),
        *("Session", "JmsMessageHeaderAccessor", "SimpMessageHeaderAccessor", "Authentication"),
        *("StompHeaderAccessor", "HttpSession", "SimpMessagingTemplate"),
    }
)
"""Types of parameters that a listener is given beside the payload."""


_BATCH_SETTINGS = {
    "KafkaListener": ("spring.kafka.listener.type",),
    "RabbitListener": (
        "spring.rabbitmq.listener.simple.consumerbatchenabled",
        "spring.rabbitmq.listener.direct.debatchingenabled",
    ),
}
"""Listeners that are given one payload at a time unless a setting says otherwise."""
_BATCH_CONFIGURATION = (
    *(b"setBatchListener", b"setConsumerBatchEnabled", b"BatchMessagingMessageConverter"),
    b"setBatchToRecordAdapter",
)
_ENVELOPES = frozenset({"ConsumerRecord", "Message", "GenericMessage"})
"""What a list holds that is a batch."""


class Listener(Struct, frozen=True, eq=False):
    """One method that receives, with the annotation that says from where."""

    annotation: Merged
    method: Function
    symbol: ClassSymbol
    scope: Scope
    """Inside the class."""

    @property
    def origin(self) -> Origin:
        """Where the method's name stands."""
        symbol = f"{self.symbol.qualified_name}.{self.method.name}"
        return Origin(self.symbol.file.path, self.method.name_span, "", symbol)


def listeners(program: Program, symbol: ClassSymbol, name: str, handler: str) -> Iterator[Listener]:
    """The listeners of a class: methods with the annotation `name` (or several below its plural),
    and methods marked `handler` where the class itself has it."""
    inside = program.class_scope(symbol)
    wanted = frozenset({name, f"{name}s"})
    on_class = list(_listener_annotations(program, symbol.decl.annotations, inside, wanted))
    for method in symbol.decl.methods:
        own = list(_listener_annotations(program, method.annotations, inside, wanted))
        if not own and any(simple_name(a) == handler for a in method.annotations):
            own = on_class
        for annotation in own:
            yield Listener(annotation, method, symbol, inside)


def _listener_annotations(
    program: Program, annotations: tuple[Annotation, ...], scope: Scope, wanted: frozenset[str]
) -> Iterator[Merged]:
    for found in merged_annotations(program, annotations, scope, wanted):
        if found.name.endswith("Listeners"):
            given = found.get("value")
            for call in nested_annotations(given[0]) if given is not None else ():
                values = {a.name or "value": (a.value, scope) for a in call.args}
                yield Merged(constant_name(call.callee), values, found.used)
        else:
            yield found


# --------------------------------------------------------------------------- payload


def listener_payload(program: Program, listener: Listener, variant: str) -> Payload:
    """The payload that a listener accepts, with the name of its type."""
    param = payload_parameter(listener.method)
    if not listener.method.params:
        return Payload(Anything(nullable=None, origin=listener.origin))
    if param is None or param.type is None:
        return undetermined_payload(
            Reason("handler-input-type-missing", method=listener.method.name), listener.origin
        )
    handled = HandledPayload(
        param.type,
        listener.method,
        listener.scope,
        listener.origin,
        batches=_takes_batches(program, listener, param),
    )
    variant = with_validation(variant, _is_validated(program, listener, param))
    return parameter_payload(program, handled, variant)


def _is_validated(program: Program, listener: Listener, param: Param) -> bool:
    """Whether a payload is validated: it is marked, and the class is intercepted or the listeners
    are given a validator, which they have not by default. Neither looks into an envelope."""
    if not has(param.annotations, "Valid", "Validated") or type_name(param.type) in _ENVELOPES:
        return False
    return has(listener.symbol.decl.annotations, "Validated") or is_in_related_files(
        program, listener.symbol.file.path, b".setValidator("
    )


def _takes_batches(program: Program, listener: Listener, param: Param) -> bool:
    """Whether a list is a batch of payloads: the annotation says so, or what configures the
    containers, or what the list holds. A listener is given one payload unless something does
    (https://docs.spring.io/spring-kafka/reference/kafka/receiving-messages/listener-annotation.html).
    """
    switches = _BATCH_SETTINGS.get(listener.annotation.name.removesuffix("s"))
    held = param.type.args[:1] if isinstance(param.type, NamedType) else ()
    if switches is None or any(type_name(type) in _ENVELOPES for type in held):
        return True
    given = listener.annotation.get("batch")
    if given is not None:
        return program.text(*given) != "false"
    path = listener.symbol.file.path
    values = settings(program, path)
    if any(values.get(key, "").lower() in ("batch", "true") for key in switches):
        return True
    return is_in_related_files(program, path, *_BATCH_CONFIGURATION)


def payload_parameter(method: Function) -> Param | None:
    """The parameter that holds the payload: the one marked so, else the only one left."""
    for param in method.params:
        if any(simple_name(a) == "Payload" for a in param.annotations):
            return param
    marked = {"Header", "Headers", "DestinationVariable"}
    left = [
        param
        for param in method.params
        if type_name(param.type) not in _NOT_PAYLOAD
        and not any(simple_name(a) in marked for a in param.annotations)
    ]
    if len(left) > 1:
        left = [param for param in left if type_name(param.type) != "Message"]
    return left[0] if len(left) == 1 else None


def replies(method: Function) -> bool:
    """Whether a listener returns something."""
    return method.returns is not None and not isinstance(method.returns, NullType)
