"""Errors that libraries list in the contracts they generate, for every operation that can refuse a
request. Of other errors they list what they are told only: beside these alone, a contract does not
say which errors there are.

FastAPI lists 422 (`HTTPValidationError`), Litestar 400 with the fields below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contract_scan.ir.operation import Body
from contract_scan.ir.schema import Object

STATUS: Final = "422"
"""A status that is listed by the library, whatever its body is."""
_BY_FIELDS: Final = {"400": frozenset({"status_code", "detail", "extra"})}
"""Status -> the fields by which the body of a generated error is recognised."""


def is_generated_error(status: str, bodies: Sequence[Body]) -> bool:
    """Whether a response of a contract is an error that a library lists by itself."""
    names = _BY_FIELDS.get(status, frozenset())
    return status == STATUS or any(
        isinstance(body.schema, Object) and bool(names) and _fields(body.schema) == names
        for body in bodies
    )


def _fields(shape: Object) -> frozenset[str]:
    return frozenset(field.name for field in shape.fields)
