"""Flask and its libraries by name: what makes routers; small reads of calls and decorators."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Argument, Call, Expr, LiteralExpr
from contract_scan.parsers.source.python.frameworks.flask import class_views as flask_classful
from contract_scan.parsers.source.python.web.mounts import Router

APPLICATIONS = frozenset({"flask.Flask", "flask.app.Flask", "apiflask.APIFlask"}) | {
    "quart.Quart",
    "quart.app.Quart",
    "quart_trio.QuartTrio",
}
SMOREST = frozenset({"flask_smorest.Blueprint", "flask_smorest.blueprint.Blueprint"})
BLUEPRINTS = SMOREST | {
    "flask.Blueprint",
    "flask.blueprints.Blueprint",
    "apiflask.APIBlueprint",
    "quart.Blueprint",
    "quart.blueprints.Blueprint",
}
RESTFUL = frozenset({"flask_restful.Api"})
RESTX_APIS = frozenset({"flask_restx.Api", "flask_restplus.Api", "flask_restx.api.Api"})
SMOREST_APIS = frozenset({"flask_smorest.Api"})
NAMESPACES = frozenset(
    {
        "flask_restx.Namespace",
        "flask_restplus.Namespace",
        "flask_restx.Api().namespace",
        "flask_restplus.Api().namespace",
    }
)
APIS = RESTFUL | RESTX_APIS | SMOREST_APIS
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


def library_of(maker: str, annotations: tuple[tuple[Annotation, Scope], ...]) -> str:
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


def is_undocumented(annotation: Annotation) -> bool:
    """Whether a decorator is APIFlask's `doc(False)` or Flask-RESTX's."""
    last = annotation.name.rpartition(".")[2]
    return (
        last == "doc"
        and bool(annotation.args)
        and not annotation.args[0].name
        and isinstance(annotation.args[0].value, LiteralExpr)
        and annotation.args[0].value.value is False
    )


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
