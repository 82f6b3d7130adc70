"""Django Ninja and Ninja Extra: routers are in `applications`, signatures those of FastAPI."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, origin_at
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.fastapi.signature import Signature, signature
from contract_scan.parsers.source.python.frameworks.ninja import applications as ninja_app
from contract_scan.parsers.source.python.frameworks.ninja.applications import CALLS, MARKERS
from contract_scan.parsers.source.python.frameworks.ninja.responses import Responses
from contract_scan.parsers.source.python.web.common import text
from contract_scan.parsers.source.python.web.mounts import Reached, unread_routes
from contract_scan.parsers.source.python.web.path_syntax import path_names
from contract_scan.parsers.source.python.web.raised_errors import with_raised
from contract_scan.parsers.source.web.route_graph import application_of

_CONVERTED = re.compile(r"\{(?:(\w+):)?(\w+)\}|<(?:(\w+):)?(\w+)>")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every view of every router at every place that it is mounted at."""
    app = ninja_app.ninja_app(program)
    for found in app.operations:
        for reached in app.graph.places(found.router):
            yield from _operations(program, framework, found, reached)
    for lost in app.unresolved_registrations:
        for reached in app.graph.places(lost.parent):
            yield unread_routes(
                framework,
                _template(_join_path(reached.prefix, lost.prefix or "", "/{path:rest}")),
                lost.origin,
                Reason("added-route-unreadable"),
                reached,
            )


def _join_path(*parts: str) -> str:
    return re.sub(r"/{2,}", "/", "/" + "/".join(part for part in parts if part))


def _template(path: str) -> str:
    def parameter(match: re.Match[str]) -> str:
        kind, name = match[1] or match[3], match[2] or match[4]
        return f"{{{name}*}}" if kind == "path" else f"{{{name}}}"

    return _CONVERTED.sub(parameter, path)


def _operations(
    program: Program, framework: Framework, found: ninja_app.Operation, reached: Reached
) -> Iterator[Operation]:
    unresolved = reached.unresolved
    if found.controller_path is None:
        unresolved = unresolved or Reason("controller-path-not-constant")
    expr = found.argument("path", 1 if found.annotation.name.endswith("api_operation") else 0)
    path = "" if expr is None else text(program, expr, found.scope)
    if path is None:
        unresolved = unresolved or Reason("route-path-computed")
        path = (program.template(expr, found.scope) if expr is not None else None) or ""
    if found.methods is None:
        unresolved = unresolved or Reason("methods-not-constant")
    full = _template(_join_path(reached.prefix, found.controller_path or "", path))
    function = found.view.function
    params = tuple(p for p in function.params if p.name not in ("request", "self", "this"))
    view = replace(found.view, function=replace(function, params=params))
    for method in found.methods or ("*",):
        takes_body = method not in ("GET", "HEAD", "OPTIONS")
        inputs: Signature = signature(program, view, path_names(full), [], takes_body=takes_body)
        reader = Responses(program, found)
        yield Operation(
            method=method,
            path=full,
            parameters=(*inputs.parameters, *reader.parameters()),
            parameters_complete=inputs.complete and reader.parameters_known,
            reads_no_body=inputs.reads_no_body and len(params) == len(function.params),
            request=inputs.bodies,
            responses=with_raised(program, found.view, reader.responses()),
            statuses_complete=reader.complete,
            origin=origin_at(found.scope, found.annotation.span),
            operation_id=text(program, found.argument("operation_id"), found.scope) or "",
            handler=found.name,
            framework=framework.name,
            application=application_of(reached),
            excluded_from_docs=_is_hidden(program, found),
            unresolved=unresolved,
        )


def _is_hidden(program: Program, found: ninja_app.Operation) -> bool:
    expr = found.argument("include_in_schema")
    value = None if expr is None else program.evaluate(expr, found.scope)
    return isinstance(value, Constant) and value.value is False


FRAMEWORK = Framework(
    name="Django Ninja", markers=MARKERS, calls=CALLS, operations=operations, sends="enforced"
)
