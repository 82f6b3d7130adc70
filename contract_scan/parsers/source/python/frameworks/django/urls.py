"""Django's URL configuration: from `urlpatterns` to paths and views, across files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from contract_scan.ir.operation import DYNAMIC_SEGMENT
from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Scope,
    Template,
    Unresolved,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Call,
    Expr,
    FileFacts,
    Import,
    Name,
    OperationExpr,
    Spread,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.frameworks.django.paths import (
    from_regular_expression,
    with_and_without,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls, called_name
from contract_scan.parsers.source.python.resolution.modules import find_module
from contract_scan.parsers.source.python.serialization.drf.settings import settings_given
from contract_scan.parsers.source.python.web.common import (
    flatten_values,
    likely_text,
    text,
)
from contract_scan.parsers.source.web.mount_limits import MAX_PLACES, TOO_MANY

MARKERS = (b"urlpatterns", b"ROOT_URLCONF")
_ROUTES = frozenset({"path", "re_path", "url"})
_MOST_HOPS = 8
"""How often a name may be imported on."""
_WRAPPERS = frozenset({"format_suffix_patterns", "i18n_patterns", "list", "sorted"})

_PATHS_OF_PAGES: dict[object, tuple[str, ...]] = {
    "django.contrib.auth.urls": (
        "login/",
        "logout/",
        "password_change/",
        "password_change/done/",
        "password_reset/",
        "password_reset/done/",
        "reset/<uidb64>/<token>/",
        "reset/done/",
    ),
    "django.conf.urls.i18n": ("setlang/",),
}
"""Modules of Django that projects include -> the paths in them, as its documentation lists them
(Using the Django authentication system: Using the views; Translation: the set_language view)."""
_PAGES = frozenset(
    {"django", "rest_framework", "debug_toolbar", "django_prometheus", "silk", "social_django"}
    | {"drf_spectacular", "drf_yasg", "grappelli", "ckeditor", "ckeditor_uploader", "rosetta"}
    | {"django_browser_reload", "hijack", "jet", "explorer", "health_check", "watchman", "tinymce"}
)
"""Libraries whose routes are pages for people or for operation, which contracts do not list."""


class Prefix(Struct, frozen=True, eq=False):
    """The path in front of a pattern, as far as it is known."""

    path: str = ""
    unresolved: Reason = NO_REASON


class Pattern(Struct, frozen=True, eq=False):
    """One URL pattern: a path and what answers it."""

    path: str
    view: Value
    arguments: tuple[Expr, ...]
    """What it hands the view beside what stands in the path."""
    scope: Scope
    origin: Origin
    unresolved: Reason = NO_REASON


class MountedRouter(Struct, frozen=True, eq=False):
    """A router whose routes are put below a path."""

    prefix: Prefix
    router: LibraryResult | Instance


class UrlConfiguration(Struct, frozen=True, eq=False):
    """Every pattern of a program, and every router it mounts."""

    patterns: list[Pattern]
    routers: list[MountedRouter]


@memoised
def url_configuration(program: Program) -> UrlConfiguration:
    """The URL configuration of a program, read once."""
    reader = _Reader(program)
    reader.read_all()
    # A list that is extended under a condition holds its first patterns twice.
    patterns = {(p.path, p.origin): p for p in reader.patterns}
    routers = {(m.prefix.path, _identity(m.router)): m for m in reader.routers}
    return UrlConfiguration(list(patterns.values()), list(routers.values()))


def _identity(router: LibraryResult | Instance) -> object:
    if isinstance(router, LibraryResult):
        return router.identity
    return id(router.site)


class _Reader:
    def __init__(self, program: Program) -> None:
        self._program = program
        self.patterns: list[Pattern] = []
        self.routers: list[MountedRouter] = []
        self._reached: set[str] = set()
        self._open: set[str] = set()
        self._including: set[tuple[str, Span]] = set()
        self._included_times: Counter[tuple[str, Span]] = Counter()
        self._adding: set[tuple[str, Span]] = set()

    def read_all(self) -> None:
        """Read from the roots down, then files that no root leads to."""
        declaring = [
            path for path in self._program.files_containing(b"urlpatterns") if self._declares(path)
        ]
        roots = [path for path in self._roots() if path in declaring]
        if not roots:
            included = set(self._included_files(declaring))
            roots = [path for path in declaring if path not in included]
        for path in dict.fromkeys(roots):
            self._file(path, Prefix())
        unreached = Reason("urlconf-not-included")
        for path in declaring:
            if path not in self._reached:
                self._file(path, Prefix("", unreached))

    def _declares(self, path: str) -> bool:
        file = self._program.facts(path)
        return self._program.names.modules.module_level(file, "urlpatterns") is not None

    def _roots(self) -> Iterator[str]:
        """The URL configuration of the settings, and those of the hosts of django-hosts:
        `host(r"data", settings.DATA_URLCONF)` (https://django-hosts.readthedocs.io)."""
        yield from self._modules_set("ROOT_URLCONF")
        for path in self._modules_set("ROOT_HOSTCONF"):
            for call, scope in all_calls(self._program, path):
                if isinstance(call, Call) and called_name(call) == "host" and len(call.args) > 1:
                    named = self._program.text(call.args[1].value, scope)
                    yield from self._modules(path, Constant(named))

    def _modules_set(self, setting: str) -> Iterator[str]:
        """The files of the modules that a setting names."""
        for path in self._program.files_containing(setting.encode()):
            file = self._program.facts(path)
            scope = self._program.module_scope(file)
            # A setting that is assigned under conditions names the root of several servers.
            given = [
                self._program.evaluate(definition.statement.value, scope)
                for definition in reaching_definitions.reaching_definitions(
                    file.statements, setting, NO_SPAN
                )
                if isinstance(definition.statement, Assign) and definition.statement.value
            ] or settings_given(self._program, path, setting)
            for value in given:
                yield from self._modules(path, value)

    def _modules(self, path: str, named: Value) -> Iterator[str]:
        for found in flatten_values(named):
            if isinstance(found, Constant) and isinstance(found.value, str):
                target = find_module(self._program.files, path, Import(module=found.value))
                if target is not None:
                    yield target

    def _included_files(self, declaring: list[str]) -> Iterator[str]:
        """Files that another file includes."""
        for path in declaring:
            before = set(self._reached)
            probe = _Reader(self._program)
            probe._file(path, Prefix())
            yield from probe._reached - before - {path}

    # ------------------------------------------------------------------ patterns

    def _file(self, path: str, prefix: Prefix) -> None:
        self._reached.add(path)
        if path in self._open:
            return
        self._open.add(path)
        try:
            file = self._program.facts(path)
            scope = self._program.module_scope(file)
            definitions = reaching_definitions.reaching_definitions(
                file.statements, "urlpatterns", NO_SPAN
            )
            for definition in definitions:
                if isinstance(definition.statement, Assign) and definition.statement.value:
                    self._expression(definition.statement.value, scope, prefix, path)
                for mutation in definition.mutations:  # `urlpatterns.append(…)`
                    if mutation.value is not None:
                        self._expression(mutation.value, scope, prefix, path)
            if not definitions:
                found = self._program.names.modules.module_level(file, "urlpatterns")
                if found is not None and not isinstance(found, AliasSymbol | BoundType):
                    self._items(found, prefix, path, Origin(path))
        finally:
            self._open.discard(path)

    def _expression(self, expr: Expr, scope: Scope, prefix: Prefix, path: str) -> None:
        """Patterns of an expression; lists may be added up with things that are no lists."""
        if isinstance(expr, OperationExpr) and expr.operator == "+":
            for operand in expr.operands:
                self._expression(operand, scope, prefix, path)
        elif isinstance(expr, ArrayLiteral):
            for item in expr.items:
                inner = item.value if isinstance(item, Spread) else item
                self._expression(inner, scope, prefix, path)
        elif not isinstance(expr, Name) or not self._add_assigned_patterns(expr, scope, prefix):
            value = self._program.evaluate(expr, scope)
            self._items(value, prefix, path, origin_at(scope, expr.span))

    def _add_assigned_patterns(self, name: Expr, scope: Scope, prefix: Prefix) -> bool:
        """Add the patterns that a file assigns to a name and adds to it, part by part: an
        undetermined part leaves the others. Returns whether the file assigns to the name."""
        file, assigned = _assigned_expressions(self._program, scope.file, name)
        pending = [expr for expr in assigned if (file.path, expr.span) not in self._adding]
        inside = self._program.module_scope(file)
        for expr in pending:
            self._adding.add((file.path, expr.span))
            try:
                self._expression(expr, inside, prefix, file.path)
            finally:
                self._adding.discard((file.path, expr.span))
        return bool(assigned)

    def _add_own_urls(self, router: LibraryResult | Instance, prefix: Prefix) -> None:
        """The lists that `get_urls` of a router of the project adds to what it registered."""
        symbol = router.symbol if isinstance(router, Instance) else None
        method = None if symbol is None else self._program.find_method(symbol, "get_urls")
        if method is None:
            return
        scope = self._program.function_scope(method.function, method.scope)
        for node in nodes_of(scope.statements or ()):
            if isinstance(node, ArrayLiteral):
                self._expression(node, scope, prefix, scope.file.path)

    def _items(self, value: Value, prefix: Prefix, path: str, origin: Origin) -> None:
        match value:
            case Items(values=values):
                for item in values:
                    self._items(item, prefix, path, origin)
            case OneOf(options=options):
                for option in options:
                    self._items(option, prefix, path, origin)
            case ModuleValue(path=target):
                self._file(target, prefix)
            case Constant(value=str(module)):
                target_file = find_module(self._program.files, path, Import(module=module))
                if target_file is not None:
                    self._file(target_file, prefix)
            case Constant():
                return
            case LibrarySymbol(name=name, receiver=LibraryResult() | Instance() as router):
                if name.endswith(".urls"):
                    self.routers.append(MountedRouter(prefix, router))
                    self._add_own_urls(router, prefix)
            case LibraryResult():
                self._add_library_call(value, prefix, path)
            case LibrarySymbol():
                return  # `admin.site.urls` and the like: a library's own pages
            case _:
                self._add_undetermined_routes(
                    value, Reason("urlpatterns-entry-undetermined"), prefix, origin
                )

    def _add_library_call(self, made: LibraryResult, prefix: Prefix, path: str) -> None:
        last = made.name.rpartition(".")[2]
        positional = [a.value for a in made.site.args if not a.name and not a.spread]
        keywords = {a.name: a.value for a in made.site.args if a.name}
        self._reached.add(made.scope.file.path)  # its list may have been imported by name
        if last in _ROUTES:
            route_expr = (
                positional[0] if positional else keywords.get("route", keywords.get("regex"))
            )
            view_expr = positional[1] if positional[1:] else keywords.get("view")
            if route_expr is not None and view_expr is not None:
                self._route(made, last, route_expr, view_expr, prefix, path)
        elif last == "include":
            self._include(made, positional, prefix, path)
        elif last in _WRAPPERS:
            inner = Prefix(prefix.path, prefix.unresolved)
            if last == "i18n_patterns":
                inner = Prefix(prefix.path + "{language}/", prefix.unresolved)
            for expr in positional:
                self._expression(expr, made.scope, inner, path)

    def _route(
        self, made: LibraryResult, kind: str, route: Expr, view: Expr, prefix: Prefix, path: str
    ) -> None:
        written = text(self._program, route, made.scope)
        tail = "" if written is not None else _known_tail(self._program, route, made.scope)
        spellings: Iterable[str | None] = (written,)
        if written is not None and kind != "path":
            spellings = with_and_without(written)
        for spelling in spellings:
            below = _extended_prefix(prefix, spelling, regular=kind != "path", tail=tail)
            shown = likely_text(self._program, route, made.scope) if written is None else ""
            if shown and kind == "path":
                below = Prefix(prefix.path + shown, below.unresolved)
            self._add_view_or_included(made, view, below, path)

    def _add_view_or_included(
        self, made: LibraryResult, view: Expr, below: Prefix, path: str
    ) -> None:
        """Add what a route leads to: a view, or the patterns that it includes."""
        value = self._program.evaluate(view, made.scope)
        if isinstance(value, LibraryResult) and value.name.rpartition(".")[2] == "include":
            inner = [a.value for a in value.site.args if not a.name and not a.spread]
            self._include(value, inner, below, path)
            return
        if isinstance(value, LibrarySymbol) and value.name.endswith(".urls"):
            self._items(value, below, path, origin_at(made.scope, made.site.span))
            return
        wrapped = self._wrapped_include(view, made.scope)
        if wrapped is not None:
            self._below_wrapper(wrapped, made, below, path)
            return
        given = [a.value for a in made.site.args if not a.name][2:]
        self.patterns.append(
            Pattern(
                "/" + below.path.lstrip("/"),
                value,
                tuple(given),
                made.scope,
                origin_at(made.scope, made.site.span),
                below.unresolved,
            )
        )

    def _include(self, made: LibraryResult, given: list[Expr], prefix: Prefix, path: str) -> None:
        if not given:
            return
        expr = given[0]
        if isinstance(expr, ArrayLiteral) and expr.is_tuple and expr.items:
            expr = expr.items[0]  # (patterns, application name)
        value = self._program.evaluate(expr, made.scope)
        if isinstance(value, Items) and value.is_tuple and value.values:
            value = value.values[0]
        if isinstance(value, Constant):
            for page in _PATHS_OF_PAGES.get(value.value, ()):
                self._add_page(page, str(value.value), made, prefix)
        module = self._library_module(value, path)
        if module:
            self._library(module, made, prefix)
            return
        if made.identity in self._including:
            return  # a list that holds itself
        self._included_times[made.identity] += 1
        if self._included_times[made.identity] > MAX_PLACES:
            here = origin_at(made.scope, made.site.span)
            self._add_undetermined_routes(value, TOO_MANY, Prefix(), here)
            return
        self._including.add(made.identity)
        try:
            if isinstance(value, Unresolved | Items | OneOf):
                self._expression(expr, made.scope, prefix, path)
            else:
                self._items(value, prefix, path, origin_at(made.scope, made.site.span))
        finally:
            self._including.discard(made.identity)

    def _wrapped_include(self, view: Expr, scope: Scope) -> Expr | None:
        """The list of patterns or the module name that a wrapper of `include` includes:
        `decorator_include(login_required, "pages.urls")`."""
        if not isinstance(view, Call) or not called_name(view).endswith("include"):
            return None
        for argument in view.args:
            if isinstance(argument.value, ArrayLiteral):
                return argument.value
            if text(self._program, argument.value, scope) is not None:
                return argument.value
        return None

    def _below_wrapper(self, expr: Expr, made: LibraryResult, prefix: Prefix, path: str) -> None:
        module = self._library_module(self._program.evaluate(expr, made.scope), path)
        if module:
            self._library(module, made, prefix)
        else:
            self._expression(expr, made.scope, prefix, path)

    def _library_module(self, value: Value, path: str) -> str:
        """The module of a library that an include names; empty: it is none, or has only pages."""
        match value:
            case Constant(value=str(module)):
                if find_module(self._program.files, path, Import(module=module)) is not None:
                    return ""
            case LibrarySymbol(name=module, receiver=None | LibrarySymbol()):
                pass
            case _:
                return ""
        return "" if module.partition(".")[0] in _PAGES else module

    def _add_page(self, page: str, module: str, made: LibraryResult, prefix: Prefix) -> None:
        """Add a route of Django's own, which answers with a page of the project."""
        origin = origin_at(made.scope, made.site.span)
        pattern = "/" + prefix.path.lstrip("/") + page
        scope = self._program.module_scope(self._program.facts(origin.path))
        view = LibrarySymbol(f"{module}.{page.strip('/')}")
        self.patterns.append(Pattern(pattern, view, (), scope, origin, prefix.unresolved))

    def _library(self, module: str, made: LibraryResult, prefix: Prefix) -> None:
        """Routes that a library declares: below their prefix anything may be answered."""
        origin = origin_at(made.scope, made.site.span)
        self._add_undetermined_routes(
            LibrarySymbol(module), Reason("import-from-library", module=module), prefix, origin
        )

    def _add_undetermined_routes(
        self, view: Value, reason: Reason, prefix: Prefix, origin: Origin
    ) -> None:
        """Add a catch-all for undetermined routes: any path below their prefix may be served."""
        pattern = "/" + prefix.path.lstrip("/") + "<path:rest>"
        why = prefix.unresolved or reason
        scope = self._program.module_scope(self._program.facts(origin.path))
        self.patterns.append(Pattern(pattern, view, (), scope, origin, why))


def _assigned_expressions(
    program: Program, file: FileFacts, name: Expr
) -> tuple[FileFacts, list[Expr]]:
    """What a file, or the file that a name is imported from, assigns to the name at its top
    level and adds to it there."""
    if not isinstance(name, Name):
        return file, []
    wanted, use = name.id, name.span
    for _ in range(_MOST_HOPS):
        definitions = reaching_definitions.reaching_definitions(file.statements, wanted, use)
        found = [
            expr
            for definition in definitions
            if isinstance(definition.statement, Assign)
            for expr in (definition.statement.value, *(m.value for m in definition.mutations))
            if expr is not None
        ]
        if found:
            return file, found
        entry = next((i for i in file.imports if i.name and (i.local or i.name) == wanted), None)
        target = None if entry is None else find_module(program.files, file.path, entry)
        if entry is None or target is None:
            break
        file, wanted, use = program.facts(target), entry.name, NO_SPAN
    return file, []


def _known_tail(program: Program, route: Expr, scope: Scope) -> str:
    """The segments that a route ends with, behind a part that is not constant:
    `f"{PREFIX}v1/"`, where what is known of `PREFIX` ends with a slash."""
    value = program.evaluate(route, scope)
    if not isinstance(value, Template) or len(value.parts) < 2:
        return ""
    *_, unknown, last = value.parts
    tail = program.evaluator.text(last)
    options = unknown.options if isinstance(unknown, OneOf) else (unknown,)
    shown = [program.evaluator.template(option) for option in options]
    is_whole = any(text is not None and text.endswith("/") for text in shown)
    if tail is None or program.evaluator.text(unknown) is not None:
        return ""
    return tail.lstrip("/") if is_whole or tail.startswith("/") else ""


def _extended_prefix(
    prefix: Prefix, written: str | None, *, regular: bool, tail: str = ""
) -> Prefix:
    """What stands before routes below another route; `tail`: the segments that it ends with, where
    not all of it is written."""
    if written is None:
        plain_tail = from_regular_expression(tail) if regular and tail else tail
        undetermined = prefix.path + DYNAMIC_SEGMENT + "/" + (plain_tail or "")
        return Prefix(undetermined, prefix.unresolved or Reason("route-not-constant"))
    if not regular:
        return Prefix(prefix.path + written, prefix.unresolved)
    plain = from_regular_expression(written)
    if plain is None:
        reason = prefix.unresolved or Reason("regular-expression-path", written=written)
        return Prefix(prefix.path, reason)
    return Prefix(prefix.path + plain, prefix.unresolved)
