"""What is looked at of files that a contract has nothing to do with: no more than a glance.

A report is given again while all that it rests on is as it was. A module that parses every file, or
reads what stands in each, lets every edit link everything anew; it would be told of here, file by
file.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.api import open_code
from contract_scan.parsers.source.dependencies import SourceDependency
from tests.caches import rest

ORDER = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "note": {"type": "string", "nullable": True}},
}
CONTRACT = {
    "openapi": "3.0.3",
    "info": {"title": "T", "version": "1"},
    "paths": {
        "/orders/{id}": {
            "get": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": ORDER}},
                    }
                },
            }
        }
    },
}
PYTHON = {
    "app.py": """
from fastapi import FastAPI
from models import Order
app = FastAPI()

@app.get("/orders/{id}")
def order(id: str) -> Order:
    return Order(id=id, note="x")
""",
    "models.py": """
from dataclasses import dataclass

@dataclass
class Order:
    id: str
    note: str | None = None
""",
    "user.py": """
from models import Order

class Printer:
    def write(self, order: Order) -> str:
        text = order.note or "-"
        self.last = text
        return text.upper()
""",
    "other.py": """
class Ledger:
    def __init__(self, rows: list[int]) -> None:
        self.rows = rows

    def total(self) -> int:
        return sum(self.rows)
""",
}
TYPESCRIPT = {
    "package.json": '{"dependencies": {"express": "5"}}',
    "src/app.ts": """
import express from "express";
import { Order } from "./models";
const app = express();
app.get("/orders/:id", (req, res) => {
  const order: Order = { id: req.params.id, note: "x" };
  res.json(order);
});
""",
    "src/models.ts": "export interface Order { id: string; note: string | null; }\n",
    "src/user.ts": """
import { Order } from "./models";
export class Printer {
  last = "";
  write(order: Order): string {
    this.last = order.note ?? "-";
    return this.last.toUpperCase();
  }
}
""",
    "src/other.ts": """
export class Ledger {
  constructor(private rows: number[]) {}
  total(): number { return this.rows.reduce((sum, row) => sum + row, 0); }
}
""",
}
CSHARP = {
    "App.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
    "OrdersController.cs": """
using Microsoft.AspNetCore.Mvc;
namespace App;
[ApiController, Route("orders")]
public class OrdersController : ControllerBase
{
    [HttpGet("{id}")]
    public ActionResult<Order> Get(string id) { return new Order { Id = id, Note = "x" }; }
}
""",
    "Order.cs": """
namespace App;
public class Order { public string Id { get; set; } public string? Note { get; set; } }
""",
    "Printer.cs": """
namespace App;
public class Printer
{
    private string last;
    public string Write(Order order) { last = order.Note ?? "-"; return last.ToUpper(); }
}
""",
    "Ledger.cs": """
namespace App;
public class Ledger
{
    private readonly int[] rows;
    public Ledger(int[] rows) { this.rows = rows; }
    public int Total() { var sum = 0; foreach (var row in rows) sum += row; return sum; }
}
""",
}
JAVA = {
    "pom.xml": "<project><dependencies></dependencies></project>",
    "src/main/java/app/Orders.java": """
package app;
import org.springframework.web.bind.annotation.*;
@RestController
public class Orders {
    @GetMapping("/orders/{id}")
    public Order order(@PathVariable String id) { return new Order(id, "x"); }
}
""",
    "src/main/java/app/Order.java": """
package app;
public record Order(String id, String note) { }
""",
    "src/main/java/app/Printer.java": """
package app;
public class Printer {
    private String last;
    public String write(Order order) { last = order.note(); return last.toUpperCase(); }
}
""",
    "src/main/java/app/Ledger.java": """
package app;
public class Ledger {
    private final int[] rows;
    public Ledger(int[] rows) { this.rows = rows; }
    public int total() { int sum = 0; for (int row : rows) { sum += row; } return sum; }
}
""",
}


def taken(source: SourceDependency) -> str:
    """What a report rests on of a file."""
    if not source.effect:
        return "every byte"
    patterns = sum(bool(each.pattern) for each, _ in source.excerpts)
    parts = [
        f"facts and {len(source.bodies)} bodies" if source.parsed else "",
        "lines" if any(each.first for each, _ in source.excerpts) else "",
        f"{patterns} patterns" if patterns else "",
    ]
    return ", ".join(filter(None, parts)) or "a glance"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            PYTHON,
            {
                "app.py": "facts and 0 bodies, 2 patterns",
                "models.py": "facts and 0 bodies, 1 patterns",
                "user.py": "1 patterns",
                "other.py": "a glance",
            },
        ),
        (
            TYPESCRIPT,
            {
                "app.ts": "facts and 0 bodies, lines",
                "models.ts": "facts and 0 bodies",
                "user.ts": "facts and 0 bodies",
                "other.ts": "a glance",
            },
        ),
        (
            CSHARP,
            {
                "OrdersController.cs": "facts and 0 bodies, lines, 3 patterns",
                "Order.cs": "facts and 0 bodies, 4 patterns",
                "Printer.cs": "facts and 1 bodies, lines, 3 patterns",
                "Ledger.cs": "a glance",
            },
        ),
        (
            JAVA,
            {
                "Orders.java": "facts and 1 bodies",
                "Order.java": "facts and 0 bodies",
                "Printer.java": "a glance",
                "Ledger.java": "a glance",
            },
        ),
    ],
    ids=["python", "typescript", "csharp", "java"],
)
def test_what_a_report_rests_on(
    tmp_path: Path, files: dict[str, str], expected: dict[str, str]
) -> None:
    root = tmp_path / "code"
    for path, text in {**files, "openapi.json": json.dumps(CONTRACT)}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    rest()
    with open_code(root, cache=tmp_path / "cache") as code:
        _, evidence = code.compare()
    assert evidence is not None
    found = {Path(path).name: taken(source) for path, source in evidence.sources.items()}
    assert found == expected
    settings = [name for name in files if name.endswith((".json", ".xml", ".csproj"))]
    assert sorted(evidence.others) == sorted(["openapi.json", *settings])
