"""Mutants of a contract are scanned, judged and counted per operator."""

from __future__ import annotations

from pathlib import Path

from bench.accuracy.results import scores_of
from bench.accuracy.run import Pair
from bench.accuracy.score import score

CONTRACT = """
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders:
    get:
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                type: object
                required: [orderId]
                properties:
                  orderId: { type: string }
                  note: { type: string }
                  payer:
                    type: object
                    properties: { name: { type: string } }
"""

APP = """
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()

class Order(BaseModel):
    orderId: str

@app.get("/orders")
def orders() -> Order: ...
"""


def shop(folder: Path) -> Pair:
    (folder / "code").mkdir()
    (folder / "code" / "app.py").write_text(APP)
    (folder / "openapi.yaml").write_text(CONTRACT)
    return Pair("shop", "python", "FastAPI", folder / "code", folder / "openapi.yaml")


def verdicts(pair: Pair, operator: str) -> dict[str, str]:
    tally = score(pair, count=9, seed=1).operators[operator]
    return {min(outcome.expected.fields): outcome.verdict for outcome in tally.outcomes}


def test_what_the_code_does_not_have_cannot_break(tmp_path: Path) -> None:
    assert verdicts(shop(tmp_path), "change_type") == {
        "orderId": "found",
        "note": "absent",
        "payer.name": "absent",
    }


def test_what_is_added_inside_an_absent_part_cannot_break_either(tmp_path: Path) -> None:
    assert verdicts(shop(tmp_path), "add_required_property") == {
        "zzAddedField": "found",
        "payer.zzAddedField": "absent",
    }


def test_every_operator_has_its_counts(tmp_path: Path) -> None:
    made = scores_of(score(shop(tmp_path), count=9, seed=1))["operators"]
    assert made["change_type"] == {
        "control": False,
        "mutants": 3,
        "found": 1,
        "missed": 0,
        "unsure": 0,
        "absent": 2,
        "perhaps": 0,
        "blind": 0,
        "exact": 3,
    }
    assert made["control_reorder"]["control"]
