"""Which servers and namespaces of Socket.IO an expression gives, and what handlers of events take:
python-socketio, and Flask-SocketIO, which is built on it."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, NamedType, Param
from contract_scan.parsers.source.python.messaging import reads
from contract_scan.parsers.source.python.messaging.payloads import Payload
from contract_scan.parsers.source.python.messaging.syntax import VALIDATORS
from contract_scan.parsers.source.python.messaging.uses import is_of, made_by
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import argument

ROOT = "/"
EVERY = "*"
EMPTY = Unknown(reason=Reason("event-without-data"))
SEVERAL = Unknown(reason=Reason("event-has-several-values"))
_UNTYPED = Unknown(reason=Reason("handler-event-untyped"))
_MANAGERS = tuple(
    f"{kind}{broker}Manager"
    for kind in ("", "Async")
    for broker in ("Redis", "AioPika", "Kombu", "Kafka", "Zmq", "AioRedis", "PubSub")
)
"""What processes that are no server emit through."""
_SERVERS = tuple(
    f"socketio.{module}{name}"
    for module, names in (
        ("", ("Server", "AsyncServer", *_MANAGERS)),
        ("server.", ("Server",)),
        ("async_server.", ("AsyncServer",)),
        ("asyncio_server.", ("AsyncServer",)),
    )
    for name in names
)
_CLIENTS = (
    *(b"socketio.Client(", b"socketio.AsyncClient(", b"SimpleClient("),
    *(b"socketio import Client", b"socketio import AsyncClient"),
)


class SocketIOLibrary(Struct, frozen=True):
    """What a library calls its things."""

    servers: tuple[str, ...]
    module: str
    """Where its classes of handlers come from."""
    server_name: tuple[str, ...]
    """How people call a server."""
    but: tuple[bytes, ...]
    """Texts of programs where such a name tells no server: those of clients, which have the same
    methods, and of other libraries."""
    before: int
    """How many parameters of a handler stand before its data."""
    namespaces: tuple[str, ...] = ("Namespace", "AsyncNamespace")


PYTHON_SOCKETIO = SocketIOLibrary(
    servers=_SERVERS,
    module="socketio.",
    server_name=("sio", "socketio"),
    but=(*_CLIENTS, b"flask_socketio"),
    before=1,
)
FLASK_SOCKETIO = SocketIOLibrary(
    servers=("flask_socketio.SocketIO",),
    module="flask_socketio.",
    server_name=("socketio", "socket_io", "sio"),
    but=_CLIENTS,
    before=0,
)


class Servers:
    """The servers and namespaces of a program."""

    def __init__(self, program: Program, dialect: SocketIOLibrary) -> None:
        self._program, self._dialect = program, dialect
        hidden = any(program.any_file_contains(text) for text in dialect.but)
        self._called = () if hidden else dialect.server_name
        self._namespaces: dict[str, str | None] = {}

    def is_server(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression gives a server, or something that emits in its place."""
        value = self._program.evaluate(expr, scope)
        if isinstance(value, Instance):
            bases = library_bases(self._program, value.symbol)
            return any(base.name in self._dialect.servers for base in bases)
        if made_by(self._program, value, *self._dialect.servers):
            return True
        if isinstance(expr, Attribute) and expr.name == "server" and self.own(expr.value, scope):
            return True
        return is_of(self._program, expr, scope, self._dialect.servers, self._called)

    def own(self, expr: Expr, scope: Scope) -> ClassSymbol | None:
        """The class of handlers that an expression gives an object of: `self`, `super()` in it."""
        if _is_base(expr) or (isinstance(expr, Name) and expr.id == "this"):
            symbol = scope.owner
        else:
            value = self._program.evaluate(expr, scope)
            symbol = value.symbol if isinstance(value, Instance) else None
        return symbol if symbol is not None and self.is_namespace(symbol) else None

    def is_namespace(self, symbol: ClassSymbol) -> bool:
        """Whether a class handles the events of a namespace."""
        return any(
            base.name.startswith(self._dialect.module)
            and base.simple_name in self._dialect.namespaces
            for base in library_bases(self._program, symbol)
        )

    def is_replaced(self, expr: Expr, method: str, scope: Scope) -> bool:
        """Whether the project itself declares a method of a server or of a class of handlers."""
        if _is_base(expr):
            return False
        symbol = self.own(expr, scope)
        if symbol is None:
            value = self._program.evaluate(expr, scope)
            symbol = value.symbol if isinstance(value, Instance) else None
        return symbol is not None and self._program.find_method(symbol, method) is not None

    def namespace(self, symbol: ClassSymbol) -> str | None:
        """The namespace that objects of a class are made for; None where it is undetermined."""
        if symbol.key not in self._namespaces:
            self._namespaces[symbol.key] = self._namespace(symbol)
        return self._namespaces[symbol.key]

    def _namespace(self, symbol: ClassSymbol) -> str | None:
        program = self._program
        handed_up = program.find_method(symbol, "__init__")
        if handed_up is not None:
            inside = program.function_scope(handed_up.function, handed_up.scope)
            for call, place in calls_in(program, inside.statements or (), inside):
                if isinstance(call, Call) and _is_of_base(call):
                    namespace = self.namespace_argument(call, 0, place)
                    if namespace is not None:
                        return namespace
        found: set[str | None] = set()
        for call, scope in calls_to(program, symbol.decl.name):
            callee = program.evaluate(call.callee, scope)
            if isinstance(callee, ClassValue) and callee.symbol.key == symbol.key:
                found.add(self.namespace_argument(call, 0, scope))
        return found.pop() if len(found) == 1 else None

    def namespace_argument(self, call: Call, position: int, scope: Scope) -> str | None:
        """The namespace that a call passes, the root if it passes none; None if it is
        undetermined."""
        expr = argument(call, position, "namespace")
        if expr is None and any(item.spread for item in call.args):
            return None
        return ROOT if expr is None else self._program.text(expr, scope)


def _is_base(expr: Expr) -> bool:
    """`super()`."""
    inner = expr.callee if isinstance(expr, Call) else expr
    return isinstance(inner, Name) and inner.id == "super"


def _is_of_base(call: Call) -> bool:
    """`super().__init__("/chat")`."""
    callee = call.callee
    return isinstance(callee, Attribute) and callee.name == "__init__"


# --------------------------------------------------------------------------- what handlers take


def event_payload(program: Program, handler: FunctionValue | None, before: int) -> Payload:
    """The data of an event as its handler reads it; `before` is the number of parameters before
    the data."""
    if handler is None:
        return Payload(Unknown(reason=Reason("handler-not-found")))
    params = [p for p in handler.function.params if p.name not in ("this", "self")][before:]
    needed = [p for p in params if p.default is None and not p.kind]
    if any(p.kind == "*" for p in params) or len(needed) > 1:
        return Payload(SEVERAL)
    data_params = needed or [p for p in params if p.kind == ""]
    if not data_params:
        return Payload(EMPTY)
    return _parameter_payload(program, handler, data_params[0])


def _parameter_payload(program: Program, handler: FunctionValue, param: Param) -> Payload:
    """The model that a handler constructs from the data, else the declared type, else the keys
    that it reads."""
    models = _models(program, handler, param.name)
    if len(models) == 1:
        symbol = models[0]
        return Payload(program.types.reference(symbol, {}, "", symbol.origin), symbol.decl.name)
    if param.type is not None and not _says_nothing(param):
        return Payload(*_declared_schema(program, handler, param))
    fields_read = reads.of_parameter(program, handler, param.name)
    return Payload(fields_read if fields_read is not None else _UNTYPED)


def _says_nothing(param: Param) -> bool:
    """`data: dict`: that it is an object, and nothing of what is in it."""
    type = param.type
    return isinstance(type, NamedType) and type.name.rpartition(".")[2].lower() in (
        *("dict", "mapping", "any", "object"),
    )


def _declared_schema(program: Program, handler: FunctionValue, param: Param) -> tuple[Schema, str]:
    assert param.type is not None
    type_name = param.type.name if isinstance(param.type, NamedType) else ""
    found = program.names.lookup_type(type_name, handler.scope) if type_name else None
    name = found.symbol.decl.name if isinstance(found, ClassValue) else ""
    return program.schema(param.type, handler.scope), name


def _models(program: Program, handler: FunctionValue, name: str) -> list[ClassSymbol]:
    """The classes that a handler makes of one parameter: `Order(**data)`,
    `Order.model_validate(data)`."""
    found: dict[str, ClassSymbol] = {}
    scope = program.function_scope(handler.function, handler.scope)
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or len(call.args) != 1:
            continue
        only = call.args[0]
        if not isinstance(only.value, Name) or only.value.id != name:
            continue
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name in VALIDATORS:
            callee = callee.value
        elif only.spread != "**":
            continue
        value = program.evaluate(callee, place)
        if isinstance(value, ClassValue):
            found[value.symbol.key] = value.symbol
    return list(found.values())
