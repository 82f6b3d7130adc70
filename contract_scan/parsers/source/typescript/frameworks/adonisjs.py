"""AdonisJS: `router.get("/x", [Controller, "action"])`, groups, resources, controllers by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Body, DeferredAnswers, Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    Record,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization import vine
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.collector import paths
from contract_scan.parsers.source.typescript.web.endpoints import (
    bind_parameters,
    handler_name,
    operation,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_SEGMENT, join, templates
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    answers,
    argument,
    argument_origin,
    is_nothing,
)
from contract_scan.parsers.source.typescript.web.taint_marks import FORM, MarkedReader, TaintMarks
from contract_scan.parsers.source.web.mount_limits import TOO_DEEP, TOO_MANY, first_places
from contract_scan.parsers.source.web.status_names import PHRASES

NAME = "AdonisJS"
VERBS = ("get", "post", "put", "patch", "delete", "head")
_METHODS = {**{verb: verb.upper() for verb in VERBS}, "any": "*", "del": "DELETE"}
_ROUTERS = frozenset(
    f"{module}{part}"
    for module in ("@adonisjs/core/services/router", "@ioc:Adonis/Core/Route")
    for part in ("", ".default")
)
_ACTIONS = {
    "index": ("GET", ""),
    "create": ("GET", "/create"),
    "store": ("POST", ""),
    "show": ("GET", "/:id"),
    "edit": ("GET", "/:id/edit"),
    "update": ("PUT PATCH", "/:id"),
    "destroy": ("DELETE", "/:id"),
}
_ROOTS = frozenset({*_METHODS, "route", "resource", "shallowResource", "group", "on"})
_LINKS = frozenset({"prefix", "apiOnly", "only", "except", "params", "render", "redirect"})
MAX_DEPTH = 20
_UNCALLED = Reason("registering-function-not-called")
_CONTROLLERS = ("Controllers/Http/", "controllers/http/", "controllers/", "")


class _RouterCall(Struct, frozen=True, eq=False):
    """One call on the router."""

    name: str
    call: Call
    scope: Scope


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route, behind the prefixes of the groups that it stands in."""
    if not program.files_containing(*_OWN):
        return
    reader = _Reader(program)
    for file in program.seeds(framework):
        for call, scope in walker.calls(program, file):
            reader.call(call, scope)
    for registered in reader.registered:
        yield from reader.operations(registered)


class _Reader:
    """Notes what is called on the router, then makes routes of it."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.registered: list[_RouterCall] = []
        self._links: dict[tuple[str, Span], list[_RouterCall]] = {}
        """What is called on what a call on the router gives: the last call first."""
        self._groups: dict[tuple[str, Span], list[_RouterCall]] = {}
        """By the function that a group is given: the calls that make the group."""
        self._callers: dict[tuple[str, Span], list[Scope]] = {}
        """By the function: where it is called."""

    def call(self, call: Call, scope: Scope) -> None:
        """Note one call."""
        callee = call.callee
        if isinstance(callee, Name):
            value = self._program.evaluate(callee, scope)
            if isinstance(value, FunctionValue):
                key = (value.scope.file.path, value.function.span)
                self._callers.setdefault(key, []).append(scope)
            return
        if not isinstance(callee, Attribute) or callee.name not in (_ROOTS | _LINKS):
            return
        if callee.name in _ROOTS and self._is_router(callee.value, scope):
            found = _RouterCall(callee.name, call, scope)
            if callee.name == "group":
                self._group(found)
            else:
                self.registered.append(found)
        elif callee.name in _LINKS:
            root = _root(callee.value)
            if root is not None:
                key = (scope.file.path, root.span)
                link = _RouterCall(callee.name, call, scope)
                self._links.setdefault(key, []).append(link)

    def _is_router(self, expr: Expr, scope: Scope) -> bool:
        value = self._program.evaluate(expr, scope)
        if isinstance(value, LibraryResult):
            args = value.site.args
            return (
                value.name == "use"
                and bool(args)
                and (self._program.text(args[0].value, value.scope) == "Route")
            )
        return isinstance(value, LibrarySymbol) and value.name in _ROUTERS

    def _group(self, group: _RouterCall) -> None:
        for given in group.call.args:
            value = self._program.evaluate(given.value, group.scope)
            if isinstance(value, FunctionValue):
                key = (value.scope.file.path, value.function.span)
                self._groups.setdefault(key, []).append(group)

    # ------------------------------------------------------------------ prefixes

    def _chained_registrations(self, registered: _RouterCall, name: str) -> list[_RouterCall]:
        key = (registered.scope.file.path, registered.call.span)
        return [link for link in self._links.get(key, ()) if link.name == name]

    def _chained_prefixes(self, registered: _RouterCall) -> list[tuple[str, Reason]]:
        """(prefix, why it is undetermined) of the calls of `prefix` behind a call."""
        found = []
        for link in self._chained_registrations(registered, "prefix"):
            if link.call.args:
                found.extend(paths(self._program, link.call.args[0].value, link.scope)[:1])
        return found

    def _prefixes(self, scope: Scope, depth: int = 0) -> list[list[tuple[str, Reason]]]:
        """The prefixes of the groups around a place, one list for each way to it."""
        if depth >= MAX_DEPTH:
            return [[(DYNAMIC_PREFIX, TOO_DEEP)]]
        found = (tuple(ways) for ways in self._group_prefixes(scope, depth))
        return [list(w) for w in first_places(found, lambda: ((DYNAMIC_PREFIX, TOO_MANY),))]

    def _group_prefixes(self, scope: Scope, depth: int) -> list[list[tuple[str, Reason]]]:
        current: Scope | None = scope
        while current is not None:
            if current.function is not None:
                key = (current.file.path, current.function.span)
                groups = self._groups.get(key, [])
                callers = self._callers.get(key, [])
                if callers and not groups:
                    return [p for place in callers for p in self._prefixes(place, depth + 1)]
                if not groups and _waits(current):
                    return [[("", _UNCALLED)]]
                if groups:
                    return [
                        [*outer, *self._chained_prefixes(group)]
                        for group in groups
                        for outer in self._prefixes(group.scope, depth + 1)
                    ]
            current = current.parent
        return [[]]

    # ------------------------------------------------------------------ routes

    def operations(self, registered: _RouterCall) -> Iterator[Operation]:
        """The routes that one call registers."""
        args = [argument.value for argument in registered.call.args]
        if not args:
            return
        scope = registered.scope
        if registered.name in ("resource", "shallowResource"):
            if len(args) > 1:
                yield from self._resource(registered, args[0], args[1])
            return
        if registered.name == "on":
            yield from self._brisk(registered, args[0])
            return
        methods: list[tuple[str, Reason]] = [(_METHODS.get(registered.name, ""), NO_REASON)]
        path, handler = args[0], args[1] if len(args) > 1 else None
        if registered.name == "route":
            texts = self._program.texts(args[1], scope) if len(args) > 2 else (None,)
            methods = [
                (t.upper(), NO_REASON) if t is not None else ("*", Reason("method-not-constant"))
                for t in texts or (None,)
            ]
            handler = args[2] if len(args) > 2 else None
        if handler is None:
            return
        function, reason = self._action(self._program.evaluate(handler, scope), "handle")
        for method, undetermined in methods:
            ways = paths(self._program, path, scope)
            yield from self._endpoint_operations(
                registered, method, [(w, r or undetermined) for w, r in ways], function, reason
            )

    def _brisk(self, registered: _RouterCall, path: Expr) -> Iterator[Operation]:
        """`router.on("/x").render("view")`: a page, or a redirection."""
        ways = paths(self._program, path, registered.scope)
        yield from self._endpoint_operations(
            registered, "GET", ways, None, Reason("page-rendered-or-redirect")
        )

    def _resource(
        self, registered: _RouterCall, name: Expr, controller: Expr
    ) -> Iterator[Operation]:
        """`router.resource("posts.comments", Controller).apiOnly()`."""
        text = self._program.text(name, registered.scope)
        actions = self._actions(registered)
        value = self._program.evaluate(controller, registered.scope)
        reason = NO_REASON if text is not None else Reason("resource-name-not-constant")
        base = self._base(registered, text or DYNAMIC_SEGMENT)
        shallow = f"/{base.rsplit('/', 1)[-1]}" if registered.name == "shallowResource" else base
        for action in actions:
            methods, tail = _ACTIONS[action]
            own = self._param(registered, text or "")
            tail = tail.replace(":id", f":{own}")
            path = (shallow if ":" in tail else base) + tail
            function, undetermined = self._action(value, action)
            for method in methods.split():
                yield from self._endpoint_operations(
                    registered, method, [(path, reason)], function, undetermined
                )

    def _actions(self, registered: _RouterCall) -> list[str]:
        found = list(_ACTIONS)
        for link in reversed(self._all_links(registered)):
            args = link.call.args
            names = self._program.texts(args[0].value, link.scope) if args else ()
            if link.name == "apiOnly":
                found = [action for action in found if action not in ("create", "edit")]
            elif link.name == "only":
                found = [action for action in found if action in names]
            elif link.name == "except":
                found = [action for action in found if action not in names]
        return found

    def _all_links(self, registered: _RouterCall) -> list[_RouterCall]:
        return self._links.get((registered.scope.file.path, registered.call.span), [])

    def _base(self, registered: _RouterCall, name: str) -> str:
        *outer, last = name.strip("/").split(".")
        named = [f"{part}/:{self._param(registered, part, nested=True)}" for part in outer]
        return "/" + "/".join([*named, last])

    def _param(self, registered: _RouterCall, resource: str, *, nested: bool = False) -> str:
        """What the parameter of a resource is called."""
        own = resource.strip("/").rsplit(".", 1)[-1]
        for link in self._chained_registrations(registered, "params"):
            if link.call.args:
                value = self._program.evaluate(link.call.args[0].value, link.scope)
                entry = walker.entries(value).get(own)
                text = self._program.evaluator.text(entry.value) if entry is not None else None
                if text is not None:
                    return text
        if not nested:
            return "id"
        return re.sub(r"\W", "_", re.sub(r"ies$", "y", own).removesuffix("s")).lower() + "_id"

    def _endpoint_operations(
        self,
        registered: _RouterCall,
        method: str,
        ways: list[tuple[str, Reason]],
        function: FunctionValue | None,
        reason: Reason,
    ) -> Iterator[Operation]:
        scope, span = registered.scope, registered.call.args[0].value.span
        origin = origin_at(scope, span)
        handled: HandlerSummary
        if function is None:
            handled = undetermined_summary(reason, origin)
        else:
            handled = _handler_signature(self._program, function, method)
        own = self._chained_prefixes(registered) if registered.name != "on" else []
        for outer in self._prefixes(scope):
            prefixes = [*outer, *own]
            undetermined = next((why for _, why in prefixes if why), NO_REASON)
            for path, why in ways:
                for template in templates(join(*(prefix for prefix, _ in prefixes), path)):
                    yield operation(
                        method,
                        template,
                        handled,
                        origin,
                        framework=NAME,
                        handler=handler_name(function),
                        unresolved=why or undetermined,
                    )

    # ------------------------------------------------------------------ controllers

    def _action(self, value: Value, action: str) -> tuple[FunctionValue | None, Reason]:
        """The function that answers, and why it is not seen."""
        match value:
            case FunctionValue():
                symbol = self._controller(value)
                if symbol is None:
                    return value, NO_REASON
                return self._method(symbol, action)
            case Items(values=(first, *rest)):
                name = self._program.evaluator.text(rest[0]) if rest else action
                symbol = self._controller(first)
                if symbol is None or name is None:
                    return None, Reason("controller-not-visible")
                return self._method(symbol, name)
            case Constant(value=str(text)):
                head, _, name = text.rpartition(".")
                symbol = self._controller_class(head or text)
                if symbol is None:
                    return None, Reason("controller-not-found", head=repr(head or text))
                return self._method(symbol, name if head else action)
            case _:
                symbol = self._controller(value)
                if symbol is None:
                    return None, Reason("controller-not-visible")
                return self._method(symbol, action)

    def _controller(self, value: Value) -> ClassSymbol | None:
        """A class, or what `() => import("#controllers/x")` brings."""
        if isinstance(value, FunctionValue) and not value.function.params:
            value = self._program.evaluator.unwrap(self._program.evaluator.returned_value(value))
        if isinstance(value, ModuleValue):
            found = self._program.names.modules.resolve_export(value.path, "default")
            if isinstance(found, ClassValue):
                return found.symbol
            return None
        if isinstance(value, Constant) and isinstance(value.value, str):
            return self._controller_class(value.value)
        return value.symbol if isinstance(value, ClassValue) else None

    def _controller_class(self, name: str) -> ClassSymbol | None:
        """`Admin/UsersController`: the class in the file of that name."""
        simple = name.replace(".", "/").rsplit("/", 1)[-1]
        files = self._program.files_defining(simple)
        stem = name.removeprefix("App/").removeprefix("#")
        for folder in _CONTROLLERS:
            for path in files:
                if re.sub(r"\.\w+$", "", path).endswith(f"/{folder}{stem}"):
                    for symbol in self._program.classes(self._program.facts(path)):
                        if symbol.decl.name == simple:
                            return symbol
        return None

    def _method(self, symbol: ClassSymbol, name: str) -> tuple[FunctionValue | None, Reason]:
        found = self._program.find_method(symbol, name)
        if found is None:
            return None, Reason("no-method", type=symbol.decl.name, name=name)
        receiver = Instance(symbol)
        return FunctionValue(found.function, found.scope, found.owner, receiver), NO_REASON


def _waits(scope: Scope) -> bool:
    """Whether a function runs only when something calls it by name: not one that is handed over."""
    function = scope.function
    if function is None or scope.owner is not None:
        return False
    return bool(function.name) or "default" in function.modifiers


def _root(expr: Expr) -> Call | None:
    """The first call of a chain that may be one on the router."""
    while isinstance(expr, Call) and isinstance(expr.callee, Attribute):
        if expr.callee.name in _ROOTS and not isinstance(expr.callee.value, Call):
            return expr
        expr = expr.callee.value
    return None


_OWN = (b"@adonisjs/core/services/router", b"@ioc:Adonis/Core/Route", b"use('Route')")
"""What a project that uses AdonisJS holds somewhere."""


# ------------------------------------------------------------------------------------- endpoints
# What one AdonisJS route takes and sends: validators, the context's response, returned values.


_CONTEXT = LibrarySymbol("<context>")
_REQUEST = "<context>.request"
_RESPONSE = "<context>.response"
_MARKS = TaintMarks(
    bodies={
        **{f"{_REQUEST}.{name}()": JSON for name in ("body", "all", "only", "except", "post")},
        **{f"{_REQUEST}.{name}()": JSON for name in ("input", "validateUsing", "validate")},
        **{f"{_REQUEST}.{name}()": FORM for name in ("file", "files", "allFiles")},
        f"{_REQUEST}.raw()": "*/*",
    },
    queries=frozenset({f"{_REQUEST}.qs()", f"{_REQUEST}.get()"}),
    keyed=frozenset({f"{_REQUEST}.input()"}),
    picking=frozenset({f"{_REQUEST}.only()"}),
)
_WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE"})
_NAMED = {name[0].lower() + name[1:]: int(status) for name, status in PHRASES.items()}
_SENDS = frozenset({"send", "json", "jsonp", *_NAMED})
_BYTES = frozenset({"stream", "download", "attachment", "streamDownload"})
_STATUS = frozenset({"status", "safeStatus"})
_BEFORE = ("", ".status()", ".safeStatus()", ".header()", ".status().header()", ".type()")
_EXCEPTIONS = frozenset(
    {"@adonisjs/core/exceptions.Exception", "@poppinss/utils.Exception"}
    | {"@adonisjs/core/build/standalone.Exception", "@adonisjs/generic-exceptions.HttpException"}
)


def _handler_signature(program: Program, function: FunctionValue, method: str) -> HandlerSummary:
    """The request inputs and responses of a handler for a method."""
    reader = MarkedReader(program, _MARKS)
    scope = reader.read_function(function, bind_parameters(program, function, (_CONTEXT,)))
    _note_validators(program, reader, scope, method)
    bodies = reader.bodies() if method not in _WITHOUT_BODY else ()
    sent = DeferredAnswers(lambda: answers(program, scope.statements or (), scope, _DIALECT))
    return HandlerSummary(sent, bodies, reader.parameters())


# ---------------------------------------------------------------------- what is taken


def _note_validators(program: Program, reader: MarkedReader, scope: Scope, method: str) -> None:
    """`request.validateUsing(validator)`, `validator.validate(request.all())`."""
    for node, inside in walker.nodes(program, scope.statements or (), scope):
        callee = node.callee if isinstance(node, Call) else None
        if not isinstance(callee, Attribute) or not isinstance(node, Call) or not node.args:
            continue
        schema: Schema | None = None
        if callee.name in ("validateUsing", "validate"):
            made = program.evaluate(node, inside)
            name = made.name if isinstance(made, LibraryResult) else ""
            given = program.evaluate(node.args[0].value, inside)
            if name.startswith(f"{_REQUEST}."):
                schema = _schema(program, given)
            elif vine.is_vine(name) and isinstance(given, LibraryResult):
                receiver = program.evaluate(callee.value, inside)
                if given.name in (f"{_REQUEST}.all", f"{_REQUEST}.body", f"{_REQUEST}.only"):
                    schema = _schema(program, receiver)
                elif given.name == f"{_REQUEST}.qs":
                    _add_validator_result(
                        program, reader, _schema(program, receiver), inside, node, "GET"
                    )
        if schema is not None:
            _add_validator_result(program, reader, schema, inside, node, method)


def _schema(program: Program, value: Value) -> Schema | None:
    """The shape of a validator: a compiled one, `{ schema }`, or a class with a `schema`."""
    if isinstance(value, LibraryResult) and vine.is_vine(value.name):
        return program.schema_of(value, zod.INPUT)
    inner: Value | None = None
    if isinstance(value, Record):
        entry = walker.entries(value).get("schema")
        inner = entry.value if entry is not None else None
    elif isinstance(value, ClassValue):
        inner = program.evaluator.member(Instance(value.symbol), "schema")
    elif isinstance(value, Instance):
        inner = program.evaluator.member(value, "schema")
    return _schema(program, inner) if isinstance(inner, LibraryResult) else None


def _add_validator_result(
    program: Program,
    reader: MarkedReader,
    schema: Schema | None,
    scope: Scope,
    node: Call,
    method: str,
) -> None:
    """A validator is given the body and the query together, and `params` beside them."""
    if schema is None:
        return
    flat = program.types.flat(schema)
    if isinstance(flat, Object):
        own = [field for field in flat.fields if field.name in ("params", "headers", "cookies")]
        for field in own:
            location = {"params": "path", "headers": "header", "cookies": "cookie"}[field.name]
            reader.fields(field.schema, location)  # type: ignore[arg-type]
        flat = replace(flat, fields=tuple(field for field in flat.fields if field not in own))
        if own and not flat.fields:
            return
    if method in _WITHOUT_BODY:
        reader.query_fields(flat)
    elif method != "*":  # whether fields stand in the query or in the body is up to the method
        reader.check_body(flat, scope, node)


# ---------------------------------------------------------------------- what is sent


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    if made.name in _EXCEPTIONS:
        return _exception(made, program)
    if made.name.startswith(("<context>.view.", "<context>.inertia.")):
        reason = Unknown(reason=Reason("page-rendered"), origin=argument_origin(made, 0))
        return ReturnedResponse((200,), False, Body(schema=reason, content_type="text/html"))
    if not made.name.startswith(f"{_RESPONSE}."):
        return None
    links: list[tuple[str, LibraryResult]] = []
    current: Value | None = made
    while isinstance(current, LibraryResult) and current.name.startswith(f"{_RESPONSE}."):
        links.append((current.name.rsplit(".", 1)[-1], current))
        current = current.receiver
    codes: tuple[int, ...] | None = None
    for name, link in reversed(links):
        given = argument(program, link, 0)
        if name in _STATUS and given is not None:
            codes = statuses.of_value(given)
    last, end = links[0]
    if any(name == "redirect" for name, _ in links):
        return ReturnedResponse(codes or (302,), True, None)
    if last in _BYTES:
        reason = Unknown(reason=Reason("no-json-sent"), origin=argument_origin(end, 0))
        return ReturnedResponse(
            codes if codes is not None else (200,),
            codes is not None,
            Body(schema=reason, content_type="*/*"),
        )
    if last == "abort":
        given = argument(program, end, 1)
        found = statuses.of_value(given) if given is not None else (400,)
        value = argument(program, end, 0)
        return ReturnedResponse(found, True, _body(program, value, argument_origin(end, 0)))
    if last not in _SENDS:
        return None
    if last in _NAMED:
        codes = (_NAMED[last],)
    value = argument(program, end, 0)
    body = _body(program, value, argument_origin(end, 0))
    return ReturnedResponse(codes if codes is not None else (200,), codes is not None, body)


def _exception(made: LibraryResult, program: Program) -> ReturnedResponse:
    """`new Exception(message, { status: 404 })`; before, the status stood by itself."""
    given = argument(program, made, 1)
    entry = walker.entries(given).get("status") if isinstance(given, Record) else None
    value = entry.value if entry is not None else given
    codes: tuple[int, ...] = (500,)
    if entry is not None or isinstance(given, Constant):
        codes = statuses.of_value(value) if value is not None else ()
    reason = Unknown(reason=Reason("exception-handler-decides"), origin=argument_origin(made, 0))
    return ReturnedResponse(codes, True, Body(schema=reason, content_type="*/*"))


def _body(program: Program, value: Value | None, origin: Origin) -> Body | None:
    if value is None or is_nothing(value):
        return None
    schema = program.schema_of(value)
    flat = program.types.flat(schema)
    kind = "text/plain" if isinstance(flat, Scalar) else JSON
    return Body(schema=schema, content_type=kind, origin=origin)


def _value_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse | None:
    if isinstance(value, LibrarySymbol) and value.name in ("undefined", _RESPONSE):
        return None  # nothing is returned, or what was sent before
    if isinstance(value, LibraryResult) and value.name.startswith(f"{_RESPONSE}."):
        return None
    return ReturnedResponse((200,), False, _body(program, value, origin))


_DIALECT = ResponseLibrary(
    read_result=_library_response,
    plain=_value_response,
    setters={f"{_RESPONSE}.{name}": 0 for name in _STATUS},
    effects=frozenset(
        f"{_RESPONSE}{before}.{name}" for before in _BEFORE for name in (*_SENDS, *_BYTES, "abort")
    )
    | frozenset({f"{_RESPONSE}.redirect", f"{_RESPONSE}.redirect().toPath"})
    | frozenset({f"{_RESPONSE}.redirect().toRoute", f"{_RESPONSE}.redirect().back"}),
)


FRAMEWORK = Framework(
    name=NAME,
    markers=(*_OWN, b'use("Route")'),
    calls=(
        *(b"oute.%s(" % verb.encode() for verb in (*VERBS, "any", "group", "resource", "route")),
        *(b"router.%s(" % verb.encode() for verb in (*VERBS, "any", "group", "resource", "route")),
    ),
    operations=operations,
)
