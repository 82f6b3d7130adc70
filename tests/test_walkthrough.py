"""docs/walkthrough.md tells the way from a route to a finding as it really runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from contract_scan.api import scan

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "walkthrough.md"
MODULES_TO_OPEN = 25
LINES = 80
CONTRACT = """\
openapi: 3.0.3
info: {title: Shop, version: "1"}
paths:
  /orders/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200":
          description: An order
          content:
            application/json:
              schema:
                type: object
                required: [id, total]
                properties: {id: {type: string}, total: {type: number}}
"""
FASTAPI = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: str
    total: str


@app.get("/orders/{id}")
def order(id: str) -> Order:
    return Order(id=id, total="12.50")
"""
SPRING = """\
import org.springframework.web.bind.annotation.*;

@RestController
class OrderController {
    record Order(String id, String total) {}

    @GetMapping("/orders/{id}")
    Order order(@PathVariable String id) { return new Order(id, "12." + id); }
}
"""
STEP = re.compile(r"`([\w.]+)`\s+in\s+\[[^]]+\]\(\.\./([\w/]+\.py)\)")
"""`function` in [module.py](../path/of/module.py)."""


def section(title: str) -> str:
    """The text below a heading of the page."""
    return PAGE.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def steps(title: str) -> list[tuple[str, str]]:
    """(module, function or class) of each step of a section, in its order."""
    return [(path, name) for name, path in STEP.findall(section(title))]


def called(run: Callable[[], object]) -> set[tuple[str, str]]:
    """(module, qualified name) of each function of ours that runs."""
    seen: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    package = str(ROOT / "contract_scan")
    return {
        (str(Path(file).relative_to(ROOT)), name) for file, name in seen if file.startswith(package)
    }


@pytest.mark.parametrize(
    ("title", "name", "code", "total"),
    [
        ("FastAPI", "main.py", FASTAPI, '"12.50"'),
        ("Spring", "OrderController.java", SPRING, "a string"),
    ],
)
def test_every_step_runs_on_the_way_to_the_finding(
    tmp_path: Path, title: str, name: str, code: str, total: str
) -> None:
    (tmp_path / "openapi.yaml").write_text(CONTRACT)
    (tmp_path / name).write_text(code)
    found: list[str] = []

    def run() -> None:
        report = scan(tmp_path)
        found.extend(finding.message for finding in report.findings)

    ran = called(run)
    assert found == [f"`GET /orders/{{id}}` response 200: `total` is {total}, expected a number"]
    listed = steps("The way that every language takes") + steps(title)
    assert len(listed) >= len({path for path, _ in listed}) >= 15
    missing = [
        (path, step)
        for path, step in listed
        if not any(file == path and _is_part(step, function) for file, function in ran)
    ]
    assert missing == []


def _is_part(step: str, function: str) -> bool:
    """Whether a function is the one of a step, or belongs to its class."""
    return function == step or function.startswith(f"{step}.")


def test_the_way_can_be_read_in_one_sitting() -> None:
    assert len(PAGE.read_text("utf-8").splitlines()) < LINES
    for title in ("FastAPI", "Spring"):
        modules = {path for path, _ in steps("The way that every language takes") + steps(title)}
        assert len(modules) <= MODULES_TO_OPEN
