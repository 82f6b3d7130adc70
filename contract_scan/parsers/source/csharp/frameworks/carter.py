"""Carter: modules that map routes like minimal APIs, `CarterModule("/base/path")`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.frameworks.aspnet.minimal_apis import mapped_operations
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.language import Framework


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route that a module maps."""
    yield from mapped_operations(program, framework, in_module=True)


FRAMEWORK = Framework(
    name="Carter",
    markers=(b"CarterModule", b"void AddRoutes("),
    calls=(b"void AddRoutes(",),
    operations=operations,
    traits=DOTNET,
)
