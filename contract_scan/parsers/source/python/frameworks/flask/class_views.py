"""Flask-Classful: the rules that a class of views is registered with.

Every public method is a rule. Its path is made of the class's base, the name of the method (those
with the name of an HTTP method have none) and the parameters that have no default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    Items,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Call, Expr, NamedType, Param
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import call_argument, text

MARKERS = (b"flask_classful", b"flask_classy", b"flask.ext.classy")
_BASES = frozenset(f"{package.decode()}.FlaskView" for package in MARKERS)
_SPECIAL: dict[str, tuple[str, ...]] = {
    "get": ("GET",),
    "put": ("PUT",),
    "patch": ("PATCH",),
    "post": ("POST",),
    "delete": ("DELETE",),
    "index": ("GET",),
}
_OWN = frozenset(
    {
        "register",
        "parse_options",
        "make_proxy_method",
        "build_rule",
        "get_route_base",
        "default_route_base",
        "build_route_name",
    }
)
"""Methods of the library's class."""
_HIDDEN = ("_", "before_", "after_")
_CONVERTERS = {"str": "string", "int": "int", "float": "float", "UUID": "uuid"}
_NOT_FUNCTIONS = frozenset({"classmethod", "property", "cached_property"})


class ViewRule(Struct, frozen=True, eq=False):
    """One rule of a class of views."""

    rule: str
    is_known: bool
    methods: tuple[str, ...]
    """Empty: they are not constant."""
    view: FunctionValue
    rewritten_because: Reason
    """Why what the view returns may not be what is sent; empty: it is."""


def is_view_class(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class is one of views of the library."""
    return any(base.name in _BASES for base in library_bases(program, symbol))


def rules(program: Program, symbol: ClassSymbol, call: Call, scope: Scope) -> Iterator[ViewRule]:
    """The rules that `symbol.register(app, …)` adds."""
    views = _Views(program, symbol, call, scope)
    changed = views.rewriting_reason()
    for name, method in views.methods():
        for rule, known, methods in views.rules(name, method):
            yield ViewRule(rule, known, methods, method, changed)


class _Views:
    def __init__(self, program: Program, symbol: ClassSymbol, call: Call, scope: Scope) -> None:
        self._program = program
        self._symbol = symbol
        self._call = call
        self._scope = scope

    def methods(self) -> Iterator[tuple[str, FunctionValue]]:
        """The methods that are views, by name."""
        program = self._program
        excluded = self._setting("excluded_methods")
        left_out = _texts(program, excluded)
        names: dict[str, None] = {}
        for owner in (self._symbol, *program.bases(self._symbol)):
            for method in owner.decl.methods:
                if not _NOT_FUNCTIONS & set(method.modifiers):
                    names.setdefault(method.name)
        for name in sorted(names):
            if name in _OWN or name in left_out or name.startswith(_HIDDEN):
                continue
            found = program.find_method(self._symbol, name)
            if found is not None:
                receiver = Instance(self._symbol)
                yield name, FunctionValue(found.function, found.scope, found.owner, receiver)

    def rules(
        self, name: str, method: FunctionValue
    ) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
        """Rule, whether it is known, and methods."""
        program = self._program
        base, known = self._base()
        outside = method.scope.parent or method.scope
        routed = [a for a in method.function.annotations if self._is_decorator(a, "route", outside)]
        for annotation in routed:
            expr = call_argument(annotation.args, "rule", 0)
            rule = text(program, expr, outside)
            methods = self._methods(call_argument(annotation.args, "methods"), outside)
            yield (
                _join_path(base, rule if rule is not None else "{}"),
                known and rule is not None,
                methods,
            )
        if routed:
            return
        special = self._special().get(name)
        parts = self._parameters(method.function.params, base)
        if special is not None:
            yield self._with_trailing_slash(_join_path(base, "", *parts)), known, special
            return
        named = [
            item
            for a in method.function.annotations
            if self._is_decorator(a, "method", outside)
            for item in program.texts(call_argument(a.args, "method", 0), outside)
        ]
        methods = tuple(item.upper() for item in named if item is not None)
        if not named:
            defaults = self._setting("default_methods")
            methods = tuple(_texts(program, defaults)) if defaults is not None else ("GET",)
        dashed = self._is_true("method_dashified", default=False)
        shown = name.replace("_", "-") if dashed else name
        yield self._with_trailing_slash(_join_path(base, shown, *parts)), known, methods

    def rewriting_reason(self) -> Reason:
        """Why the response may differ from what the views return; empty if it does not."""
        representations = self._setting("representations")
        if representations is not None and not _is_empty(representations):
            return Reason("class-representations")
        if self._program.find_method(self._symbol, "after_request") is not None:
            return Reason("class-after-request-may-change-response")
        return NO_REASON

    # ------------------------------------------------------------------ parts

    def _base(self) -> tuple[str, bool]:
        parts: list[str] = []
        known = True
        for name in ("route_prefix", "route_base"):
            value = self._setting(name)
            if value is None or (isinstance(value, Constant) and value.value is None):
                if name == "route_base":
                    parts.append(_kebab_case(self._symbol.decl.name))
                continue
            written = self._program.evaluator.text(value)
            known = known and written is not None
            parts.append(written or "{}")
        return _join_path(*parts), known

    def _parameters(self, params: tuple[Param, ...], base: str) -> list[str]:
        if not self._is_true("inspect_args", default=True):
            return []
        ignored = {"self", "this", *re.findall(r"<(?:[^<>:]*:)?(\w+)>", base)}
        ignored |= _texts(self._program, self._setting("base_args"))
        parts = []
        for param in params:
            if param.name in ignored or param.default is not None or param.kind != "":
                continue
            kind = param.type.name if isinstance(param.type, NamedType) else ""
            converter = _CONVERTERS.get(kind.rpartition(".")[2])
            parts.append(f"<{converter}:{param.name}>" if converter else f"<{param.name}>")
        return parts

    def _with_trailing_slash(self, rule: str) -> str:
        bare = rule.rstrip("/") or "/"
        if not self._is_true("trailing_slash", default=True) or bare == "/":
            return bare
        return f"{bare}/"

    def _special(self) -> dict[str, tuple[str, ...]]:
        value = self._setting("special_methods")
        if not isinstance(value, Record):
            return _SPECIAL
        return {e.name: tuple(_texts(self._program, e.value)) for e in value.entries}

    def _methods(self, expr: Expr | None, scope: Scope) -> tuple[str, ...]:
        if expr is None:
            return ("GET",)
        found = self._program.texts(expr, scope)
        known = tuple(item.upper() for item in found if item is not None)
        return known if len(known) == len(found) else ()

    def _is_true(self, name: str, *, default: bool) -> bool:
        value = self._setting(name)
        return value.value is True if isinstance(value, Constant) else default

    def _setting(self, name: str) -> Value | None:
        """An argument of `register`, else an attribute of the class."""
        program = self._program
        expr = call_argument(self._call.args, name, 1 if name == "route_base" else -1)
        if expr is not None:
            return program.evaluate(expr, self._scope)
        for owner in (self._symbol, *program.bases(self._symbol)):
            for member in owner.decl.members:
                if member.name == name and member.value is not None:
                    return program.evaluate(member.value, program.class_scope(owner))
        return None

    def _is_decorator(self, annotation: Annotation, name: str, scope: Scope) -> bool:
        if annotation.callee is None:
            return False
        qualified = self._program.qualified_name(annotation.callee, scope)
        return qualified.rpartition(".")[2] == name and qualified.startswith(
            ("flask_class", "flask.ext.class")
        )


def _texts(program: Program, value: Value | None) -> set[str]:
    found = () if value is None else program.evaluator.texts(value)
    return {item for item in found if item is not None}


def _is_empty(value: Value) -> bool:
    match value:
        case Record(entries=entries, partial="", values=None):
            return not entries
        case Items(values=values):
            return not values
        case Constant(value=constant):
            return not constant
        case _:
            return False


def _join_path(*parts: str) -> str:
    return re.sub(r"/{2,}", "/", "/" + "/".join(parts))


def _kebab_case(name: str) -> str:
    """`OrderLinesView` -> `order-lines`."""
    bare = name.removesuffix("View")
    once = re.sub(r"(.)([A-Z][a-z]+)", r"\1-\2", bare)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", once).lower()
