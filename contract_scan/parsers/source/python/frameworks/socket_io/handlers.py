"""Socket.IO in Python: what servers, namespaces and handlers emit and take.

The address is the name of the event. A contract may instead list the namespace as the channel, with
the event as the name of a message.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Scope,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    FileFacts,
    LiteralExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.socket_io.servers import (
    EMPTY,
    EVERY,
    ROOT,
    SEVERAL,
    Servers,
    SocketIOLibrary,
    event_payload,
)
from contract_scan.parsers.source.python.messaging.payloads import Payload
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    callback,
    receive,
    sends,
)
from contract_scan.parsers.source.python.web.common import argument, functions

_EMITS = frozenset({"emit", "call"})
_LISTENS = frozenset({"on", "on_event"})
_OF_THE_LIBRARY = frozenset({"connect", "disconnect", "connect_error"})
_MESSAGE = "message"
"""The event that `send` emits."""
_PREFIX = "on_"


class Reader:
    """Finds what one library emits and takes."""

    def __init__(self, program: Program, framework: Framework, dialect: SocketIOLibrary) -> None:
        self._program, self._framework = program, framework
        self._dialect = dialect
        self._servers = Servers(program, dialect)

    # ------------------------------------------------------------------ emitting

    def call_uses(self, call: Call, callee: Attribute, scope: Scope) -> Iterator[EventUse]:
        """Events that a call of a server's method, or of a namespace's own, emits or listens to."""
        if not call.args or callee.name not in (*_EMITS, "send", *_LISTENS):
            return
        own = self._servers.own(callee.value, scope)
        if own is None and not self._servers.is_server(callee.value, scope):
            return
        if self._servers.is_replaced(callee.value, callee.name, scope):
            return  # what the project's own method emits is read where it emits it
        if callee.name in _LISTENS:
            handler = argument(call, 1, "handler")
            if own is None and handler is not None:
                function = callback(self._program, handler, scope)
                yield from self._handler_uses(call, 2, scope, function, origin_at(scope, call.span))
        else:
            namespace = self._servers.namespace_argument(call, -1, scope)
            if own is not None and argument(call, -1, "namespace") is None:
                namespace = self._servers.namespace(own)
            yield from self._emit_uses(call, callee.name, namespace, scope)

    def function(self, call: Call, name: str, scope: Scope) -> Iterator[EventUse]:
        """What a call of the library's `emit` or `send` gives, which go to whoever sent the event
        that is handled."""
        namespace = self._servers.namespace_argument(call, -1, scope)
        if argument(call, -1, "namespace") is None:
            namespace = self._handled_in(scope)
        yield from self._emit_uses(call, name, namespace, scope)

    def _handled_in(self, scope: Scope) -> str | None:
        """The namespace of the handler around a place; None where there is none."""
        owner, function = scope.owner_around, scope.function
        if owner is not None and self._servers.is_namespace(owner):
            return self._servers.namespace(owner)
        for annotation in function.annotations if function is not None else ():
            callee = annotation.callee
            if isinstance(callee, Attribute) and callee.name in ("event", *_LISTENS):
                call = Call(callee, annotation.args, span=annotation.span)
                return self._servers.namespace_argument(
                    call, 2 if callee.name != "event" else -1, scope
                )
        return None

    def _emit_uses(
        self, call: Call, method: str, namespace: str | None, scope: Scope
    ) -> Iterator[EventUse]:
        event: Expr | None = LiteralExpr(value=_MESSAGE, span=call.span)
        data = argument(call, 0, "data")
        if method in _EMITS:
            event, data = argument(call, 0, "event"), argument(call, 1, "data")
        for use in sends(self._program, self._framework, scope, call, event, data):
            content = use.payload
            if data is None:
                content = EMPTY
            elif self._carries_several(call, method) or (
                isinstance(data, ArrayLiteral) and data.is_tuple and len(data.items) > 1
            ):
                content = SEVERAL
            yield from _with_namespace_alias(replace(use, payload=content), namespace)

    def _carries_several(self, call: Call, method: str) -> bool:
        """`emit("moved", x, y)` of Flask-SocketIO, which takes any number of values."""
        positional = [a for a in call.args if not a.name]
        return not self._dialect.before and method in _EMITS and len(positional) > 2

    # ------------------------------------------------------------------ taking

    def declared_uses(self, file: FileFacts) -> Iterator[EventUse]:
        """The handlers of a file: decorated functions, and methods of namespaces."""
        for declared in functions(self._program, file):
            for annotation in declared.function.annotations:
                yield from self._decorator_uses(annotation, declared.value, declared.scope)
        for symbol in self._program.classes(file):
            if self._servers.is_namespace(symbol):
                yield from self._methods(symbol)

    def _decorator_uses(
        self, annotation: Annotation, handler: FunctionValue, scope: Scope
    ) -> Iterator[EventUse]:
        """`@sio.event`, `@sio.event(namespace="/chat")`, `@sio.on("said")`."""
        callee = annotation.callee
        if not isinstance(callee, Attribute) or callee.name not in ("event", "on"):
            return
        if not self._servers.is_server(callee.value, scope):
            return
        call = Call(callee, annotation.args, span=annotation.span)
        origin = origin_at(scope, annotation.span)
        if callee.name == "on":
            yield from self._handler_uses(call, 2, scope, handler, origin)
        else:
            namespace = self._servers.namespace_argument(call, -1, scope)
            yield from self._receive_uses(
                handler.function.name, NO_REASON, handler, namespace, origin
            )

    def _handler_uses(
        self, call: Call, position: int, scope: Scope, handler: FunctionValue | None, origin: Origin
    ) -> Iterator[EventUse]:
        namespace = self._servers.namespace_argument(call, position, scope)
        for event, why in addresses(self._program, argument(call, 0, "event"), scope):
            yield from self._receive_uses(event, why, handler, namespace, origin)

    def _methods(self, symbol: ClassSymbol) -> Iterator[EventUse]:
        """`def on_said(self, sid, data)` of a class of handlers."""
        namespace = self._servers.namespace(symbol)
        own_way = self._program.find_method(symbol, "trigger_event") is not None
        why = Reason("class-dispatches-events") if own_way else NO_REASON
        for method in symbol.decl.methods:
            handler = self._program.find_method(symbol, method.name)
            if handler is not None and method.name.startswith(_PREFIX):
                event = "" if own_way else method.name.removeprefix(_PREFIX)
                origin = origin_at(handler.scope, method.name_span)
                yield from self._receive_uses(event, why, handler, namespace, origin)

    def _receive_uses(
        self,
        event: str,
        why: Reason,
        handler: FunctionValue | None,
        namespace: str | None,
        origin: Origin,
    ) -> Iterator[EventUse]:
        if event == EVERY:
            content = Payload(Unknown(reason=Reason("handler-takes-any-event")))
            why = Reason("catch-all-event-handler")
            event = ""
        else:
            before = self._dialect.before + (1 if namespace == EVERY else 0)
            content = event_payload(self._program, handler, before)
        use = receive(self._framework, event, content, origin, unresolved=why)
        yield from _with_namespace_alias(use, namespace)


def _with_namespace_alias(use: EventUse, namespace: str | None) -> Iterator[EventUse]:
    """A use whose message is its event, which a contract may list under the namespace."""
    if use.address in _OF_THE_LIBRARY:
        return
    aliases = () if namespace in (None, EVERY) else (namespace or ROOT,)
    yield replace(use, aliases=aliases, message=use.address, has_wire_name=not use.unresolved)
