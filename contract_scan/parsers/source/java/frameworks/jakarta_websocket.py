"""Jakarta WebSocket: endpoints with `@ServerEndpoint`, what they take and send."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Function, Param
from contract_scan.parsers.source.java.messaging.payloads import Payload, undetermined_payload
from contract_scan.parsers.source.java.messaging.sockets import (
    Sockets,
    read_text,
    socket_path,
    text_message_uses,
    uses,
)
from contract_scan.parsers.source.java.resolution.annotations import argument, find, type_name
from contract_scan.parsers.source.language import Framework

_NO_MESSAGES = frozenset({"Session", "EndpointConfig", "boolean", "Boolean"})
_CONTROL = "PongMessage"
_TEXTS = frozenset({"String", "Reader"})
_REMOTES = frozenset({"getBasicRemote", "getAsyncRemote"})
_BY_ENCODER = Reason("payload-written-by-encoder-not-followed")
_BY_DECODER = Reason("payload-read-by-decoder-not-followed")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """What the methods of endpoints take, and every send to a session."""
    endpoints = [
        (symbol, annotation)
        for file in program.seeds(framework)
        for symbol in program.classes(file)
        if (annotation := find(symbol.decl.annotations, "ServerEndpoint")) is not None
    ]
    sockets = Sockets(
        {
            symbol.key: (socket_path(program, argument(one, "value"), program.class_scope(symbol)),)
            for symbol, one in endpoints
        }
    )
    for symbol, _ in endpoints:
        for method in symbol.decl.methods:
            if find(method.annotations, "OnMessage") is not None:
                yield from _handler_uses(program, sockets, symbol, method)
    if endpoints:
        for file in program.seeds(framework):
            for call, scope in program.calls(file):
                if isinstance(call, Call) and call.args and _is_remote(call):
                    assert isinstance(call.callee, Attribute)
                    payload = call.args[0].value
                    if call.callee.name == "sendText":
                        yield from text_message_uses(
                            program, sockets, call, payload, scope, FRAMEWORK.name
                        )
                    elif call.callee.name == "sendObject":
                        origin = program.origin(call, scope)
                        content = undetermined_payload(_BY_ENCODER, origin)
                        to = sockets.sockets_around(program, scope)
                        yield from uses("send", to, content, origin, FRAMEWORK.name)


def _is_remote(call: Call) -> bool:
    """`session.getBasicRemote().sendText(…)`."""
    match call.callee:
        case Attribute(value=Call(callee=Attribute(name=name))):
            return name in _REMOTES
        case _:
            return False


def _handler_uses(
    program: Program, sockets: Sockets, symbol: ClassSymbol, method: Function
) -> Iterator[EventUse]:
    inside = program.class_scope(symbol)
    origin = program.origin(method, inside)
    to = sockets.addresses[symbol.key]
    message = _message(method)
    if message is not None and type_name(message.type) != _CONTROL:
        content: Payload
        if type_name(message.type) in _TEXTS:
            content = read_text(program, FunctionValue(method, inside, symbol), origin)
        else:
            content = undetermined_payload(_BY_DECODER, origin)
        yield from uses("receive", to, content, origin, FRAMEWORK.name)
    answer = type_name(method.returns)
    if answer and answer != "void":
        is_text = answer in _TEXTS
        reason = Reason("payload-returned-as-text", method=method.name) if is_text else _BY_ENCODER
        content = undetermined_payload(reason, origin, is_text=is_text)
        yield from uses("send", to, content, origin, FRAMEWORK.name)


def _message(method: Function) -> Param | None:
    """The parameter that takes the message."""
    for param in method.params:
        if type_name(param.type) not in _NO_MESSAGES and not param.annotations:
            return param
    return None


FRAMEWORK = Framework(
    name="Jakarta WebSocket",
    markers=(b"jakarta.websocket", b"javax.websocket"),
    calls=(b".sendText(", b".sendObject("),
    events=events,
    protocols=("ws",),
)
