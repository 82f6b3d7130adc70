"""Errors that a handler sends by raising an exception of its library, or by `abort`.

What services and dependencies raise, and what handlers of exceptions make of it, is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.parsers.source.facts import Call, Expr, New
from contract_scan.parsers.source.link.raised import done, thrown
from contract_scan.parsers.source.link.values import FunctionValue, Made, Scope
from contract_scan.parsers.source.python.web.common import response, status_of

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_EXCEPTION = "HTTPException"
_RAISING = ("fastapi.", "starlette.", "werkzeug.", "flask.", "quart.")
_ABORTING = ("flask.", "quart.", "werkzeug.", "flask_restful.", "flask_restx.", "flask_smorest.")
_REGISTERING = (b"exception_handler", b"errorhandler", b"register_error_handler")
_NAMED = {
    "".join(word.capitalize() for word in status.name.split("_")): str(status.value)
    for status in HTTPStatus
    if status >= 400
} | {"InternalServerError": "500", "RequestEntityTooLarge": "413"}
"""werkzeug's exceptions by name."""


def raised(program: Program, handler: FunctionValue) -> Iterator[Response]:
    """The errors of which a handler itself says the status, in its own statements."""
    found = [
        *(
            (expr, scope, _of_exception(program, expr, scope))
            for expr, scope in thrown(program, handler)
        ),
        *((expr, scope, _of_abort(program, expr, scope)) for expr, scope in done(program, handler)),
    ]
    told = [one for one in found if one[2] is not None]
    if not told or _is_handled(program):
        return
    seen: set[str] = set()
    for expr, scope, status in told:
        if status is not None and status[0] in "45" and status not in seen:
            seen.add(status)
            yield response(status, None, program.origin(expr, scope))


def with_raised(
    program: Program, handler: FunctionValue, responses: tuple[Response, ...]
) -> tuple[Response, ...]:
    """Responses, and the errors that are raised with a status of their own."""
    known = {response.status for response in responses if not response.documented}
    added = {one.status: one for one in raised(program, handler) if one.status not in known}
    if not added:
        return responses
    # A status that is documented and raised keeps the body that its documentation gives.
    kept = (
        one if one.status not in added else _sent(one, added.pop(one.status)) for one in responses
    )
    return tuple(sorted((*kept, *added.values()), key=lambda one: one.status))


def _sent(documented: Response, raised: Response) -> Response:
    return replace(documented, documented=False, origin=raised.origin)


def _of_exception(program: Program, expr: Expr, scope: Scope) -> str | None:
    value = program.evaluate(expr, scope)
    match value:
        case Made(name=name, site=Call() | New() as site, scope=inside):
            last = name.rpartition(".")[2]
            if not name.startswith(_RAISING):
                return None
            if last != _EXCEPTION:
                return _NAMED.get(last)
            given = [a.value for a in site.args if a.name == "status_code"] or [
                a.value for a in site.args[:1] if not a.name
            ]
            return status_of(program.evaluate(given[0], inside)) if given else None
        case _:
            # An exception that is raised as a class has the status of its kind.
            name = program.qualified(expr, scope)
            return _NAMED.get(name.rpartition(".")[2]) if name.startswith("werkzeug.") else None


def _of_abort(program: Program, expr: Expr, scope: Scope) -> str | None:
    if not isinstance(expr, Call) or not expr.args:
        return None
    name = program.qualified(expr.callee, scope)
    if not name.startswith(_ABORTING) or name.rpartition(".")[2] != "abort":
        return None
    given = next((a.value for a in expr.args if a.name in ("", "code", "http_status_code")), None)
    return status_of(program.evaluate(given, scope)) if given is not None else None


def _is_handled(program: Program) -> bool:
    """Whether the project says itself what becomes of its library's exceptions."""
    key = "python.raised.handled"
    if key not in program.memory:
        program.memory[key] = any(
            _EXCEPTION.encode() in (program.files.read(path) or b"")
            for path in program.holding(*_REGISTERING)
        )
    return program.memory[key] is True
