"""SignalR: methods of hubs receive, `Clients.All.SendAsync("Name", x)` and typed clients send."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Nothing, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassSymbol,
    ClassValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.groups import prefixes
from contract_scan.parsers.source.csharp.messaging.sites import wrapper_scopes
from contract_scan.parsers.source.csharp.resolution.annotations import find, text
from contract_scan.parsers.source.csharp.resolution.callers import calls_of, method_calls
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.resolution.value_classes import is_cancellation_token
from contract_scan.parsers.source.csharp.resolution.value_sources import sources, without_wrappers
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.csharp.serialization.wire import expression_schema
from contract_scan.parsers.source.csharp.web.prefixes import join_template
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Expr,
    FileFacts,
    Function,
    NamedType,
    NullableType,
    Param,
)
from contract_scan.parsers.source.language import Framework

_HUBS = frozenset({"Hub", "DynamicHub"})
_SENDS = frozenset({"SendAsync", "SendCoreAsync", "InvokeAsync", "InvokeCoreAsync"})
_SENDING = tuple(name.encode() for name in sorted(_SENDS))
_LIFECYCLE = frozenset({"OnConnectedAsync", "OnDisconnectedAsync", "Dispose"})
_DOCUMENTS_A_SEND = "SubscribeOperation"
"""Saunter's attribute for what the application sends: the method is there to bear it."""
_MAX_DEPTH = 3
_TOKEN = "cancellationToken"
_STREAMS = frozenset({"IAsyncEnumerable", "ChannelReader"})
_MAP_HUB = b"MapHub<"
_OLD = "Microsoft.AspNet.SignalR"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every method that a hub offers, and every message that is sent to clients."""
    hubs: set[str] = set()
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if symbol.key not in hubs and is_hub(program, symbol):
                hubs.update(part.key for part in parts(program, symbol))
                yield from _hub_method_uses(program, framework, symbol)
        for call, scope in calls_of(program, file, b"Clients", *_SENDING):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                yield from _send_uses(program, framework, call, call.callee, scope)


def is_hub(program: Program, symbol: ClassSymbol) -> bool:
    """Whether clients can call the methods of a class."""
    if symbol.decl.kind != "class" or "abstract" in symbol.decl.modifiers:
        return False
    for owner in (symbol, *program.bases(symbol)):
        for part in parts(program, owner):
            for base in part.decl.bases:
                if isinstance(base, NamedType) and unqualified_name(base.name) in _HUBS:
                    scope = program.class_scope(part)
                    if isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol):
                        return True
    return False


def _serialization_mode(program: Program, file: FileFacts) -> str:
    if any(entry.module.startswith(_OLD) for entry in file.imports):
        return "bare@"
    return variant_for(program, "signalr", file.path)


# --------------------------------------------------------------------------- receiving


def _hub_method_uses(
    program: Program, framework: Framework, symbol: ClassSymbol
) -> Iterator[EventUse]:
    seen: set[str] = set()
    for owner, scope in _pieces(program, symbol):
        for method in owner.decl.methods:
            if not _is_offered(method) or method.name in seen:
                continue
            seen.add(method.name)
            renamed = find(method.annotations, "HubMethodName")
            name: str | None = method.name
            if renamed is not None:
                name = text(program, renamed, scope, 0, "name")
            origin = Origin(
                scope.file.path, method.name_span, "", f"{symbol.qualified_name}.{method.name}"
            )
            yield _use(
                program,
                framework,
                "receive",
                name,
                _parameters(program, method, scope),
                symbol,
                origin,
            )


def _pieces(program: Program, symbol: ClassSymbol) -> Iterator[tuple[ClassSymbol, Scope]]:
    """The class and its ancestors, each with all parts of a `partial` one."""
    for owner, scope in program.types.chain(symbol, program.class_scope(symbol)):
        if owner.decl.kind == "interface":
            continue
        for part in parts(program, owner):
            yield (
                part,
                scope if part is owner else program.names.classes.class_scope(part, scope.types),
            )


def _is_offered(method: Function) -> bool:
    words = set(method.modifiers)
    return (
        "public" in words
        and not words & {"static", "constructor", "abstract"}
        and method.name not in _LIFECYCLE
        and find(method.annotations, _DOCUMENTS_A_SEND) is None
    )


def _parameters(program: Program, method: Function, scope: Scope) -> Schema:
    """The shape of what a client passes."""
    params = [p for p in method.params if not _is_provided(program, p, scope)]
    if not params:
        return Nothing(nullable=True)
    type = params[0].type
    if len(params) > 1 or type is None:
        return Unknown(reason=Reason("several-arguments-passed"))
    if isinstance(type, NamedType) and unqualified_name(type.name) in _STREAMS and type.args:
        type = type.args[0]
    return program.schema(type, scope, READING + _serialization_mode(program, scope.file))


def _is_provided(program: Program, param: Param, scope: Scope) -> bool:
    if find(param.annotations, "FromServices", "FromKeyedServices") is not None:
        return True
    type = param.type.item if isinstance(param.type, NullableType) else param.type
    if not isinstance(type, NamedType):
        return False
    found = program.names.declared_class(type, scope)
    if found is not None:
        return found.decl.kind == "interface"
    return unqualified_name(type.name) in ("CancellationToken", "ILogger")


# --------------------------------------------------------------------------- sending


def _send_uses(
    program: Program, framework: Framework, call: Call, callee: Attribute, scope: Scope
) -> Iterator[EventUse]:
    clients = _clients_behind(program, callee.value, scope)
    if clients is None or (callee.name in _SENDS and not call.args):
        return
    hub = _hub_of(program, *clients)
    name, payload = _message(program, call, callee, scope)
    callers = [] if name is not None else list(wrapper_scopes(program, scope))
    for inside, outer, place in callers:
        # A method of the project that is told what to send.
        name, payload = _message(program, call, callee, inside)
        yield _use(program, framework, "send", name, payload, hub, program.origin(outer, place))
    if not callers:
        yield _use(program, framework, "send", name, payload, hub, program.origin(call, scope))


def _message(
    program: Program, call: Call, callee: Attribute, scope: Scope
) -> tuple[str | None, Schema]:
    """The name (None: not constant) and the payload of a message."""
    if callee.name not in _SENDS:
        return callee.name, _argument_schema(program, call.args, scope)
    args = call.args[1:]
    if callee.name.endswith("CoreAsync") and args:
        items = args[0].value
        items = items.value if isinstance(items, Cast) else items
        args = (
            tuple(Argument(value=item) for item in items.items)
            if isinstance(items, ArrayLiteral)
            else args[:1]
        )
    return program.text(call.args[0].value, scope), _argument_schema(program, args, scope)


def _clients_behind(
    program: Program, expr: Expr, scope: Scope, depth: int = 0
) -> tuple[Expr, Scope] | None:
    """`Clients` of `Clients.All`, `context.Clients.Group("x")`, or of a variable or member that
    holds one."""
    expr = without_wrappers(expr)
    if depth > _MAX_DEPTH:
        return None
    selector = expr.callee if isinstance(expr, Call) else expr
    if isinstance(selector, Attribute):
        holder = selector.value
        named = holder.name if isinstance(holder, Attribute) else getattr(holder, "id", "")
        if named == "Clients":
            return holder, scope
    if isinstance(expr, Call):
        return None
    given = (
        _clients_behind(program, value, place, depth + 1)
        for value, place in sources(program, expr, scope)
    )
    return next((clients for clients in given if clients is not None), None)


def _hub_of(program: Program, clients: Expr, scope: Scope) -> ClassSymbol | None:
    """The hub whose clients they are: that around the place, or `T` of `IHubContext<T>`."""
    if isinstance(clients, Attribute) and getattr(clients.value, "id", "this") != "this":
        value = program.evaluator.unwrap(program.evaluate(clients.value, scope))
        type = value.type if isinstance(value, ByType) else None
        if isinstance(value, ByType) and isinstance(type, NamedType) and type.args:
            if not isinstance(type.args[0], NamedType):
                return None
            found = program.names.lookup_type(type.args[0].name, value.scope)
            if isinstance(found, BoundType) and isinstance(found.type, NamedType):
                found = program.names.lookup_type(found.type.name, found.scope)
            return found.symbol if isinstance(found, ClassValue) else None
        return None
    return scope.owner


def _argument_schema(program: Program, args: tuple[Argument, ...], scope: Scope) -> Schema:
    values = [
        a.value
        for a in args
        if a.name != _TOKEN and not is_cancellation_token(program, a.value, scope)
    ]
    if not values:
        return Nothing(nullable=True)
    if len(values) > 1:
        return Unknown(reason=Reason("several-values-sent"))
    return expression_schema(program, values[0], scope, _serialization_mode(program, scope.file))


# --------------------------------------------------------------------------- addresses


def _use(
    program: Program,
    framework: Framework,
    direction: str,
    name: str | None,
    payload: Schema,
    hub: ClassSymbol | None,
    origin: Origin,
) -> EventUse:
    aliases: list[str] = []
    if hub is not None:
        for path in _paths(program).get(hub.key, ()):
            aliases.append(path)
            if name:
                aliases.append(f"{path}/{name}")
        aliases.append(hub.decl.name)
    return EventUse(
        direction="send" if direction == "send" else "receive",
        address=name or "",
        payload=payload,
        message=name or "",
        has_wire_name=True,
        case_insensitive=True,
        aliases=tuple(aliases),
        unresolved=NO_REASON if name else Reason("message-name-not-constant"),
        protocols=("ws",),
        framework=framework.name,
        origin=origin,
    )


@memoised
def _paths(program: Program) -> dict[str, tuple[str, ...]]:
    """Where start-up code maps hubs (`app.MapHub<OrdersHub>("/hubs/orders")`), by their keys."""
    found: dict[str, tuple[str, ...]] = {}
    for path in program.files_containing(_MAP_HUB):
        for call, callee, scope in method_calls(program, program.facts(path), _MAP_HUB):
            if callee.name != "MapHub" or not call.type_args or not call.args:
                continue
            type = call.type_args[0]
            written = program.text(call.args[0].value, scope)
            hub = program.names.declared_class(type, scope)
            if hub is None or written is None:
                continue
            for prefix in prefixes(program, callee.value, scope):
                if not prefix.unresolved:
                    whole = f"/{join_template(prefix.path, written).strip('/')}"
                    key = hub.key
                    found[key] = (*found.get(key, ()), whole)
    return found


FRAMEWORK = Framework(
    name="SignalR",
    markers=(
        b": Hub\n",
        b": Hub\r",
        b": Hub ",
        b": Hub{",
        b"Hub<",
        b"Hub.",
        b"Hub,",
        b"IHubContext",
        b"Clients.",
        b"SignalR",
    ),
    events=events,
)
