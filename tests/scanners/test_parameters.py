"""Parameters of the contract beside those that the code reads."""

from __future__ import annotations

import pytest

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation, Parameter
from contract_scan.ir.schema import Scalar
from contract_scan.scanners.parameters import ParameterDrift, compare_parameters

NOTHING = ContractDocument(path="openapi.yaml", kind="openapi")


def operation(name: str, framework: str = "") -> Operation:
    parameter = Parameter(name=name, location="query", schema=Scalar(type="integer"), required=True)
    return Operation(method="GET", path="/x", parameters=(parameter,), framework=framework)


@pytest.mark.parametrize(
    ("framework", "said"),
    [
        ("ASP.NET Core controllers", []),
        ("ASP.NET Core minimal APIs", []),
        ("FastAPI", ["pageSize"]),
    ],
)
def test_letter_case_of_query_parameters_counts_where_the_framework_tells_it_apart(
    framework: str, said: list[str]
) -> None:
    contract, route = operation("pageSize"), operation("PageSize", framework)
    found = list(compare_parameters(contract, route, NOTHING, NOTHING))
    assert [drift.name for drift in found if isinstance(drift, ParameterDrift)] == said
