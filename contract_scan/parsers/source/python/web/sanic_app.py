"""Applications, blueprints and groups of Sanic, and the routes that are added to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.operation import UNTOLD_PREFIX
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.facts import Argument, Attribute, Call, Expr, FileFacts
from contract_scan.parsers.source.link.per_program import per_program
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    Declared,
    functions,
    given,
    likely_text,
    place,
    text,
)
from contract_scan.parsers.source.python.web.flask_names import viewed_class
from contract_scan.parsers.source.python.web.mounts import (
    Identity,
    Mount,
    Mounts,
    Place,
    Router,
    receivers,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_APPLICATIONS = frozenset({"sanic.Sanic", "sanic.app.Sanic"})
_BLUEPRINTS = frozenset({"sanic.Blueprint", "sanic.blueprints.Blueprint"})
_GROUPS = frozenset(
    {
        "sanic.Blueprint.group",
        "sanic.blueprints.Blueprint.group",
        "sanic.blueprint_group.BlueprintGroup",
    }
)
_MAKERS = _APPLICATIONS | _BLUEPRINTS | _GROUPS
MARKERS = (b"sanic", b"Sanic", b"Blueprint", b"HTTPMethodView")
CALLS = (b".blueprint(", b".add_route(", b"Sanic(", b"Blueprint(", b"Blueprint.group(")
_DECLARING = (b"@app.", b"@bp.", b"@blueprint.", b".route(", b".add_route(")
"""What files declare routes with that need not import the library: on what they are given."""
_DEEPEST = 8


class Route(Struct, frozen=True, eq=False):
    """One handler under one method of a path."""

    router: Identity
    method: str
    """Empty: it could not be told."""
    path: str
    path_known: bool
    args: tuple[Argument, ...]
    scope: Scope
    handler: FunctionValue | None
    name: str
    origin: Origin


class Lost(Struct, frozen=True, eq=False):
    """A blueprint that could not be read."""

    parent: Identity
    origin: Origin


class SanicApp(Struct, frozen=True, eq=False):
    """Everything of Sanic that a program declares."""

    mounts: Mounts
    routes: list[Route]
    lost: list[Lost]


@per_program
def sanic_app(program: Program) -> SanicApp:
    """The routes of a program, read once."""
    app = SanicApp(Mounts(), [], [])
    paths = program.holding(*MARKERS, *_DECLARING) if program.mentions(b"sanic") else ()
    reader = _Reader(program, app)
    for path in paths:
        reader.file(program.facts(path))
    return app


class _Reader:
    def __init__(self, program: Program, app: SanicApp) -> None:
        self._program = program
        self._app = app

    def file(self, file: FileFacts) -> None:
        """Everything that one file declares."""
        program = self._program
        for call, scope in program.calls(file):
            if isinstance(call, Call) and isinstance(call.callee, Attribute) and call.args:
                self._call(call, call.callee, scope)
        for declared in functions(program, file):
            if declared.owner is None:
                self._decorated(declared)
        for symbol in program.classes(file):
            self._attached(symbol)

    def _routers(self, expr: Expr, scope: Scope, depth: int = 0) -> list[Router]:
        found = receivers(self._program, expr, scope, _MAKERS)
        for router in found:
            if router.identity in self._app.mounts.routers:
                continue
            application = router.maker in _APPLICATIONS
            self._app.mounts.add(router, "", application=application)
            if router.maker in _GROUPS and depth < _DEEPEST and isinstance(router.site, Call):
                for item in router.site.args:
                    if not item.name:
                        self._put(router, item.value, router.site, router.scope, depth + 1)
        return found

    def _put(self, parent: Router, child: Expr, call: Call, scope: Scope, depth: int = 0) -> None:
        """A blueprint, a group, or several of them, below an application or a group."""
        children = self._routers(child, scope, depth)
        for router in children:
            mount = Mount(router.identity, "", call, scope)
            self._app.mounts.mount(parent.identity, mount)
        if not children:
            self._app.lost.append(Lost(parent.identity, place(scope, call.span)))

    def _call(self, call: Call, callee: Attribute, scope: Scope) -> None:
        if callee.name in ("blueprint", "append", "extend"):
            wanted = _APPLICATIONS if callee.name == "blueprint" else _GROUPS
            for parent in self._routers(callee.value, scope):
                if parent.maker in wanted:
                    self._put(parent, call.args[0].value, call, scope)
        elif callee.name == "add_route":
            handler = given(call.args, "handler", 0)
            path = given(call.args, "uri", 1)
            if handler is None:
                return
            value = self._program.evaluate(handler, scope)
            symbol = viewed_class(self._program, value)
            for router in self._routers(callee.value, scope):
                origin = place(scope, call.span)
                if symbol is not None:
                    self._view(router, path, symbol, call.args, scope, origin)
                else:
                    methods = self._methods(given(call.args, "methods", 2), scope)
                    self._function(router, path, methods, value, call.args, scope, origin)

    def _decorated(self, declared: Declared) -> None:
        for annotation in declared.function.annotations:
            callee = annotation.callee
            if not isinstance(callee, Attribute) or not annotation.called:
                continue
            methods: tuple[str, ...] | None
            if callee.name in VERBS:
                methods = (callee.name.upper(),)
            elif callee.name == "route":
                named = given(annotation.args, "methods", 1)
                methods = self._methods(named, declared.scope)
            else:
                continue
            path = given(annotation.args, "uri", 0)
            origin = place(declared.scope, annotation.span)
            for router in self._routers(callee.value, declared.scope):
                self._function(
                    router,
                    path,
                    methods,
                    declared.value,
                    annotation.args,
                    declared.scope,
                    origin,
                )

    def _attached(self, symbol: ClassSymbol) -> None:
        """`class Orders(HTTPMethodView, attach=app, uri="/orders")`."""
        attach = given(symbol.decl.keywords, "attach", -1)
        if attach is None:
            return
        scope = self._program.class_scope(symbol)
        outside = scope.parent or scope
        path = given(symbol.decl.keywords, "uri", -1)
        for router in self._routers(attach, outside):
            origin = place(outside, symbol.decl.name_span)
            self._view(router, path, symbol, symbol.decl.keywords, outside, origin)

    def _methods(self, expr: Expr | None, scope: Scope) -> tuple[str, ...] | None:
        if expr is None:
            return ("GET",)
        found = self._program.texts(expr, scope)
        known = tuple(dict.fromkeys(name.upper() for name in found if name is not None))
        return known if known and None not in found else None

    def _view(
        self,
        router: Router,
        path: Expr | None,
        symbol: ClassSymbol,
        args: tuple[Argument, ...],
        scope: Scope,
        origin: Origin,
    ) -> None:
        for verb in VERBS:
            method = self._program.find_method(symbol, verb)
            if method is not None:
                name = f"{symbol.decl.name}.{verb}"
                self._add(router, path, verb.upper(), method, name, args, scope, origin)

    def _function(
        self,
        router: Router,
        path: Expr | None,
        methods: tuple[str, ...] | None,
        value: Value,
        args: tuple[Argument, ...],
        scope: Scope,
        origin: Origin,
    ) -> None:
        handler = value if isinstance(value, FunctionValue) else None
        name = handler.function.name if handler is not None else ""
        for method in methods or ("",):
            self._add(router, path, method, handler, name, args, scope, origin)

    def _add(
        self,
        router: Router,
        path: Expr | None,
        method: str,
        handler: FunctionValue | None,
        name: str,
        args: tuple[Argument, ...],
        scope: Scope,
        origin: Origin,
    ) -> None:
        # `attach=` without a path stands for the blueprint's own.
        known = "" if path is None else text(self._program, path, scope)
        shown = known if known is not None else likely_text(self._program, path, scope)
        self._app.routes.append(
            Route(
                router.identity,
                method,
                shown,
                known is not None,
                args,
                scope,
                handler,
                name,
                origin,
            )
        )


# --------------------------------------------------------------------------- paths


def full_path(
    program: Program, mounts: Mounts, router: Identity, reached: Place, route: Route | None
) -> tuple[str, str]:
    """Version, prefixes and path of a route, and why one of them could not be told."""
    levels = _levels(mounts, router, reached)
    prefixes: list[str | None] = []
    versions: list[_Setting] = []
    if route is not None:
        versions.append(_Setting(program, route.args, route.scope))
    inside_group = any(maker in _GROUPS for maker, _, _ in levels)
    for maker, args, scope in levels:
        named = given(args, "url_prefix", 1 if maker in _BLUEPRINTS else -1)
        told = "" if named is None else text(program, named, scope)
        if maker == "" and named is not None and not inside_group:
            prefixes = []  # a prefix of the registration stands instead of the blueprint's own
        prefixes.append(told)
        versions.append(_Setting(program, args, scope))
    reason = "a prefix of the blueprint is not constant" if None in prefixes else ""
    shown = (UNTOLD_PREFIX if prefix is None else prefix for prefix in reversed(prefixes))
    parts = [prefix.strip("/") for prefix in shown if prefix]
    version, prefix = _version(versions, direct=not inside_group)
    if version is None or prefix is None:
        reason = reason or "the version of the route is not constant"
    path = "".join(f"/{part}" for part in parts if part)
    own = route.path if route is not None else ""
    path += own if own.startswith("/") or not own else f"/{own}"
    if version:
        path = f"/{(prefix or '').strip('/')}{version}{path}" if prefix else f"/{version}{path}"
    return reached.prefix + path or "/", reason


class _Setting:
    """The version that one level gives."""

    def __init__(self, program: Program, args: tuple[Argument, ...], scope: Scope) -> None:
        self.version = _read(program, args, "version", scope)
        self.prefix = _read(program, args, "version_prefix", scope)


def _read(program: Program, args: tuple[Argument, ...], name: str, scope: Scope) -> str | None:
    """The text of an option; empty where it is not given, None where it is not constant."""
    expr = given(args, name, -1)
    if expr is None:
        return ""
    value = program.evaluate(expr, scope)
    if isinstance(value, Constant):
        return "" if value.value is None else str(value.value)
    return program.evaluator.text(value)


def _version(levels: list[_Setting], *, direct: bool) -> tuple[str | None, str | None]:
    """The version that the nearest level gives, without the letter it is written with."""
    ordered = levels
    if direct and len(levels) == 3:
        # The registration of a blueprint goes before what the blueprint says itself.
        ordered = [levels[0], levels[2], levels[1]]
    version = next((level.version for level in ordered if level.version != ""), "")
    prefix = next((level.prefix for level in ordered if level.prefix not in ("", "/v")), "/v")
    return (None if version is None else version.strip("/").lstrip("v")), prefix


def _levels(
    mounts: Mounts, router: Identity, reached: Place
) -> list[tuple[str, tuple[Argument, ...], Scope]]:
    """Everything that may give a prefix, from the route's blueprint out: what was made, and (with
    an empty maker) what registered it with the application."""
    found: list[tuple[str, tuple[Argument, ...], Scope]] = []
    below = mounts.routers[router]
    found.append((below.maker, below.site.args, below.scope))
    for mount in reversed(reached.mounts):
        holder = next(
            (r for r in mounts.routers.values() if r.site is mount.call and r.maker in _GROUPS),
            None,
        )
        if holder is not None:
            found.append((holder.maker, holder.site.args, holder.scope))
        elif isinstance(mount.call.callee, Attribute) and mount.call.callee.name == "blueprint":
            found.append(("", mount.call.args, mount.scope))
    return found
