"""JAX-RS applications that code mounts: as a servlet, or with the address of an HTTP server.

| written | prefix |
|---|---|
| `context.addServlet(new ServletHolder(new ServletContainer(config)), "/rest/*")` | `/rest` |
| `context.setContextPath("/app")` beside it | `/app/rest` |
| `registration.addMapping("/rest/*")` | `/rest` |
| `new ServletRegistrationBean<>(servlet, "/rest/*")` | `/rest` |
| `GrizzlyHttpServerFactory.createHttpServer(URI.create("http://host/rest/"), config)` | `/rest` |
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.dotted_names import first_name
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    New,
    TypeValue,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.java.web.routes import join_paths

SERVLETS = frozenset(
    {
        *("ServletContainer", "HttpServletDispatcher", "HttpServlet30Dispatcher"),
        *("CXFNonSpringJaxrsServlet", "RestServlet"),
    }
)
"""Servlets of Jersey, RESTEasy and CXF that serve an application."""
_SERVERS = frozenset(
    {"GrizzlyHttpServerFactory", "JdkHttpServerFactory", "JettyHttpContainerFactory"}
    | {"NettyHttpContainerProvider", "SimpleContainerFactory"}
)
_STARTING = frozenset(
    {"createHttpServer", "createServer", "create", "createHttp2Server", "startServer"}
)
_HOLDERS = frozenset({"ServletHolder", "ServletRegistrationBean", "FilterHolder"})
_CONFIGURATIONS = frozenset({"ResourceConfig", "Application", "DefaultResourceConfig"})
_CONTEXTS = frozenset({"ServletContextHandler", "WebAppContext", "Context"})
_MOST_STEPS = 6
MARKERS = (
    *(b"addServlet(", b"addMapping(", b"addServletMappingDecoded(", b"ServletRegistrationBean"),
    *(b"addUrlMappings(", b"createHttpServer(", b"HttpContainer", b"HttpServerFactory."),
)
"""What stands in files that mount an application."""


class Mount(Struct, frozen=True, eq=False):
    """An application and where code mounts it."""

    path: str | None
    """None: not constant."""
    configuration: ClassSymbol | None
    """The class of the application, where it has one of its own."""
    registered: tuple[tuple[Expr, Scope], ...]
    """What the configuration that code makes is given: classes, objects, and names of packages."""
    packages: tuple[str, ...]
    is_open: bool
    """Whether it is given packages that are not constant."""


def mounted_applications(program: Program, path: str) -> Iterator[Mount]:
    """The applications that the code of a file mounts."""
    for call, scope in program.calls(program.facts(path)):
        name = type_name(call.type) if isinstance(call, New) else method(call)
        args = [argument.value for argument in call.args]
        if name in _STARTING and isinstance(call, Call) and _is_server(call):
            served = args[1:2] if len(args) > 1 else []
            yield _mount(program, _of_address(program, args[0], scope), served, scope)
        elif name == "ServletRegistrationBean" and args and _is_rest(program, args[0], scope):
            for pattern in args[1:] or _later_arguments(program, call, scope, "addUrlMappings"):
                yield _mount(program, _pattern(program, pattern, scope), args[:1], scope)
        elif name == "addServlet" and isinstance(call, Call) and args:
            yield from _of_servlet(program, call, args, scope)
        elif name == "servlet" and len(args) > 1 and _is_rest(program, args[1], scope):
            for pattern in _later_arguments(program, call, scope, "addMapping"):
                yield _mount(program, _pattern(program, pattern, scope), args[1:2], scope)


def _of_servlet(program: Program, call: Call, args: list[Expr], scope: Scope) -> Iterator[Mount]:
    """`context.addServlet(holder, "/rest/*")`; with a name instead, the mapping follows."""
    rest = [position for position, arg in enumerate(args) if _is_rest(program, arg, scope)]
    if not rest:
        return
    context = _context_path(program, call, scope)
    servlet = args[rest[0] : rest[0] + 1]
    if rest[0] == 0 and len(args) > 1:
        path = _pattern(program, args[1], scope)
        yield _mount(program, _join_context(context, path), servlet, scope)
        return
    patterns = [
        *_later_arguments(program, call, scope, "addMapping"),
        *_decoded_mappings(program, args, scope),
    ]
    for pattern in patterns:
        path = _pattern(program, pattern, scope)
        yield _mount(program, _join_context(context, path), servlet, scope)


def _join_context(context: str | None, path: str | None) -> str | None:
    return None if context is None or path is None else join_paths(context, path)


def _is_server(call: Call) -> bool:
    callee = call.callee
    holder = callee.value if isinstance(callee, Attribute) else None
    return isinstance(holder, Name) and holder.id in _SERVERS and bool(call.args)


# --------------------------------------------------------------------------- what is mounted


def _is_rest(program: Program, expr: Expr, scope: Scope, steps: int = 0) -> bool:
    """Whether an expression is a servlet that serves an application, or what holds one."""
    if isinstance(expr, TypeValue):
        return type_name(expr.type) in SERVLETS
    value = program.evaluate(expr, scope)
    match value:
        case Constant(value=str() as written):
            return written.rpartition(".")[2] in SERVLETS
        case LibraryResult(site=New(type=type, args=args), scope=inside):
            if type_name(type) in SERVLETS:
                return True
            holds = type_name(type) in _HOLDERS and steps < _MOST_STEPS
            return holds and any(_is_rest(program, a.value, inside, steps + 1) for a in args)
        case ByType(type=type):
            return type_name(type) in SERVLETS
        case Instance(symbol=symbol):
            chain = (symbol, *program.bases(symbol))
            return any(type_name(base) in SERVLETS for one in chain for base in one.decl.bases)
        case _:
            return False


def _mount(program: Program, path: str | None, served: list[Expr], scope: Scope) -> Mount:
    configuration: ClassSymbol | None = None
    registered: list[tuple[Expr, Scope]] = []
    packages: list[str] = []
    is_open = False
    pending = [(expr, scope) for expr in served]
    for _ in range(_MOST_STEPS):
        if not pending:
            break
        expr, place = pending.pop()
        packages.extend(_init_parameters(program, expr, place))
        value = program.evaluate(expr, place)
        own = _configuration_class(program, value)
        if own is not None:
            configuration = own
            continue
        for call, inside in _configuring_calls(program, expr, value, place):
            is_holder = isinstance(call, New) and type_name(call.type) not in _CONFIGURATIONS
            for argument in call.args:
                if is_holder:
                    pending.append((argument.value, inside))
                    continue
                text = program.text(argument.value, inside)
                if text is not None:
                    packages.append(text)
                else:
                    is_open = is_open or (isinstance(call, Call) and method(call) == "packages")
                    registered.append((argument.value, inside))
    return Mount(path, configuration, tuple(registered), tuple(packages), is_open)


def _configuration_class(program: Program, value: Value) -> ClassSymbol | None:
    """The class of the project that an application, given as an object or a class, is of."""
    symbol = value.symbol if isinstance(value, Instance | ClassValue) else None
    if symbol is None:
        return None
    chain = (symbol, *program.bases(symbol))
    bases = {type_name(base) for one in chain for base in one.decl.bases}
    return symbol if bases & _CONFIGURATIONS else None


def _configuring_calls(
    program: Program, expr: Expr, value: Value, scope: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    """The construction of a value, and the calls that register something with it: in a chain, or on
    the variable that holds it."""
    current: Value | None = value
    while isinstance(current, LibraryResult):
        yield current.site, current.scope
        current = current.receiver
    if isinstance(expr, Name):
        for call, inside in calls_in(program, scope.statements or (), scope):
            if isinstance(call, Call) and first_name(call) == expr.id:
                yield call, inside


def _init_parameters(program: Program, expr: Expr, scope: Scope) -> Iterator[str]:
    """The packages that init parameters of a servlet's holder name."""
    if not isinstance(expr, Name):
        return
    for call, inside in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or first_name(call) != expr.id or len(call.args) != 2:
            continue
        if method(call) not in ("setInitParameter", "addInitParameter"):
            continue
        key = call.args[0].value
        written = program.text(key, inside) or (key.name if isinstance(key, Attribute) else "")
        values = program.text(call.args[1].value, inside) or ""
        if "packages" in written.lower():
            yield from filter(None, values.replace(",", ";").split(";"))


# --------------------------------------------------------------------------- where


def _pattern(program: Program, expr: Expr, scope: Scope) -> str | None:
    text = program.text(expr, scope)
    return None if text is None else join_paths(text.removesuffix("*").rstrip("/"))


def _of_address(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The path of the address that a server is given: `URI.create("http://host:80/rest/")`."""
    value = program.evaluate(expr, scope)
    while isinstance(value, LibraryResult):
        site = value.site
        name = type_name(site.type) if isinstance(site, New) else method(site)
        if name in ("create", "URI", "fromUri") and site.args:
            text = program.template(site.args[0].value, value.scope)
            if text is None:
                return None
            _, separator, rest = text.partition("://")  # the protocol may be computed
            return join_paths(urlsplit(f"http://{rest}" if separator else text).path.rstrip("/"))
        if name == "path":
            return None
        value = value.receiver if value.receiver is not None else Constant(None)
    return None


def _context_path(program: Program, call: Call, scope: Scope) -> str | None:
    """The path of the context that a servlet is added to; None where it is not constant."""
    receiver = call.callee.value if isinstance(call.callee, Attribute) else None
    if not isinstance(receiver, Name):
        return ""
    value = program.evaluate(receiver, scope)
    found: str | None = ""
    if isinstance(value, LibraryResult) and isinstance(value.site, New):
        for argument in value.site.args if type_name(value.site.type) in _CONTEXTS else ():
            text = program.text(argument.value, value.scope)
            if text is not None and text.startswith("/"):
                found = text
    for other, inside in calls_in(program, scope.statements or (), scope):
        if not isinstance(other, Call) or method(other) != "setContextPath" or not other.args:
            continue
        if first_name(other) == receiver.id:
            found = program.text(other.args[0].value, inside)
    return None if found is None else found.rstrip("/")


def _later_arguments(
    program: Program, call: Call | New, scope: Scope, wanted: str
) -> Iterator[Expr]:
    """The arguments of a method that is called on what a call gives: in the same chain, or on the
    variable that holds it."""
    for other, inside in calls_in(program, scope.statements or (), scope):
        if not isinstance(other, Call) or method(other) != wanted:
            continue
        callee = other.callee
        if not isinstance(callee, Attribute):
            continue
        value = program.evaluate(callee.value, inside)
        while isinstance(value, LibraryResult) and value.site.span != call.span:
            value = value.receiver if value.receiver is not None else Constant(None)
        if isinstance(value, LibraryResult):
            yield from (argument.value for argument in other.args)


def _decoded_mappings(program: Program, args: list[Expr], scope: Scope) -> Iterator[Expr]:
    """Tomcat's `context.addServletMappingDecoded("/rest/*", "name")`."""
    names = {program.text(arg, scope) for arg in args} - {None}
    for other, inside in calls_in(program, scope.statements or (), scope):
        if isinstance(other, Call) and method(other).startswith("addServletMapping"):
            given = [argument.value for argument in other.args]
            if len(given) > 1 and program.text(given[1], inside) in names:
                yield given[0]
