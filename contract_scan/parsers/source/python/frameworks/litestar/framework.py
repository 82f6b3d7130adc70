"""Litestar (and Starlite, as it was called): the tree of handlers is in `web.litestar_app`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.values import Constant, origin_at
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.litestar import sockets as litestar_sockets
from contract_scan.parsers.source.python.frameworks.litestar.applications import (
    CALLS,
    MARKERS,
    Handler,
    join_path,
    litestar_app,
)
from contract_scan.parsers.source.python.frameworks.litestar.paths import paths, template
from contract_scan.parsers.source.python.frameworks.litestar.requests import request_inputs
from contract_scan.parsers.source.python.frameworks.litestar.responses import Responses
from contract_scan.parsers.source.python.web import sockets
from contract_scan.parsers.source.python.web.raised_errors import with_raised

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every handler at every place that it is registered at."""
    app = litestar_app(program)
    for handler in app.handlers:
        for path, unresolved in paths(program, handler):
            yield from _operations(program, framework, handler, path, unresolved)
    for lost in app.unresolved_registrations:
        yield Operation(
            method="*",
            path=template(join_path(iter((lost.prefix, "/{rest:path}")))),
            parameters_complete=False,
            origin=lost.origin,
            framework=framework.name,
            excluded_from_docs=True,
            unresolved=Reason("registration-unreadable"),
        )


def _operations(
    program: Program, framework: Framework, handler: Handler, path: str, unresolved: Reason
) -> Iterator[Operation]:
    methods = handler.methods
    if methods is None:
        unresolved = unresolved or Reason("methods-not-constant")
    full = template(path)
    for method in methods or ("*",):
        received = request_inputs(program, handler, path)
        reader = Responses(program, handler, method)
        responses = reader.responses()
        yield Operation(
            method=method,
            path=full,
            parameters=received.parameters,
            parameters_complete=received.complete,
            request=received.bodies,
            responses=with_raised(program, handler.function, responses),
            statuses_complete=reader.complete,
            origin=origin_at(handler.scope, handler.annotation.span),
            operation_id=_operation_id(program, handler),
            handler=handler.name,
            framework=framework.name,
            excluded_from_docs=_is_hidden(program, handler),
            unresolved=unresolved,
        )


def _operation_id(program: Program, handler: Handler) -> str:
    option = handler.option("operation_id")
    return "" if option is None else program.text(*option) or ""


def _is_hidden(program: Program, handler: Handler) -> bool:
    """Whether the nearest layer that says so keeps it out of the documentation."""
    for expr, scope in handler.options("include_in_schema"):
        value = program.evaluate(expr, scope)
        return isinstance(value, Constant) and value.value is False
    return False


FRAMEWORK = Framework(
    name="Litestar",
    markers=MARKERS,
    calls=(*CALLS, *litestar_sockets.CALLS),
    operations=operations,
    events=litestar_sockets.events,
    protocols=sockets.PROTOCOLS,
)
