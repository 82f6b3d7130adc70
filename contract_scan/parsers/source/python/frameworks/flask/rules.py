"""The rules of Flask as they are added: one for each method that a view answers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import returns
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    Attribute,
    Branch,
    Call,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.frameworks.flask import class_views as flask_classful
from contract_scan.parsers.source.python.web.common import VERBS, known_methods, likely_text, text
from contract_scan.parsers.source.python.web.mounts import Router
from contract_scan.parsers.source.web.route_graph import RouterId


class RuleText(Struct, frozen=True, eq=False):
    """A rule as far as it could be read."""

    text: str
    is_known: bool


class Rule(Struct, frozen=True, eq=False):
    """One view under one method of one rule."""

    router: RouterId
    library: str
    rule: str
    rule_known: bool
    """False: the rule is undetermined, `rule` is what can be shown of it."""
    method: str
    """Empty: the methods are undetermined."""
    view: FunctionValue | None
    annotations: tuple[tuple[Annotation, Scope], ...]
    """Decorators of the view and of its class."""
    name: str
    origin: Origin
    excluded_from_docs: bool = False
    defaults: Mapping[str, Value] = {}
    """What the rule gives instead of parameters that are not in it: `defaults={"page": None}`."""
    rewritten_because: Reason = NO_REASON
    """Why what the view returns may not be what is sent; empty: it is."""


def rule_text(program: Program, expr: Expr | None, scope: Scope) -> RuleText:
    """The text of a rule, and whether it is constant."""
    known = text(program, expr, scope)
    if known is not None:
        return RuleText(known, True)
    return RuleText(likely_text(program, expr, scope), False)


class Rules:
    """Takes up the rules of a program."""

    def __init__(self, program: Program, found: list[Rule]) -> None:
        """`found` is the list that they are added to."""
        self._program = program
        self.found = found

    def add(
        self,
        router: Router,
        rule: RuleText,
        method: str,
        view: FunctionValue | None,
        annotations: tuple[tuple[Annotation, Scope], ...],
        name: str,
        origin: Origin,
    ) -> None:
        """One view under one method."""
        hidden = any(
            a.name.endswith(".hide") or a.name == "hide" or _is_undocumented(a)
            for a, _ in annotations
        )
        library = _library_of(router.maker, annotations)
        self.found.append(
            Rule(
                router.id,
                library,
                rule.text,
                rule.is_known,
                method,
                view,
                annotations,
                name,
                origin,
                hidden,
            )
        )

    def add_class(
        self,
        router: Router,
        rule: RuleText,
        symbol: ClassSymbol,
        origin: Origin,
        methods: tuple[str, ...] | None,
        around: tuple[tuple[Annotation, Scope], ...],
        made: Instance | None = None,
    ) -> None:
        """A rule for each method that a class-based view has; `made` is its object."""
        program = self._program
        allowed = set(methods or self._class_methods(symbol) or ())
        if not around:
            scope = program.class_scope(symbol)
            around = tuple((a, scope.parent or scope) for a in symbol.decl.annotations)
        for verb in VERBS:
            view = program.find_method(symbol, verb)
            if view is None or (allowed and verb.upper() not in allowed):
                continue
            if _refuses_method(program, symbol, view):
                continue
            view = replace(view, receiver=made or view.receiver)
            annotations = (*of_function(view), *around)
            name = f"{symbol.decl.name}.{verb}"
            self.add(router, rule, verb.upper(), view, annotations, name, origin)
        dispatch = program.find_method(symbol, "dispatch_request")
        if dispatch is not None:
            for method in sorted(allowed or {"GET"}):
                name = f"{symbol.decl.name}.dispatch_request"
                annotations = (*of_function(dispatch), *around)
                self.add(router, rule, method, dispatch, annotations, name, origin)

    def _class_methods(self, symbol: ClassSymbol) -> tuple[str, ...] | None:
        for owner in (symbol, *self._program.bases(symbol)):
            for member in owner.decl.members:
                if member.name == "methods" and member.value is not None:
                    return known_methods(
                        self._program.texts(member.value, self._program.class_scope(owner))
                    )
        return None

    def give(self, first: int, expr: Expr | None, scope: Scope) -> None:
        """Add what `defaults=` says to the rules that were added since."""
        value = None if expr is None else self._program.evaluate(expr, scope)
        if isinstance(value, Record):
            known = {entry.name: entry.value for entry in value.entries}
            self.found[first:] = [replace(rule, defaults=known) for rule in self.found[first:]]


# ------------------------------------------------------------------------ names of the libraries
# Flask and its libraries by name: what makes routers; small reads of calls and decorators.


APPLICATIONS = frozenset({"flask.Flask", "flask.app.Flask", "apiflask.APIFlask"}) | {
    "quart.Quart",
    "quart.app.Quart",
    "quart_trio.QuartTrio",
}
_SMOREST = frozenset({"flask_smorest.Blueprint", "flask_smorest.blueprint.Blueprint"})
BLUEPRINTS = _SMOREST | {
    "flask.Blueprint",
    "flask.blueprints.Blueprint",
    "apiflask.APIBlueprint",
    "quart.Blueprint",
    "quart.blueprints.Blueprint",
}
_RESTFUL = frozenset({"flask_restful.Api"})
RESTX_APIS = frozenset({"flask_restx.Api", "flask_restplus.Api", "flask_restx.api.Api"})
_SMOREST_APIS = frozenset({"flask_smorest.Api"})
NAMESPACES = frozenset(
    {
        "flask_restx.Namespace",
        "flask_restplus.Namespace",
        "flask_restx.Api().namespace",
        "flask_restplus.Api().namespace",
    }
)
APIS = _RESTFUL | RESTX_APIS | _SMOREST_APIS
WRITE_JSON = frozenset({"Flask-RESTX", "Flask-RESTful"})
"""Libraries that write whatever a view returns as JSON, a text too, unless it is a response."""
MAKERS = APPLICATIONS | BLUEPRINTS | APIS | NAMESPACES

MARKERS = (
    b"flask",
    b"Flask",
    b"from quart",
    b"import quart",
    b"Blueprint",
    b".route(",
    b"add_url_rule",
    b"register_blueprint",
    b"MethodView",
    b"add_resource",
    b"add_namespace",
    *flask_classful.MARKERS,
)
CALLS = (
    b".register_blueprint(",
    b".add_url_rule(",
    b".add_resource(",
    b".add_namespace(",
    b".init_app(",
    b"Flask(",
    b"Quart(",
    b"Blueprint(",
    b"Api(",
    b".as_view(",
    b".register(",
)


def viewed_class(program: Program, value: Value) -> ClassSymbol | None:
    """The class behind `X.as_view("x")`, also where a decorator is called around it."""
    if not isinstance(value, LibraryResult):
        return None
    if value.name.endswith(".as_view"):
        return value.receiver.symbol if isinstance(value.receiver, ClassValue) else None
    for argument in value.site.args:
        inner = viewed_class(program, program.evaluate(argument.value, value.scope))
        if inner is not None:
            return inner
    return None


def _library_of(maker: str, annotations: tuple[tuple[Annotation, Scope], ...]) -> str:
    """The library that a rule belongs to, by what made its router and decorates its view."""
    package = maker.partition(".")[0]
    names = {
        "flask_restx": "Flask-RESTX",
        "flask_restplus": "Flask-RESTX",
        "flask_restful": "Flask-RESTful",
        "flask_smorest": "flask-smorest",
        "apiflask": "APIFlask",
        "quart": "Quart",
        "quart_trio": "Quart",
    }
    if package in names:
        return names[package]
    for annotation, _ in annotations:
        last = annotation.name.rpartition(".")[2]
        if last in ("marshal_with", "use_kwargs"):
            return "flask-apispec"
    return "Flask"


def _is_undocumented(annotation: Annotation) -> bool:
    """Whether a decorator is Flask-RESTX's `doc(False)`, or APIFlask's `doc(hide=True)`."""
    if annotation.name.rpartition(".")[2] != "doc":
        return False
    first = annotation.args[0] if annotation.args else None
    hides = {argument.name: argument.value for argument in annotation.args}.get("hide")
    return (first is not None and not first.name and _is_literal(first.value, is_true=False)) or (
        hides is not None and _is_literal(hides, is_true=True)
    )


def _is_literal(expr: Expr, *, is_true: bool) -> bool:
    return isinstance(expr, LiteralExpr) and expr.value is is_true


def of_function(view: FunctionValue | None) -> tuple[tuple[Annotation, Scope], ...]:
    """The decorators of a view, each with the scope to read it in."""
    if view is None:
        return ()
    return tuple((annotation, view.scope) for annotation in view.function.annotations)


def as_call(router: Router) -> Call | None:
    """The call that made a router."""
    return router.site if isinstance(router.site, Call) else None


def normal(prefix: str | None) -> str | None:
    """A prefix with one slash before it and none after; None stays."""
    if prefix is None:
        return None
    inner = prefix.strip("/")
    return f"/{inner}" if inner else ""


def given_argument(args: tuple[Argument, ...], position: int, *names: str) -> Expr | None:
    """An argument by name or position."""
    for item in args:
        if item.name and item.name in names:
            return item.value
    positional = [item.value for item in args if not item.name and not item.spread]
    return positional[position] if 0 <= position < len(positional) else None


def argument_of(call: Call, position: int, *names: str) -> Expr | None:
    """An argument of a call by name or position."""
    return given_argument(call.args, position, *names)


def _refuses_method(program: Program, symbol: ClassSymbol, view: FunctionValue) -> bool:
    """Whether a view answers no request of its method: it does nothing but refuse that, itself or
    in a method of its class that each request comes to (`return jsonify(self.do_get())`, where
    `do_get` is that of a base class: `abort(405)`)."""
    body = program.body(view.function, view.scope.file)
    called = (
        program.find_method(symbol, node.callee.name)
        for statement in takewhile(lambda one: isinstance(one, Return) or not returns((one,)), body)
        for node in nodes_of(statement, (Branch, Loop))
        if isinstance(node, Call)
        and isinstance(node.callee, Attribute)
        and isinstance(node.callee.value, Name)
        and node.callee.value.id == "this"
    )
    bodies = [body, *(program.body(one.function, one.scope.file) for one in called if one)]
    return any(map(_is_refusal, bodies))


def _is_refusal(body: tuple[Statement, ...]) -> bool:
    """`abort(405)`, `raise MethodNotAllowed()`, `raise NotImplementedError` and nothing else."""
    match body:
        case (
            Throw(value=Call(callee=Name(id="abort") | Attribute(name="abort"), args=[code, *_])),
        ):
            return isinstance(code.value, LiteralExpr) and code.value.value == 405
        case (
            Throw(
                value=Name(id=name)
                | Attribute(name=name)
                | Call(callee=Name(id=name) | Attribute(name=name))
            ),
        ):
            return name in ("MethodNotAllowed", "NotImplementedError")
        case _:
            return False
