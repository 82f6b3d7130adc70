"""The scans of a build, and what they make of each contract."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from contract_scan.clients.git import current_commit
from contract_scan.compliance import ScanScope, Violation
from contract_scan.orchestrator.config import AgentTeamConfig, with_values
from contract_scan.orchestrator.contract_results import (
    ContractResult,
    ContractScanResults,
    PromiseResult,
)
from contract_scan.orchestrator.scans import (
    compute_changed_files,
    contract_report,
    fix_in_code,
    health_of,
    run_api_contract_scan,
    run_contract_scans,
    verify_contract_compliance,
)
from contract_scan.orchestrator.service_contracts import ServiceContract, ServiceContractRegistry
from contract_scan.orchestrator.state import ContractReport, Health

APP = """\
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

app = FastAPI()


class Order(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    id: int
    total_amount: str


@app.get("/orders/{id}")
def read_order(id: int) -> Order:
    return Order(id=id, total_amount="1")
"""
TABLE = """\
# Shop

| SVC-ID | Service | Endpoint | Method | Request | Response |
|---|---|---|---|---|---|
| SVC-001 | Orders.read | /orders/{id} | GET | - | { id: number, totalAmount: string } |
| SVC-002 | Orders.list | /orders | GET | - | { id: number } |
"""
HEALTH = {
    "id": "health-1",
    "type": "openapi",
    "version": "1.0.0",
    "service_name": "orders",
    "spec": {
        "openapi": "3.0.0",
        "info": {"title": "Health", "version": "1.0.0"},
        "paths": {"/health": {"get": {"responses": {"200": {"description": "It works"}}}}},
    },
}
WRONG_NAME = Violation(
    check="CONTRACT-001",
    message="`GET /orders/{id}` response 2XX has `total_amount` instead of `totalAmount`",
    file_path="app.py",
    line=11,
    severity="error",
)
NO_LIST = Violation(
    check="CONTRACT-002",
    message="`GET /orders` has no route in the code",
    file_path="REQUIREMENTS.md",
    line=6,
    severity="error",
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "REQUIREMENTS.md").write_text(TABLE)
    return tmp_path


def configured(**scans: bool) -> AgentTeamConfig:
    values = {f"contract_scans.{name}_scan": value for name, value in scans.items()}
    return with_values(AgentTeamConfig(), values)


def result(name: str, promise: str, state: Any, provider: str = "") -> ContractResult:
    return ContractResult(name, "openapi", provider, (PromiseResult(promise, state),))


def test_violations_and_what_becomes_of_each_contract(shop: Path) -> None:
    results = run_contract_scans(shop, [HEALTH], None, configured())
    missing = Violation(
        check="CONTRACT-002",
        message="`GET /health` has no route in the code",
        file_path="contract:health-1",
        line=14,
        severity="error",
    )
    assert results == ContractScanResults(
        contracts=(
            result("SVC-001", "GET /orders/{id}", "violated"),
            result("SVC-002", "GET /orders", "missing"),
            result("health-1", "GET /health", "missing", "orders"),
        ),
        violations=(WRONG_NAME, NO_LIST, missing),
    )


@pytest.mark.requirement("INT-015", "WIRE-014")
@pytest.mark.parametrize(
    ("scans", "violations"),
    [
        ({"endpoint_schema": False}, (NO_LIST,)),
        ({"missing_endpoint": False}, (WRONG_NAME,)),
        ({"endpoint_schema": False, "missing_endpoint": False}, ()),
    ],
)
def test_scans_are_switched_one_by_one(
    scans: dict[str, bool], violations: tuple[Violation, ...], shop: Path
) -> None:
    assert run_contract_scans(shop, [], None, configured(**scans)).violations == violations


@pytest.mark.requirement("TEST-085")
def test_the_api_contract_scan_needs_nothing_but_the_service_tables(shop: Path) -> None:
    assert run_api_contract_scan(shop) == [WRONG_NAME, NO_LIST]
    (shop / "REQUIREMENTS.md").unlink()
    assert run_api_contract_scan(shop) == []


@pytest.mark.requirement("WIRE-012", "TECH-029")
def test_the_report_of_contracts() -> None:
    results = ContractScanResults(
        (
            result("a", "GET /a", "verified"),
            result("b", "GET /b", "violated"),
            result("c", "GET /c", "missing"),
            result("d", "Money", "absent"),
            result("e", "GET /e", "undetermined"),
        ),
        (NO_LIST,),
    )
    assert contract_report(results) == ContractReport(
        total_contracts=4,
        verified_contracts=1,
        violated_contracts=1,
        missing_implementations=1,
        violations=[
            {
                "check": "CONTRACT-002",
                "message": "`GET /orders` has no route in the code",
                "file_path": "REQUIREMENTS.md",
                "line": 6,
                "severity": "error",
            }
        ],
        health="partial",
        verified_contract_ids=["a"],
        violated_contract_ids=["b", "c"],
    )


@pytest.mark.requirement("TEST-060")
@pytest.mark.parametrize(
    ("total", "verified", "broken", "health"),
    [
        (4, 4, 0, "passed"),
        (4, 3, 1, "partial"),
        (4, 2, 2, "partial"),
        (4, 1, 3, "failed"),
        (4, 2, 0, "partial"),
        (0, 0, 0, "unknown"),
    ],
)
def test_health_of_contracts(total: int, verified: int, broken: int, health: Health) -> None:
    assert health_of(total, verified, broken) == health


@pytest.mark.requirement("REQ-079", "TEST-060")
def test_compliance_is_verified_from_what_is_on_disk(shop: Path) -> None:
    contract = ServiceContract(
        contract_id="health-1",
        contract_type="openapi",
        provider_service="orders",
        consumer_service="",
        version="1.0.0",
        spec_hash="",
        spec=HEALTH["spec"],  # type: ignore[arg-type]
    )
    verified = verify_contract_compliance(shop, ServiceContractRegistry([contract]))
    violations = verified.pop("violations")
    assert [violation["check"] for violation in violations] == [
        "CONTRACT-001",
        "CONTRACT-002",
        "CONTRACT-002",
    ]
    assert verified == {
        "total_contracts": 3,
        "implemented": 1,
        "verified": 0,
        "health": "failed",
    }


@pytest.mark.requirement("REQ-079", "WIRE-017")
def test_compliance_is_verified_by_the_scans_that_are_on(shop: Path) -> None:
    verified = verify_contract_compliance(shop, None, configured(endpoint_schema=False))
    assert [violation["check"] for violation in verified["violations"]] == ["CONTRACT-002"]


@pytest.mark.requirement("REQ-079", "TEST-060")
def test_code_that_keeps_its_contracts_passes(shop: Path) -> None:
    (shop / "app.py").write_text(APP.replace("total_amount", "totalAmount"))
    (shop / "REQUIREMENTS.md").write_text(TABLE[: TABLE.index("| SVC-002")])
    assert verify_contract_compliance(shop, None) == {
        "total_contracts": 1,
        "implemented": 1,
        "verified": 1,
        "violations": [],
        "health": "passed",
    }


def test_what_can_surely_be_mended_is_mended_in_the_code(shop: Path) -> None:
    assert fix_in_code(shop, [], "CONTRACT-001") == ("app.py",)
    assert 'total_amount: str = Field(alias="totalAmount")' in (shop / "app.py").read_text()
    assert run_api_contract_scan(shop) == [NO_LIST]
    assert fix_in_code(shop, [], "CONTRACT-001") == ()
    assert fix_in_code(shop, [], "CONTRACT-002") == ()


def git(folder: Path, *words: str) -> None:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.requirement("WIRE-014A", "INT-019")
def test_the_scope_is_what_changed_since_the_last_commit(shop: Path) -> None:
    git(shop, "init", "-q")
    git(shop, "add", ".")
    git(shop, "commit", "-q", "-m", "Begin")
    (shop / "app.py").write_text(APP + "\n")
    scope = compute_changed_files(shop, "changed")
    assert scope == ScanScope("changed", (shop / "app.py",), "")
    assert run_contract_scans(shop, [], scope, configured()).violations == (WRONG_NAME, NO_LIST)


@pytest.mark.requirement("WIRE-014A", "INT-019")
def test_what_agents_commit_counts_as_changed_since_the_run_began(shop: Path) -> None:
    assert current_commit(shop) == ""
    git(shop, "init", "-q")
    assert current_commit(shop) == ""
    git(shop, "add", ".")
    git(shop, "commit", "-q", "-m", "Begin")
    begun = current_commit(shop)
    (shop / "app.py").write_text(APP + "\n")
    git(shop, "commit", "-q", "-a", "-m", "Build")
    assert compute_changed_files(shop, "changed", changed_since=begun) == (
        ScanScope("changed", (shop / "app.py",), "")
    )
    assert compute_changed_files(shop, "changed", ["late.py"]) == (
        ScanScope("changed", (shop / "late.py",), "")
    )
    # A run that began before the first commit has changed everything.
    assert compute_changed_files(shop, "changed", changed_since="") is None


@pytest.mark.requirement("WIRE-014A", "INT-019")
def test_results_are_of_all_contracts_whatever_the_scope(shop: Path) -> None:
    scope = ScanScope("changed", (shop / "other.py",))
    results = run_contract_scans(shop, [], scope, configured())
    assert results.violations == (NO_LIST,)  # what is missing is in no file
    assert [each.state for each in results.contracts] == ["violated", "missing"]


@pytest.mark.requirement("WIRE-014A")
def test_without_git_the_scope_is_what_tasks_have_written(shop: Path) -> None:
    for begun in ("", "HEAD"):
        assert compute_changed_files(shop, "changed", ["app.py"], changed_since=begun) == (
            ScanScope("changed", (shop / "app.py",))
        )
    assert compute_changed_files(shop, "full", ["app.py"]) is None
