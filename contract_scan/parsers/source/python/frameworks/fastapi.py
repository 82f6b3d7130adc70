"""FastAPI (and the parts of Starlette it is built on): routers, mounts, handlers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.facts import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.values import (
    Constant,
    Scope,
)
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    Declared,
    concatenated,
    functions,
    path_names,
    place,
    response,
    template,
    text,
    unknown,
)
from contract_scan.parsers.source.python.web.fastapi_responses import Responses, Route
from contract_scan.parsers.source.python.web.mounts import (
    Mount,
    Mounts,
    Place,
    Router,
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


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every FastAPI application and router."""
    mounts = Mounts()
    routes: list[Route] = []
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
    program: Program, call: Call, scope: Scope, mounts: Mounts, routes: list[Route]
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
    routes: list[Route],
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
        routes.append(Route(router, verb, made.args, scope, handler, name, origin))


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
    routes: list[Route],
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
        routes.append(Route(router, methods, call.args, scope, handler, name, origin))


def _decorated(program: Program, declared: Declared, mounts: Mounts) -> Iterator[Route]:
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
            yield Route(
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
    program: Program, framework: Framework, route: Route, reached: Place, mounts: Mounts
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
        reader = Responses(program, route, handler, mounts)
        responses = reader.read()
        yield replace(
            operation,
            parameters=taken.parameters,
            parameters_complete=taken.complete,
            request=taken.bodies,
            responses=responses,
            statuses_complete=reader.complete,
        )


def _is_hidden(program: Program, route: Route, reached: Place, mounts: Mounts) -> bool:
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


def _dependencies(route: Route, reached: Place, mounts: Mounts) -> Iterator[tuple[Expr, Scope]]:
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


FRAMEWORK = Framework(
    name="FastAPI",
    markers=(b"fastapi", b"APIRouter", b"include_router"),
    calls=(b".include_router(", b".mount(", b".add_api_route(", b"FastAPI(", b"APIRouter("),
    operations=operations,
)
