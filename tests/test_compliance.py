"""The compliance scans as a pipeline calls them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contract_scan import compliance
from contract_scan.compliance import (
    ScanScope,
    Violation,
    run_contract_compliance_scan,
    run_endpoint_schema_scan,
    run_event_schema_scan,
    run_missing_endpoint_scan,
    run_shared_model_scan,
)
from contract_scan.ir.violation import Finding, Kind, OperationRef, Severity, Undetermined
from contract_scan.scanners.report import Report
from contract_scan.scanners.rules.contract_002_missing_endpoint import NO_ROUTES
from tests.scanners.builders import at

CONTRACT: dict[str, Any] = {"id": "1", "type": "openapi", "version": "1.0.0", "spec": {}}


def finding(
    rule: str, line: int, severity: Severity = "error", kind: Kind = "missing-field"
) -> Finding:
    return Finding(
        rule=rule, kind=kind, severity=severity, message=f"m{line}", origin=at("a.py", line)
    )


class FakeScan:
    """A scan with a fixed answer for each rule, that remembers how it was called."""

    def __init__(self, **answers: Report | Exception) -> None:
        self.answers = {name.replace("_", "-"): answer for name, answer in answers.items()}
        self.calls: list[dict[str, Any]] = []

    def __call__(
        self,
        root: Path,
        *,
        contracts: Sequence[Path | dict[str, Any]],
        select: Collection[str],
        scope: ScanScope | None,
        config: object,
        allow_empty: bool,
    ) -> Report:
        [rule] = select
        self.calls.append({"rule": rule, "root": root, "contracts": contracts, "scope": scope})
        answer = self.answers.get(rule, Report())
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def rules(self) -> list[str]:
        return [call["rule"] for call in self.calls]


@pytest.mark.requirement("TECH-040", "INT-008")
@pytest.mark.parametrize(
    ("run", "rule"),
    [
        (run_endpoint_schema_scan, "CONTRACT-001"),
        (run_missing_endpoint_scan, "CONTRACT-002"),
        (run_event_schema_scan, "CONTRACT-003"),
        (run_shared_model_scan, "CONTRACT-004"),
    ],
)
def test_each_scan_runs_its_rule(run: Any, rule: str, tmp_path: Path) -> None:
    scan = FakeScan(**{rule.replace("-", "_"): Report(findings=(finding(rule, 3),))})
    assert run(tmp_path, [CONTRACT], None, scan=scan) == [
        Violation(check=rule, message="m3", file_path="a.py", line=3, severity="error")
    ]
    assert scan.calls == [{"rule": rule, "root": tmp_path, "contracts": [CONTRACT], "scope": None}]


@pytest.mark.requirement("INT-008")
def test_a_violation_can_be_made_by_keyword_in_any_order() -> None:
    one = Violation(check="CONTRACT-001", file_path="a.py", line=1, message="m", severity="error")
    assert one == Violation("CONTRACT-001", "m", "a.py", 1, "error")


@pytest.mark.requirement("REQ-064", "TEST-054", "TECH-040")
def test_all_scans_are_combined() -> None:
    rules = ("CONTRACT_001", "CONTRACT_002", "CONTRACT_003", "CONTRACT_004")
    scan = FakeScan(
        **{rule: Report(findings=(finding(rule.replace("_", "-"), 1),)) for rule in rules}
    )
    violations = run_contract_compliance_scan(Path(), [CONTRACT], scan=scan)
    assert [v.check for v in violations] == [rule.replace("_", "-") for rule in rules]


@pytest.mark.requirement("REQ-069", "TEST-054")
def test_no_more_than_a_hundred_and_errors_first(tmp_path: Path) -> None:
    warnings = [finding("CONTRACT-001", n, "warning") for n in range(90)]
    errors = [finding("CONTRACT-001", n) for n in range(90)]
    scan = FakeScan(
        CONTRACT_001=Report(findings=(*warnings, *errors)),
        CONTRACT_004=Report(findings=(finding("CONTRACT-004", 1),)),
    )
    alone = run_endpoint_schema_scan(tmp_path, [CONTRACT], scan=scan)
    assert [v.severity for v in alone] == ["error"] * 90 + ["warning"] * 10
    together = run_contract_compliance_scan(tmp_path, [CONTRACT], scan=scan)
    assert [v.severity for v in together] == ["error"] * 91 + ["warning"] * 9


@pytest.mark.requirement("REQ-064", "REQ-070", "TEST-055")
def test_a_scan_that_fails_takes_nothing_from_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scan = FakeScan(
        CONTRACT_001=RuntimeError("boom"),
        CONTRACT_002=Report(findings=(finding("CONTRACT-002", 1),)),
        CONTRACT_003=ValueError("bang"),
        CONTRACT_004=Report(findings=(finding("CONTRACT-004", 1),)),
    )
    with caplog.at_level(logging.WARNING):
        violations = run_contract_compliance_scan(tmp_path, [CONTRACT], scan=scan)
    assert [v.check for v in violations] == ["CONTRACT-002", "CONTRACT-004"]
    assert [(r.levelname, r.getMessage(), bool(r.exc_info)) for r in caplog.records] == [
        ("WARNING", "CONTRACT-001 scan failed", True),
        ("WARNING", "CONTRACT-003 scan failed", True),
    ]


def config(enabled: bool = True, **scans: bool) -> SimpleNamespace:
    return SimpleNamespace(
        contract_engine=SimpleNamespace(enabled=enabled), contract_scans=SimpleNamespace(**scans)
    )


def test_scans_are_switched_one_by_one(tmp_path: Path) -> None:
    scan = FakeScan()
    off = config(missing_endpoint_scan=False, shared_model_scan=False)
    run_contract_compliance_scan(tmp_path, [CONTRACT], None, off, scan=scan)
    assert scan.rules == ["CONTRACT-001", "CONTRACT-003"]
    scan = FakeScan()
    bare = SimpleNamespace(endpoint_schema_scan=False, event_schema_scan=False)
    run_contract_compliance_scan(tmp_path, [CONTRACT], config=bare, scan=scan)
    assert scan.rules == ["CONTRACT-002", "CONTRACT-004"]


@pytest.mark.requirement("REQ-069")
def test_nothing_runs_without_a_contract_engine_or_a_service_table(tmp_path: Path) -> None:
    scan = FakeScan()
    assert run_contract_compliance_scan(tmp_path, [], scan=scan) == []
    assert run_endpoint_schema_scan(tmp_path, [], scan=scan) == []
    off = config(enabled=False)
    assert run_contract_compliance_scan(tmp_path, [CONTRACT], None, off, scan=scan) == []
    assert scan.calls == []


@pytest.mark.parametrize(
    "place",
    ["REQUIREMENTS.md", ".agent-team/REQUIREMENTS.md", ".agent-team/milestones/m1/REQUIREMENTS.md"],
)
def test_a_service_table_is_a_contract(place: str, tmp_path: Path) -> None:
    table = tmp_path / place
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text("| SVC-001 | a.b() | /a | GET | - | { id: string } |\n")
    scan = FakeScan()
    run_contract_compliance_scan(tmp_path, [], None, config(enabled=False), scan=scan)
    assert [call["contracts"] for call in scan.calls] == [[table]] * 4


def test_a_requirements_document_without_services(tmp_path: Path) -> None:
    (tmp_path / "REQUIREMENTS.md").write_text("# What we need\n- REQ-001: speed\n")
    assert not compliance._has_svc_table(tmp_path / "REQUIREMENTS.md")
    assert not compliance._has_svc_table(tmp_path / "missing.md")
    scan = FakeScan()
    run_contract_compliance_scan(tmp_path, [], scan=scan)
    assert scan.calls == []


def test_the_scope_is_passed_on(tmp_path: Path) -> None:
    scan = FakeScan()
    foreign = SimpleNamespace(mode="changed_only", changed_files=[tmp_path / "a.py"])
    run_endpoint_schema_scan(tmp_path, [CONTRACT], foreign, scan=scan)
    assert scan.calls[0]["scope"] == ScanScope(
        "changed_only", (tmp_path / "a.py",), includes_missing=True
    )


def test_what_no_contract_mentions_is_left_out(tmp_path: Path) -> None:
    said = (
        finding("CONTRACT-002", 1, "warning", "undocumented-endpoint"),
        finding("CONTRACT-002", 2, "error", "missing-endpoint"),
    )
    scan = FakeScan(CONTRACT_002=Report(findings=said))
    violations = run_missing_endpoint_scan(tmp_path, [CONTRACT], scan=scan)
    assert [v.line for v in violations] == [2]


def test_without_any_route_every_endpoint_is_missing(tmp_path: Path) -> None:
    def undetermined(reason: str, line: int) -> Undetermined:
        return Undetermined(
            rule="CONTRACT-002",
            reason=reason,
            origin=at("openapi.yaml", line),
            operation=OperationRef(method="GET", path="/a"),
        )

    report = Report(undetermined=(undetermined(NO_ROUTES, 4), undetermined("another reason", 5)))
    scan = FakeScan(CONTRACT_002=report)
    assert run_missing_endpoint_scan(tmp_path, [CONTRACT], scan=scan) == [
        Violation(
            check="CONTRACT-002",
            message=f"`GET /a` has no route: {NO_ROUTES}",
            file_path="openapi.yaml",
            line=4,
            severity="error",
        )
    ]


# ------------------------------------------------------------------------- with the real scan

ORDER_SCHEMA = {
    "type": "object",
    "required": ["orderId", "total"],
    "properties": {"orderId": {"type": "string"}, "total": {"type": "number"}},
}


def openapi_record(*names: str) -> dict[str, Any]:
    """A contract record with one operation for each `GET /path`."""
    answer = {
        "200": {
            "description": "ok",
            "content": {"application/json": {"schema": ORDER_SCHEMA}},
        }
    }
    paths: dict[str, Any] = {}
    for name in names:
        method, path = name.split()
        paths.setdefault(path, {})[method.lower()] = {"responses": answer}
    return {
        "id": "c-1",
        "type": "openapi",
        "version": "1.0.0",
        "service_name": "orders",
        "spec": {
            "openapi": "3.0.3",
            "info": {"title": "Orders", "version": "1.0.0"},
            "paths": paths,
        },
    }


def write(root: Path, **files: str) -> None:
    for name, content in files.items():
        (root / name.replace("__", ".")).write_text(content)


PYTHON = """
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()

class Order(BaseModel):
    {id}: str
    total: float

@app.get("/orders")
def order() -> Order: ...
"""
TYPESCRIPT = """
import {{ Controller, Get }} from "@nestjs/common";

interface Order {{
  {id}: string;
  total: number;
}}

@Controller("orders")
export class Orders {{
  @Get()
  order(): Order {{ return this.one(); }}
}}
"""
CSHARP = """
using Microsoft.AspNetCore.Mvc;

public record Order(string {id}, double Total);

[ApiController]
public class Orders : ControllerBase
{{
    [HttpGet("/orders")]
    public ActionResult<Order> Get() => One();
}}
"""


@pytest.mark.requirement("REQ-065", "TECH-042", "TEST-063")
@pytest.mark.parametrize(
    ("file", "template", "right", "wrong"),
    [
        ("app__py", PYTHON, "orderId", "number"),
        ("orders__ts", TYPESCRIPT, "orderId", "number"),
        ("Orders__cs", CSHARP, "OrderId", "Number"),
    ],
)
def test_fields_are_compared_in_every_language(
    file: str, template: str, right: str, wrong: str, tmp_path: Path
) -> None:
    contracts = [openapi_record("GET /orders")]
    write(tmp_path, **{file: template.format(id=right)})
    assert run_endpoint_schema_scan(tmp_path, contracts) == []
    write(tmp_path, **{file: template.format(id=wrong)})
    violations = run_endpoint_schema_scan(tmp_path, contracts)
    assert [(v.check, v.severity, v.file_path) for v in violations] == [
        ("CONTRACT-001", "error", file.replace("__", ".")),
        ("CONTRACT-001", "warning", file.replace("__", ".")),
    ]
    assert "lacks `orderId`" in violations[0].message


@pytest.mark.requirement("REQ-065", "TEST-050")
def test_a_service_table_is_compared_with_the_code(tmp_path: Path) -> None:
    table = """
| ID | Service | Endpoint | Method | Request | Response |
|---|---|---|---|---|---|
| SVC-001 | orders.get() | /orders | GET | - | { orderId: string, total: number } |
"""
    write(tmp_path, app__py=PYTHON.format(id="order_id"), REQUIREMENTS__md=table)
    violations = run_contract_compliance_scan(tmp_path, [])
    assert [(v.check, v.severity) for v in violations] == [("CONTRACT-001", "error")]
    assert "`order_id`" in violations[0].message


FLASK = """
from flask import Flask

app = Flask(__name__)

@app.route("/orders")
def orders(): ...
"""
FASTAPI = """
from fastapi import APIRouter, FastAPI

router = APIRouter(prefix="/orders")

@router.get("")
def orders(): ...

app = FastAPI()
app.include_router(router)
"""
EXPRESS = """
import express from "express";

const app = express();
const router = express.Router();
router.get("/", (request, response) => response.json({}));
app.use("/orders", router);
"""
ASPNET = """
using Microsoft.AspNetCore.Mvc;

[ApiController]
[Route("orders")]
public class Orders : ControllerBase
{
    [HttpGet]
    public IActionResult Get() => Ok();
}
"""
SPRING = """
import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/orders")
class Orders {
    @GetMapping
    String get() { return ""; }
}
"""


@pytest.mark.requirement("REQ-066", "TECH-043", "TEST-064")
@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("flask_app__py", FLASK),
        ("fastapi_app__py", FASTAPI),
        ("app__ts", EXPRESS),
        ("Orders__cs", ASPNET),
        ("Orders__java", SPRING),
    ],
)
def test_routes_are_found_in_every_framework(file: str, code: str, tmp_path: Path) -> None:
    write(tmp_path, **{file: code})
    violations = run_missing_endpoint_scan(tmp_path, [openapi_record("GET /orders", "GET /bills")])
    assert [v.message for v in violations] == ["`GET /bills` has no route in the code"]


@pytest.mark.requirement("REQ-066", "TEST-051")
def test_a_contracted_endpoint_without_a_route(tmp_path: Path) -> None:
    contracts = [openapi_record("GET /orders", "POST /orders", "GET /refunds")]
    write(tmp_path, app__py=PYTHON.format(id="orderId"))
    assert [v.message for v in run_missing_endpoint_scan(tmp_path, contracts)] == [
        "`POST /orders` has no route; the code defines only GET for this path",
        "`GET /refunds` has no route in the code",
    ]
    empty = tmp_path / "empty"
    empty.mkdir()
    violations = run_missing_endpoint_scan(empty, contracts)
    assert [(v.check, v.severity) for v in violations] == [("CONTRACT-002", "error")] * 3


@pytest.mark.requirement("REQ-068", "TEST-053")
def test_drift_of_case_in_a_shared_model(tmp_path: Path) -> None:
    record = {
        "id": "c-2",
        "type": "json_schema",
        "version": "1.0.0",
        "service_name": "shared",
        "spec": {"title": "Order", **ORDER_SCHEMA},
    }
    write(
        tmp_path,
        order__py="from dataclasses import dataclass\n\n@dataclass\nclass Order:\n"
        "    order_id: str\n    total: float\n",
        order__ts="export interface Order {\n  orderId: string;\n  total: number;\n}\n",
        Order__cs="public record Order(string OrderId, int Count);\n",
    )
    violations = run_shared_model_scan(tmp_path, [record])
    assert [(v.severity, v.file_path) for v in violations] == [
        ("error", "Order.cs"),
        ("error", "order.py"),
        ("warning", "Order.cs"),
    ]
    assert violations[1].message == "Python `Order` has `order_id` instead of `orderId`"


@pytest.mark.requirement("TECH-041")
def test_a_scope_limits_what_is_said(tmp_path: Path) -> None:
    contracts = [openapi_record("GET /orders")]
    write(tmp_path, app__py=PYTHON.format(id="number"), other__py="")
    inside = ScanScope("changed", [tmp_path / "app.py"])
    outside = ScanScope("changed", [tmp_path / "other.py"])
    assert len(run_endpoint_schema_scan(tmp_path, contracts, inside)) == 2
    assert run_endpoint_schema_scan(tmp_path, contracts, outside) == []


@pytest.mark.requirement("TECH-041", "INT-019")
@pytest.mark.parametrize("code", [PYTHON.format(id="number"), ""], ids=["another route", "none"])
def test_an_endpoint_that_is_missing_is_in_every_scope(code: str, tmp_path: Path) -> None:
    write(tmp_path, app__py=code, other__py="x = 1\n")
    contracts = [openapi_record("GET /bills")]
    scope = ScanScope("changed", [tmp_path / "other.py"])
    (violation,) = run_missing_endpoint_scan(tmp_path, contracts, scope)
    assert violation.message.startswith("`GET /bills` has no route")


@pytest.mark.requirement("REQ-067", "TEST-052")
def test_a_payload_that_differs_from_its_channel(tmp_path: Path) -> None:
    record = {
        "id": "c-3",
        "type": "asyncapi",
        "version": "1.0.0",
        "service_name": "orders",
        "spec": {
            "asyncapi": "3.0.0",
            "info": {"title": "Orders", "version": "1.0.0"},
            "channels": {
                "created": {
                    "address": "order.created",
                    "messages": {"Created": {"payload": ORDER_SCHEMA}},
                }
            },
            "operations": {
                "created": {"action": "send", "channel": {"$ref": "#/channels/created"}}
            },
        },
    }
    write(
        tmp_path,
        events__ts="""
import { Kafka } from "kafkajs";

const producer = new Kafka({ brokers: ["kafka:9092"] }).producer();

export async function publish(id: string): Promise<void> {
  await producer.send({
    topic: "order.created",
    messages: [{ value: JSON.stringify({ orderId: id, sum: 1 }) }],
  });
}
""",
    )
    violations = run_event_schema_scan(tmp_path, [record])
    assert [(v.check, v.severity, v.file_path) for v in violations] == [
        ("CONTRACT-003", "error", "events.ts"),
        ("CONTRACT-003", "warning", "events.ts"),
    ]
    assert "lacks `total`" in violations[0].message
