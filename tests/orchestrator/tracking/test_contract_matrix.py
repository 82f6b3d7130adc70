"""CONTRACT_COMPLIANCE_MATRIX.md."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.orchestrator.contract_results import (
    ContractResult,
    ContractScanResults,
    PromiseResult,
)
from contract_scan.orchestrator.tracking import (
    MatrixError,
    generate_contract_compliance_matrix,
    parse_contract_compliance_matrix,
    update_contract_compliance_entry,
)

RESULTS = ContractScanResults(
    (
        ContractResult(
            "SVC-001",
            "openapi",
            "",
            (PromiseResult("GET /orders", "verified"), PromiseResult("POST /orders", "violated")),
        ),
        ContractResult("SVC-002", "openapi", "", (PromiseResult("GET /bills", "missing"),)),
        ContractResult(
            "events-1", "asyncapi", "orders", (PromiseResult("order.placed", "verified"),)
        ),
        ContractResult(
            "money", "json_schema", "", (PromiseResult("Money|Amount", "undetermined"),)
        ),
    )
)
CONTRACTS = [
    {"id": "events-1", "type": "asyncapi", "service_name": "orders"},
    {"id": "later", "type": "openapi", "service_name": "mail"},
]
MATRIX = dedent("""\
    # Contract compliance matrix of `shop`

    ## OpenAPI contracts

    | Contract | Endpoints | Provider | Implemented | Verified | Status | Broken |
    | --- | --- | --- | --- | --- | --- | --- |
    | `SVC-001` | `GET /orders`, `POST /orders` |  | YES | NO | violated | 1 |
    | `SVC-002` | `GET /bills` |  | NO | NO | missing | 1 |
    | `later` |  | `mail` | NO | NO | pending | 0 |

    ## AsyncAPI contracts

    | Contract | Channels | Provider | Implemented | Verified | Status | Broken |
    | --- | --- | --- | --- | --- | --- | --- |
    | `events-1` | `order.placed` | `orders` | YES | YES | verified | 0 |

    ## Shared models

    | Contract | Models | Provider | Implemented | Verified | Status | Broken |
    | --- | --- | --- | --- | --- | --- | --- |
    | `money` | `Money\\|Amount` |  | YES | NO | undetermined | 0 |
    """)


@pytest.mark.requirement("REQ-075", "TEST-058")
def test_the_matrix_of_what_was_scanned() -> None:
    generated = generate_contract_compliance_matrix(Path("projects/shop"), CONTRACTS, RESULTS)
    assert generated == MATRIX


@pytest.mark.requirement("REQ-076", "TEST-059")
def test_the_matrix_is_counted() -> None:
    assert parse_contract_compliance_matrix(MATRIX) == {
        "total": 5,
        "implemented": 3,
        "verified": 1,
        "violated": 2,
    }


@pytest.mark.requirement("REQ-076")
def test_a_document_without_tables_has_no_contracts() -> None:
    assert parse_contract_compliance_matrix("# Nothing\n\n| a | b |\n| --- | --- |\n") == {
        "total": 0,
        "implemented": 0,
        "verified": 0,
        "violated": 0,
    }


@pytest.mark.requirement("REQ-077", "TEST-065")
def test_one_entry_is_updated_and_nothing_else() -> None:
    updated = update_contract_compliance_entry(MATRIX, "SVC-002", "verified")
    before, after = MATRIX.splitlines(), updated.splitlines()
    assert [(old, new) for old, new in zip(before, after, strict=True) if old != new] == [
        (
            "| `SVC-002` | `GET /bills` |  | NO | NO | missing | 1 |",
            "| `SVC-002` | `GET /bills` |  | YES | YES | verified | 1 |",
        )
    ]
    assert parse_contract_compliance_matrix(updated)["verified"] == 2


@pytest.mark.requirement("REQ-077")
def test_entries_with_bars_in_their_names_are_updated() -> None:
    updated = update_contract_compliance_entry(MATRIX, "money", "violated")
    assert "| `money` | `Money\\|Amount` |  | YES | NO | violated | 0 |" in updated


@pytest.mark.requirement("REQ-077")
@pytest.mark.parametrize(
    ("contract", "status", "message"),
    [
        ("SVC-009", "verified", "the matrix has no contract `SVC-009`"),
        (
            "SVC-001",
            "fine",
            "`fine` is no status; there are verified, partly, undetermined, violated, missing,"
            " absent, pending",
        ),
    ],
)
def test_an_entry_that_cannot_be_updated(contract: str, status: str, message: str) -> None:
    with pytest.raises(MatrixError) as caught:
        update_contract_compliance_entry(MATRIX, contract, status)
    assert str(caught.value) == message


def test_a_hostile_name_makes_no_row() -> None:
    hostile = "x` |\n| `SVC-777` |  |  | YES | YES | verified | 0 |"
    results = ContractScanResults((ContractResult(hostile, "openapi", hostile),))
    matrix = generate_contract_compliance_matrix(Path("shop"), [], results)
    assert parse_contract_compliance_matrix(matrix)["total"] == 1
    assert len(matrix.splitlines()) == len(
        generate_contract_compliance_matrix(
            Path("shop"), CONTRACTS[:1], ContractScanResults()
        ).splitlines()
    )
