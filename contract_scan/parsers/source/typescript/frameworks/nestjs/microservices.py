"""NestJS microservices: `@EventPattern` and `@MessagePattern`, `client.emit` and `send`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Anything, Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Constant,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    LiteralExpr,
    ObjectLiteral,
    Param,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.nestjs.interceptors import (
    transforms,
    validates_members,
)
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.decorators import Decorator, decorators
from contract_scan.parsers.source.typescript.serialization import class_transformer

NAME = "NestJS microservices"
_MODULE = "@nestjs/microservices."
_PATTERNS = frozenset({"EventPattern", "MessagePattern"})
_PAYLOADS = frozenset({_MODULE + "Payload", "@nestjs/common.Body"})
_TAKES_PIPES = frozenset({"@nestjs/common.UsePipes", *_PAYLOADS})
_CLIENTS = frozenset({"ClientProxy", "ClientKafka", "ClientRMQ", "ClientRedis", "ClientNats"})
_CLIENTS_AND_MORE = frozenset({*_CLIENTS, "ClientMqtt", "ClientTCP", "ClientGrpc"})
_PROTOCOLS: dict[str, tuple[str, ...]] = {
    "ClientKafka": ("kafka",),
    "ClientMqtt": ("mqtt",),
    "ClientNats": ("nats",),
    "ClientRMQ": ("amqp",),
    "ClientRedis": ("redis",),
}
"""What a client speaks; of `ClientProxy` the configuration decides."""
_KAFKA_KEYS = frozenset({"key", "value", "headers", "partition", "timestamp"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every pattern that a handler answers or a client sends to."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for function in symbol.decl.methods:
                for decorator in decorators(program, function.annotations, inside):
                    if decorator.name in {_MODULE + name for name in _PATTERNS}:
                        yield from _receive_uses(program, function, decorator, inside, symbol)
        for call, scope in walker.calls(program, file):
            yield from _send_uses(program, call, scope)


# ------------------------------------------------------------------ handlers


def _receive_uses(
    program: Program,
    function: Function,
    decorator: Decorator,
    inside: Scope,
    symbol: ClassSymbol,
) -> Iterator[EventUse]:
    pattern = decorator.argument(0)
    if pattern is None:
        return
    for address in _patterns(program, pattern, decorator.scope):
        site = MessageSite(
            direction="receive",
            address=address,
            payload=None,
            shape=_payload(program, function, inside, symbol),
            scope=inside,
            span=function.name_span,
            framework=NAME,
        )
        yield from uses(program, site)


def _payload(program: Program, function: Function, inside: Scope, symbol: ClassSymbol) -> Schema:
    """What a handler takes messages for: the parameter with `@Payload()`, else the first that bears
    no decorator. `@Payload("order")` takes what stands under a key, whatever stands beside it."""
    fields: list[Field] = []
    plain: list[Param] = []
    for param in function.params:
        found = decorators(program, param.annotations, inside)
        taken = next((d for d in found if d.name in _PAYLOADS), None)
        key = None if taken is None else program.text(taken.argument(0), taken.scope)
        if taken is not None and not key:
            return _payload_schema(program, function, param, inside, symbol)
        if key:
            schema = _payload_schema(program, function, param, inside, symbol)
            origin = Origin(inside.file.path, param.place)
            fields.append(Field(name=key, schema=schema, required=False, origin=origin))
        if not found:
            plain.append(param)
    if fields:
        return Object(fields=tuple(fields), additional=Anything(), origin=fields[0].origin)
    if plain and not any(param.annotations for param in function.params):
        return _payload_schema(program, function, plain[0], inside, symbol)
    return Unknown(reason=Reason("payload-untyped", function=function.name))


def _payload_schema(
    program: Program, function: Function, param: Param, inside: Scope, symbol: ClassSymbol
) -> Schema:
    if param.type is None:
        return Unknown(reason=Reason("payload-untyped", function=function.name))
    named = (*symbol.decl.annotations, *function.annotations, *param.annotations)
    used = decorators(program, named, inside)
    pipes = [a.value for each in used if each.name in _TAKES_PIPES for a in each.args]
    if not any(map(validates_members, pipes)):
        return program.schema(param.type, inside)
    transformed = any(map(transforms, pipes))
    variant = class_transformer.INPUT if transformed else class_transformer.UNCHECKED_INPUT
    return program.schema(param.type, inside, class_transformer.with_validation(variant))


def _patterns(program: Program, expr: Expr, scope: Scope) -> Iterator[Expr]:
    """A text, or the text that Nest makes of an object pattern: `{"cmd":"sum"}`."""
    value = program.evaluate(expr, scope)
    if isinstance(value, Record):
        text = _object_pattern(value)
        if text is not None:
            yield LiteralExpr(value=text, span=expr.span)
            return
    yield expr


def _object_pattern(record: Record) -> str | None:
    parts = {}
    for entry in record.entries:
        if not isinstance(entry.value, Constant):
            return None
        parts[entry.name] = entry.value.value
    return json.dumps(parts, sort_keys=True, separators=(",", ":"))


# ------------------------------------------------------------------ clients


def _send_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name not in ("emit", "send"):
        return
    if len(call.args) < 2:
        return
    client = program.evaluate(callee.value, scope)
    kind = _client(program, client)
    if not kind:
        return
    payload = call.args[1].value
    if kind == "ClientKafka":
        payload = _kafka_value(payload)
    protocols = _PROTOCOLS.get(kind, ())
    for address in _patterns(program, call.args[0].value, scope):
        for use in uses(program, _site(address, payload, scope, call.span)):
            yield replace(use, protocols=protocols)


def _site(address: Expr, payload: Expr, scope: Scope, span: Span) -> MessageSite:
    return MessageSite(
        direction="send",
        address=address,
        payload=payload,
        scope=scope,
        span=span,
        framework=NAME,
    )


def _client(program: Program, value: Value) -> str:
    """The kind of client that a value is; empty for anything else."""
    if not isinstance(value, ByType):
        return ""
    name = program.evaluator.qualified_name(value)
    last = name.rsplit(".", 1)[-1]
    return last if name == _MODULE + last and last in _CLIENTS_AND_MORE else ""


def _kafka_value(payload: Expr) -> Expr:
    """`{ key, value }` carries its payload in `value`."""
    if not isinstance(payload, ObjectLiteral):
        return payload
    parts = {entry.key: entry.value for entry in payload.entries if entry.key is not None}
    if "value" in parts and set(parts) <= _KAFKA_KEYS:
        return parts["value"]
    return payload


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"@nestjs/microservices",),
    calls=(b".emit(", b".send("),
    events=events,
)
