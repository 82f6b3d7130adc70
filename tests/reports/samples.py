"""A small scanned project and what a scan says of it, made by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding, OperationRef, Severity, Undetermined
from contract_scan.reports.report import Setting
from contract_scan.scanners.report import PromiseCounts, Report, Summary


@dataclass(frozen=True)
class RulePage:
    id: str
    name: str
    summary: str
    severity: Severity
    documentation: str


ORDERS = """\
from fastapi import FastAPI

app = FastAPI()


def get_order(id: str):
    return JSONResponse(order, status_code=201)


class Order:
\tprice: str
"""

CONTRACT = """\
openapi: 3.1.0
paths:
  /orders/{id}:
    get:
      responses:
        "200": { description: ok }
  /orders:
    post: {}
components:
  schemas:
    Order:
      properties:
        price: { type: number }
"""


WRONG_STATUS = Finding(
    rule="CONTRACT-001",
    kind="status",
    severity="error",
    message="`GET /orders/{id}` returns 201; the contract allows 200",
    origin=Origin("src/orders.py", Span(7, 12, 7, 48), symbol="get_order"),
    operation=OperationRef(method="GET", path="/orders/{id}", status="201", direction="response"),
    expected="200",
    found="201",
    contract=Origin(
        "contracts/orders.yaml",
        Span(6, 9, 6, 14),
        pointer="/paths/~1orders~1{id}/get/responses",
    ),
    help="return 200, or add 201 to the contract",
    fingerprint="v1:00000000000000000000000000000001",
)

MISSING_ENDPOINT = Finding(
    rule="CONTRACT-002",
    kind="missing-endpoint",
    severity="error",
    message="`POST /orders` is contracted, but no route answers it",
    origin=Origin("contracts/orders.yaml", Span(8, 5, 8, 9), pointer="/paths/~1orders/post"),
    operation=OperationRef(method="POST", path="/orders"),
    contract=Origin("contracts/orders.yaml", Span(8, 5, 8, 9), pointer="/paths/~1orders/post"),
    help="add a route, or remove the operation from the contract",
    fingerprint="v1:00000000000000000000000000000002",
)

WRONG_MODEL = Finding(
    rule="CONTRACT-004",
    kind="type",
    severity="warning",
    message="`Order.price` is a string; the model says number",
    origin=Origin("src/orders.py", Span(11, 2, 11, 12), symbol="Order"),
    model="Order",
    field="price",
    expected="number",
    found="string",
    contract=Origin(
        "contracts/orders.yaml",
        Span(13, 9, 13, 14),
        pointer="/components/schemas/Order/properties/price",
    ),
    reached_from=Origin("src/orders.py", Span(6, 1, 6, 4)),
    fingerprint="v1:00000000000000000000000000000003",
)

UNTYPED = Undetermined(
    rule="CONTRACT-001",
    reason="the handler's return type is declared as any",
    origin=Origin("src/orders.py", Span(6, 1, 6, 5)),
    operation=OperationRef(method="GET", path="/orders", status="200", direction="response"),
    field="items[]",
)

UNREADABLE = NotAnalysed(path="src/old.py", reason="is not UTF-8; save it as UTF-8", line=3)

RULES = tuple(
    RulePage(
        id=id,
        name=name,
        summary=f"{name} promise.",
        severity="error",
        documentation=f"# {name}\n\nWhat it promises.\n",
    )
    for id, name in (
        ("CONTRACT-001/status", "Status"),
        ("CONTRACT-002/missing-endpoint", "MissingEndpoint"),
        ("CONTRACT-004/type", "Type"),
        ("CONTRACT-004/enum", "Enum"),
    )
)

FIXABLE = (
    msgspec.structs.replace(
        WRONG_STATUS,
        fix=Fix(
            title="answer with status `200`",
            safe=True,
            edits=(Edit("src/orders.py", Span(7, 44, 7, 47), "200"),),
            digest=b"",
        ),
    ),
    msgspec.structs.replace(
        WRONG_MODEL,
        fix=Fix(
            title="add `note` to the contract",
            safe=False,
            edits=(
                Edit(
                    "contracts/orders.yaml",
                    Span(14, 1, 14, 1),
                    "".join(f"        line{n}: {n}\n" for n in range(20)),
                ),
            ),
            digest=b"",
        ),
    ),
    MISSING_ENDPOINT,
)
"""Findings with a safe fix, with an unsafe one, and with none."""

ALIKE = tuple(
    msgspec.structs.replace(
        WRONG_STATUS,
        origin=Origin(f"src/place{number}.py", Span(1, 1, 1, 9), symbol=f"Place{number}.run"),
        operation=OperationRef(method="GET", path=f"/{number}", status="400"),
        message=f"`GET /{number}` returns 400; the contract allows 200",
        reached_from=None,
    )
    for number in range(3)
)
"""Three problems that one sentence tells."""

BUSY = Report(
    findings=(WRONG_MODEL, WRONG_STATUS, MISSING_ENDPOINT),
    undetermined=(UNTYPED,),
    not_analysed=(UNREADABLE,),
    summary=Summary(
        operations=PromiseCounts(total=3, verified=0, violated=1, missing=1, undetermined=1),
        models=PromiseCounts(total=1, violated=1),
    ),
    files=4,
)

CLEAN = Report(summary=Summary(operations=PromiseCounts(total=2, verified=2)), files=1)


def project(folder: Path) -> Setting:
    """The project written to a folder, and the setting to report on it."""
    (folder / "src").mkdir(parents=True)
    (folder / "contracts").mkdir()
    (folder / "src" / "orders.py").write_text(ORDERS, encoding="utf-8")
    (folder / "contracts" / "orders.yaml").write_text(CONTRACT, encoding="utf-8")
    return Setting(root=folder, version="1.2.3", rules=RULES)
