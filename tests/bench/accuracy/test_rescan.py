"""Scanning many contracts of the same code gives what scanning each of them gives."""

from __future__ import annotations

from pathlib import Path

from bench.accuracy.rescan import rescanning
from bench.accuracy.run import Found, Pair, Said, scan
from bench.accuracy.score import score

APP = """
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()

class Order(BaseModel):
    orderId: str
    price: float

@app.get("/orders/{order_id}")
def get_order(order_id: str) -> Order: ...

@app.delete("/orders/{order_id}", status_code=204)
def cancel(order_id: str) -> None: ...
"""

CONTRACT = """
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                type: object
                required: [orderId, price]
                properties:
                  orderId: { type: string }
                  price: { type: string }
    delete:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "204": { description: gone } }
"""


def shop(folder: Path) -> Pair:
    (folder / "code").mkdir()
    (folder / "code" / "app.py").write_text(APP)
    (folder / "openapi.yaml").write_text(CONTRACT)
    return Pair("shop", "python", "FastAPI", folder / "code", folder / "openapi.yaml")


def test_a_rescan_says_what_a_scan_says(tmp_path: Path) -> None:
    pair = shop(tmp_path)
    drift = (Found("CONTRACT-001", "type", "GET /orders/{}", "price"),)
    with rescanning(pair.source) as rescan:
        assert rescan(pair.contract) == rescan(pair.contract) == Said(drift, frozenset())
    assert scan(pair.source, pair.contract).said == Said(drift, frozenset())


def test_every_planted_mistake_in_a_small_contract_is_found(tmp_path: Path) -> None:
    pair = shop(tmp_path)
    made = score(pair, count=3, seed=1)
    missed = [outcome for outcome in made.outcomes if outcome.verdict == "missed"]
    assert (missed, made.alarms) == ([], [])
    assert made.count("found") > 10
