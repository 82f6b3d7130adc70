"""Elysia: chains of routes, groups, guards, plugins, schemas of `t`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, DeferredAnswers, Location, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Nothing, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Return
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.typebox import UPLOADED
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import returned_responses as fetch_responses
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.collector import Collector, Route, paths
from contract_scan.parsers.source.typescript.web.endpoints import (
    handler_name,
    handler_of,
    operation,
    read_endpoint,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX, join, templates
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    answer,
    argument,
    argument_origin,
    is_nothing,
    value_response,
)
from contract_scan.parsers.source.typescript.web.routers import Node, RouterKind, mount_below
from contract_scan.parsers.source.typescript.web.taint_marks import MarkedReader, TaintMarks
from contract_scan.parsers.source.web.route_graph import application_of

NAME = "Elysia"
VERBS = ("get", "post", "put", "patch", "delete", "options", "head")
_METHODS = {**{verb: verb.upper() for verb in VERBS}, "all": "*"}
_MAKERS = frozenset({"elysia.Elysia", "elysia", "elysia.default"})
_HOOKS = frozenset(
    {"derive", "resolve", "decorate", "state", "model", "models", "macro", "onError", "onRequest"}
    | {"onBeforeHandle", "onAfterHandle", "onTransform", "onParse", "onAfterResponse"}
    | {"onResponse", "onStart", "onStop", "trace", "mapResponse", "as", "ws", "mount", "listen"}
    | {"error", "headers", "env", "parser", "compile", "wrap", "prefix", "affix", "suffix", "on"}
    | {"mapDerive", "mapResolve", "beforeHandle", "afterHandle", "onMapResponse", "reference"}
)
_KIND = RouterKind(
    has_prefix=True,
    makers=_MAKERS,
    apps=_MAKERS,
    types=frozenset({"elysia.Elysia", "elysia.AnyElysia", "elysia", "elysia.default"}),
    chainable=frozenset({*_METHODS, "route", "use", "group", "guard", *_HOOKS}),
    parameters=frozenset(),
    registers=frozenset({*_METHODS, "route", "use", "group", "guard"}),
)
_CHANGERS = frozenset({"onAfterHandle", "mapResponse", "onMapResponse"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route, once for each place its instance is used at."""
    if not program.files_containing(*_OWN):
        return
    collector = _Collector(program)
    collector.collect(framework)
    collector.settle()
    for route in collector.routes:
        if collector.graph.places(route.node):
            yield from _operations(program, collector, route)


class _Collector(Collector):
    """Reads calls into routes and mounts."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, _KIND)
        self.models: dict[str, Value] = {}
        self.guards: dict[Node, list[Value]] = {}
        self.parents: dict[Node, Node] = {}
        """Groups and guards -> the instance that they are of."""
        self.changed: list[Node] = []
        self.changes_all = False

    def made_with(self, node: Node, options: Value) -> None:
        """`new Elysia({ detail: { hide: true } })` speaks of all routes of the instance."""
        if "detail" in walker.entries(options):
            self.guards.setdefault(node, []).append(options)

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers."""
        callee = call.callee
        name = callee.name if isinstance(callee, Attribute) else ""
        if not isinstance(callee, Attribute) or name not in _KIND.chainable or not call.args:
            self.passed_on(call, scope)
            return
        found = self.routers(callee.value, scope)
        if not found:
            self.passed_on(call, scope)
        elif name in _METHODS:
            self._verb(_METHODS[name], call, 0, found, scope)
        elif name == "route":
            text = self._program.text(call.args[0].value, scope)
            self._verb((text or "*").upper(), call, 1, found, scope, NO_REASON if text else _METHOD)
        elif name == "use":
            self._use(call, found, scope)
        elif name in ("group", "guard"):
            self._enter_group(name, call, found, scope)
        elif name == "mount":
            self._add_mount(call, found, scope)
        elif name in ("model", "models"):
            self._models(call, scope)
        elif name in _CHANGERS:
            self._changer(call, found, scope)

    # ------------------------------------------------------------------ routes

    def _verb(
        self,
        method: str,
        call: Call,
        position: int,
        found: tuple[Node, ...],
        scope: Scope,
        undetermined: Reason = NO_REASON,
    ) -> None:
        """`app.get(path, handler, hook)`."""
        values = [argument.value for argument in call.args[position:]]
        if len(values) < 2:
            return
        ways = paths(self._program, values[0], scope)
        if undetermined:
            ways = [(path, reason or undetermined) for path, reason in ways]
        self.add(found, method, ways, tuple(values[1:]), scope, values[0].span)

    def _add_mount(self, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`app.mount("/auth", handler)`: another program answers below the path."""
        values = [argument.value for argument in call.args]
        ways = paths(self._program, values[0], scope) if len(values) > 1 else [("", "")]
        reason = Reason("mounted-object-answers")
        ways = [(join(path, f"{DYNAMIC_PREFIX}+"), reason) for path, _ in ways]
        self.add(found, "*", ways, tuple(values[-1:]), scope, values[0].span)

    # ------------------------------------------------------------------ groups, guards, plugins

    def _enter_group(self, name: str, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`app.group("/x", [hook], (app) => …)`, `app.guard(hook, [(app) => …])`."""
        values = [argument.value for argument in call.args]
        ways = [("", NO_REASON)]
        if name == "group":
            ways = paths(self._program, values[0], scope)
            values = values[1:]
        evaluated = [self._program.evaluate(value, scope) for value in values]
        hooks = [value for value in evaluated if isinstance(value, Record)]
        functions = [value for value in evaluated if isinstance(value, FunctionValue)]
        if not functions:
            for node in found if name == "guard" else ():
                self.guards.setdefault(node, []).extend(hooks)
            return
        for function in functions:
            params = function.function.params
            if not params:
                continue
            child = Node(function.scope.file.path, params[0].span)
            self._register_child(child, function, found, ways)
            self.guards.setdefault(child, []).extend(hooks)

    def _register_child(
        self,
        child: Node,
        function: FunctionValue,
        parents: tuple[Node, ...],
        ways: list[tuple[str, Reason]],
    ) -> None:
        """A function is given an instance below others."""
        self.reached.append(function.scope.file.path)
        for parent in parents:
            self.parents.setdefault(child, parent)
            for prefix, reason in ways:
                self.graph.mount(child, mount_below(parent, prefix, reason))

    def _use(self, call: Call, parents: tuple[Node, ...], scope: Scope) -> None:
        """`app.use(plugin)`: an instance, a function that is given one, or a list of them."""
        value = self._program.evaluate(call.args[0].value, scope)
        for item in _options(value):
            if isinstance(item, FunctionValue):
                params = item.function.params
                if params and params[0].pattern is None:
                    child = Node(item.scope.file.path, params[0].span)
                    self._register_child(child, item, parents, [("", NO_REASON)])
                continue
            for child in self.nodes(item):
                self.parents.setdefault(child, parents[0])
                for parent in parents:
                    self.graph.mount(child, mount_below(parent, ""))
            if isinstance(item, Unresolved):
                self.graph.loose_ends = Reason("plugin-not-visible", reason=item.reason)

    def _models(self, call: Call, scope: Scope) -> None:
        """`app.model({ user: t.Object({…}) })`, `app.model("user", schema)`."""
        first = self._program.evaluate(call.args[0].value, scope)
        if isinstance(first, Record):
            self.models.update((entry.name, entry.value) for entry in first.entries)
        elif len(call.args) > 1:
            text = self._program.evaluator.text(first)
            if text is not None:
                self.models[text] = self._program.evaluate(call.args[1].value, scope)

    def _changer(self, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`app.onAfterHandle(({ response }) => ({ data: response }))`."""
        for given in call.args:
            value = self._program.evaluate(given.value, scope)
            if isinstance(value, Record):
                self.changes_all |= "as" in walker.entries(value)
            elif isinstance(value, FunctionValue):
                inside = scope_of(self._program, value).statements or ()
                if not any(isinstance(n, Return) and n.value for n in walker.nested_nodes(inside)):
                    return
        self.changed.extend(found)

    def hooks(self, route: Route) -> list[Value]:
        """The hook of a route and those of guards around it, nearest first."""
        found: list[Value] = []
        if len(route.handlers) > 1:
            found.append(self._program.evaluate(route.handlers[1], route.scope))
        node: Node | None = route.node
        seen: set[Node] = set()
        while node is not None and node not in seen:
            seen.add(node)
            found.extend(reversed(self.guards.get(node, [])))
            node = self.parents.get(node)
        return found

    def changes(self, node: Node) -> bool:
        """Whether a hook may change what routes of an instance send."""
        return self.changes_all or any(
            node == other or self.graph.is_below(node, other) for other in self.changed
        )


def _options(value: Value) -> Iterator[Value]:
    if isinstance(value, OneOf):
        for option in value.options:
            yield from _options(option)
    elif isinstance(value, Items):
        for item in value.values:
            yield from _options(item)
    else:
        yield value


# ---------------------------------------------------------------------- operations


def _operations(program: Program, collector: _Collector, route: Route) -> Iterator[Operation]:
    origin = origin_at(route.scope, route.span)
    value = program.evaluate(route.handlers[0], route.scope)
    hooks = collector.hooks(route)
    handled = _handler_signature(program, value, hooks, collector.models, origin)
    if collector.changes(route.node):
        handled = _with_undetermined_bodies(handled)
    for place in collector.graph.places(route.node):
        for template in templates(join(place.prefix, route.path)):
            yield operation(
                route.method,
                template,
                handled,
                origin,
                framework=NAME,
                handler=_name(program, value, route.handlers[0]),
                unresolved=route.unresolved or place.unresolved,
                application=application_of(place),
                hidden=_is_hidden(program, hooks),
            )


def _name(program: Program, value: Value, expr: Expr) -> str:
    if isinstance(value, Constant):
        return ""
    function = handler_of(program, value).function
    name = handler_name(function)
    return name if function is not None and function.function.name else dotted_name_of(expr) or name


_METHOD = Reason("method-not-constant")
_OWN = (b"'elysia'", b'"elysia"', b"npm:elysia")
"""What a project that uses Elysia holds somewhere."""


# ------------------------------------------------------------------------------------- endpoints
# What one Elysia route takes and sends: its hook's schemas, those of guards, its handler.


_CONTEXT = LibrarySymbol("<context>")
_FORM = "multipart/form-data"
_MARKS = TaintMarks(bodies={"<context>.body": JSON}, queries=frozenset({"<context>.query"}))
_STATUS = frozenset({"<context>.status", "<context>.error", "elysia.status", "elysia.error"})
_REDIRECT = frozenset({"<context>.redirect", "elysia.redirect"})
_NO_JSON = frozenset({"elysia.file", "elysia.form", "elysia.sse", "Bun.file"})
_LOCATIONS: Mapping[str, Location] = {
    "query": "query",
    "params": "path",
    "headers": "header",
    "cookie": "cookie",
}
_WORDS = Scalar(type="string")
_CHANGES = ("afterHandle", "mapResponse")
_CHANGED = Unknown(reason=Reason("after-hook-may-change-response"))


def _handler_signature(
    program: Program,
    handler: Value | None,
    hooks: Sequence[Value],
    models: Mapping[str, Value],
    origin: Origin,
) -> HandlerSummary:
    """The request inputs and responses of a route. `hooks`: that of the route first, then
    those of guards around it; `models`: the schemas that have names."""
    found = _by_handler(program, handler, origin)
    settings = [walker.entries(hook) for hook in hooks]
    merged: dict[str, RecordEntry] = {}
    for each in reversed(settings):
        merged.update(each)
    found = _declared_request(program, merged, models, found)
    found = _declared_responses(program, merged, models, found)
    if any(key in each for each in settings for key in _CHANGES):
        found = _with_undetermined_bodies(found)
    return found


def _with_undetermined_bodies(found: HandlerSummary) -> HandlerSummary:
    """The responses after a hook that may change them."""

    def change(sent: Answers) -> Answers:
        responses = tuple(
            replace(
                response,
                bodies=tuple(
                    Body(schema=_CHANGED, content_type=b.content_type, origin=b.origin)
                    for b in response.bodies
                ),
            )
            for response in sent.responses
        )
        return sent.left_open(responses)

    return found.with_changed_answers(change)


def _is_hidden(program: Program, hooks: Sequence[Value]) -> bool:
    """Whether a route says that it is not to be documented (`detail: { hide: true }`)."""
    del program
    for hook in hooks:
        detail = walker.entries(hook).get("detail")
        hide = walker.entries(detail.value).get("hide") if detail is not None else None
        if hide is not None and isinstance(hide.value, Constant) and hide.value.value is True:
            return True
    return False


def _by_handler(program: Program, value: Value | None, origin: Origin) -> HandlerSummary:
    if value is None:
        return undetermined_summary(Reason("route-handler-not-visible"), origin)
    if isinstance(value, FunctionValue):
        found = handler_of(program, value)
        return read_endpoint(program, found, (_CONTEXT,), _MARKS, _DIALECT, origin)
    if isinstance(value, LibraryResult) and _library_response(program, value) is None:
        return read_endpoint(
            program, handler_of(program, value), (_CONTEXT,), _MARKS, _DIALECT, origin
        )
    return HandlerSummary(DeferredAnswers(lambda: answer(program, value, origin, _DIALECT)))


# ---------------------------------------------------------------------- what is declared


def _schema(
    program: Program, value: Value, models: Mapping[str, Value], variant: str = ""
) -> Schema | None:
    if isinstance(value, Constant) and isinstance(value.value, str):
        named = models.get(value.value)
        if named is None:
            return Unknown(reason=Reason("model-not-found", value=repr(value.value)))
        return _schema(program, named, {}, variant)
    if isinstance(value, LibraryResult):
        return program.schema_of(value, variant)
    return None


def _declared_request(
    program: Program,
    hook: dict[str, RecordEntry],
    models: Mapping[str, Value],
    found: HandlerSummary,
) -> HandlerSummary:
    request = found.request
    if "body" in hook:
        schema = _schema(program, hook["body"].value, models, zod.INPUT)
        if schema is not None:
            kind = _FORM if _uploads(program, schema) else JSON
            request = (
                Body(schema=schema, content_type=kind, required=True, origin=hook["body"].origin),
            )
    reader = MarkedReader(program, _MARKS)
    for name, location in _LOCATIONS.items():
        schema = _schema(program, hook[name].value, models, zod.INPUT) if name in hook else None
        if schema is not None:
            reader.fields(schema, location)
    named = {(p.location, p.name): p for p in (*found.parameters, *reader.parameters())}
    return replace(found, request=request, parameters=tuple(named.values()))


def _uploads(program: Program, schema: Schema) -> bool:
    flat = program.types.flat(schema)
    return isinstance(flat, Object) and any(
        isinstance(field.schema, Unknown) and field.schema.reason == UPLOADED
        for field in flat.fields
    )


def _declared_responses(
    program: Program,
    hook: dict[str, RecordEntry],
    models: Mapping[str, Value],
    found: HandlerSummary,
) -> HandlerSummary:
    """`response: schema` or `response: { 200: schema }`: what is not named is left out."""
    entry = hook.get("response")
    if entry is None:
        return found
    declared: dict[str, Response] = {}
    if isinstance(entry.value, Record):
        for inner in entry.value.entries:
            _declare(program, inner.name, inner.value, inner.origin, models, declared)
    else:
        _declare(program, "200", entry.value, entry.origin, models, declared)

    def change(sent: Answers) -> Answers:
        undetermined = all(
            not r.explicit_status and all(program.types.is_unknown(b.schema) for b in r.bodies)
            for r in sent.responses
        )
        if undetermined:
            successes = [r for r in declared.values() if r.status.startswith("2")]
            if successes:
                return sent.left_open(tuple(successes))
        responses = tuple(
            replace(response, bodies=declared[response.status].bodies)
            if response.status in declared
            else response
            for response in sent.responses
        )
        return sent._replace(responses=responses)

    return found.with_changed_answers(change)


def _declare(
    program: Program,
    status: str,
    value: Value,
    origin: Origin,
    models: Mapping[str, Value],
    found: dict[str, Response],
) -> None:
    schema = _schema(program, value, models)
    if schema is None or not status.isdigit():
        return
    flat = program.types.flat(schema)
    empty = isinstance(flat, Nothing) or status in ("204", "205", "304")
    text = getattr(flat, "type", "") == "string"
    kind = "text/plain" if text else JSON
    bodies = () if empty else (Body(schema=schema, content_type=kind, origin=origin),)
    found[status] = Response(status=status, bodies=bodies, documented=True, origin=origin)


# ---------------------------------------------------------------------- what is sent


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    if made.name in _STATUS:
        given = argument(program, made, 0)
        codes = statuses.of_value(given) if given is not None else ()
        value = argument(program, made, 1)
        if value is None:  # the words of the status are sent
            return ReturnedResponse(codes, True, Body(schema=_WORDS, content_type="text/plain"))
        return ReturnedResponse(
            codes, True, _value_response(program, value, argument_origin(made, 1)).body
        )
    if made.name in _REDIRECT:
        return fetch_responses.redirect_response(program, made)
    if made.name in _NO_JSON:
        reason = Unknown(reason=Reason("no-json-sent"), origin=argument_origin(made, 0))
        return ReturnedResponse((200,), False, Body(schema=reason, content_type="*/*"))
    return fetch_responses.standard(program, made)


def _value_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse:
    if is_nothing(value):
        return ReturnedResponse((200,), False, None)
    return value_response(program, value, origin, text="text/plain", nothing=200)


_DIALECT = ResponseLibrary(
    read_result=_library_response,
    plain=_value_response,
    status_targets=frozenset({"<context>.set.status"}),
)


FRAMEWORK = Framework(
    name=NAME,
    markers=(*_OWN, b"Elysia"),
    calls=(
        *(b".%s(" % verb.encode() for verb in (*VERBS, "all", "use", "group", "guard", "route")),
        b"Elysia(",
        b"Elysia<",
    ),
    operations=operations,
)
