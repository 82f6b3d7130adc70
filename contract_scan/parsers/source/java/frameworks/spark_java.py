"""Spark (Java): routes of `spark.Spark` and of `Service`, in groups of paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibrarySymbol, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, New
from contract_scan.parsers.source.java.resolution.annotations import constant_name, type_name
from contract_scan.parsers.source.java.web.chains import library_type, method
from contract_scan.parsers.source.java.web.effects import ResponseCall, ResponseCalls
from contract_scan.parsers.source.java.web.endpoints import Library, handler_of
from contract_scan.parsers.source.java.web.groups import (
    Group,
    Route,
    is_static_of,
    nested_group,
    operations_of,
)
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.reading import by_kind
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.java.web.walker import CallEntry, CallWalker, Visit
from contract_scan.parsers.source.language import Framework

_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"})
_READS = by_kind(
    path="params",
    query="queryParams queryParamOrDefault queryParamsValues",
    header="headers",
    cookie="cookie",
    raw="body bodyAsBytes",
    anything="queryMap queryString cookies raw",
    nothing=(
        "attribute session uri url ip pathInfo splat requestMethod contentType userAgent host "
        "port scheme protocol matchedPath contextPath attributes"
    ),
)


_EFFECTS = ResponseCalls(
    {
        "status": ResponseCall(status_at=0),
        "type": ResponseCall(content_type_at=0),
        "body": ResponseCall(body_at=0),
        "redirect": ResponseCall(status="302", status_at=1),
        "raw": ResponseCall(unknown=Reason("handler-writes-response-itself")),
    }
)
_LIBRARY = Library(
    reads=_READS,
    effect_of=_EFFECTS,
    responses=(1,),
    content_type=JSON,
    returns=True,
    method_calls=("requestMethod",),
    sends_text=Reason("returned-value-sent-as-text"),
)
_TRANSFORMED = replace(_LIBRARY, sends_text="")
_PAGES = replace(_LIBRARY, sends_text="", content_type="text/html")
_OWN = replace(_LIBRARY, sends_text=Reason("custom-response-transformer"))


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every application."""
    reading = _SparkCalls(program)
    walker: CallWalker[Group, Route] = CallWalker(program, reading.visit, Group(), _plausible)
    found = walker.all(framework)
    made = operations_of(
        program,
        framework.name,
        found,
        lambda route: (template(join_paths(route.path)), NO_REASON),
        lambda route: _library(route.transformer),
    )
    yield from made


def _is_engine(transformer: Expr | None) -> bool:
    """Whether a template engine writes what a handler returns."""
    return isinstance(transformer, New) and type_name(transformer.type).endswith("Engine")


def _library(transformer: Expr | None) -> Library:
    if transformer is None:
        return _LIBRARY
    if _is_engine(transformer):
        return _PAGES
    name = constant_name(transformer)
    if isinstance(transformer, New):
        name = type_name(transformer.type)
    elif isinstance(transformer, Call):
        name = method(transformer)
    return _TRANSFORMED if "json" in name.lower() else _OWN


def _plausible(call: Call) -> bool:
    return method(call) in _VERBS | {"path"} and len(call.args) > 1


def template(path: str) -> str:
    """A path in the common form: `:id` and `*`."""
    path = re.sub(r"(?<=/):([^/]+)", r"{\1}", path)
    path = re.sub(r"/\*$", "/{path*}", path)
    return path.replace("/*/", "/{any}/")


class _SparkCalls:
    """What calls of Spark do."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def visit(self, call: Call, scope: Scope, group: Group) -> Visit[Group, Route] | None:
        """The route or the group that a call makes."""
        name = method(call)
        given = [argument.value for argument in call.args]
        if not _plausible(call) or not self._is_spark(call, scope):
            return None
        inner = nested_group(self.program, group, given[0], scope)
        if name == "path":
            function = handler_of(self.program, given[1], scope, "addRoutes")
            return Visit(enters=() if function is None else (CallEntry(function, inner),))
        rest = given[1:]
        if self.program.text(rest[0], scope) is not None:
            rest = rest[1:]  # the type that the route accepts
        if not rest:
            return None
        transformer = rest[1] if len(rest) > 1 else None
        path = inner.path or "/"
        route = Route(name.upper(), path, rest[0], scope, given[0], inner.reason, transformer)
        return Visit(results=(route,))

    def _is_spark(self, call: Call, scope: Scope) -> bool:
        if not isinstance(call.callee, Attribute):
            return is_static_of(self.program, call, scope, "Spark")
        value = self.program.evaluate(call.callee.value, scope)
        if isinstance(value, LibrarySymbol):
            return value.name in ("spark.Spark", "Spark")
        return library_type(self.program, value) == "Service"


FRAMEWORK = Framework(
    name="Spark Java",
    markers=(b"import spark.", b"import static spark."),
    operations=operations,
)
