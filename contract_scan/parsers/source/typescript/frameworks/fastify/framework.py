"""Fastify: shorthand routes, `route({…})`, plugins with prefixes, autoloaded folders, schemas."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    FunctionValue,
    LibraryResult,
    Scope,
    Template,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Expr,
    Import,
    LiteralExpr,
    Name,
    ObjectLiteral,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.fastify import payload_hooks
from contract_scan.parsers.source.typescript.frameworks.fastify.endpoints import Endpoint, Route
from contract_scan.parsers.source.typescript.frameworks.fastify.openapi_glue import NAME as GLUE
from contract_scan.parsers.source.typescript.frameworks.fastify.openapi_glue import (
    Glue,
    glue_of_options,
    is_glue,
    placed_operations,
)
from contract_scan.parsers.source.typescript.frameworks.fastify.payload_hooks import PayloadHooks
from contract_scan.parsers.source.typescript.library_calls.paths import path_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.library_plugins import (
    LibraryPlugins,
    library_name,
)
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_SEGMENT, join, with_computed
from contract_scan.parsers.source.typescript.web.router_arguments import (
    UNCERTAIN,
    RoutersHandedOn,
    bound_scope,
    router_value,
    routers_given,
)
from contract_scan.parsers.source.typescript.web.routers import (
    Graph,
    Mount,
    Node,
    RouterKind,
    method_of,
    mount_below,
    nodes,
)
from contract_scan.parsers.source.typescript.web.written_handlers import WrittenHandlers

NAME = "Fastify"
MAX_ENTERED = 1000
"""How many plugins without a call of Fastify are read."""
VERBS = ("get", "head", "post", "put", "delete", "options", "patch", "all")
_PACKAGES = ("fastify", "fastify.fastify", "fastify.default", "fastify.Fastify")
_KIND = RouterKind(
    makers=frozenset(_PACKAGES),
    apps=frozenset(_PACKAGES),
    types=frozenset({"fastify.FastifyInstance", "fastify.types.FastifyInstance"}),
    chainable=frozenset({*VERBS, "withTypeProvider", "register", "route", "setErrorHandler"}),
    parameters=frozenset({"fastify"}),
)
_AUTOLOAD = frozenset(
    {
        "@fastify/autoload",
        "@fastify/autoload.fastifyAutoload",
        "@fastify/autoload.AutoLoad",
        "fastify-autoload",
    }
)
_BEFORE_HANDLERS = frozenset({"onRequest", "preParsing", "preValidation", "preHandler"})
_DOCUMENTING = frozenset(
    {
        f"{package}{name}"
        for package in ("@fastify/swagger", "fastify-swagger")
        for name in ("", ".default", ".fastifySwagger")
    }
)
_WRAPPERS = frozenset({"fastify-plugin", "fastify-plugin.fastifyPlugin", "fastify-plugin.default"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route, once for each place its plugin is registered at."""
    collector = _Collector(program)
    for file in walker.files(program, framework, collector.reached):
        collector.read(walker.calls(program, file, wanted=collector.handlers.may_register))
    for route in collector.certain_routes():
        endpoint = Endpoint(
            program, route, collector.graph, collector.schemas, collector.payload_hooks
        )
        hidden = collector.hides_untagged and not endpoint.has_tags
        for operation in endpoint.operations():
            yield replace(operation, excluded_from_docs=True) if hidden else operation
    for node, glue, origin in collector.documents:
        for place in collector.graph.places(node):
            yield from placed_operations(program, glue, place.prefix, place.unresolved, origin)
    yield from collector.of_libraries.operations(NAME)


class _Collector:
    """Reads calls into routes and registrations."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.graph = Graph()
        self.handlers = WrittenHandlers(self.graph)
        self.routes: list[Route] = []
        self.schemas: dict[str, Value] = {}
        self.reached: list[str] = []
        """Files of plugins: they need not name Fastify themselves."""
        self._doubted: set[tuple[Node, Span]] = set()
        """Routes whose path is a parameter beside the one that is the instance."""
        self._entered: set[Node] = set()
        """Plugins that were read though no call of Fastify stands in them."""
        self._called: set[Node] = set()
        """Parameters that calls of the project give an instance."""
        self.of_libraries = LibraryPlugins(program, self.graph)
        self.hides_untagged = False
        """Whether the plugin that documents routes leaves out those without tags."""
        self.payload_hooks = PayloadHooks(program, self.graph)
        self.documents: list[tuple[Node, Glue, Origin]] = []
        """Documents whose operations a plugin makes routes of."""

    def nodes(self, expr: Expr, scope: Scope) -> tuple[Node, ...]:
        """The instances that an expression may be."""
        return self._nodes(router_value(self._program, expr, scope, _KIND))

    def _nodes(self, value: Value) -> tuple[Node, ...]:
        return tuple(nodes(self._program, value, _KIND, self.graph))

    def read(self, calls: Iterable[tuple[Call, Scope]]) -> None:
        """Note what calls register."""
        for call, scope in self.handlers.note_handlers(calls):
            self.call(call, scope)

    def _read_inside(self, scope: Scope) -> None:
        nodes, wanted = scope.statements or (), self.handlers.may_register
        self.read(walker.calls_in(self._program, nodes, scope, wanted=wanted))

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers."""
        method = method_of(self._program, call.callee, scope)
        receiver, name = method or (call.callee, "")
        is_known = not name or name in (*VERBS, "route", "register", "addSchema", "addHook")
        if method is None or not is_known or not call.args:
            self._passed_on(call, scope)
            return
        found = self.nodes(receiver, scope)
        if not found:
            return
        if name == "register":
            self._register(call, found, scope)
        elif name == "route":
            self._full(call, found, scope)
        elif name == "addSchema":
            self._add_schema(call.args[0].value, scope)
        elif name == "addHook":
            self._add_hook(call, found, scope)
        elif len(call.args) > 1:
            self._short(name, call, found, scope)

    # ------------------------------------------------------------------ routes

    def _short(self, name: str, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`fastify.get(path, [options], handler)`."""
        path, reason = self._path(call.args[0].value, scope)
        first = call.args[0].value
        if reason:
            self._doubted |= {(n, first.span) for n in found if self._is_option(first, n, scope)}
        options: Value | None = None
        handler = self._program.function_value(call.args[-1].value, scope)
        if len(call.args) > 2 or handler is None:
            options = self._program.evaluate(call.args[1].value, scope)
        if handler is None:
            handler = self._handler_of(options)
        method = name.upper() if name not in ("", "all") else "*"
        if not name:
            reason = reason or Reason("method-computed")
        generics = call.type_args[0] if call.type_args else None
        for node in found:
            self.routes.append(
                Route(
                    node,
                    method,
                    path,
                    reason,
                    options,
                    handler,
                    generics,
                    scope,
                    call.args[0].value.span,
                )
            )

    def _is_option(self, path: Expr, node: Node, scope: Scope) -> bool:
        """`client.post(content, url)` in `(client, content, url) => …`: whether the path is another
        parameter of the function that is given the instance."""
        value = self._program.evaluate(path, scope)
        if not isinstance(path, Name) or not isinstance(value, Unresolved | ByType):
            return False
        current: Scope | None = scope
        while current is not None:
            params = current.function.params if current.function is not None else ()
            if params and Node(current.file.path, params[0].span) == node:
                return any(p.name == path.id and p.span == value.span for p in params[1:])
            current = current.parent
        return False

    def certain_routes(self) -> Iterator[Route]:
        """The routes without those whose path would be what a plugin is given beside the instance:
        its options and a callback, never a text. A function that the project calls itself may well
        be given a path."""
        for route in self.routes:
            if (route.node, route.span) not in self._doubted or route.node in self._called:
                yield route

    def _full(self, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`fastify.route({ method, url, schema, handler })`."""
        options = self._program.evaluate(call.args[0].value, scope)
        entries = walker.entries(options)
        url = entries.get("url") or entries.get("path")
        path, reason = (
            ("", Reason("route-url-undetermined")) if url is None else self._path_of(url.value)
        )
        methods: list[str] = [""]
        if "method" in entries:
            texts = self._program.evaluator.texts(entries["method"].value)
            methods = [text.upper() for text in texts if text is not None] or [""]
        handler = self._handler_of(options)
        generics = call.type_args[0] if call.type_args else None
        for node in found:
            for method in methods:
                undetermined = reason or (NO_REASON if method else Reason("method-not-constant"))
                self.routes.append(
                    Route(
                        node,
                        method or "*",
                        path,
                        undetermined,
                        options,
                        handler,
                        generics,
                        scope,
                        call.args[0].value.span,
                    )
                )

    def _handler_of(self, options: Value | None) -> FunctionValue | None:
        entry = walker.entries(options).get("handler") if options is not None else None
        if entry is not None and isinstance(entry.value, FunctionValue):
            return entry.value
        return None

    def _path(self, expr: Expr, scope: Scope) -> tuple[str, Reason]:
        return self._path_of(self._program.evaluate(expr, scope))

    def _path_of(self, value: Value) -> tuple[str, Reason]:
        text = self._program.evaluator.text(value)
        if text is not None:
            return text, NO_REASON
        shown = self._program.evaluator.template(value) or "{}"
        return with_computed(shown), Reason("path-not-constant")

    def _add_hook(self, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`fastify.addHook("preSerialization", hook)`."""
        name = self._program.text(call.args[0].value, scope)
        self.payload_hooks.reads_requests |= name is None or name in _BEFORE_HANDLERS
        if name in payload_hooks.NAMES and len(call.args) > 1:
            hook = call.args[1].value
            function = self._program.function_value(hook, scope)
            for node in found:
                self.payload_hooks.add(node, name, function or self._program.evaluate(hook, scope))

    def _add_schema(self, expr: Expr, scope: Scope) -> None:
        value = self._program.evaluate(expr, scope)
        identifier = walker.entries(value).get("$id")
        text = self._program.evaluator.text(identifier.value) if identifier is not None else None
        if text is not None:
            self.schemas[text.rstrip("#")] = value

    # ------------------------------------------------------------------ plugins

    def _register(self, call: Call, parents: tuple[Node, ...], scope: Scope) -> None:
        plugin = self._program.evaluate(call.args[0].value, scope)
        options = call.args[1].value if len(call.args) > 1 else None
        prefix, reason = self._prefix(options, scope)
        if self._program.evaluator.qualified_name(plugin) in _AUTOLOAD:
            self._autoload(options, parents, scope)
            return
        encapsulated = True
        if isinstance(plugin, LibraryResult) and plugin.name in _WRAPPERS and plugin.site.args:
            plugin = self._program.evaluate(plugin.site.args[0].value, plugin.scope)
            encapsulated = False
        if isinstance(plugin, FunctionValue):
            child = _parameter(plugin)
            for parent in parents:
                mount = mount_below(parent, prefix if encapsulated else "", reason)
                if child is not None:
                    self.reached.append(child.file)
                    self.graph.mount(child, mount)
                    if not encapsulated:
                        self.payload_hooks.is_same(child, parent)
            self._enter(plugin)
        elif isinstance(plugin, Unresolved):
            self.graph.loose_ends = Reason("plugin-not-found", reason=plugin.reason)
        elif name := library_name(plugin):
            settings = self._program.evaluate(options, scope) if options is not None else None
            if name in _DOCUMENTING and settings is not None:
                hides = walker.entries(settings).get("hideUntagged")
                self.hides_untagged |= hides is not None and self._is_true(hides.value)
            mounts = [mount_below(parent, prefix, reason) for parent in parents]
            if (
                is_glue(name)
                and (glue := glue_of_options(self._program, settings, scope)) is not None
            ):
                self._of_document(glue, mounts, Origin(scope.file.path, call.span))
                return
            self.of_libraries.note(name, settings, mounts, Origin(scope.file.path, call.span))

    def _is_true(self, value: Value) -> bool:
        return isinstance(value, Constant) and value.value is True

    def _of_document(self, glue: Glue, mounts: list[Mount], origin: Origin) -> None:
        """The routes that a plugin makes of a document, which may say a prefix itself."""
        node = Node(f"<{GLUE}>{origin.path}", origin.span)
        for mount in mounts:
            self.graph.mount(node, mount)
        self.documents.append((node, glue, origin))

    def _enter(self, plugin: FunctionValue) -> None:
        """Read a plugin that calls nothing of Fastify itself: it may hand its instance on."""
        function = plugin.function
        key = Node(plugin.scope.file.path, function.span)
        if function.body is None and key not in self._entered and len(self._entered) < MAX_ENTERED:
            self._entered.add(key)
            inside = self._program.function_scope(function, plugin.scope)
            self._read_inside(inside)

    def _prefix(self, options: Expr | None, scope: Scope) -> tuple[str, Reason]:
        if not isinstance(options, ObjectLiteral):
            entry = None
            if options is not None:
                entry = walker.entries(self._program.evaluate(options, scope)).get("prefix")
            text = self._program.evaluator.text(entry.value) if entry is not None else ""
            return (
                (text, NO_REASON)
                if text is not None
                else (DYNAMIC_SEGMENT, Reason("prefix-not-constant"))
            )
        for item in options.entries:
            if item.key == "prefix":
                text = self._program.text(item.value, scope)
                is_known = text is not None
                return (
                    (text or "", NO_REASON)
                    if is_known
                    else (DYNAMIC_SEGMENT, Reason("prefix-not-constant"))
                )
        return "", NO_REASON

    def _autoload(self, options: Expr | None, parents: tuple[Node, ...], scope: Scope) -> None:
        """`register(AutoLoad, { dir: join(__dirname, "routes"), options: { prefix } })`: every file
        below the folder is a plugin, prefixed by the names of its folders."""
        if not isinstance(options, ObjectLiteral):
            self.graph.loose_ends = Reason("autoload-folder-undetermined")
            return
        parts = {entry.key: entry.value for entry in options.entries if entry.key is not None}
        folder = path_of(self._program, parts.get("dir"), scope)
        if folder is None:
            self.graph.loose_ends = Reason("autoload-folder-undetermined")
            return
        inner = parts.get("options")
        prefix, reason = self._prefix(inner, scope) if inner is not None else ("", NO_REASON)
        flat = parts.get("dirNameRoutePrefix")
        by_folder = not (isinstance(flat, LiteralExpr) and flat.value is False)
        paths = [
            path
            for path in self._program.files.source("typescript")
            if path.startswith(folder + "/") or not folder
        ]
        indexed: set[str] = set()
        if "indexPattern" not in parts:
            indexed = {posixpath.dirname(path) for path in paths if _is_index(path)}
        for path in paths:
            if posixpath.dirname(path) in indexed and not _is_index(path):
                continue  # beside an index file no other file of the folder is loaded
            function, encapsulated = self._plugin_of(path)
            child = _parameter(function) if function is not None else None
            if child is None:
                continue
            below = posixpath.dirname(path[len(folder) :].lstrip("/"))
            own = re.sub(r"(^|/)_(\w+)", r"\1:\2", below) if by_folder else ""
            auto, auto_reason = self._exported_text(path, "autoPrefix") or (own, NO_REASON)
            whole = join(prefix, auto), reason or auto_reason
            whole = self._exported_text(path, "prefixOverride") or whole
            self.reached.append(path)
            for parent in parents:
                self.graph.mount(
                    child, mount_below(parent, *(whole if encapsulated else ("", NO_REASON)))
                )
                if not encapsulated:
                    self.payload_hooks.is_same(child, parent)
            if function is not None:
                self._enter(function)

    def _exported_text(self, path: str, name: str) -> tuple[str, Reason] | None:
        """What a file exports under a name (`export const autoPrefix = "/orders"`), and why it is
        undetermined; None where the name does not stand in the file."""
        if path not in self._program.files_containing(name.encode()):
            return None
        imported = Import(module="./" + posixpath.basename(path), name=name)
        file = self._program.facts(path)
        value = self._program.names.modules.resolve_import(file, imported)
        text = None
        if isinstance(value, Constant | Template):
            text = self._program.evaluator.text(value)
        return (
            (text, NO_REASON)
            if text is not None
            else (DYNAMIC_SEGMENT, Reason("prefix-not-constant"))
        )

    def _plugin_of(self, path: str) -> tuple[FunctionValue | None, bool]:
        """The plugin that a file exports, and whether prefixes count for it: not for one that
        `fastify-plugin` wraps."""
        file = self._program.facts(path)
        found = self._program.names.modules.resolve_import(
            file, Import(module="./" + posixpath.basename(path), name="default")
        )
        encapsulated = True
        if isinstance(found, LibraryResult) and found.name in _WRAPPERS and found.site.args:
            found = self._program.evaluate(found.site.args[0].value, found.scope)
            encapsulated = False
        return (found if isinstance(found, FunctionValue) else None), encapsulated

    def _passed_on(self, call: Call, scope: Scope) -> None:
        """`routes(app)`: what the function does with its parameter it does with the instance."""
        for given in routers_given(self._program, call, scope, _KIND, self.graph):
            self._bind_routers(given, call, scope)

    def _bind_routers(self, given: RoutersHandedOn, call: Call, scope: Scope) -> None:
        function, params = given.function, given.function.function.params
        bound = None
        if given.is_certain:
            bound = bound_scope(self._program, function, call, scope, given.routers, self.graph)
        reason = NO_REASON if given.is_certain else UNCERTAIN
        for position, value in given.routers.items():
            child = Node(function.scope.file.path, params[position].span)
            self.reached.append(child.file)
            self._called.add(child)
            if bound is not None:
                self.graph.add(child, "specialised parameter")
                continue
            for node in self._nodes(value):
                self.graph.mount(child, mount_below(node, "", reason))
                self.payload_hooks.is_same(child, node)
        if bound is not None:
            self._read_inside(bound)


def _parameter(function: FunctionValue) -> Node | None:
    """The parameter that is the instance; None where it is taken apart, which no instance bears."""
    if not function.function.params or function.function.params[0].pattern is not None:
        return None
    return Node(function.scope.file.path, function.function.params[0].span)


def _is_index(path: str) -> bool:
    name, _ = posixpath.splitext(posixpath.basename(path))
    return name == "index"


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"fastify", b"Fastify", b".get('/", b'.get("/', b".post('/", b'.post("/'),
    calls=(
        *(b".%s(" % verb.encode() for verb in VERBS),
        *(b".%s<" % verb.encode() for verb in VERBS),
        b".route(",
        b".register(",
        b".addSchema(",
        b".addHook(",
        *(b"%s[" % name for name in (b"app", b"fastify", b"server", b"instance")),
    ),
    operations=operations,
)
