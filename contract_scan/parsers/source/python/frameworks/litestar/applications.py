"""Applications, routers, controllers and handlers of Litestar, and what is registered where."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Argument, Attribute, Call, Expr
from contract_scan.parsers.source.python.frameworks.litestar.dto import Dto, dto_of
from contract_scan.parsers.source.python.resolution.calls_by_name import called_name
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import flatten_values, functions, text
from contract_scan.parsers.source.web.route_graph import RouterId

_PACKAGES = ("litestar", "starlite")
MARKERS = (b"litestar", b"starlite")
CALLS = (b"Litestar(", b"Starlite(", b"Router(", b".route_handlers", b"app.register(")
_APPLICATIONS = frozenset({"Litestar", "Starlite"})
_DECORATORS: dict[str, tuple[str, ...] | None] = {
    **{verb: (verb.upper(),) for verb in ("get", "post", "put", "patch", "delete", "head")},
    "route": None,
}
SOCKET, LISTENER, STREAM = "websocket", "websocket_listener", "websocket_stream"
_SOCKETS = {
    **{word: word for word in (SOCKET, LISTENER, STREAM)},
    "WebsocketRouteHandler": SOCKET,
    "WebsocketListenerRouteHandler": LISTENER,
}
"""What decorates a handler of web sockets -> which sort of handler it is."""
_LISTENER_CLASS, _TAKES = "WebsocketListener", "on_receive"
_IGNORED = frozenset(
    {"asgi", *_SOCKETS, "send_websocket_stream", "create_static_files_router"}
    | {"StaticFilesConfig", "OpenAPIController", _LISTENER_CLASS}
)
"""What may be registered that no contract speaks of."""
_DEEPEST = 10
_HANDLERS = "route_handlers"


class Layer(Struct, frozen=True, eq=False):
    """An application, router or controller: what it says holds for all handlers in it."""

    path: str | None
    """None: it is not constant."""
    given: dict[str, tuple[Expr, Scope]]
    """Its options by name."""


class Handler(Struct, frozen=True, eq=False):
    """A handler at one of the places at which it is registered."""

    function: FunctionValue
    annotation: Annotation
    scope: Scope
    """Where the decorator is written."""
    layers: tuple[Layer, ...]
    """From the application down."""
    name: str
    methods: tuple[str, ...] | None
    unresolved: Reason = NO_REASON
    socket: str = ""
    """Web sockets: which sort of handler it is."""

    def option(self, name: str) -> tuple[Expr, Scope] | None:
        """An option of the decorator itself."""
        found = next((a.value for a in self.annotation.args if a.name == name), None)
        return None if found is None else (found, self.scope)

    def options(self, name: str) -> Iterator[tuple[Expr, Scope]]:
        """An option of the decorator and of the layers around it, nearest first."""
        own = self.option(name)
        if own is not None:
            yield own
        for layer in reversed(self.layers):
            if name in layer.given:
                yield layer.given[name]


class UnresolvedRegistration(Struct, frozen=True, eq=False):
    """Something that is registered and could not be read."""

    prefix: str
    origin: Origin


class LitestarApp(Struct, frozen=True, eq=False):
    """Everything of Litestar that a program declares."""

    handlers: list[Handler]
    unresolved_registrations: list[UnresolvedRegistration]
    sockets: list[Handler]
    """Handlers of web sockets."""


@memoised
def litestar_app(program: Program) -> LitestarApp:
    """The handlers of a program with every place at which they are registered, read once."""
    reader = _Reader(program)
    reader.read_all()
    return LitestarApp(reader.handlers, reader.lost, reader.sockets)


def is_litestar(name: str) -> bool:
    """Whether a qualified name is of the library."""
    return name.partition(".")[0] in _PACKAGES


class _Reader:
    def __init__(self, program: Program) -> None:
        self._program = program
        self.handlers: list[Handler] = []
        self.lost: list[UnresolvedRegistration] = []
        self.sockets: list[Handler] = []
        self._registered: dict[RouterId, list[tuple[Expr, Scope]]] = {}
        self._configured: list[tuple[Expr, Scope]] = []
        self._applications: dict[RouterId, Value] = {}
        self._reached: set[RouterId] = set()

    def read_all(self) -> None:
        """Read applications with all that is registered below them, then what nothing registers."""
        program = self._program
        files = [program.facts(path) for path in program_files(program, *MARKERS)]
        for file in files:
            for call, scope in program.calls(file):
                if isinstance(call, Call):
                    self._call(call, scope)
        for value in self._applications.values():
            self._container(value, (), 0)
        alone = [] if not self._applications else list(self.lost)
        unresolved = Reason("handler-not-registered")
        layers: tuple[Layer, ...] = ()
        if not self._applications or len({lost.prefix for lost in alone}) == 1:
            # What an application registers by a list that is made as it starts is among these.
            unresolved = NO_REASON
            layers = (Layer(alone[0].prefix, {}),) if alone else ()
        for file in files:
            for symbol in program.classes(file):
                alone_here = self._is_controller(
                    symbol
                ) and not program.names.classes.implementations(symbol)
                if alone_here and _identity(symbol) not in self._reached:
                    self._controller(symbol, layers, unresolved)
                elif self._is_listener(symbol) and _identity(symbol) not in self._reached:
                    self._listener(symbol, layers, unresolved)
            for declared in functions(program, file):
                if declared.owner is None and _function_identity(declared.value) not in (
                    self._reached
                ):
                    self._function(declared.value, layers, unresolved)

    # ------------------------------------------------------------------ what is made

    def _call(self, call: Call, scope: Scope) -> None:
        callee = call.callee
        name = called_name(call)
        if name in _APPLICATIONS or any(a.name == _HANDLERS for a in call.args):
            value = self._program.evaluate(call, scope)
            if _kind(self._program, value) in _APPLICATIONS:
                self._applications.setdefault(_value_identity(value), value)
        elif not isinstance(callee, Attribute) or not call.args:
            return
        elif name == "register":
            holder = self._program.evaluate(callee.value, scope)
            if _kind(self._program, holder) in (*_APPLICATIONS, "Router"):
                added = self._registered.setdefault(_value_identity(holder), [])
                added.append((call.args[0].value, scope))
        elif name in ("append", "extend", "insert") and _is_handler_list(callee.value):
            self._configured.append((call.args[-1].value, scope))

    # ------------------------------------------------------------------ what is registered

    def _container(self, value: Value, layers: tuple[Layer, ...], depth: int) -> None:
        """An application or a router, and everything in it."""
        site, scope = _site(value)
        kind = _kind(self._program, value)
        given = {a.name: (a.value, scope) for a in site.args if a.name}
        positional = [a.value for a in site.args if not a.name and not a.spread]
        first = _HANDLERS if kind in _APPLICATIONS else "path"
        if positional:
            given.setdefault(first, (positional[0], scope))
        path: str | None = "/"
        if "path" in given:
            path = text(self._program, *given["path"])
        inner = (*layers, Layer(path, given))
        listed = [given[_HANDLERS]] if _HANDLERS in given else []
        listed += self._registered.get(_value_identity(value), [])
        if kind in _APPLICATIONS:
            listed += self._configured
        for expr, around in listed:
            found = self._program.evaluate(expr, around)
            for item in flatten_values(found):
                self._item(item, inner, origin_at(around, expr.span), depth)

    def _item(self, value: Value, layers: tuple[Layer, ...], origin: Origin, depth: int) -> None:
        program = self._program
        match value:
            case FunctionValue():
                self._function(value, layers, NO_REASON)
                return
            case ClassValue(symbol=symbol) if self._is_controller(symbol):
                self._controller(symbol, layers, NO_REASON)
                return
            case ClassValue(symbol=symbol) if self._is_listener(symbol):
                self._listener(symbol, layers, NO_REASON)
                return
            case ClassValue(symbol=symbol):
                names = {base.simple_name for base in library_bases(program, symbol)}
            case LibraryResult(name=name):
                names = {name.rpartition(".")[2], name.partition("()")[0].rpartition(".")[2]}
            case _:
                names = {getattr(value, "name", "").rpartition(".")[2]}
        if _kind(program, value) == "Router" and depth < _DEEPEST:
            self._container(value, layers, depth + 1)
        elif not names & _IGNORED:
            prefix = join_path(layer.path or "" for layer in layers)
            if not any(lost.origin == origin for lost in self.lost):
                self.lost.append(UnresolvedRegistration(prefix, origin))

    def _is_controller(self, symbol: ClassSymbol) -> bool:
        return any(
            base.simple_name == "Controller" and is_litestar(base.name)
            for base in library_bases(self._program, symbol)
        )

    def _is_listener(self, symbol: ClassSymbol) -> bool:
        return any(
            base.simple_name == _LISTENER_CLASS and is_litestar(base.name)
            for base in library_bases(self._program, symbol)
        )

    def _listener(self, symbol: ClassSymbol, layers: tuple[Layer, ...], reason: Reason) -> None:
        """`class Chat(WebsocketListener)`: its members are what a decorator is given."""
        self._reached.add(_identity(symbol))
        given = self._members(symbol)
        path = text(self._program, *given["path"]) if "path" in given else "/"
        method = self._program.find_method(symbol, _TAKES)
        if method is not None:
            annotation = Annotation(name=LISTENER, span=symbol.decl.name_span)
            inner = (*layers, Layer(path, given))
            name = f"{symbol.decl.name}.{_TAKES}"
            self.sockets.append(
                Handler(method, annotation, method.scope, inner, name, (), reason, LISTENER)
            )

    def _members(self, symbol: ClassSymbol) -> dict[str, tuple[Expr, Scope]]:
        """What a class and its bases set, nearest first."""
        given: dict[str, tuple[Expr, Scope]] = {}
        for owner in (symbol, *self._program.bases(symbol)):
            scope = self._program.class_scope(owner)
            for member in owner.decl.members:
                if member.value is not None:
                    given.setdefault(member.name, (member.value, scope))
        return given

    def _controller(self, symbol: ClassSymbol, layers: tuple[Layer, ...], reason: Reason) -> None:
        program = self._program
        self._reached.add(_identity(symbol))
        given = self._members(symbol)
        seen: set[str] = set()
        path = text(program, *given["path"]) if "path" in given else "/"
        inner = (*layers, Layer(path, given))
        for owner in (symbol, *program.bases(symbol)):
            for method in owner.decl.methods:
                if method.name not in seen:
                    seen.add(method.name)
                    bound = program.find_method(symbol, method.name)
                    if bound is not None:
                        name = f"{symbol.decl.name}.{method.name}"
                        self._add_decorated_handlers(bound, inner, name, reason)

    def _function(self, value: FunctionValue, layers: tuple[Layer, ...], reason: Reason) -> None:
        self._reached.add(_function_identity(value))
        self._add_decorated_handlers(value, layers, value.function.name, reason)

    def _add_decorated_handlers(
        self, value: FunctionValue, layers: tuple[Layer, ...], name: str, reason: Reason
    ) -> None:
        program = self._program
        # A decorator stands outside the class body's function, in the scope of its declaration.
        scope = value.scope
        for annotation in value.function.annotations:
            if annotation.callee is None:
                continue
            qualified = program.qualified_name(annotation.callee, scope)
            word = qualified.rpartition(".")[2]
            if is_litestar(qualified) and word in _SOCKETS:
                self.sockets.append(
                    Handler(value, annotation, scope, layers, name, (), reason, _SOCKETS[word])
                )
            if not is_litestar(qualified) or word not in _DECORATORS:
                continue
            methods = _DECORATORS[word]
            if methods is None:
                methods = self._methods(annotation.args, scope)
            self.handlers.append(Handler(value, annotation, scope, layers, name, methods, reason))

    def _methods(self, args: tuple[Argument, ...], scope: Scope) -> tuple[str, ...] | None:
        expr = next((a.value for a in args if a.name == "http_method"), None)
        if expr is None:
            return None
        found = []
        for item in flatten_values(self._program.evaluate(expr, scope)):
            name = self._program.evaluator.text(item)
            if name is None and isinstance(item, LibrarySymbol) and is_litestar(item.name):
                name = item.name.rpartition(".")[2]
            if name is None:
                return None
            found.append(name.upper())
        return tuple(found)


# --------------------------------------------------------------------------- paths


def join_path(parts: Iterator[str]) -> str:
    """Parts of a path as Litestar joins them: one slash between, none at the end."""
    segments = [segment for part in parts for segment in part.split("/") if segment]
    return "/" + "/".join(segments)


# --------------------------------------------------------------------------- values


def _is_handler_list(expr: Expr) -> bool:
    """`app_config.route_handlers`."""
    return isinstance(expr, Attribute) and expr.name == _HANDLERS


def _kind(program: Program, value: Value) -> str:
    """`Litestar` or `Router`, also where the project derives a class of its own."""
    names: tuple[str, ...] = ()
    if isinstance(value, LibraryResult):
        names = (value.name,)
    elif isinstance(value, Instance) and value.site is not None:
        names = tuple(base.name for base in library_bases(program, value.symbol))
    known = [name.rpartition(".")[2] for name in names if is_litestar(name)]
    return next((name for name in known if name in (*_APPLICATIONS, "Router")), "")


def _site(value: Value) -> tuple[Call, Scope]:
    assert isinstance(value, LibraryResult | Instance)
    assert isinstance(value.site, Call) and value.scope is not None
    return value.site, value.scope


def _value_identity(value: Value) -> RouterId:
    site, scope = _site(value)
    return RouterId(scope.file.path, site.span)


def _identity(symbol: ClassSymbol) -> RouterId:
    return RouterId(symbol.file.path, symbol.decl.span)


def _function_identity(value: FunctionValue) -> RouterId:
    return RouterId(value.scope.file.path, value.function.span)


# --------------------------------------------------------------------------- options of handlers
# What requests and responses of Litestar handlers have in common.


_MEDIA = {
    "JSON": "application/json",
    "MESSAGEPACK": "application/x-msgpack",
    "URL_ENCODED": "application/x-www-form-urlencoded",
    "MULTI_PART": "multipart/form-data",
    "HTML": "text/html",
    "TEXT": "text/plain",
}


def prefers_aliases(program: Program) -> bool:
    """Whether pydantic models are written under their aliases: only where a plugin says so."""
    return program.any_file_contains(b"prefer_alias=True")


def dto_of_handler(program: Program, handler: Handler, name: str) -> Dto | None:
    """The transfer object (`dto`, `return_dto`) that counts for a handler."""
    for expr, scope in handler.options(name):
        return dto_of(program, expr, scope)
    if name == "return_dto":
        return dto_of_handler(program, handler, "dto")
    return None


def media_type(program: Program, value: Value) -> str:
    """A content type given as text or as a member of Litestar's enumerations."""
    text = program.evaluator.text(value)
    if text is not None:
        return text
    name = value.name.rpartition(".")[2] if isinstance(value, LibrarySymbol) else ""
    return _MEDIA.get(name, "")
