"""Pyramid's configuration as it is written: routes, what includes what, and under which prefix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from contract_scan.ir.operation import DYNAMIC_PREFIX
from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Found,
    FunctionValue,
    Instance,
    LibraryResult,
    ModuleValue,
    Scope,
    Value,
    is_null,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FileFacts,
    Import,
    Name,
    NamedType,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls, called_name
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import (
    call_argument,
    flatten_values,
    likely_text,
    text,
)

Key: TypeAlias = tuple[str, Span]
"""A function that configures: its file and place; NO_SPAN for the top level of a file."""

_CONFIGURATORS = frozenset({"pyramid.config.Configurator", "pyramid.testing.setUp"})
_USUAL = frozenset({"config", "configurator", "cfg"})
"""What a configurator is called where it is a parameter without a type."""
_CONTEXT = "route_prefix_context"
_DEEPEST = 8


class Route(Struct, frozen=True, eq=False):
    """One `add_route`."""

    name: str | None
    """None: not constant."""
    pattern: str
    unresolved: Reason
    methods: tuple[str, ...]
    """Of its own predicate; empty: all."""
    include_key: Key
    prefix: str | None
    """Of the `with` around the call; None: it is undetermined."""
    origin: Origin
    traversed: bool


class Configured(Struct, frozen=True, eq=False):
    """A call on a configurator."""

    call: Call
    scope: Scope
    method: str
    include_key: Key
    prefix: str | None


class Configuration:
    """All calls on configurators of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.calls: list[Configured] = []
        self.routes: list[Route] = []
        self._parents: dict[Key, list[tuple[Key, str | None]]] = {}
        self._given: set[Key] = set()
        """Functions that are given their configurator."""
        self._includes_unseen = False
        """Whether something is included whose name is not constant."""
        for path in program_files(
            program, b".add_route(", b".include(", b".add_view(", b"Configurator("
        ):
            self._file(path)

    def prefixes(self, route: Route) -> list[str | None]:
        """What stands before the pattern of a route; None where that is undetermined."""
        return [
            _nested_prefix(outer, route.prefix) for outer in self.prefixes_of(route.include_key)
        ]

    def prefixes_of(self, around: Key) -> list[str | None]:
        """What stands before the routes of a function that configures."""
        return list(dict.fromkeys(self._prefixes(around, ())))

    def _prefixes(self, around: Key, below: tuple[Key, ...]) -> Iterator[str | None]:
        parents = self._parents.get(around, ())
        if around in below or len(below) > _DEEPEST:
            return
        if not parents:
            yield None if around in self._given and self._includes_unseen else ""
        for parent, prefix in parents:
            for outer in self._prefixes(parent, (*below, around)):
                yield _nested_prefix(outer, prefix)

    # ------------------------------------------------------------------ reading

    def _file(self, path: str) -> None:
        for call, scope in all_calls(self._program, path):
            if not isinstance(call, Call):
                continue
            callee = call.callee
            method = callee.name if isinstance(callee, Attribute) else ""
            if isinstance(callee, Attribute) and self._is_configurator(callee.value, scope):
                self._add_call(call, method, scope)
            elif any(self._is_configurator(a.value, scope) for a in call.args if not a.spread):
                self._handed_on(call, scope)

    def _add_call(self, call: Call, method: str, scope: Scope) -> None:
        enclosing = _enclosing_key(scope)
        prefix = self._context(call, scope)
        self.calls.append(Configured(call, scope, method, enclosing, prefix))
        if isinstance(call.callee, Attribute) and _is_parameter(call.callee.value, scope):
            self._given.add(enclosing)
        match method:
            case "add_route":
                self._add_route(call, scope, enclosing, prefix)
            case "include":
                self._include(call, scope, enclosing, prefix)
            case _:
                return

    def _add_route(self, call: Call, scope: Scope, around: Key, prefix: str | None) -> None:
        program = self._program
        static = call_argument(call.args, "static")
        if static is not None and program.text(static, scope) is None:
            return  # It only makes addresses.
        expr = call_argument(call.args, "pattern", 1) or call_argument(call.args, "path", -1)
        name = text(program, call_argument(call.args, "name", 0), scope)
        pattern = text(program, expr, scope)
        if expr is None or (pattern is not None and "://" in pattern):
            return
        unresolved = NO_REASON if pattern is not None else Reason("pattern-not-constant")
        predicate = call_argument(call.args, "request_method")
        allowed = None if predicate is None else program.evaluate(predicate, scope)
        methods = methods_of(program, allowed)
        if methods is None:
            unresolved = unresolved or Reason("methods-not-constant")
        shown = pattern if pattern is not None else likely_text(program, expr, scope) or "{rest:.*}"
        traversed = "*traverse" in shown
        self.routes.append(
            Route(
                name,
                shown,
                unresolved,
                methods or (),
                around,
                prefix,
                origin_at(scope, call.span),
                traversed,
            )
        )

    def _include(self, call: Call, scope: Scope, around: Key, prefix: str | None) -> None:
        program = self._program
        given_prefix = call_argument(call.args, "route_prefix", 1)
        inner = "" if given_prefix is None else text(program, given_prefix, scope)
        whole = _nested_prefix(prefix, inner)
        expr = call_argument(call.args, "callable", 0)
        for value in flatten_values(program.evaluate(expr, scope)) if expr is not None else ():
            own = isinstance(expr, Name) and expr.id == "__name__"
            if own:
                value = ModuleValue(scope.file.path)
            dotted = program.evaluator.text(value)
            found: Found | None = value
            if dotted is not None:
                found = self._imported_function(dotted, scope.file)
            if isinstance(found, ModuleValue):
                found = program.names.modules.resolve_export(found.path, "includeme")
            if isinstance(found, FunctionValue):
                self._add_parent(found, around, whole)
            elif dotted is None:
                self._includes_unseen = True

    def _imported_function(self, dotted: str, file: FileFacts) -> Value | None:
        """The function that `"pkg.module"`, `".module"` or `"pkg.module:function"` refers to."""
        names = self._program.names
        module, _, name = dotted.partition(":")
        if name:
            tries = [(module, name)]
        else:
            head, _, last = module.rpartition(".")
            outer = head or ("." if module.startswith(".") else "")
            tries = [(module, "includeme"), (outer, last)]
        for where, what in tries:
            if not where.strip(".") and not where:
                continue
            found = names.modules.resolve_import(file, Import(module=where, name=what, local=what))
            if isinstance(found, FunctionValue):
                return found
        return None

    def _handed_on(self, call: Call, scope: Scope) -> None:
        """`add_routes(config)`: a function that configures on behalf of another."""
        value = self._program.evaluate(call.callee, scope)
        if isinstance(value, FunctionValue):
            self._add_parent(value, _enclosing_key(scope), self._context(call, scope))

    def _add_parent(self, function: FunctionValue, parent: Key, prefix: str | None) -> None:
        key = (function.scope.file.path, function.function.span)
        known = self._parents.setdefault(key, [])
        if (parent, prefix) not in known:
            known.append((parent, prefix))

    def _context(self, call: Call, scope: Scope) -> str | None:
        """The prefix of the `with config.route_prefix_context(…)` blocks around a call. What they
        hold stands deeper than they do, and is listed after them."""
        prefix: str | None = ""
        for outer in self._contexts(scope):
            start = outer.span.column - len("with ")
            if outer.span.line >= call.span.line or call.span.column <= start:
                continue
            between = (
                statement.span
                for statement in reaching_definitions.nested_statements(scope.statements or ())
                if outer.span.line < statement.span.line <= call.span.line
            )
            if all(span.column > start for span in between):
                expr = call_argument(outer.args, "route_prefix", 0)
                inner = text(self._program, expr, scope) if expr is not None else ""
                prefix = _nested_prefix(prefix, inner)
        return prefix

    def _contexts(self, scope: Scope) -> list[Call]:
        found = []
        for statement in reaching_definitions.nested_statements(scope.statements or ()):
            value = getattr(statement, "value", None)
            if isinstance(value, Call) and called_name(value) == _CONTEXT:
                found.append(value)
        return found

    def _is_configurator(self, expr: Expr, scope: Scope) -> bool:
        if not isinstance(expr, Name | Attribute | Call):
            return False
        last = expr.id if isinstance(expr, Name) else getattr(expr, "name", "")
        if isinstance(expr, Name) and expr.id not in _USUAL and not _is_local(expr.id, scope):
            return False
        value = self._program.evaluate(expr, scope)
        match value:
            case LibraryResult(name=name):
                return name in _CONFIGURATORS
            case Instance(symbol=symbol):
                bases = library_bases(self._program, symbol)
                return any(base.name in _CONFIGURATORS for base in bases)
            case ByType(type=NamedType(name=name)):
                return name.rpartition(".")[2] == "Configurator"
            case _:
                # A parameter that nobody is seen to fill.
                return last in _USUAL and _is_parameter(expr, scope)


def methods_of(program: Program, predicate: Value | None) -> tuple[str, ...] | None:
    """The methods that `request_method` allows; empty: all, None: they are not constant."""
    if predicate is None or is_null(predicate):
        return ()
    texts = program.evaluator.texts(predicate)
    if not texts or None in texts:
        return None
    return tuple(item.upper() for item in texts if item is not None)


def _is_parameter(expr: Expr, scope: Scope) -> bool:
    current: Scope | None = scope
    while isinstance(expr, Name) and current is not None:
        function = current.function
        if function is not None and any(p.name == expr.id for p in function.params):
            return True
        current = current.parent
    return False


def _is_local(name: str, scope: Scope) -> bool:
    current: Scope | None = scope
    while current is not None:
        function = current.function
        if function is not None and any(p.name == name for p in function.params):
            return True
        if name in reaching_definitions.bound_names(current.statements or ()):
            return True
        current = current.parent
    return False


def _enclosing_key(scope: Scope) -> Key:
    function = scope.function
    return (scope.file.path, NO_SPAN if function is None else function.span)


def _nested_prefix(outer: str | None, inner: str | None) -> str | None:
    if outer is None or inner is None:
        return None
    return f"{outer.rstrip('/')}/{inner.lstrip('/')}".strip("/")


def join_pattern(prefix: str | None, pattern: str) -> str:
    """A pattern below a prefix, as Pyramid joins them."""
    if prefix is None:
        return f"{DYNAMIC_PREFIX}/{pattern.lstrip('/')}"
    whole = f"{prefix.rstrip('/')}/{pattern.lstrip('/')}" if prefix else pattern
    return whole if whole.startswith("/") else f"/{whole}"
