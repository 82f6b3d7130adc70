"""Spring's sockets without STOMP: handlers that a `WebSocketConfigurer` registers at paths."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.analysis.typing.kinds import class_of
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, New
from contract_scan.parsers.source.java.messaging.payloads import undetermined_payload
from contract_scan.parsers.source.java.messaging.sockets import (
    SocketPath,
    Sockets,
    read_text,
    socket_path,
    text_message_uses,
    uses,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.language import Framework

_TEXT = ("handleTextMessage", "handleMessage")
_BYTES = "handleBinaryMessage"
_REGISTRY = "WebSocketHandlerRegistry"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """What registered handlers take, and every text that is sent to a session."""
    handlers: dict[str, tuple[ClassSymbol, tuple[SocketPath, ...]]] = {}
    calls = [
        (call, call.callee, scope)
        for file in program.seeds(framework)
        for call, scope in program.calls(file)
        if isinstance(call, Call) and isinstance(call.callee, Attribute) and call.args
    ]
    for call, callee, scope in calls:
        if callee.name == "addHandler" and _is_registry(program, callee.value, scope):
            symbol = class_of(program, program.evaluate(call.args[0].value, scope))
            if symbol is not None:
                paths = tuple(socket_path(program, a.value, scope) for a in call.args[1:])
                before = handlers[symbol.key][1] if symbol.key in handlers else ()
                handlers[symbol.key] = (symbol, (*before, *paths))
    for symbol, paths in handlers.values():
        yield from _handler_uses(program, symbol, paths)
    sockets = Sockets({key: paths for key, (_, paths) in handlers.items()})
    if handlers:
        for call, callee, scope in calls:
            if callee.name == "sendMessage":
                text = _text(program, call.args[0].value, scope)
                if text is not None:
                    yield from text_message_uses(program, sockets, call, *text, FRAMEWORK.name)


def _is_registry(program: Program, expr: Expr, scope: Scope) -> bool:
    """`registry`, also behind another call of it: `registry.addHandler(a, "/a").addHandler(…)`."""
    for _ in range(20):
        match expr:
            case Call(callee=Attribute(value=inner)):
                expr = inner
            case _:
                break
    return program.qualified_name(expr, scope).rpartition(".")[2] == _REGISTRY


def _handler_uses(
    program: Program, symbol: ClassSymbol, paths: tuple[SocketPath, ...]
) -> Iterator[EventUse]:
    for name in (*_TEXT, _BYTES):
        method: FunctionValue | None = program.find_method(symbol, name)
        if method is None:
            continue
        origin = program.origin(method.function, method.scope)
        if name == _BYTES:
            payload = undetermined_payload(Reason("handler-takes-bytes", name=name), origin)
        else:
            payload = read_text(program, method, origin)
        yield from uses("receive", paths, payload, origin, FRAMEWORK.name)


def _text(program: Program, expr: Expr, scope: Scope) -> tuple[Expr, Scope] | None:
    """What a `new TextMessage(text)` holds, with the place where it is made."""
    if isinstance(expr, New):
        made, place = expr, scope
    else:
        value = program.evaluate(expr, scope)
        if not isinstance(value, LibraryResult) or not isinstance(value.site, New):
            return None
        made, place = value.site, value.scope
    if type_name(made.type) != "TextMessage" or not made.args:
        return None
    return made.args[0].value, place


FRAMEWORK = Framework(
    name="Spring WebSocket handlers",
    markers=(b"springframework.web.socket",),
    calls=(b".addHandler(", b".sendMessage("),
    events=events,
    protocols=("ws",),
)
