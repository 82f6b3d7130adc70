"""Records around contracts, in a file or over the wire."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.errors import ContractError
from contract_scan.ir.origin import Span
from tests.parsers.contracts.loading import load_contract, load_contracts, load_records
from tests.parsers.contracts.rendering import problems, render

OPENAPI = {
    "openapi": "3.0.3",
    "info": {"title": "Orders", "version": "1"},
    "paths": {
        "/orders": {
            "get": {
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                        }
                    }
                }
            }
        }
    },
    "components": {"schemas": {"Order": {"type": "object", "properties": {"id": {}}}}},
}
ASYNCAPI = {"asyncapi": "3.0.0", "channels": {"created": {"address": "orders.created"}}}
MODEL = {"type": "object", "title": "Money", "properties": {"amount": {"type": "integer"}}}

ORDERS = {"id": "1", "type": "openapi", "service_name": "orders", "version": "1.0.0"}
EVENTS = {"contract_id": "2", "contract_type": "asyncapi", "provider_service": "events"}
MONEY = {"id": "3", "type": "json_schema", "service_name": "shared"}
RECORDS = [
    {**ORDERS, "spec": OPENAPI},
    {**EVENTS, "spec": ASYNCAPI},
    {**MONEY, "spec": MODEL},
]
READ = [
    ("openapi", "orders", "Orders", 1, 0, 0),
    ("asyncapi", "events", "2", 0, 1, 0),
    ("json-schema", "shared", "Money", 0, 0, 1),
]


def read(folder: Path, content: object) -> list[tuple[str, str, str, int, int, int]]:
    path = folder / "CONTRACTS.json"
    path.write_text(json.dumps(content, indent=1))
    return [
        (
            one.kind,
            one.service,
            one.title,
            len(one.operations),
            len(one.channels),
            len(one.models),
        )
        for one in load_contracts([path], folder)
    ]


@pytest.mark.parametrize(
    "content",
    [
        RECORDS,
        {"contracts": RECORDS},
        {"items": RECORDS, "total": 3, "page": 1},
        {"1": RECORDS[0], "2": RECORDS[1], "3": RECORDS[2]},
        {"contracts": {"1": RECORDS[0], "2": RECORDS[1], "3": RECORDS[2]}},
        [{**ORDERS, "spec": json.dumps(OPENAPI)}, *RECORDS[1:]],
    ],
    ids=["list", "contracts", "page", "by id", "contracts by id", "specification as text"],
)
def test_every_arrangement_of_records_is_read(tmp_path: Path, content: object) -> None:
    assert read(tmp_path, content) == READ


def test_pointers_count_from_the_contract_and_places_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "order.json"
    path.write_text(json.dumps(RECORDS[0], indent=1))
    document = load_contract(path, tmp_path)
    assert problems(document) == []
    assert [render(one) for one in document.schemas.values()] == ["Order{id?: any?|null}"]
    (operation,) = document.operations
    assert operation.origin.pointer == "/spec/paths/~1orders/get"
    assert operation.origin.span == Span(14, 5, 14, 10)


def test_records_over_the_wire(tmp_path: Path) -> None:
    found = load_records(RECORDS, tmp_path)
    assert [(one.path, one.kind, one.service) for one in found] == [
        ("contract:1", "openapi", "orders"),
        ("contract:2", "asyncapi", "events"),
        ("contract:3", "json-schema", "shared"),
    ]


def test_a_schema_with_such_properties_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "resource.json"
    members = {"spec": {"type": "object"}, "id": {"type": "string"}, "type": {"type": "string"}}
    path.write_text(json.dumps({"type": "object", "properties": members}))
    assert load_contract(path, tmp_path).kind == "json-schema"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"id": "1", "type": "graphql", "spec": {}},
            "contract:1:1: the contract's type `graphql` is none of openapi, asyncapi, json_schema",
        ),
        (
            {"id": "1", "type": "openapi", "spec": {"info": {}}},
            "contract:1:4: is no openapi document: it gives no `openapi` version",
        ),
        (
            {"id": "1", "type": "openapi", "spec": "{"},
            "contract:1#/spec:1: is not valid JSON: ",
        ),
        ({"id": "1", "spec": {"a": float("nan")}}, "contract:1: is not a contract record: "),
        ({"id": "1", "spec": {1, 2}}, "contract:1: is not a contract record: "),
    ],
)
def test_a_record_that_cannot_be_read_says_why(
    tmp_path: Path, record: dict[str, object], message: str
) -> None:
    with pytest.raises(ContractError) as caught:
        load_records([record], tmp_path)
    assert str(caught.value).startswith(message)
