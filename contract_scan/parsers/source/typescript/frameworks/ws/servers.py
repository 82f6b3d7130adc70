"""Which server a socket of `ws` belongs to, and on which paths that server takes sockets.

Servers and sockets are handed on: to functions, and to constructors that keep them in fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    LibraryResult,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_block
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Index,
    Loop,
    Name,
    NamedType,
    New,
    OperationExpr,
    Statement,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.typescript.messaging.extended import library_types
from contract_scan.parsers.source.typescript.messaging.places import (
    Place,
    parameter_place,
    receivers,
)
from contract_scan.parsers.source.typescript.messaging.sites import addresses
from contract_scan.parsers.source.typescript.resolution import walker

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
        path = _path_at(self._program, call.span, scope)
        if not path and not _is_tested(call.span, scope):
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


# ---------------------------------------------------------------------- upgrades of HTTP servers
# Which path of the HTTP server a place in the code is for, by the tests around it.
#
# `if (pathname === "/chat") chat.handleUpgrade(…)` takes what comes to `/chat`; so does what
# stands behind `if (pathname !== "/chat") return;`.


_MAX_DEPTH = 50
"""How deep blocks are looked into."""

_EQUAL = frozenset({"===", "=="})
_UNEQUAL = frozenset({"!==", "!="})
_MATCHES = frozenset({"exec", "test", "match"})
_GROUP = re.compile(r"\((?:\?<(?P<name>\w+)>|\?:)?(?:\[\^?[^\[\]]*+\]|\\w|\\d|\.)[+*]\??\)")
_BARE = re.compile(r"(?:\[\^/\]|\\w|\\d|\.)[+*]\??")
_LEFT = re.compile(r"[\[\](){}*+?|\\^$]")
_LITERAL = re.compile(r"[^/]*+/(.*)/[a-z]*$", re.DOTALL)


def _path_at(program: Program, span: Span, scope: Scope) -> str:
    """The path that the tests around a place demand; empty where they demand none that is
    constant."""
    current: Scope | None = scope
    while current is not None:
        for test, holds in _tests(current.statements or (), span, 0):
            path = _required_path(program, test, holds, current)
            if path:
                return path
        current = current.parent
    return ""


def _is_tested(span: Span, scope: Scope) -> bool:
    """Whether a place depends on any test at all."""
    current: Scope | None = scope
    while current is not None:
        if any(_tests(current.statements or (), span, 0)):
            return True
        current = current.parent
    return False


def _template_of(pattern: str) -> str:
    """The path template that a regular expression for whole paths stands for; empty where it is
    more than words and parameters."""
    if not pattern.startswith("^") or not pattern.endswith("$"):
        return ""
    text = pattern[1:-1].replace("\\/", "/").removesuffix("/?").replace("(?:/)?", "")
    names: list[str] = []

    def parameter(match: re.Match[str]) -> str:
        name = match.groupdict().get("name") or f"value{len(names) or ''}"
        names.append(name)
        return f"\0{len(names) - 1}\0"

    text = _BARE.sub(parameter, _GROUP.sub(parameter, text))
    text = text.replace("\\.", ".").replace("\\-", "-")
    if not text.startswith("/") or _LEFT.search(text):
        return ""
    for position, name in enumerate(names):
        text = text.replace(f"\0{position}\0", f"{{{name}}}")
    return text


def _tests(
    statements: tuple[Statement, ...], span: Span, depth: int
) -> Iterator[tuple[Expr, bool]]:
    """(test, whether it holds) for each test that a place depends on, inner ones first."""
    left: list[tuple[Expr, bool]] = []
    for statement in statements:
        if not _covers(statement.span, span):
            if isinstance(statement, Branch) and statement.condition is not None:
                leaves = bool(statement.blocks) and ends_block(statement.blocks[0])
                if leaves and statement.kind == "if" and _ends_before(statement.span, span):
                    left.append((statement.condition, False))
            continue
        if isinstance(statement, Branch) and depth < _MAX_DEPTH:
            for position, block in enumerate(statement.blocks):
                if any(_covers(inner.span, span) for inner in block):
                    yield from _tests(block, span, depth + 1)
                    yield from _of_block(statement, position)
    yield from left


def _of_block(branch: Branch, position: int) -> Iterator[tuple[Expr, bool]]:
    if branch.condition is None:
        return
    if branch.kind == "if":
        yield branch.condition, position == 0
    elif branch.kind == "switch" and position < len(branch.cases):
        operands = (branch.condition, branch.cases[position])
        yield OperationExpr(operator="===", operands=operands, span=branch.span), True


def _required_path(program: Program, test: Expr, holds: bool, scope: Scope) -> str:
    if isinstance(test, OperationExpr):
        if test.operator in ("!", "not") and test.operands:
            return _required_path(program, test.operands[0], not holds, scope)
        if test.operator in ("&&", "and") and holds:
            found = [_required_path(program, operand, True, scope) for operand in test.operands]
            return next(filter(None, found), "")
        if test.operator in (_EQUAL if holds else _UNEQUAL):
            texts = [program.text(operand, scope) for operand in test.operands]
            paths = [text for text in texts if text is not None and text.startswith("/")]
            return paths[0] if len(paths) == 1 else ""
        return ""
    return _matched_path(program, test, scope) if holds else ""


def _matched_path(program: Program, test: Expr, scope: Scope) -> str:
    r"""The path of `/^\\/chat$/.test(path)`, also where a variable holds the result."""
    if isinstance(test, Call):
        return _of_call(program, test, scope)
    current: Scope | None = scope if isinstance(test, Name) else None
    while current is not None:
        for node in walker.nested_nodes(current.statements or ()):
            if isinstance(node, Assign) and isinstance(node.value, Call):
                target = node.target
                if isinstance(target, Name) and target.id == getattr(test, "id", ""):
                    return _of_call(program, node.value, current)
        current = current.parent
    return ""


def _of_call(program: Program, call: Call, scope: Scope) -> str:
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name not in _MATCHES or not call.args:
        return ""
    first = call.args[0].value
    expr = first if callee.name == "match" else callee.value
    return _template_of(_pattern(program, expr, program.evaluate(expr, scope)))


def _pattern(program: Program, expr: Expr, value: Value) -> str:
    """The text of a regular expression: a literal, or what `new RegExp` is given."""
    if isinstance(value, LibraryResult) and value.name == "RegExp" and value.site.args:
        return program.text(value.site.args[0].value, value.scope) or ""
    written: str = value.reason if isinstance(value, Unresolved) else NO_REASON
    if isinstance(expr, UnsupportedSyntax):
        written = expr.description
    found = _LITERAL.match(written) if written.startswith("regular expression") else None
    return found[1] if found is not None else ""


def _covers(outer: Span, inner: Span) -> bool:
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    return starts and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def _ends_before(one: Span, other: Span) -> bool:
    return (one.end_line, one.end_column) <= (other.line, other.column)
