"""Springwolf: annotations that declare what a method publishes or receives.

They stand where no library call shows it: before methods that publish through a wrapper of the
project's own or a library that is not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, Function
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    payload_parameter,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import PLAIN_MAPPER
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    element_of,
    nested_annotations,
    simple_name,
    type_name,
)
from contract_scan.parsers.source.language import Framework

_DIRECTIONS: dict[str, Direction] = {"AsyncPublisher": "send", "AsyncListener": "receive"}


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every declared operation that names its channel."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            scope = program.class_scope(symbol)
            for method in symbol.decl.methods:
                for annotation in method.annotations:
                    yield from _declared_uses(program, annotation, method, symbol, scope)


def _declared_uses(
    program: Program, annotation: Annotation, method: Function, symbol: ClassSymbol, scope: Scope
) -> Iterator[EventUse]:
    direction = _DIRECTIONS.get(simple_name(annotation))
    operation = next(nested_annotations(argument(annotation, "operation")), None)
    channel = element_of(operation.args, "channelName") if operation is not None else None
    if direction is None or operation is None or channel is None:
        return
    found = address(program, channel, scope)
    name = f"{symbol.qualified_name}.{method.name}"
    origin = Origin(symbol.file.path, method.name_span, "", name)
    payload: Schema = Unknown(reason=Reason("payload-not-shown", method=method.name), origin=origin)
    written = class_argument(element_of(operation.args, "payloadType"))
    param = payload_parameter(method)
    type = written or (param.type if param is not None else None)
    if type is not None:
        payload = program.schema(type, scope, PLAIN_MAPPER)
    yield EventUse(
        direction=direction,
        address=found.text,
        payload=payload,
        message=type_name(type),
        unresolved=found.reason,
        framework=FRAMEWORK.name,
        origin=origin,
    )


FRAMEWORK = Framework(
    name="Springwolf",
    markers=(b"io.github.springwolf",),
    events=events,
)
