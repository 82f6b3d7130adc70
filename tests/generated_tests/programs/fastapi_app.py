"""A shop that keeps its contract, unless MUTATION names a way in which it does not. See
`fastapi_apps.py`."""

from __future__ import annotations

import os
from typing import Annotated, Literal

from fastapi import Depends, FastAPI, Header, HTTPException, Query, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field

MUTATION = os.environ.get("MUTATION", "")
app = FastAPI(openapi_url=None)
ORDERS: dict[str, dict[str, object]] = {}


def mutated(name: str) -> bool:
    return name == MUTATION


class Line(BaseModel):
    sku: str = Field(**({} if mutated("accepts-any-sku") else {"pattern": "^[A-Z]{3}-[0-9]+$"}))
    quantity: int = Field(**({} if mutated("accepts-zero-quantity") else {"ge": 1, "le": 99}))


class NewOrder(BaseModel):
    model_config = ConfigDict(extra="ignore" if mutated("accepts-additional") else "forbid")

    customer: str | None if mutated("accepts-no-customer") else str = Field(
        **({"default": None} if mutated("accepts-no-customer") else {}),
        **({} if mutated("accepts-long-customer") else {"max_length": 60}),
        **({} if mutated("accepts-empty-customer") else {"min_length": 1}),
    )
    priority: str if mutated("accepts-any-priority") else Literal["low", "high"] = "low"
    lines: list[Line] = Field(**({} if mutated("accepts-no-lines") else {"min_length": 1}))


def authenticated(x_api_key: Annotated[str | None, Header()] = None) -> None:
    if x_api_key != "secret" and not mutated("open-to-all"):
        raise HTTPException(401, "no key")


def stored(identifier: str) -> dict[str, object]:
    if identifier not in ORDERS:
        if mutated("unknown-is-found"):
            return {"id": identifier, "customer": "c", "priority": "low", "lines": [], "total": 0}
        status = 500 if mutated("unknown-is-an-error") else 404
        raise HTTPException(status, "unknown")
    return ORDERS[identifier]


@app.post("/v1/orders", dependencies=[Depends(authenticated)])
def create(order: NewOrder) -> Response:
    identifier = f"o-{len(ORDERS) + 1}"
    made = {
        "id": identifier,
        **order.model_dump(),
        "total": len(order.lines) * 100,
        "note": None,
        "createdAt": "2026-01-01T00:00:00Z",
    }
    ORDERS[identifier] = made
    sent = dict(made)
    if mutated("id-is-a-number"):
        sent["id"] = len(ORDERS)
    if mutated("no-total"):
        del sent["total"]
    if mutated("total-is-text"):
        sent["total"] = "100"
    if mutated("total-is-renamed"):
        sent["Total"] = sent.pop("total")
    if mutated("created-is-no-time"):
        sent["createdAt"] = "yesterday"
    if mutated("sends-additional"):
        sent["secret"] = 1
    status = 200 if mutated("created-answers-200") else 201
    headers = {} if mutated("no-location") else {"Location": f"/v1/orders/{identifier}"}
    if mutated("sends-text"):
        return PlainTextResponse("created", status, headers)
    return JSONResponse(sent, status, headers)


@app.get("/v1/orders", dependencies=[Depends(authenticated)])
def find(
    limit: Annotated[int, Query(**({} if mutated("accepts-any-limit") else {"ge": 1, "le": 50}))],
) -> Response:
    found = list(ORDERS.values())[:limit]
    return JSONResponse(found if mutated("list-is-bare") else {"items": found})


@app.get("/v1/orders/{identifier}", dependencies=[Depends(authenticated)])
def read(identifier: str) -> Response:
    order = dict(stored(identifier))
    if mutated("customer-is-null"):
        order["customer"] = None
    if mutated("priority-is-unknown"):
        order["priority"] = "LOW"
    if mutated("line-without-sku"):
        order["lines"] = [{"quantity": 1}]
    return JSONResponse(order)


if not mutated("no-delete"):

    @app.delete("/v1/orders/{identifier}", dependencies=[Depends(authenticated)])
    def remove(identifier: str) -> Response:
        stored(identifier)
        ORDERS.pop(identifier, None)
        return Response(status_code=200 if mutated("removed-answers-200") else 204)
