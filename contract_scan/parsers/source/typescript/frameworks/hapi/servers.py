"""What the servers of Hapi are given: routes, plugins with prefixes, extensions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import NO_SPAN, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassValue,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts import visitor
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    FileFacts,
    Import,
    Name,
    Return,
)
from contract_scan.parsers.source.typescript.frameworks.hapi.endpoints import Settings
from contract_scan.parsers.source.typescript.frameworks.hapi.openapi_plugin import (
    document_routes,
    is_openapi_plugin,
)
from contract_scan.parsers.source.typescript.frameworks.hapi.validation import MAKERS
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.caller_arguments import caller_values
from contract_scan.parsers.source.typescript.web.collector import Collector
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.library_plugins import library_name
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX, with_computed
from contract_scan.parsers.source.typescript.web.routers import Mount, Node, RouterKind, mount_below
from contract_scan.parsers.source.web.response_rewriters import AfterHandler, rewrites_bodies

_RESPONSE_PARTS = frozenset({"response", "output", "payload", "source"})
"""Members of a request by which code comes to what is sent."""
_KIND = RouterKind(
    makers=MAKERS,
    apps=MAKERS,
    types=frozenset({name for name in MAKERS if name.endswith(".Server")}),
    chainable=frozenset(),
    parameters=frozenset({"server"}),
)

_GLUE = frozenset({"@hapi/glue.compose", "glue.compose"})
_UNSEEN = Node("<unseen server>", NO_SPAN)
_SERVER = Node("<server>", NO_SPAN)

_AFTER = AfterHandler(response=0, contents=frozenset({"source"}))
"""Extensions answer by `h.response(…)` (https://hapi.dev/api/#request-lifecycle)."""


class Route(Struct, frozen=True):
    """One route that a server is given; without a node, one that no server is seen to be given."""

    node: Node | None
    method: str
    path: str
    unresolved: Reason
    settings: Settings
    scope: Scope


class Registrations(Collector):
    """Reads calls into routes and registrations."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, _KIND)
        self.found: list[Route] = []
        self.registered: set[tuple[str, object]] = set()
        """Places of the route records that a server is given."""
        self.changes_errors = False
        self.changes_bodies = False
        self.hands_on_some = False
        """Whether routes hand their requests on to a backend that finds handlers by a contract."""
        self.hands_on_any = False
        """Whether routes of undetermined paths do so."""
        self._entered: set[Node] = set()
        self._added: set[tuple[object, ...]] = set()
        self._server_prefixes: set[str] = set()

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers."""
        callee = call.callee
        name = callee.name if isinstance(callee, Attribute) else ""
        if name == "compose" and call.args:
            self._compose_server(call, scope)
        if not isinstance(callee, Attribute) or name not in ("route", "register", "ext"):
            self.passed_on(call, scope)
            return
        nodes = self.routers(callee.value, scope) if call.args else ()
        if not nodes and name == "route" and self._is_route(call, callee, scope):
            nodes = (_UNSEEN,)
        if not nodes:
            self.passed_on(call, scope)
        elif name == "route":
            value = self._program.evaluate(call.args[0].value, scope)
            value = caller_values(self._program, value, scope)
            for record, reason in _records(self._program, value):
                self._route(record, reason, nodes, call, scope)
        elif name == "register":
            self._register(call, nodes, scope)
        else:
            self._extension(call, scope)

    # ------------------------------------------------------------------ routes

    def _is_route(self, call: Call, callee: Attribute, scope: Scope) -> bool:
        """Whether a server that is not seen is given what only a server of Hapi takes."""
        if not call.args:
            return False
        receiver = self._program.evaluate(callee.value, scope)
        if isinstance(
            receiver, LibraryResult | Instance | ModuleValue | ClassValue | FunctionValue
        ):
            return False
        value = self._program.evaluate(call.args[0].value, scope)
        return any(
            isinstance(item, Record) and _says_route(item)
            for item in _items(self._program.evaluator.unwrap(value))
        )

    def settle(self) -> None:
        """Routes of servers that are not seen begin at the root, where no prefix is seen."""
        if not self._server_prefixes:
            self.graph.add(_UNSEEN, "application")
            return
        self.graph.add(_SERVER, "application")
        reason = Reason("route-server-not-found")
        self.graph.mount(_UNSEEN, mount_below(_SERVER, "", reason))

    def _route(
        self,
        record: Record | None,
        reason: Reason,
        nodes: tuple[Node, ...],
        call: Call,
        scope: Scope,
    ) -> None:
        if record is None:
            origin = Origin(scope.file.path, call.span)
            for node in nodes:
                settings = Settings(None, None, origin)
                self._add(Route(node, "*", DYNAMIC_PREFIX, reason, settings, scope), call)
            return
        self.registered.add(place_of(record))
        for method, path, undetermined, settings in routes_of_record(
            self._program, record, scope, call
        ):
            for node in nodes:
                route = Route(node, method, path, undetermined or reason, settings, scope)
                self._add(route, call)

    def _add(self, route: Route, call: Call) -> None:
        """Note a route once, however often its function is read."""
        place = (route.scope.file.path, call.span, route.settings.origin)
        key = (route.node, route.method, route.path, place)
        if key not in self._added:
            self._added.add(key)
            self.found.append(route)

    def _extension(self, call: Call, scope: Scope) -> None:
        """`server.ext("onPreResponse", …)`, which may replace any response."""
        given = [self._program.evaluate(argument.value, scope) for argument in call.args]
        text = self._program.evaluator.text(given[0])
        method: Value | None = given[1] if len(given) > 1 else None
        if isinstance(given[0], Record):
            entries = walker.entries(given[0])
            text = self._program.evaluator.text(entries["type"].value) if "type" in entries else ""
            method = entries["method"].value if "method" in entries else None
        if text != "onPreResponse":
            return
        if not isinstance(method, FunctionValue):
            self.changes_errors = True
            self.changes_bodies |= isinstance(method, Unresolved)
            return
        inside = scope_of(self._program, method).statements or ()
        if _only_reads(inside):
            return
        self.changes_errors = True
        self.changes_bodies |= rewrites_bodies(self._program, method, _AFTER) or any(
            isinstance(node, Assign)
            and isinstance(node.target, Attribute)
            and node.target.name == "source"
            for node in walker.nested_nodes(inside)
        )

    # ------------------------------------------------------------------ plugins

    def _register(self, call: Call, nodes: tuple[Node, ...], scope: Scope) -> None:
        """`server.register(plugins, { routes: { prefix } })`."""
        options = self._program.evaluate(call.args[1].value, scope) if len(call.args) > 1 else None
        of_call = self._prefix(options)
        value = self._program.evaluate(call.args[0].value, scope)
        for plugin in _items(caller_values(self._program, value, scope)):
            own = self._prefix(plugin)
            if own is not None:
                # The prefix of one plugin stands for itself, below no other.
                self.graph.add(_SERVER, "application")
                parents: tuple[Node, ...] = (_SERVER,)
            else:
                parents = nodes
            prefix, reason = own or of_call or ("", NO_REASON)
            self._plugin(plugin, parents, prefix, reason, Origin(scope.file.path, call.span))

    def _prefix(self, value: Value | None) -> tuple[str, Reason] | None:
        """(prefix, why it is undetermined) of `{ routes: { prefix } }`."""
        routes = walker.entries(value).get("routes") if value is not None else None
        prefix = walker.entries(routes.value).get("prefix") if routes is not None else None
        if prefix is None:
            return None
        text = self._program.evaluator.text(prefix.value)
        self._server_prefixes.add(text or "")
        if text is not None:
            return text, NO_REASON
        shown = self._program.evaluator.template(prefix.value) or "{}"
        return with_computed(shown), Reason("plugin-prefix-not-constant")

    def _plugin(
        self,
        value: Value,
        parents: tuple[Node, ...],
        prefix: str,
        reason: Reason,
        origin: Origin,
        options: Value | None = None,
        depth: int = 0,
    ) -> None:
        function = self._registrar(value)
        if function is None:
            # `{ plugin, options }`; before Hapi 17 `{ register, options }`.
            inner = self._member(value, "plugin") or self._member(value, "register")
            if inner is not None and depth < 3:
                options = self._member(value, "options") or options
                self._plugin(inner, parents, prefix, reason, origin, options, depth + 1)
            elif name := library_name(value):
                mounts = [mount_below(parent, prefix, reason) for parent in parents]
                if is_openapi_plugin(name):
                    self._of_document(name, options, mounts, origin)
                    return
                self.of_libraries.note(name, options, mounts, origin)
            elif isinstance(value, Unresolved):
                self.graph.loose_ends = Reason("registered-plugin-not-visible", reason=value.reason)
            return
        params = function.function.params
        if not params or params[0].pattern is not None:
            return
        child = Node(function.scope.file.path, params[0].span)
        self.reached.append(child.file)
        for parent in parents:
            self.graph.mount(child, mount_below(parent, prefix, reason))
        if child not in self._entered:
            self._entered.add(child)
            # An untyped parameter is taken for a server only while it is followed from here.
            self.graph.add(child, "likely parameter")
            inside = scope_of(self._program, function)
            statements = inside.statements or ()
            for found, place in walker.calls_in(self._program, statements, inside, deep=True):
                self.call(found, place)

    def _of_document(
        self, name: str, options: Value | None, mounts: list[Mount], origin: Origin
    ) -> None:
        """The routes that a plugin makes of a document."""
        node = Node(f"<{name}>{origin.path}", origin.span)
        for mount in mounts:
            self.graph.mount(node, mount)
        scope = self._program.module_scope(self._program.facts(origin.path))
        for each in document_routes(self._program, name, options, origin):
            path = _PARAMETER.sub(_as_pattern, each.path)
            self.found.append(Route(node, each.method, path, each.unresolved, each.settings, scope))

    def _registrar(self, value: Value) -> FunctionValue | None:
        """The function of a plugin that is given the server."""
        if isinstance(value, FunctionValue):
            return value
        found = self._member(value, "register")
        if isinstance(found, Record | ModuleValue):  # `{ register: require("./plugin") }`
            found = self._member(found, "register")
        return found if isinstance(found, FunctionValue) else None

    def _member(self, value: Value, name: str) -> Value | None:
        value = self._resolve_require(value)
        match value:
            case Record():
                entry = walker.entries(value).get(name)
                return entry.value if entry is not None else None
            case ModuleValue(path=path):
                return self._exported_value(path, name) or self._exported_value(path, "default")
            case Instance() | ByType() | ClassValue():
                return self._program.evaluator.member(value, name)
            case _:
                return None

    def _resolve_require(self, value: Value) -> Value:
        """`require(`../plugins/${name}`)`, where the name is known by now."""
        if not isinstance(value, LibraryResult) or value.name != "require" or not value.site.args:
            return value
        text = self._program.text(value.site.args[0].value, value.scope)
        if text is None or not text.startswith("."):
            return value
        entry = Import(module=text)
        find = self._program.language.find_module
        path = find(self._program.files, value.scope.file.path, entry)
        return ModuleValue(path) if path is not None else value

    def _exported_value(self, path: str, name: str) -> Value | None:
        found = self._program.names.modules.resolve_export(path, name)
        if found is None:
            return None
        scope = self._program.module_scope(self._program.facts(path))
        value = self._program.evaluator.found_value(found, name, NO_SPAN, scope)
        return None if isinstance(value, Unresolved) else value

    def _compose_server(self, call: Call, scope: Scope) -> None:
        """`Glue.compose(manifest)`: the manifest lists the plugins."""
        if self._program.qualified_name(call.callee, scope) not in _GLUE:
            return
        manifest = self._program.evaluate(call.args[0].value, scope)
        register = walker.entries(manifest).get("register")
        plugins = walker.entries(register.value).get("plugins") if register is not None else None
        self.graph.add(_SERVER, "application")
        if plugins is None:
            self.graph.loose_ends = Reason("server-manifest-not-found")
            return
        for plugin in _items(plugins.value):
            prefix, reason = self._prefix(plugin) or ("", NO_REASON)
            named = self._program.evaluator.text(self._member(plugin, "plugin") or plugin)
            if named is not None and named.startswith("."):
                self.graph.loose_ends = Reason("plugins-registered-by-file")
            self._plugin(plugin, (_SERVER,), prefix, reason, Origin(scope.file.path, call.span))


# ---------------------------------------------------------------------------------------- routes
# Hapi's routes as records: `{ method, path, handler, options }`, alone or in lists.


_MAX_ROUTES = 400
"""How many routes of one list are read."""
_PARAMETER = re.compile(r"\{(\w+)(\?|\*\d*)?\}")
_TABLE = frozenset({"handler", "options", "config"})


def _items(value: Value) -> Iterator[Value]:
    """The values of a list, of lists in it, and the options of each."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Items):
            pending.extend(reversed(item.values))
        elif isinstance(item, OneOf):
            pending.extend(reversed(item.options))
        else:
            yield item


def _records(program: Program, value: Value) -> Iterator[tuple[Record | None, Reason]]:
    """The route records that a value holds, and why one is not seen."""
    for count, item in enumerate(_items(program.evaluator.unwrap(value))):
        if count > _MAX_ROUTES:
            yield None, Reason("too-many-routes-in-list", max_routes=_MAX_ROUTES)
            return
        match item:
            case Record():
                yield item, NO_REASON
            case ModuleValue(path=path):
                found = program.names.modules.resolve_export(path, "default")
                scope = program.module_scope(program.facts(path))
                if found is None:
                    yield None, Reason("routes-not-found")
                else:
                    inner = program.evaluator.found_value(found, "default", NO_SPAN, scope)
                    yield from _records(program, inner)
            case Unresolved(reason=reason):
                yield None, Reason("routes-not-found-because", reason=reason)
            case LibrarySymbol(name=name) | LibraryResult(name=name):
                yield None, Reason("routes-made-by-function", name=name)
            case _:
                yield None, Reason("routes-not-found")


def _says_route(record: Record) -> bool:
    """Whether a record describes a route."""
    keys = set(walker.entries(record))
    return {"method", "path"} <= keys and bool(keys & _TABLE)


def place_of(record: Record) -> tuple[str, object]:
    """Where the route of a record stands."""
    entry = walker.entries(record).get("path")
    origin = (entry.origin if entry is not None else record.origin) or Origin("")
    return (origin.path, origin.span)


def routes_of_record(
    program: Program, record: Record, scope: Scope, call: Call | None
) -> Iterator[tuple[str, str, Reason, Settings]]:
    """(method, path, why they are undetermined, the rest) of a route record."""
    entries = walker.entries(record)
    path = entries.get("path")
    text = program.evaluator.text(path.value) if path is not None else None
    reason = NO_REASON
    if text is None:
        shown = program.evaluator.template(path.value) if path is not None else None
        text, reason = with_computed(shown or "{}"), Reason("path-not-constant")
    text = pattern_of(text)
    options = entries.get("options") or entries.get("config")
    given = options.value if options is not None else None
    if isinstance(given, FunctionValue):
        given = program.evaluator.returned_value(given)
    handler = entries.get("handler")
    span = call.span if call is not None else NO_SPAN
    origin = path.origin if path is not None else Origin(scope.file.path, span)
    settings = Settings(handler.value if handler is not None else None, given, origin)
    method = entries.get("method")
    texts = program.evaluator.texts(method.value) if method is not None else (None,)
    for name in texts or (None,):
        undetermined = reason or (NO_REASON if name is not None else Reason("method-not-constant"))
        yield (name or "*").upper(), text, undetermined, settings


def pattern_of(path: str) -> str:
    """A path of Hapi, or of a document, as the pattern of other libraries."""
    return _PARAMETER.sub(_as_pattern, path)


def _as_pattern(match: re.Match[str]) -> str:
    """`{name}`, `{name?}`, `{name*}`, `{name*2}` as the patterns of other libraries."""
    mark = match[2] or ""
    if mark.startswith("*"):
        mark = "*" if mark == "*" else "+"
    return f":{match[1]}{mark}"


def tables(program: Program, file: FileFacts) -> Iterator[tuple[Record, Scope]]:
    """Exported records that say method, path and handler of a route."""
    scope = program.module_scope(file)
    for export in file.exports:
        if export.module or export.exported == "*":
            continue
        found = program.names.modules.resolve_export(file.path, export.exported)
        if found is None:
            continue
        value = program.evaluator.found_value(found, export.exported, NO_SPAN, scope)
        for item in _items(value):
            if isinstance(item, Record) and _says_route(item):
                yield item, scope


def _only_reads(statements: object) -> bool:
    """Whether an extension leaves the response as it is: every path ends in `h.continue`, it sets
    and deletes no member, and hands on no part of the response."""
    answers = [node.value for node in walker.nested_nodes(statements) if isinstance(node, Return)]
    if not all(isinstance(each, Attribute) and each.name == "continue" for each in answers):
        return False
    return not any(_may_change(node) for node in visitor.nodes_of(statements))


def _may_change(node: object) -> bool:
    if isinstance(node, Assign):
        # A part of the response has a name of its own where it is called as the member is.
        return not isinstance(node.target, Name) or (
            _is_part(node.value) and node.target.id not in _RESPONSE_PARTS
        )
    if not isinstance(node, Call):
        return False
    deletes = isinstance(node.callee, Attribute) and node.callee.name == "delete"
    return deletes or any(_is_part(argument.value) for argument in node.args)


def _is_part(expr: object) -> bool:
    name = expr.name if isinstance(expr, Attribute) else expr.id if isinstance(expr, Name) else ""
    return name in _RESPONSE_PARTS
