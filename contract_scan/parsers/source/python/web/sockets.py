"""Web sockets as events: what the handlers of a library's socket routes send and take.

A socket has no topics: the address is the path of its route. What is sent and taken outside of
handlers (by a manager of connections, by what a handler gives its socket to) goes to the sockets of
the only route, where there is but one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Expr, Loop, Name
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging import reads
from contract_scan.parsers.source.python.messaging.payloads import (
    Payload,
    enclosing_function,
    handler_payload,
)
from contract_scan.parsers.source.python.messaging.uses import (
    is_of,
    made_by,
    method_calls,
    receive,
    sends,
)

PROTOCOLS = ("ws", "http")
Place: TypeAlias = tuple[str, Span]


class SocketLibrary(Struct, frozen=True):
    """How the sockets of a library are used."""

    types: tuple[str, ...]
    """What they are called in the library; with `*` at the end: all that begins so."""
    usual_names: tuple[str, ...]
    """What people call them where nothing tells their type."""
    sends: frozenset[str]
    receive_methods: frozenset[str]
    """Methods that give one message."""
    iterated_methods: frozenset[str] = frozenset()
    """Methods that give all messages, one after the other."""
    parsed: frozenset[str] = frozenset()
    """Those of `takes` and `walks` that give messages parsed."""
    is_iterated: bool = False
    """The socket itself is gone through: `async for message in ws`."""
    parses: str = ""
    """The method of a message that parses it (`message.json()`)."""

    def send_markers(self) -> tuple[bytes, ...]:
        """Texts of which every file that sends contains one."""
        return tuple(f".{name}(".encode() for name in sorted(self.sends))

    def receive_markers(self) -> tuple[bytes, ...]:
        """Texts of which every file that receives messages by a call contains one."""
        return tuple(
            f".{name}(".encode() for name in sorted(self.receive_methods | self.iterated_methods)
        )


class SocketRoute(Struct, frozen=True, eq=False):
    """A route of web sockets."""

    paths: tuple[str, ...]
    """Every path at which it is reached; empty where one is undetermined."""
    handler: FunctionValue | None
    origin: Origin
    parameter: str = ""
    """The parameter of the handler that is the socket whatever its type, where there is one."""
    payload: Payload | None = None
    """What it takes messages for, where the library reads that from a declaration."""


def socket_events(
    program: Program, framework: Framework, sort: SocketLibrary, routes: list[SocketRoute]
) -> Iterator[EventUse]:
    """Every message that the sockets of these routes take and send."""
    if routes:
        yield from _Reader(program, framework, sort, routes).uses()


class _Reader:
    def __init__(
        self, program: Program, framework: Framework, sort: SocketLibrary, routes: list[SocketRoute]
    ) -> None:
        self._program = program
        self._framework = framework
        self._sort = sort
        self._routes = routes
        self._paths: dict[Place, tuple[str, ...]] = {}
        self._parameters: dict[Place, str] = {}
        for route in routes:
            if route.handler is not None:
                key = (route.handler.scope.file.path, route.handler.function.span)
                self._paths[key] = tuple(dict.fromkeys((*self._paths.get(key, ()), *route.paths)))
                self._parameters[key] = route.parameter

    def uses(self) -> Iterator[EventUse]:
        silent: list[SocketRoute] = []
        for route in self._routes:
            content = route.payload
            if content is None and route.handler is not None:
                content = self._received_payload(route.handler)
            if content is None:
                silent.append(route)
                continue
            for path in route.paths:
                why = NO_REASON if path else Reason("socket-path-undetermined")
                yield receive(self._framework, path, content, route.origin, unresolved=why)
        if silent:
            yield from self._handed_on_uses(silent)
        yield from self._send_uses()

    # ------------------------------------------------------------------ taking

    def _received_payload(self, handler: FunctionValue) -> Payload | None:
        """The messages that a handler receives; None if it receives none."""
        program, sort = self._program, self._sort
        scope = program.function_scope(handler.function, handler.scope)
        names = {
            call.callee.name
            for call, _ in calls_in(program, scope.statements or (), scope)
            if isinstance(call, Call) and isinstance(call.callee, Attribute)
        }
        if not names & (sort.receive_methods | sort.iterated_methods) and not self._is_walked(
            scope
        ):
            return None
        content = handler_payload(program, handler)
        if not content.name and names & {*sort.parsed, *filter(None, (sort.parses,))}:
            read = reads.of_received(program, handler, self._is_parsed)
            return Payload(read) if read is not None else content
        return content

    def _is_walked(self, scope: Scope) -> bool:
        """Whether a function goes through a socket itself."""
        return self._sort.is_iterated and any(
            loop.iterable is not None and self._is_socket(loop.iterable, scope)
            for loop in _loops(scope)
        )

    def _handed_on_uses(self, silent: list[SocketRoute]) -> Iterator[EventUse]:
        """What functions take that are no handlers: a handler has handed its socket on."""
        sort = self._sort
        seen = set(self._paths)
        addresses = silent[0].paths if len(silent) == 1 else ("",)
        for _, callee, scope in method_calls(self._program, *sort.receive_markers()):
            function = enclosing_function(scope)
            if callee.name not in sort.receive_methods | sort.iterated_methods or function is None:
                continue
            key = (function.scope.file.path, function.function.span)
            if key in seen or not self._is_socket(callee.value, scope):
                continue
            seen.add(key)
            content = self._received_payload(function)
            if content is None:
                continue
            origin = self._program.origin(callee, scope)
            for path in addresses:
                why = NO_REASON if path else Reason("receiving-socket-undetermined")
                yield receive(self._framework, path, content, origin, unresolved=why)

    def _is_parsed(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression is a message that the library has parsed."""
        if not isinstance(expr, Call) or not isinstance(expr.callee, Attribute):
            return False
        callee = expr.callee
        if callee.name in self._sort.parsed:
            return True
        if callee.name != self._sort.parses or not isinstance(callee.value, Name):
            return False
        message = callee.value
        definitions = definitions_of(message, scope)
        return any(self._is_message(found.statement, scope) for found in definitions)

    def _is_message(self, statement: object, scope: Scope) -> bool:
        """Whether a statement gives a name to a message that is not parsed yet."""
        match statement:
            case Loop(iterable=iterable) if iterable is not None:
                return self._is_socket(iterable, scope)
            case Assign(value=Call(callee=Attribute(name=name))):
                return name in self._sort.receive_methods
            case _:
                return False

    # ------------------------------------------------------------------ sending

    def _send_uses(self) -> Iterator[EventUse]:
        program, sort = self._program, self._sort
        only = self._routes[0].paths if len(self._routes) == 1 else ("",)
        for call, callee, scope in method_calls(program, *sort.send_markers()):
            if callee.name not in sort.sends or not call.args:
                continue
            if not self._is_socket(callee.value, scope):
                continue
            message = call.args[0].value
            addresses = self._of_handler(scope) or only
            for use in sends(program, self._framework, scope, call, None, message):
                for path in addresses:
                    why = NO_REASON if path else Reason("sending-socket-undetermined")
                    yield replace(use, address=path, unresolved=why)

    def _of_handler(self, scope: Scope) -> tuple[str, ...]:
        """The paths of the handler that a scope is in; none where it is in no handler."""
        return next((self._paths[key] for key in _functions(scope) if key in self._paths), ())

    def _is_socket(self, expr: Expr, scope: Scope) -> bool:
        if isinstance(expr, Name) and any(
            expr.id == self._parameters.get(key) for key in _functions(scope)
        ):
            return True
        value = self._program.evaluate(expr, scope)
        types = self._sort.types
        return made_by(self._program, value, *types) or is_of(
            self._program, expr, scope, types, self._sort.usual_names
        )


def _functions(scope: Scope) -> Iterator[Place]:
    """The functions that a scope is in, from the inside out."""
    current: Scope | None = scope
    while current is not None:
        if current.function is not None:
            yield current.file.path, current.function.span
        current = current.parent


def _loops(scope: Scope) -> Iterator[Loop]:
    """Every loop of a function."""
    return (node for node in nodes_of(scope.statements or ()) if isinstance(node, Loop))
