"""How a Nest application is started: its root module, global prefix, versions, interceptors."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
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
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    Name,
    New,
    ObjectLiteral,
    Spread,
)
from contract_scan.parsers.source.typescript.frameworks.nestjs.interceptors import Interceptor
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.decorators import COMMON, decorators
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_SEGMENT, clean, join
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.wildcards import Wildcard

_WILDCARD = re.compile(r"(?P<parameter>:\w+)|/?(?:\{/?\*\w*\}|\(\.\*\)|\*\w*)")
"""`:id`; `{*rest}`, `(.*)` and `*rest`, with the slash before them."""
NEUTRAL = ""
"""The version of a route that answers whatever version is asked for."""
_GETTERS = (".get", ".getOrThrow")


class PlainTypes(Struct, frozen=True):
    """The content types that a platform of Nest sends values with that are no objects."""

    text: str
    other: str
    """For numbers and booleans."""


_EXPRESS = PlainTypes("text/html", "text/html")
"""It sends `String(body)`: https://github.com/nestjs/nest, platform-express, `reply`."""
_PLATFORMS = {
    "ExpressAdapter": _EXPRESS,
    # https://fastify.dev/docs/latest/Reference/Reply/#strings
    "FastifyAdapter": PlainTypes("text/plain", JSON),
}


class LibraryModule(Struct, frozen=True):
    """A module of a library that a module of the application imports: it may have controllers."""

    name: str
    """Its qualified name."""
    options: Value | None
    """What it is configured with, where that is written out."""
    origin: Origin


class Application(Struct, frozen=True, kw_only=True):
    """One bootstrapped application."""

    folder: str
    prefix: str = ""
    prefix_unresolved: Reason = NO_REASON
    excluded: tuple[tuple[str | Wildcard, ...], ...] = ()
    """Paths without the global prefix."""
    versioned: bool = False
    """Whether versions are part of the path."""
    version_prefix: str = "v"
    default_versions: tuple[str, ...] = ()
    interceptors: tuple[Interceptor, ...] = ()
    pipes: tuple[Expr, ...] = ()
    """The global pipes, as they are made."""
    plain_types: PlainTypes | None = None
    """How the platform sends values that are no objects; None: which platform is undetermined."""
    module_paths: dict[str, tuple[str, ...]] = {}
    """Key of a controller -> paths of `RouterModule` above it; controllers that a module of the
    application names."""
    library_modules: tuple[LibraryModule, ...] = ()

    def places(self, controller: ClassSymbol) -> tuple[str, ...]:
        """Module paths in front of a controller's own."""
        return self.module_paths.get(controller.key, ("",))


@memoised
def applications(program: Program) -> tuple[Application, ...]:
    """Every application that some file starts."""
    return tuple(_applications(program))


def applications_of(program: Program, controller: ClassSymbol) -> tuple[Application, ...]:
    """The applications a controller is part of; where no module is seen to name it, the one whose
    folder is nearest."""
    every = applications(program)
    naming = tuple(app for app in every if controller.key in app.module_paths)
    if naming or not every:
        return naming
    path = controller.file.path
    return (max(every, key=lambda app: len(posixpath.commonprefix([app.folder, path]))),)


def _applications(program: Program) -> list[Application]:
    found: list[_StartupReader] = []
    for path in program.files_containing(b"NestFactory.create"):
        file = program.facts(path)
        setup = _StartupReader(program, posixpath.dirname(path))
        for call, scope in walker.calls(program, file):
            setup.call(call, scope)
        if setup.roots:
            found.append(setup)
    # A script that makes the same application for another purpose does not serve it.
    serving = [setup for setup in found if setup.listens]
    return [setup.application() for setup in serving or found]


class _StartupReader:
    """Reads the start-up code of one application."""

    def __init__(self, program: Program, folder: str) -> None:
        self._program = program
        self._folder = folder
        self.roots: list[Value] = []
        self.listens = False
        self._prefix = ""
        self._unresolved = NO_REASON
        self._excluded: list[tuple[str | Wildcard, ...]] = []
        self._versioned = False
        self._version_prefix = "v"
        self._default: tuple[str, ...] = ()
        self._interceptors: list[Interceptor] = []
        self._pipes: list[Expr] = []
        self._plain_types: list[PlainTypes | None] = []
        self._followed: set[object] = set()

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call of the start-up code says."""
        name = call.callee.name if isinstance(call.callee, Attribute) else ""
        first = call.args[0].value if call.args else None
        if name in ("listen", "startAllMicroservices"):
            self.listens = True
        elif name == "create" and first is not None and _is_factory(call):
            self.roots.append(self._program.evaluate(first, scope))
            self._plain_types.append(self._platform(call, scope))
        elif name == "setGlobalPrefix" and first is not None:
            self._set_prefix(call, first, scope)
        elif name == "enableVersioning":
            self._set_versioning(first, scope)
        elif name == "useGlobalInterceptors":
            self._interceptors.extend(Interceptor(a.value, scope) for a in call.args)
        elif name == "useGlobalPipes":
            self._pipes += [
                self._pipe_construction(argument.value, scope) for argument in call.args
            ]
        else:
            self._follow(call, scope)

    def _platform(self, call: Call, scope: Scope) -> PlainTypes | None:
        """How the platform that an application is created on sends plain values: without an
        adapter, before whatever options, it is Express."""
        adapter = call.args[1].value if len(call.args) > 1 else None
        if adapter is None or isinstance(adapter, ObjectLiteral):
            return _EXPRESS
        value = self._program.evaluate(adapter, scope)
        if isinstance(value, Record):
            return _EXPRESS
        name = self._program.evaluator.qualified_name(value).removesuffix("()")
        return _PLATFORMS.get(name.rpartition(".")[2])

    def _pipe_construction(self, expr: Expr, scope: Scope) -> Expr:
        """The construction of a pipe, also where a constant holds it."""
        value = self._program.evaluate(expr, scope) if isinstance(expr, Name | Call) else None
        match value:
            case Instance(site=New() as site) | LibraryResult(site=New() as site):
                return site
            case _:
                return expr

    def _follow(self, call: Call, scope: Scope) -> None:
        """`setupApp(app)`: start-up code in a function of its own."""
        if not call.args or len(self._followed) > 30:
            return
        given = [a.value for a in call.args]
        if not any(
            isinstance(value, Name) and value.id in ("app", "application") for value in given
        ):
            return
        function = self._program.evaluate(call.callee, scope)
        if not isinstance(function, FunctionValue):
            return
        key = (function.scope.file.path, function.function.span)
        if key in self._followed:
            return
        self._followed.add(key)
        bindings = self._program.evaluator.arguments(
            function.function.params, call, scope, function.scope
        )
        inner = self._program.function_scope(function.function, function.scope, bindings)
        for nested, place in walker.calls_in(self._program, inner.statements or (), inner):
            self.call(nested, place)

    def _set_prefix(self, call: Call, first: Expr, scope: Scope) -> None:
        text = _known_text(self._program, first, scope)
        if text is None:
            self._unresolved = Reason("global-prefix-not-constant")
            self._prefix = DYNAMIC_SEGMENT
        else:
            self._prefix = text
        options = call.args[1].value if len(call.args) > 1 else None
        if isinstance(options, ObjectLiteral):
            for entry in options.entries:
                if entry.key == "exclude":
                    value = self._program.evaluate(entry.value, scope)
                    self._excluded.extend(_excluded_patterns(self._program, value))

    def _set_versioning(self, options: Expr | None, scope: Scope) -> None:
        self._versioned = True
        if not isinstance(options, ObjectLiteral):
            return
        for entry in options.entries:
            value = self._program.evaluate(entry.value, scope)
            if entry.key == "type":
                self._versioned = self._program.evaluator.qualified_name(value).endswith(".URI")
            elif entry.key == "prefix":
                if isinstance(value, Constant):
                    self._version_prefix = value.value if isinstance(value.value, str) else ""
            elif entry.key == "defaultVersion":
                self._default = versions(self._program, entry.value, scope)

    def application(self) -> Application:
        """Everything that was said."""
        modules = _Modules(self._program)
        for root in self.roots:
            modules.add(root, "")
        return Application(
            folder=self._folder,
            prefix=clean(self._prefix) if self._prefix else "",
            prefix_unresolved=self._unresolved,
            excluded=tuple(self._excluded),
            versioned=self._versioned,
            version_prefix=self._version_prefix,
            default_versions=self._default,
            interceptors=(*self._interceptors, *modules.interceptors),
            pipes=(*self._pipes, *modules.pipes),
            plain_types=self._plain_types[0] if len(set(self._plain_types)) == 1 else None,
            module_paths={key: tuple(paths) for key, paths in modules.controller_paths().items()},
            library_modules=tuple(modules.of_libraries.values()),
        )


def _is_factory(call: Call) -> bool:
    return isinstance(call.callee, Attribute) and dotted_name_of(call.callee.value) == "NestFactory"


def versions(program: Program, expr: Expr, scope: Scope) -> tuple[str, ...]:
    """Versions as text; that of a neutral route is empty."""
    value = program.evaluate(expr, scope)
    items = value.values if isinstance(value, Items) else (value,)
    found = []
    for item in items:
        text = program.evaluator.text(item)
        if text is None and program.evaluator.qualified_name(item).endswith("VERSION_NEUTRAL"):
            text = NEUTRAL
        if text is not None:
            found.append(text)
    return tuple(found)


def _excluded_patterns(program: Program, value: Value) -> list[tuple[str | Wildcard, ...]]:
    """The paths of `exclude: ["health", { path: "docs", method: … }]`, with their wildcards."""
    found = []
    for item in value.values if isinstance(value, Items) else ():
        text = program.evaluator.text(item)
        if text is None and isinstance(item, Record):
            entry = walker.entries(item).get("path")
            text = program.evaluator.text(entry.value) if entry is not None else None
        if text is not None:
            found.append(_excluded_pattern(clean(text)))
    return found


def _excluded_pattern(path: str) -> tuple[str | Wildcard, ...]:
    parts: list[str | Wildcard] = []
    position = 0
    for wildcard in _WILDCARD.finditer(path):
        kind = Wildcard.IN_SEGMENT if wildcard["parameter"] else Wildcard.BELOW
        parts += [path[position : wildcard.start()], kind]
        position = wildcard.end()
    return (*parts, path[position:])


def _known_text(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The constant text of an expression, or the default beside what the environment says:
    `process.env.PREFIX ?? "api"`, `config.get("prefix", "api")`, `config.get("app.prefix")`."""
    return _text(program, program.evaluate(expr, scope))


def _text(program: Program, value: Value) -> str | None:
    for option in value.options if isinstance(value, OneOf) else (value,):
        text = program.evaluator.text(option)
        if text is None and isinstance(option, LibraryResult) and option.name.endswith(_GETTERS):
            text = _configured_text(program, option)
        if text is not None:
            return text
    return None


def _configured_text(program: Program, made: LibraryResult) -> str | None:
    args = made.site.args
    path = program.text(args[0].value, made.scope) if args else None
    if path is None:
        return None
    if len(args) > 1:
        default = program.text(args[1].value, made.scope)
        if default is not None:
            return default
    for configured in _records(program):
        value: Value | None = configured
        for part in path.split("."):
            entry = walker.entries(value).get(part) if value is not None else None
            value = entry.value if entry is not None else None
        if value is not None:
            return _text(program, value)
    return None


@memoised
def _records(program: Program) -> tuple[Value, ...]:
    return tuple(_configurations(program))


def _configurations(program: Program) -> Iterator[Value]:
    for path in program.files_containing(b"registerAs(", b"registerAs<", b"ConfigModule.forRoot("):
        for call, scope in walker.calls(program, program.facts(path)):
            name = call.callee.id if isinstance(call.callee, Name) else ""
            if name == "registerAs" and len(call.args) == 2:
                yield from _namespace(program, call, scope)
            elif isinstance(call.callee, Attribute) and call.callee.name == "forRoot" and call.args:
                yield from _loaded_configurations(program, call.args[0].value, scope)


def _namespace(program: Program, call: Call, scope: Scope) -> Iterator[Value]:
    """`registerAs("app", () => ({ … }))` is found below `app`."""
    namespace = program.text(call.args[0].value, scope)
    function = program.function_value(call.args[1].value, scope)
    if namespace is None or function is None:
        return
    for record in _returned_records(program, function):
        yield Record((walker.entry(namespace, record),))


def _loaded_configurations(program: Program, options: Expr, scope: Scope) -> Iterator[Value]:
    """`ConfigModule.forRoot({ load: [configuration] })`."""
    load = walker.entries(program.evaluate(options, scope)).get("load")
    values = load.value.values if load is not None and isinstance(load.value, Items) else ()
    for value in values:
        if isinstance(value, FunctionValue):
            yield from _returned_records(program, value)


def _returned_records(program: Program, function: FunctionValue) -> Iterator[Record]:
    for returned in program.function_exits(function):
        if returned.value is not None and not returned.thrown:
            value = program.evaluate(returned.value, returned.scope)
            if isinstance(value, Record):
                yield value


# --------------------------------------------------------------------------------------- modules
# The modules of a Nest application: controllers, the paths in front of them, and providers that
# stand around every handler.


_MAX_MODULES = 2_000


class _Modules:
    """The modules of one application, from its root."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._seen: dict[str, ClassSymbol] = {}
        self._controllers: dict[str, list[str]] = {}
        """Module -> keys of its controllers."""
        self._routed: dict[str, list[str]] = {}
        """Module -> paths that `RouterModule` gives it."""
        self.of_libraries: dict[str, LibraryModule] = {}
        """By their names."""
        self.interceptors: list[Interceptor] = []
        self.pipes: list[Expr] = []

    def controller_paths(self) -> dict[str, list[str]]:
        """Controller -> paths in front of it."""
        found: dict[str, list[str]] = {}
        for module, controllers in self._controllers.items():
            for controller in controllers:
                paths = found.setdefault(controller, [])
                paths.extend(p for p in self._routed.get(module, [""]) if p not in paths)
        return found

    def add(self, value: Value, _path: str) -> None:
        """A module and everything it imports."""
        pending: list[Value] = [value]
        while pending and len(self._seen) < _MAX_MODULES:
            current = pending.pop()
            match current:
                case ClassValue(symbol=symbol):
                    if symbol.key not in self._seen:
                        self._seen[symbol.key] = symbol
                        pending.extend(self._module(symbol))
                case OneOf(options=options) | Items(values=options):
                    pending.extend(options)
                case Record():
                    pending.extend(self._dynamic(current))
                case _:
                    continue

    def _module(self, symbol: ClassSymbol) -> list[Value]:
        scope = self._program.module_scope(symbol.file)
        for decorator in decorators(self._program, symbol.decl.annotations, scope):
            if decorator.name == COMMON + "Module":
                metadata = decorator.argument(0)
                if isinstance(metadata, ObjectLiteral):
                    return self._metadata(symbol.key, metadata, decorator.scope)
        return []

    def _metadata(self, key: str, metadata: ObjectLiteral, scope: Scope) -> list[Value]:
        imports: list[Value] = []
        for entry in metadata.entries:
            if entry.key == "controllers":
                value = self._program.evaluate(entry.value, scope)
                self._add_controllers(key, value)
            elif entry.key == "providers":
                self._providers(entry.value, scope)
            elif entry.key == "imports" and isinstance(entry.value, ArrayLiteral):
                for item in entry.value.items:
                    imports.extend(self._import(item, scope))
                    self._note_library(item, scope)
            elif entry.key == "imports":
                imports.append(self._program.evaluate(entry.value, scope))
        return imports

    def _note_library(self, item: Expr, scope: Scope) -> None:
        """`M` or `M.forRoot({ … })` of a library."""
        args = item.args if isinstance(item, Call) else ()
        owner = item.callee if isinstance(item, Call) else item
        if isinstance(owner, Attribute) and isinstance(item, Call):
            owner = owner.value
        value = self._program.evaluate(owner, scope)
        if not isinstance(value, LibrarySymbol) or "." not in value.name:
            return
        given = (self._program.evaluate(argument.value, scope) for argument in args)
        options: Value | None = next((each for each in given if isinstance(each, Record)), None)
        factory = walker.entries(options).get("useFactory") if options is not None else None
        if factory is not None and isinstance(factory.value, FunctionValue):
            options = self._program.evaluator.apply(factory.value, (), scope)
        origin = self._program.origin(item, scope)
        self.of_libraries.setdefault(value.name, LibraryModule(value.name, options, origin))

    def _add_controllers(self, module: str, value: Value) -> None:
        items = value.values if isinstance(value, Items) else (value,)
        for item in items:
            if isinstance(item, ClassValue):
                self._controllers.setdefault(module, []).append(item.symbol.key)

    def _import(self, item: Expr, scope: Scope) -> list[Value]:
        """A module, `forwardRef(() => M)`, `M.forRoot(…)`, `RouterModule.register([…])`."""
        if isinstance(item, Spread):
            return [self._program.evaluate(item.value, scope)]
        if not isinstance(item, Call):
            return [self._program.evaluate(item, scope)]
        if isinstance(item.callee, Attribute):
            owner = self._program.evaluate(item.callee.value, scope)
            if self._program.evaluator.qualified_name(owner) == "@nestjs/core.RouterModule":
                if item.args:
                    self._routes(self._program.evaluate(item.args[0].value, scope), "")
                return []
            result = self._program.evaluate(item, scope)
            return [owner, result] if isinstance(owner, ClassValue) else []
        if item.args:
            function = self._program.function_value(item.args[0].value, scope)
            if function is not None:
                return [self._program.evaluator.apply(function, (), scope)]
        return [self._program.evaluate(item, scope)]

    def _dynamic(self, record: Record) -> list[Value]:
        """`{ module: M, imports: […], controllers: […] }`, as `forRoot` gives it."""
        entries = walker.entries(record)
        found: list[Value] = []
        module = entries.get("module")
        if module is not None and isinstance(module.value, ClassValue):
            found.append(module.value)
            if "controllers" in entries:
                self._add_controllers(module.value.symbol.key, entries["controllers"].value)
        if "imports" in entries:
            found.append(entries["imports"].value)
        return found

    def _routes(self, value: Value, above: str) -> None:
        """`[{ path: "admin", module: AdminModule, children: […] }]`."""
        for item in value.values if isinstance(value, Items) else ():
            if isinstance(item, ClassValue):
                self._routed.setdefault(item.symbol.key, []).append(above)
                continue
            entries = walker.entries(item)
            own = self._program.evaluator.text(entries["path"].value) if "path" in entries else ""
            path = join(above, own or "")
            module = entries.get("module")
            if module is not None and isinstance(module.value, ClassValue):
                self._routed.setdefault(module.value.symbol.key, []).append(path)
            if "children" in entries:
                self._routes(entries["children"].value, path)

    def _providers(self, expr: Expr, scope: Scope) -> None:
        """`{ provide: APP_INTERCEPTOR, useClass: X }`, `{ provide: APP_PIPE, useValue: … }`."""
        if not isinstance(expr, ArrayLiteral):
            return
        for item in expr.items:
            if not isinstance(item, ObjectLiteral):
                continue
            parts = {entry.key: entry.value for entry in item.entries if entry.key is not None}
            if "provide" not in parts:
                continue
            token = self._program.qualified_name(parts["provide"], scope)
            given = parts.get("useClass") or parts.get("useValue") or parts.get("useFactory")
            if given is None:
                continue
            if token == "@nestjs/core.APP_INTERCEPTOR":
                self.interceptors.append(Interceptor(given, scope))
            elif token == "@nestjs/core.APP_PIPE":
                self.pipes.append(given)
