"""OpenAPI Backend: `new OpenAPIBackend({ handlers })`, `api.register({ listOrders, … })`.

Handlers behind Hapi are read with its routes.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.web.openapi_backends import MARKERS, backends
from contract_scan.parsers.source.typescript.web.openapi_handlers import (
    Signature,
    operation_by_name,
)

NAME = "OpenAPI Backend"
_HAPI = (b"@hapi/hapi",)
_SIGNATURE = Signature(request=1, response=2)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every handler that is registered under the name of an operation."""
    if program.files_containing(*_HAPI):
        return
    found = backends(program)
    for name, function in found.handlers.items():
        yield operation_by_name(
            program,
            framework.name,
            name,
            function,
            _SIGNATURE,
            validates=found.validates,
        )


FRAMEWORK = Framework(
    name=NAME,
    markers=MARKERS,
    calls=(b".register(", b".registerHandler(", b"OpenAPIBackend(", b"OpenapiBackend."),
    operations=operations,
)
