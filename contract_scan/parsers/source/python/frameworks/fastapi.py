"""FastAPI (and the parts of Starlette it is built on): routers, mounts, handlers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Nothing, Object, Schema, Unknown
from contract_scan.parsers.source.facts import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    NamedType,
    NullType,
    ObjectLiteral,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.values import (
    Constant,
    FunctionValue,
    Instance,
    Made,
    Scope,
    Typed,
    Value,
)
from contract_scan.parsers.source.link.walk import calls_in
from contract_scan.parsers.source.python.expressions import as_type
from contract_scan.parsers.source.python.intrinsics import chosen
from contract_scan.parsers.source.python.models.kinds import library_bases
from contract_scan.parsers.source.python.models.variants import (
    BY_NAME,
    EXCLUDE_NONE,
    EXCLUDE_UNSET,
    variant,
)
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    Declared,
    concatenated,
    functions,
    merged,
    path_names,
    place,
    response,
    status_code,
    status_of,
    template,
    text,
    unknown,
)
from contract_scan.parsers.source.python.web.mounts import (
    Mount,
    Mounts,
    Place,
    Router,
    called_name,
    receivers,
)
from contract_scan.parsers.source.python.web.signature import signature

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_APPLICATIONS = frozenset({"fastapi.FastAPI", "fastapi.applications.FastAPI"})
_ROUTERS = frozenset(
    {
        "fastapi.APIRouter",
        "fastapi.routing.APIRouter",
        "fastapi_utils.inferring_router.InferringRouter",
        "fastapi_restful.inferring_router.InferringRouter",
    }
)
_MAKERS = _APPLICATIONS | _ROUTERS
_ADDERS = frozenset({"add_api_route", "add_route"})
_RESPONSE_TYPES = {
    "Response": "",
    "JSONResponse": "application/json",
    "ORJSONResponse": "application/json",
    "UJSONResponse": "application/json",
    "HTMLResponse": "text/html",
    "PlainTextResponse": "text/plain",
    "RedirectResponse": "",
    "StreamingResponse": "application/octet-stream",
    "EventSourceResponse": "text/event-stream",
    "FileResponse": "application/octet-stream",
    "TemplateResponse": "text/html",
}
"""Response classes -> content type of what they send; empty: given in the call, or nothing."""


class _Route(Struct, frozen=True, eq=False):
    """One use of a verb on a router: decorator, or a call that adds a route."""

    router: Router
    methods: tuple[str, ...] | None
    """None: they could not be told."""
    args: tuple[Argument, ...]
    scope: Scope
    handler: FunctionValue | None
    name: str
    origin: Origin

    def argument(self, name: str, position: int = -1) -> Expr | None:
        """An argument by name or position."""
        positional = [a.value for a in self.args if not a.name and not a.spread]
        for item in self.args:
            if item.name == name:
                return item.value
        return positional[position] if 0 <= position < len(positional) else None


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every FastAPI application and router."""
    mounts = Mounts()
    routes: list[_Route] = []
    for file in program.seeds(framework):
        for call, scope in program.calls(file):
            if isinstance(call, Call):
                _read_call(program, call, scope, mounts, routes)
        for declared in functions(program, file):
            routes.extend(_decorated(program, declared, mounts))
    for route in routes:
        for reached in mounts.places(route.router.identity):
            yield from _operations(program, framework, route, reached, mounts)


# --------------------------------------------------------------------------- collecting


def _note(program: Program, mounts: Mounts, router: Router) -> None:
    given = {argument.name: argument.value for argument in router.site.args if argument.name}
    prefix: str | None = ""
    if "prefix" in given and router.maker not in _APPLICATIONS:
        prefix = text(program, given["prefix"], router.scope)
    mounts.add(router, prefix, application=router.maker in _APPLICATIONS)


def _read_call(
    program: Program, call: Call, scope: Scope, mounts: Mounts, routes: list[_Route]
) -> None:
    callee = call.callee
    if isinstance(callee, Attribute) and callee.name in ("include_router", "mount"):
        _read_mount(program, call, callee, scope, mounts)
    elif isinstance(callee, Attribute) and callee.name in _ADDERS:
        _read_added(program, call, callee, scope, mounts, routes)
    elif isinstance(callee, Call) and isinstance(callee.callee, Attribute):
        _read_applied(program, call, callee, callee.callee, scope, mounts, routes)


def _read_applied(
    program: Program,
    call: Call,
    made: Call,
    callee: Attribute,
    scope: Scope,
    mounts: Mounts,
    routes: list[_Route],
) -> None:
    """`router.get("/")(handler)`: the decorator applied by hand."""
    if callee.name not in VERBS or len(call.args) != 1:
        return
    handler = program.function_value(call.args[0].value, scope)
    for router in receivers(program, callee.value, scope, _MAKERS):
        _note(program, mounts, router)
        name = handler.function.name if handler is not None else ""
        origin = place(scope, call.span)
        verb = (callee.name.upper(),)
        routes.append(_Route(router, verb, made.args, scope, handler, name, origin))


def _read_mount(
    program: Program, call: Call, callee: Attribute, scope: Scope, mounts: Mounts
) -> None:
    is_mount = callee.name == "mount"
    child_expr = _argument(call, 1 if is_mount else 0, "app" if is_mount else "router")
    if child_expr is None:
        return
    parents = receivers(program, callee.value, scope, _MAKERS)
    if not parents:
        return
    children = receivers(program, child_expr, scope, _MAKERS)
    prefix_expr = _argument(call, 0, "path") if is_mount else _argument(call, -1, "prefix")
    prefix = "" if prefix_expr is None else text(program, prefix_expr, scope)
    for parent in parents:
        _note(program, mounts, parent)
        for child in children:
            _note(program, mounts, child)
            mounts.mount(parent.identity, Mount(child.identity, prefix, call, scope))


def _read_added(
    program: Program,
    call: Call,
    callee: Attribute,
    scope: Scope,
    mounts: Mounts,
    routes: list[_Route],
) -> None:
    handler_expr = _argument(call, 1, "endpoint", "route")
    if handler_expr is None:
        return
    handler = program.function_value(handler_expr, scope)
    methods_expr = _argument(call, -1, "methods")
    methods = _methods(program, methods_expr, scope) if methods_expr is not None else ("GET",)
    for router in receivers(program, callee.value, scope, _MAKERS):
        _note(program, mounts, router)
        name = handler.function.name if handler is not None else ""
        origin = place(scope, call.span)
        routes.append(_Route(router, methods, call.args, scope, handler, name, origin))


def _decorated(program: Program, declared: Declared, mounts: Mounts) -> Iterator[_Route]:
    for annotation in declared.function.annotations:
        callee = annotation.callee
        if not isinstance(callee, Attribute) or not annotation.called:
            continue
        if callee.name in VERBS:
            methods: tuple[str, ...] | None = (callee.name.upper(),)
        elif callee.name in ("api_route", "route"):
            given = next((a.value for a in annotation.args if a.name == "methods"), None)
            methods = ("GET",) if given is None else _methods(program, given, declared.scope)
        else:
            continue
        for router in receivers(program, callee.value, declared.scope, _MAKERS):
            _note(program, mounts, router)
            yield _Route(
                router,
                methods,
                annotation.args,
                declared.scope,
                declared.value,
                declared.name,
                place(declared.scope, annotation.span),
            )


def _methods(program: Program, expr: Expr, scope: Scope) -> tuple[str, ...] | None:
    found = program.texts(expr, scope)
    known = tuple(name.upper() for name in found if name is not None)
    return known if known and len(known) == len(found) else None


def _argument(call: Call, position: int, *names: str) -> Expr | None:
    for item in call.args:
        if item.name and item.name in names:
            return item.value
    positional = [item.value for item in call.args if not item.name and not item.spread]
    return positional[position] if 0 <= position < len(positional) else None


# --------------------------------------------------------------------------- operations


def _operations(
    program: Program, framework: Framework, route: _Route, reached: Place, mounts: Mounts
) -> Iterator[Operation]:
    path = text(program, route.argument("path", 0), route.scope)
    unresolved = reached.unresolved
    if path is None:
        expr = route.argument("path", 0)
        partial = None if expr is None else program.template(expr, route.scope)
        unresolved = unresolved or "its path is not constant"
        path = partial or ""
    full = template(concatenated(reached.prefix, path))
    methods = route.methods
    if methods is None:
        unresolved = unresolved or "its methods are not constant"
        methods = ("*",)
    hidden = _is_hidden(program, route, reached, mounts)
    handler = route.handler
    dependencies = list(_dependencies(route, reached, mounts))
    for method in methods:
        takes_body = method not in ("GET", "HEAD", "OPTIONS", "TRACE")
        operation = Operation(
            method=method,
            path=full,
            origin=route.origin,
            operation_id=text(program, route.argument("operation_id"), route.scope) or "",
            handler=route.name,
            framework=framework.name,
            hidden=hidden,
            unresolved=unresolved,
        )
        if handler is None:
            why = unknown("the handler of the route could not be found", route.origin)
            yield replace(
                operation,
                parameters_complete=False,
                responses=(response("200", why, route.origin, explicit=False),),
            )
            continue
        taken = signature(program, handler, path_names(full), dependencies, takes_body=takes_body)
        reader = _Responses(program, route, handler, mounts)
        responses = reader.read()
        yield replace(
            operation,
            parameters=taken.parameters,
            parameters_complete=taken.complete,
            request=taken.bodies,
            responses=responses,
            statuses_complete=reader.complete,
        )


def _is_hidden(program: Program, route: _Route, reached: Place, mounts: Mounts) -> bool:
    exprs = [(route.argument("include_in_schema"), route.scope)]
    exprs += [(_argument(m.call, -1, "include_in_schema"), m.scope) for m in reached.mounts]
    exprs.append((_named(route.router, "include_in_schema"), route.router.scope))
    exprs += [
        (_named(mounts.routers[m.child], "include_in_schema"), mounts.routers[m.child].scope)
        for m in reached.mounts
    ]
    for expr, scope in exprs:
        if expr is not None:
            value = program.evaluate(expr, scope)
            if isinstance(value, Constant) and value.value is False:
                return True
    return False


def _named(router: Router, name: str) -> Expr | None:
    return next((a.value for a in router.site.args if a.name == name), None)


def _dependencies(route: _Route, reached: Place, mounts: Mounts) -> Iterator[tuple[Expr, Scope]]:
    """Dependencies that the route, its routers and their mounts declare in lists."""
    exprs = [(route.argument("dependencies"), route.scope)]
    exprs.append((_named(route.router, "dependencies"), route.router.scope))
    for mount in reached.mounts:
        exprs.append((_argument(mount.call, -1, "dependencies"), mount.scope))
        child = mounts.routers[mount.child]
        exprs.append((_named(child, "dependencies"), child.scope))
    for expr, scope in exprs:
        if isinstance(expr, ArrayLiteral):
            for item in expr.items:
                yield item, scope


# --------------------------------------------------------------------------- responses


class _Responses:
    """What a handler sends, by status."""

    def __init__(
        self, program: Program, route: _Route, handler: FunctionValue, mounts: Mounts
    ) -> None:
        self._program = program
        self._route = route
        self._handler = handler
        self._mounts = mounts
        self.complete = True

    def read(self) -> tuple[Response, ...]:
        """Every response that is told: declared, and returned directly."""
        program, route = self._program, self._route
        status_expr = route.argument("status_code")
        status = status_code(program, status_expr, route.scope)
        explicit = status_expr is not None
        if explicit and status is None:
            self.complete = False
        # A declared model is what is sent, unless the handler makes responses of its own.
        bypassed = self._declares_nothing() or self._makes_responses()
        direct, plain = self._returned() if bypassed else ([], [])
        found: list[Response] = list(self._declared())
        if plain or not direct:
            schema = self._schema(plain)
            if not (schema is None and direct):
                content_type = self._content_type()
                found.append(
                    response(
                        status or "200",
                        schema,
                        self._place(),
                        content_type=content_type,
                        explicit=explicit,
                    )
                )
        found.extend(direct)
        return merged(found)

    def _declares_nothing(self) -> bool:
        declared, scope = self._declared_type()
        if declared is None:
            return True
        if isinstance(declared, NullType):
            return False
        return self._program.types.is_unknown(self._program.schema(declared, scope))

    def _makes_responses(self) -> bool:
        """Whether something called in the handler may make a response."""
        scope = self._program.function_scope(self._handler.function, self._handler.scope)
        return any(
            isinstance(call, Call) and "response" in called_name(call).lower()
            for call, _ in calls_in(self._program, scope.statements or (), scope)
        )

    def _place(self) -> Origin:
        function = self._handler.function
        span = function.name_span if function.name else function.span
        return Origin(self._handler.scope.file.path, span, "", self._route.name)

    # returned values

    def _returned(self) -> tuple[list[Response], list[Value]]:
        """Responses that the handler makes itself, and the other values that it returns."""
        direct: list[Response] = []
        plain: list[Value] = []
        for result in self._program.returned(self._handler):
            if result.thrown:
                continue
            if result.value is None:
                plain.append(Constant(None))
                continue
            value = self._program.evaluate(result.value, result.scope)
            for option in value.options if hasattr(value, "options") else (value,):
                made = self._direct(option, result.scope)
                if made is None:
                    plain.append(option)
                else:
                    direct.append(made)
        return direct, plain

    def _direct(self, value: Value, scope: Scope) -> Response | None:
        """A response object that the handler makes."""
        program = self._program
        if isinstance(value, Typed):
            name = program.evaluator.qualified(value)
            if not _is_response(name):
                return None
            self.complete = False
            shape = unknown("the response is made in another function", self._place())
            return response(self._default_status(), shape, self._place(), explicit=False)
        if isinstance(value, Instance):
            base = next(
                (b.name for b in library_bases(program, value.symbol) if _is_response(b.name)), ""
            )
            if not base or value.site is None or value.scope is None:
                return None
            made = Made(base, value.site, value.scope)
            own = program.find_method(value.symbol, "render") or program.find_method(
                value.symbol, "__init__"
            )
            return self._made_response(made, known=own is None)
        if isinstance(value, Made) and _is_response(value.name):
            return self._made_response(value, known=True)
        return None

    def _made_response(self, made: Made, *, known: bool) -> Response:
        program = self._program
        kind = made.name.rpartition(".")[2]
        arguments = {a.name: a.value for a in made.site.args if a.name}
        positional = [a.value for a in made.site.args if not a.name and not a.spread]
        origin = place(made.scope, made.site.span)
        status_expr = arguments.get("status_code")
        if status_expr is None and len(positional) > 1 and kind != "TemplateResponse":
            status_expr = positional[1]
        default = "307" if kind == "RedirectResponse" else "200"
        status = default if status_expr is None else status_code(program, status_expr, made.scope)
        if status is None:
            self.complete = False
            status = self._default_status()
        content_type = _RESPONSE_TYPES.get(kind, "application/json")
        content = arguments.get("content", positional[0] if positional else None)
        if kind == "Response":
            media = text(program, arguments.get("media_type"), made.scope)
            content_type = media or ""
        if not content_type or (content is None and kind != "JSONResponse"):
            return response(status, None, origin)
        if content_type != "application/json":
            return response(
                status,
                unknown("it is not sent as JSON", origin),
                origin,
                content_type=content_type,
            )
        if not known or content is None:
            return response(status, unknown("the response class writes its own", origin), origin)
        value = program.evaluate(content, made.scope)
        if isinstance(value, Made) and value.name.endswith("dumps"):
            value = program.evaluate(value.site.args[0].value, value.scope)
        return response(status, program.schema_of(value), origin)

    def _default_status(self) -> str:
        route = self._route
        found = status_code(self._program, route.argument("status_code"), route.scope)
        return found or "200"

    # the declared model

    def _schema(self, plain: list[Value]) -> Schema | None:
        """The shape of what the handler returns; None where nothing is sent."""
        program = self._program
        declared, scope = self._declared_type()
        wanted = self._variant()
        if declared is not None:
            if isinstance(declared, NullType):
                return Nothing(nullable=True, origin=self._place())
            schema = program.schema(declared, scope, wanted)
            if not program.types.is_unknown(schema):
                return self._chosen(schema)
            inferred = self._inferred(plain, wanted)
            if not isinstance(program.types.flat(inferred), Unknown):
                return self._chosen(inferred)
            return schema
        return self._chosen(self._inferred(plain, wanted))

    def _inferred(self, plain: list[Value], wanted: str) -> Schema:
        from contract_scan.parsers.source.link.shapes import unite

        if not plain:
            return Nothing(nullable=True, origin=self._place())
        return unite(self._program.schema_of(value, wanted) for value in plain)

    def _declared_type(self) -> tuple[TypeExpr | None, Scope]:
        """`response_model=`, else the return annotation unless that is a response class."""
        expr = self._route.argument("response_model")
        if expr is not None:
            if isinstance(expr, LiteralExpr) and expr.value is None:
                return None, self._route.scope
            type = as_type(expr)
            if type is not None:
                return type, self._route.scope
        returns = self._handler.function.returns
        scope = self._handler.scope
        if returns is None or self._names_response(returns, scope):
            return None, scope
        return returns, scope

    def _names_response(self, type: TypeExpr, scope: Scope) -> bool:
        options = getattr(type, "options", (type,))
        names = (
            self._program.evaluator.qualified(Typed(option, scope))
            for option in options
            if isinstance(option, NamedType)
        )
        return any(_is_response(name) for name in names)

    def _variant(self) -> str:
        flags = {
            "response_model_exclude_none": EXCLUDE_NONE,
            "response_model_exclude_unset": EXCLUDE_UNSET,
            "response_model_exclude_defaults": EXCLUDE_UNSET,
        }
        wanted = [flag for name, flag in flags.items() if self._is(name, True)]
        if self._is("response_model_by_alias", False):
            wanted.append(BY_NAME)
        return variant(*wanted)

    def _is(self, name: str, wanted: bool) -> bool:
        expr = self._route.argument(name)
        if expr is None:
            return False
        value = self._program.evaluate(expr, self._route.scope)
        return isinstance(value, Constant) and value.value is wanted

    def _chosen(self, schema: Schema) -> Schema:
        sets = [
            self._field_names("response_model_include"),
            self._field_names("response_model_exclude"),
        ]
        if sets == [None, None]:
            return schema
        flat = self._program.types.flat(schema)
        return chosen(flat, sets[0], sets[1]) if isinstance(flat, Object) else schema

    def _field_names(self, name: str) -> frozenset[str] | None:
        expr = self._route.argument(name)
        if expr is None:
            return None
        if isinstance(expr, ObjectLiteral):
            return frozenset(entry.key or "" for entry in expr.entries)
        return frozenset(item or "" for item in self._program.texts(expr, self._route.scope))

    def _content_type(self) -> str:
        expr = self._route.argument("response_class")
        if expr is None:
            return "application/json"
        name = self._program.qualified(expr, self._route.scope).rpartition(".")[2]
        return _RESPONSE_TYPES.get(name) or "application/json"

    # `responses={404: {"model": X}}`

    def _declared(self) -> Iterator[Response]:
        expr = self._route.argument("responses")
        scope = self._route.scope
        if not isinstance(expr, ObjectLiteral):
            return
        for entry in expr.entries:
            status: str | None = entry.key
            if entry.computed is not None:
                status = status_of(self._program.evaluate(entry.computed, scope))
            if status is None or not isinstance(entry.value, ObjectLiteral):
                continue
            model = next((e.value for e in entry.value.entries if e.key == "model"), None)
            type = as_type(model) if model is not None else None
            if type is None or status == self._default_status():
                continue
            schema = self._program.schema(type, scope)
            yield response(status.upper(), schema, place(scope, entry.span))


def _is_response(name: str) -> bool:
    package, _, last = name.rpartition(".")
    root = package.partition(".")[0]
    return root in ("fastapi", "starlette", "sse_starlette") and (
        last in _RESPONSE_TYPES or last.endswith("Response")
    )


FRAMEWORK = Framework(
    name="FastAPI",
    markers=(b"fastapi", b"APIRouter", b"include_router"),
    calls=(b".include_router(", b".mount(", b".add_api_route(", b"FastAPI(", b"APIRouter("),
    operations=operations,
)
