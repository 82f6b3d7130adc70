"""HTTP statuses as code writes them: numbers, and the constants of well-known libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    LibrarySymbol,
    OneOf,
    Value,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.analysis.domain.values import Scope
    from contract_scan.parsers.source.facts.nodes import Expr

NAMES = {
    "CONTINUE": 100,
    "OK": 200,
    "CREATED": 201,
    "ACCEPTED": 202,
    "NON_AUTHORITATIVE_INFORMATION": 203,
    "NO_CONTENT": 204,
    "RESET_CONTENT": 205,
    "PARTIAL_CONTENT": 206,
    "MULTI_STATUS": 207,
    "AMBIGUOUS": 300,
    "MULTIPLE_CHOICES": 300,
    "MOVED_PERMANENTLY": 301,
    "FOUND": 302,
    "MOVED_TEMPORARILY": 302,
    "SEE_OTHER": 303,
    "NOT_MODIFIED": 304,
    "TEMPORARY_REDIRECT": 307,
    "PERMANENT_REDIRECT": 308,
    "BAD_REQUEST": 400,
    "UNAUTHORIZED": 401,
    "PAYMENT_REQUIRED": 402,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "NOT_ACCEPTABLE": 406,
    "REQUEST_TIMEOUT": 408,
    "CONFLICT": 409,
    "GONE": 410,
    "PRECONDITION_FAILED": 412,
    "PAYLOAD_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "UNPROCESSABLE_ENTITY": 422,
    "UNPROCESSABLE_CONTENT": 422,
    "LOCKED": 423,
    "FAILED_DEPENDENCY": 424,
    "TOO_MANY_REQUESTS": 429,
    "INTERNAL_SERVER_ERROR": 500,
    "NOT_IMPLEMENTED": 501,
    "BAD_GATEWAY": 502,
    "SERVICE_UNAVAILABLE": 503,
    "GATEWAY_TIMEOUT": 504,
}


def statuses(program: Program, expr: Expr, scope: Scope) -> tuple[int, ...]:
    """The statuses an expression may give; none where they are undetermined."""
    return of_value(program.evaluate(expr, scope))


def of_value(value: Value) -> tuple[int, ...]:
    """The statuses that a value may be; none where they are undetermined."""
    found = _codes_of_value(value)
    return tuple(dict.fromkeys(found)) if found is not None else ()


def _codes_of_value(value: Value) -> list[int] | None:
    match value:
        case Constant(value=bool()):
            return None
        case Constant(value=int(status)) if 100 <= status <= 599:
            return [status]
        case Constant(value=str(text)):
            known = NAMES.get(text.upper().replace(" ", "_").replace("-", "_"))
            return [known] if known is not None else None
        case LibrarySymbol(name=name):
            known = NAMES.get(name.rsplit(".", 1)[-1].upper())
            return [known] if known is not None else None
        case OneOf(options=options):
            parts = [_codes_of_value(option) for option in options]
            if any(part is None for part in parts):
                return None
            return [status for part in parts if part is not None for status in part]
        case _:
            return None
