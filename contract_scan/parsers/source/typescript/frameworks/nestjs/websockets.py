"""NestJS gateways: `@SubscribeMessage`, and the events that their methods answer with."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    Record,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Function, Param
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.nestjs.gateways import (
    WEBSOCKETS,
    Gateway,
    gateways,
)
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.decorators import Decorator, decorators

NAME = "NestJS gateways"

_UNTYPED = Unknown(reason=Reason("handler-message-untyped"))
_EMPTY = Unknown(reason=Reason("handler-ignores-message"))


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that a gateway takes, and every one that it returns."""
    for file in program.seeds(framework):
        for gateway in gateways(program, file):
            for holder in (gateway.symbol, *program.bases(gateway.symbol)):
                inside = program.class_scope(holder)
                for function in holder.decl.methods:
                    for decorator in decorators(program, function.annotations, inside):
                        if decorator.name == WEBSOCKETS + "SubscribeMessage":
                            yield from _message_uses(program, gateway, function, decorator, inside)


def _message_uses(
    program: Program, gateway: Gateway, function: Function, decorator: Decorator, inside: Scope
) -> Iterator[EventUse]:
    event = decorator.argument(0)
    if event is None:
        return
    span = function.name_span
    address = library.constant(program, event, decorator.scope, span, "name of a message")
    shape = _message_schema(program, function, inside)
    site = library.receive_site(NAME, address, None, inside, span, shape=shape)
    yield from _uses_in_namespace(program, gateway, site)
    receiver = Instance(gateway.symbol, inside.types)
    value = FunctionValue(function, inside, inside.owner, receiver)
    for returned in program.function_exits(value):
        if returned.value is None or returned.thrown:
            continue
        found = program.evaluate(returned.value, returned.scope)
        entries = walker.entries(found) if isinstance(found, Record) else {}
        if "event" in entries and "data" in entries:
            # What else is returned acknowledges the message, and is no event.
            answer = library.send_site(
                NAME,
                Attribute(value=returned.value, name="event", span=returned.span),
                Attribute(value=returned.value, name="data", span=returned.span),
                returned.scope,
                returned.span,
            )
            yield from _uses_in_namespace(program, gateway, answer)


def _uses_in_namespace(program: Program, gateway: Gateway, site: MessageSite) -> Iterator[EventUse]:
    for use in uses(program, site):
        aliases = () if gateway.namespace is None else (gateway.namespace,)
        yield replace(use, aliases=aliases, message=use.address, has_wire_name=not use.unresolved)


def _message_schema(program: Program, function: Function, inside: Scope) -> Schema:
    """The declared type of `@MessageBody()`; without decorators, that of the second parameter."""
    parts: list[Field] = []
    decorated = False
    for param in function.params:
        for decorator in decorators(program, param.annotations, inside):
            decorated = True
            if decorator.name != WEBSOCKETS + "MessageBody":
                continue
            name = program.text(decorator.argument(0), decorator.scope)
            if name is None:
                return _parameter_schema(program, param, inside)
            field = Field(
                name=name,
                schema=_parameter_schema(program, param, inside),
                required=not param.optional,
                has_default=param.default is not None,
            )
            parts.append(field)
    if parts:
        return Object(fields=tuple(parts))
    if decorated or len(function.params) < 2:
        return _EMPTY
    return _parameter_schema(program, function.params[1], inside)


def _parameter_schema(program: Program, param: Param, inside: Scope) -> Schema:
    return program.schema(param.type, inside) if param.type is not None else _UNTYPED


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"@nestjs/websockets",),
    events=events,
    protocols=("ws", "http"),
)
