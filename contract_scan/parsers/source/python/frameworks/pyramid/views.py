"""Pyramid's views: decorators, calls of `add_view`, what their classes say for all of them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
    is_null,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Annotation, Argument, Attribute, Call, Import
from contract_scan.parsers.source.python.frameworks.pyramid.configuration import (
    Configuration,
    Configured,
    methods_of,
)
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import call_argument, functions, text

_VIEW = "pyramid.view.view_config"
_DEFAULTS = "pyramid.view.view_defaults"
_ROUTED = b"route_name"
DYNAMIC_SEGMENT = "?"
"""A renderer that is undetermined."""


class View(Struct, frozen=True, eq=False):
    """One view under one route."""

    route: str | None
    """None: not constant; empty: it is found by its context, not by a route."""
    methods: tuple[str, ...]
    """Empty: all."""
    unresolved: Reason
    renderer: str
    """Empty: the view makes its response itself. `?`: it is undetermined."""
    view: FunctionValue | None
    name: str
    matched: tuple[tuple[str, str], ...]
    """Parts of the path that have to be just so (`match_param="action=edit"`)."""
    origin: Origin


def configured_views(program: Program, configuration: Configuration) -> Iterator[View]:
    """Every view that a program configures."""
    for path in program_files(program, _ROUTED, b"view_config", b"view_defaults"):
        file = program.facts(path)
        for declared in functions(program, file):
            for annotation in declared.function.annotations:
                settings = _settings(program, annotation, declared.scope)
                if settings is not None:
                    around = _defaults(program, declared.owner)
                    settings = _Settings((*settings.given, *around), settings.wrapped)
                    origin = origin_at(declared.scope, annotation.span)
                    yield from _view(program, settings, declared.value, declared.name, origin)
        for symbol in program.classes(file):
            scope = program.class_scope(symbol)
            outside = scope.parent or scope
            for annotation in symbol.decl.annotations:
                settings = _settings(program, annotation, outside)
                if settings is not None:
                    settings = _Settings(
                        (*settings.given, *_defaults(program, symbol)), settings.wrapped
                    )
                    origin = origin_at(outside, annotation.span)
                    yield from _of_class(program, settings, symbol, origin)
    for made in configuration.calls:
        if made.method == "add_view":
            yield from _added_views(program, made)


class _Settings(Struct, frozen=True, eq=False):
    given: tuple[tuple[str, Value], ...]
    """Names and values, the ones that count first."""
    wrapped: bool = False
    """A decorator of the project stands between: it may set more."""

    def find(self, name: str) -> Value | None:
        return next((value for known, value in self.given if known == name), None)


def _arguments(
    program: Program, args: tuple[Argument, ...], scope: Scope
) -> tuple[tuple[str, Value], ...]:
    """Named arguments, those in `**SETTINGS` among them."""
    found: list[tuple[str, Value]] = []
    for argument in args:
        if argument.name:
            found.append((argument.name, program.evaluate(argument.value, scope)))
        elif argument.spread == "**":
            entries, _ = program.evaluator.entries_of(program.evaluate(argument.value, scope))
            found.extend((entry.name, entry.value) for entry in entries)
    return tuple(found)


def _settings(program: Program, annotation: Annotation, scope: Scope) -> _Settings | None:
    """The arguments of a decorator that configures a view; None for any other."""
    if annotation.callee is None or not annotation.has_parentheses:
        return None
    own = _arguments(program, annotation.args, scope)
    value = program.evaluate(annotation.callee, scope)
    match value:
        case LibrarySymbol(name=name):
            return _Settings(own) if name == _VIEW else None
        case LibraryResult(name="functools.partial", site=site, scope=inside) if site.args:
            if program.qualified_name(site.args[0].value, inside) != _VIEW:
                return None
            return _Settings((*own, *_arguments(program, site.args[1:], inside)))
        case ClassValue(symbol=symbol):
            if any(base.name == _VIEW for base in library_bases(program, symbol)):
                return _Settings((*own, *_preset(program, symbol)), True)
        case FunctionValue() if any(name == "route_name" for name, _ in own):
            return _Settings((*own, *_decorator_defaults(program, value)), True)
        case _:
            pass
    return None


def _preset(program: Program, symbol: ClassSymbol) -> tuple[tuple[str, Value], ...]:
    """What a class derived from `view_config` sets in its constructor."""
    method = program.find_method(symbol, "__init__")
    return _decorator_defaults(program, method) if method is not None else ()


def _decorator_defaults(program: Program, function: FunctionValue) -> tuple[tuple[str, Value], ...]:
    """The settings that a decorator of the project sets where the view does not, itself or in a
    function that it passes its settings to: `settings.setdefault("renderer", "json")`."""
    found: list[tuple[str, Value]] = []
    pending = [function]
    seen: set[Span] = set()
    while pending and len(seen) < 8:
        current = pending.pop()
        if current.function.span in seen:
            continue
        seen.add(current.function.span)
        scope = program.function_scope(current.function, current.scope)
        for call, inside in calls_in(program, scope.statements or (), scope):
            if not isinstance(call, Call):
                continue
            if isinstance(call.callee, Attribute) and call.callee.name == "setdefault":
                key = text(program, call.args[0].value, inside) if call.args else None
                if key and len(call.args) > 1:
                    found.append((key, program.evaluate(call.args[1].value, inside)))
            elif any(argument.spread == "**" for argument in call.args):
                called = program.evaluate(call.callee, inside)
                if isinstance(called, FunctionValue):
                    pending.append(called)
    return tuple(found)


def _defaults(program: Program, symbol: ClassSymbol | None) -> tuple[tuple[str, Value], ...]:
    """`@view_defaults(…)` of a class, or of the nearest class above it that has one."""
    for owner in () if symbol is None else (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        outside = scope.parent or scope
        for annotation in owner.decl.annotations:
            callee = annotation.callee
            if callee is not None and program.qualified_name(callee, outside) == _DEFAULTS:
                return _arguments(program, annotation.args, outside)
    return ()


def _of_class(
    program: Program, settings: _Settings, symbol: ClassSymbol, origin: Origin
) -> Iterator[View]:
    """A class as a view: its method `attr`, else what calling it gives."""
    attr = _text(program, settings, "attr")
    if attr is None:
        return
    method = program.find_method(symbol, attr or "__call__")
    name = f"{symbol.decl.name}.{attr or '__call__'}"
    yield from _view(program, settings, method, name, origin)


def _added_views(program: Program, configured: Configured) -> Iterator[View]:
    """`config.add_view(view, route_name="x")`."""
    args, scope = configured.call.args, configured.scope
    spread = any(argument.spread == "**" for argument in args)
    settings = _Settings(_arguments(program, args, scope), spread)
    if settings.wrapped and settings.find("route_name") is None:
        return  # A decorator of the project hands on what it was given.
    expr = call_argument(args, "view", 0)
    value = program.evaluate(expr, scope) if expr is not None else None
    dotted = program.evaluator.text(value) if value is not None else None
    if dotted is not None:
        value = _imported_value(program, dotted, scope)
    origin = origin_at(scope, configured.call.span)
    match value:
        case ClassValue(symbol=symbol):
            inherited = _Settings((*settings.given, *_defaults(program, symbol)), settings.wrapped)
            yield from _of_class(program, inherited, symbol, origin)
        case FunctionValue():
            yield from _view(program, settings, value, value.function.name, origin)
        case _:
            yield from _view(program, settings, None, dotted or "", origin)


def _imported_value(program: Program, dotted: str, scope: Scope) -> Value | None:
    head, _, last = dotted.replace(":", ".").rpartition(".")
    where = head or ("." if dotted.startswith(".") else "")
    if not where:
        return None
    return program.names.modules.resolve_import(
        scope.file, Import(module=where, name=last, local=last)
    )  # type: ignore[return-value]


def _view(
    program: Program,
    settings: _Settings,
    view: FunctionValue | None,
    name: str,
    origin: Origin,
) -> Iterator[View]:
    if _is_of_exceptions(program, settings):
        return
    if view is not None and view.owner is not None and view.receiver is None:
        view = FunctionValue(view.function, view.scope, view.owner, Instance(view.owner))
    route = _text(program, settings, "route_name")
    methods = methods_of(program, settings.find("request_method"))
    rendering = settings.find("renderer")
    renderer = ""
    if rendering is None:
        renderer = DYNAMIC_SEGMENT if settings.wrapped else ""
    elif not is_null(rendering):
        renderer = program.evaluator.text(rendering) or DYNAMIC_SEGMENT
    yield View(
        route,
        methods or (),
        NO_REASON if methods is not None else Reason("methods-not-constant"),
        renderer,
        view,
        name,
        _match_params(program, settings),
        origin,
    )


def _text(program: Program, settings: _Settings, name: str) -> str | None:
    """A constant setting; empty where it is not given."""
    found = settings.find(name)
    return "" if found is None or is_null(found) else program.evaluator.text(found)


def _match_params(program: Program, settings: _Settings) -> tuple[tuple[str, str], ...]:
    found = settings.find("match_param")
    texts = program.evaluator.texts(found) if found is not None else ()
    pairs = (item.partition("=") for item in texts if item is not None and "=" in item)
    return tuple((key.strip(), value.strip()) for key, _, value in pairs)


def _is_of_exceptions(program: Program, settings: _Settings) -> bool:
    """Whether a view answers exceptions: no address leads to it."""
    found = settings.find("context") or settings.find("exc_context")
    if found is None:
        return False
    if settings.find("exception_only") is not None:
        return True
    match found:
        case ClassValue(symbol=symbol):
            names = [base.name.rpartition(".")[2] for base in library_bases(program, symbol)]
            return any(name.endswith(("Exception", "Error")) for name in names)
        case LibrarySymbol(name=name):
            last = name.rpartition(".")[2]
            return last.endswith(("Exception", "Error")) or name.startswith("pyramid.httpexcep")
        case Constant(value=str(dotted)):
            return dotted.endswith(("Exception", "Error"))
        case _:
            return False
