"""Which server a socket of `ws` belongs to, and on which paths that server takes sockets.

Servers and sockets are handed on: to functions, and to constructors that keep them in fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    LibraryResult,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Index,
    Loop,
    Name,
    NamedType,
    New,
)
from contract_scan.parsers.source.typescript.frameworks.ws.upgrades import is_tested, path_at
from contract_scan.parsers.source.typescript.messaging.extended import library_types
from contract_scan.parsers.source.typescript.messaging.places import (
    Place,
    parameter_place,
    receivers,
)
from contract_scan.parsers.source.typescript.messaging.sites import addresses
from contract_scan.parsers.source.typescript.resolution import walker

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

EVERY_PATH = "*"
"""A server that looks at no path."""

_SOCKETS = frozenset({"ws", "ws.default", "ws.WebSocket"})
_SERVERS = frozenset(
    {"ws.WebSocketServer", "ws.Server", "ws.default.Server", "ws.WebSocket.Server"}
)
_CALLED = frozenset({"ws", "socket", "client"})
_ANYTHING = frozenset({"any", "unknown"})
LISTENS = frozenset({"on", "once", "addListener", "addEventListener"})


class Sockets:
    """What is known of servers and sockets; grows with every call that is looked at."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._servers: dict[Place, frozenset[Place]] = {}
        """Parameter or field -> the servers it may be."""
        self._sockets: dict[Place, frozenset[Place]] = {}
        """Parameter or field that is a socket -> the servers it may come from."""
        self._paths: dict[Place, frozenset[str]] = {}
        """Server -> the paths for which the code hands requests to it."""

    @property
    def size(self) -> int:
        """How much is known."""
        known = (self._servers, self._sockets, self._paths)
        return sum(len(found) for table in known for found in table.values())

    # ------------------------------------------------------------------ learning

    def connect(self, call: Call | New, scope: Scope) -> None:
        """Learn from a call: sockets that a server gives to a function, requests that are handed
        to a server, servers and sockets that are handed on."""
        given = self.servers_of_listener(call, scope) if isinstance(call, Call) else None
        if given is not None and call.args:
            handler = self._program.function_value(call.args[-1].value, scope)
            if handler is not None:
                self._note(self._sockets, parameter_place(handler, 0), given)
            return
        for position, argument in enumerate(call.args):
            if isinstance(argument.value, Name | Attribute):
                self._propagate_argument(call, position, argument.value, scope)

    def servers_of_listener(self, call: Call, scope: Scope) -> frozenset[Place] | None:
        """The servers of a call whose last argument receives sockets."""
        callee = call.callee
        if not isinstance(callee, Attribute) or not call.args:
            return None
        if callee.name == "forEach":
            of = callee.value
            if not isinstance(of, Attribute) or of.name != "clients":
                return None
            return self.servers(of.value, scope)
        if callee.name in LISTENS:
            is_connection = self._program.text(call.args[0].value, scope) == "connection"
            return self.servers(callee.value, scope) if is_connection else None
        if callee.name != "handleUpgrade":
            return None
        found = self.servers(callee.value, scope)
        path = path_at(self._program, call.span, scope)
        if not path and not is_tested(call.span, scope):
            path = EVERY_PATH
        for server in found or () if path else ():
            self._paths[server] = self._paths.get(server, frozenset()) | {path}
        return found

    def _propagate_argument(
        self, call: Call | New, position: int, expr: Expr, scope: Scope
    ) -> None:
        servers, sockets = self.servers(expr, scope), self.sockets(expr, scope)
        if servers is None and sockets is None:
            return
        for place in receivers(self._program, call, position, scope):
            if servers is not None:
                self._note(self._servers, place, servers)
            if sockets is not None:
                self._note(self._sockets, place, sockets)

    def _note(
        self,
        table: dict[Place, frozenset[Place]],
        place: Place | None,
        servers: frozenset[Place],
    ) -> None:
        if place is not None:
            table[place] = table.get(place, frozenset()) | servers

    # ------------------------------------------------------------------ asking

    def servers(self, expr: Expr, scope: Scope) -> frozenset[Place] | None:
        """The servers an expression may give; None where it gives none."""
        return self._servers_of_options(
            self._program.evaluate(expr, scope), self._servers, _SERVERS
        )

    def sockets(self, expr: Expr, scope: Scope) -> frozenset[Place] | None:
        """The servers that the socket an expression gives may come from; None where it gives no
        socket of a server."""
        value = self._program.evaluate(expr, scope)
        if any(isinstance(o, LibraryResult) and o.name in _SOCKETS for o in _options(value)):
            return None  # made with an address: a client of some other server
        found = self._servers_of_options(value, self._sockets, _SOCKETS)
        return (
            self._loop_servers(expr, scope) if found is None and isinstance(expr, Name) else found
        )

    def only_server(self, expr: Expr, scope: Scope) -> frozenset[Place] | None:
        """The only server of the program, for a value with a socket's name that is stored
        where it cannot be followed, as in a set of connections."""
        value = self._program.evaluate(expr, scope)
        untyped = isinstance(value, Unresolved) or (
            isinstance(value, ByType)
            and isinstance(value.type, NamedType)
            and value.type.name in _ANYTHING
        )
        if not untyped or not isinstance(expr, Name) or expr.id not in _CALLED:
            return None
        if len(self._paths) != 1 or not _is_of_collection(expr, scope):
            return None
        return frozenset(self._paths)

    def paths(self, servers: frozenset[Place]) -> tuple[str, ...]:
        """The paths on which servers take sockets, sorted; none where they are undetermined."""
        found: set[str] = set()
        for server in servers:
            own = self._paths.get(server)
            if own is None:
                return ()
            found |= own
        return tuple(sorted(found))

    def _servers_of_options(
        self, value: Value, table: dict[Place, frozenset[Place]], names: frozenset[str]
    ) -> frozenset[Place] | None:
        found: frozenset[Place] | None = None
        for option in _options(value):
            of = self._servers_of_value(option, table, names)
            if of is not None:
                found = of | (found or frozenset())
        return found

    def _servers_of_value(
        self, value: Value, table: dict[Place, frozenset[Place]], names: frozenset[str]
    ) -> frozenset[Place] | None:
        match value:
            case LibraryResult(name=name, site=New()) if name in names and names is _SERVERS:
                self._note_server_path(value)
                return frozenset({value.identity})
            case ByType(scope=scope, span=span) if self._is_typed(value, names):
                place = (scope.file.path, span)
                return table.get(place, frozenset({place}))
            case Unresolved(span=span, path=path) if value.parameter:
                return table.get((path, span))
            case _:
                return None

    def _note_server_path(self, server: LibraryResult) -> None:
        """Note the path that a server is made with."""
        if server.identity in self._paths or not server.site.args:
            return
        options = self._program.evaluate(server.site.args[0].value, server.scope)
        entries = walker.entries(options)
        path = entries.get("path")
        if path is not None:
            texts = addresses(self._program, path.value)  # `options.path || "/chat"`
            if texts:
                self._paths[server.identity] = frozenset(texts)
        elif "noServer" not in entries and ("port" in entries or "server" in entries):
            self._paths[server.identity] = frozenset({EVERY_PATH})

    def _loop_servers(self, name: Name, scope: Scope) -> frozenset[Place] | None:
        """The servers of `client` in `for (const client of server.clients)`."""
        current: Scope | None = scope
        while current is not None:
            for node in walker.nested_nodes(current.statements or ()):
                if (
                    isinstance(node, Loop)
                    and isinstance(node.variable, Name)
                    and node.variable.id == name.id
                    and isinstance(node.iterable, Attribute)
                    and node.iterable.name == "clients"
                ):
                    return self.servers(node.iterable.value, current)
            current = current.parent
        return None

    def _is_typed(self, value: ByType, names: frozenset[str]) -> bool:
        behind = library_types(self._program, value.type, value.scope)
        return any(found.name in names for found, _, _ in behind)


def _is_of_collection(name: Name, scope: Scope) -> bool:
    """Whether a name holds what a loop over a collection, or a key of one, gives."""
    current: Scope | None = scope
    while current is not None:
        for node in walker.nested_nodes(current.statements or ()):
            match node:
                case Loop(variable=Name(id=id)) if id == name.id:
                    return True
                case Assign(target=Name(id=id), value=Index()) if id == name.id:
                    return True
                case Assign(target=Name(id=id), value=Call(callee=Attribute(name="get"))) if (
                    id == name.id
                ):
                    return True
                case _:
                    continue
        current = current.parent
    return False


def _options(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, OneOf) else (value,)
