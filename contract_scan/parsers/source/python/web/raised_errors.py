"""Errors that a handler sends by raising an exception of its library, or by `abort`.

What services and dependencies raise, and what handlers of exceptions make of it, is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.evaluation.raised_errors import (
    sole_errors,
    statements_outside_try,
    thrown_errors,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.python.resolution.calls_by_name import called_name
from contract_scan.parsers.source.python.web.common import response, status_of
from contract_scan.parsers.source.python.web.dispatch_by_method import (
    NOTHING_GIVEN,
    Given,
    spans_for,
)
from contract_scan.parsers.source.python.web.error_statuses import (
    ErrorFamily,
    RaisedStatus,
    is_handled,
    status_of_exception,
)
from contract_scan.parsers.source.python.web.wrappers import decorator_wrappers

_FINDING = ("django.", "rest_framework.", "ninja.")
_ABORTED = (
    "flask.",
    "quart.",
    "werkzeug.",
    "flask_restful.",
    "flask_restx.",
    "flask_smorest.",
    "bottle.",
    "sanic.",
)


def error_responses(
    program: Program,
    handler: FunctionValue,
    method: str = "",
    given: Given = NOTHING_GIVEN,
    family: ErrorFamily | None = None,
) -> Iterator[Response]:
    """The errors of which a handler itself says the status, in its own statements; for one method
    alone, where it answers several, and where its parameters are what is `given`. `family`: the
    exceptions of a library that states them itself."""
    reached = spans_for(program, handler, method, given)
    found = [
        *(
            (expr, scope, _status_of(program, expr, scope, family))
            for expr, scope in thrown_errors(program, handler)
        ),
        *_looked_up(program, handler),
    ]
    seen: set[str] = set()
    for expr, scope, status in found:
        if status is None or status.status[0] not in "45" or status.status in seen:
            continue
        if reached is not None and not any(_contains(span, expr.span) for span in reached):
            continue
        if not is_handled(program, status.package, family):
            seen.add(status.status)
            yield response(status.status, None, program.origin(expr, scope))


def only_raised(
    program: Program, handler: FunctionValue, method: str = "", family: ErrorFamily | None = None
) -> tuple[Response, ...]:
    """The errors that a handler answers each request with, since it does nothing but raise them;
    none where it returns or catches something, where a decorator of the project stands around it,
    or one of the statuses is not known to be that of an error."""
    raised = [_status_of(program, e, scope, family) for e, scope in sole_errors(program, handler)]
    if not all(one is not None and one.status[0] in "45" for one in raised):
        return ()
    if not raised or any(decorator_wrappers(program, handler)):
        return ()
    return tuple(error_responses(program, handler, method, family=family))


def _looked_up(
    program: Program, handler: FunctionValue
) -> Iterator[tuple[Expr, Scope, RaisedStatus | None]]:
    """`get_object_or_404(Order, pk=pk)`."""
    if not program.any_file_contains(b"_or_404("):
        return
    statements, scope = statements_outside_try(program, handler)
    for call, inside in calls_in(program, statements, scope):
        if isinstance(call, Call) and called_name(call).endswith("_or_404"):
            name = program.qualified_name(call.callee, inside)
            if name.startswith(_FINDING):
                yield call, inside, RaisedStatus("404", name)


def _contains(outer: Span, inner: Span) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return start <= (inner.line, inner.column) < end


def with_raised(
    program: Program,
    handler: FunctionValue,
    responses: tuple[Response, ...],
    method: str = "",
    given: Given = NOTHING_GIVEN,
    family: ErrorFamily | None = None,
) -> tuple[Response, ...]:
    """Responses, and the errors that are raised with a status of their own."""
    known = {response.status for response in responses if not response.documented}
    found = error_responses(program, handler, method, given, family)
    added = {one.status: one for one in found if one.status not in known}
    if not added:
        return responses
    # A status that is documented and raised keeps the body that its documentation gives.
    remaining = (
        one if one.status not in added else _without_documented(one, added.pop(one.status))
        for one in responses
    )
    return tuple(sorted((*remaining, *added.values()), key=lambda one: one.status))


def _without_documented(documented: Response, raised: Response) -> Response:
    return replace(documented, documented=False, origin=raised.origin)


def _status_of(
    program: Program, expr: Expr, scope: Scope, family: ErrorFamily | None
) -> RaisedStatus | None:
    """The status of what is raised: of an exception, or by `abort`."""
    if isinstance(expr, Call) and called_name(expr) == "abort":
        return _of_abort(program, expr, scope)
    found = _of_abort(program, expr, scope)
    return found or status_of_exception(program, expr, scope, family)


def _of_abort(program: Program, expr: Expr, scope: Scope) -> RaisedStatus | None:
    """`abort(404)`."""
    if not isinstance(expr, Call) or not expr.args or "abort" not in called_name(expr):
        return None
    name = program.qualified_name(expr.callee, scope)
    if not name.startswith(_ABORTED) or name.rpartition(".")[2] != "abort":
        return None
    names = ("", "code", "http_status_code", "status_code")
    given = next((a.value for a in expr.args if a.name in names and not a.spread), None)
    status = None if given is None else status_of(program.evaluate(given, scope))
    return None if status is None else RaisedStatus(status, name)
