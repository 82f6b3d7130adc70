"""The version of the API that requests name where no path holds it (Asp.Versioning)."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.operation import Operation, Parameter
from contract_scan.ir.schema import Scalar

QUERY_PARAMETER = "api-version"
"""What Asp.Versioning reads unless it is told otherwise."""


def with_version_parameter(operation: Operation, versions: tuple[str, ...]) -> Operation:
    """A route that is mapped for versions of the API, with the query parameter that picks one.
    Whether requests can do without it is told by start-up code: it counts as optional."""
    operation = replace(operation, versions=versions)
    if any(p.name.lower() == QUERY_PARAMETER for p in operation.parameters):
        return operation
    version = Parameter(
        name=QUERY_PARAMETER,
        location="query",
        schema=Scalar(type="string", origin=operation.origin),
        required=False,
        origin=operation.origin,
    )
    return replace(operation, parameters=(*operation.parameters, version))
