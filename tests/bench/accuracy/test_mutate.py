"""Mutants change one thing of a contract and say what a scan then has to find."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from bench.accuracy.contract_text import inlined, load, references, resolved
from bench.accuracy.mutant import Mutant
from bench.accuracy.mutate import mutants, property_mutants
from bench.accuracy.mutate_names import other_case, renamed_path
from bench.accuracy.property_operators import PROPERTY_OPERATORS
from bench.accuracy.sites import payloads, requests, sites

SHOP: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/orders": {
            "get": {
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                    {"name": "x-tenant", "in": "header", "required": True, "schema": {}},
                ],
                "responses": {
                    "200": {
                        "description": "all",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Order"},
                                }
                            }
                        },
                    }
                },
            },
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/NewOrder"}}
                    }
                },
                "responses": {"201": {"description": "made"}},
            },
        },
        "/orders/{orderId}": {
            "parameters": [{"$ref": "#/components/parameters/OrderId"}],
            "get": {
                "responses": {
                    "200": {
                        "description": "one",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "required": ["order"],
                                    "properties": {"order": {"$ref": "#/components/schemas/Order"}},
                                }
                            }
                        },
                    }
                }
            },
        },
    },
    "components": {
        "parameters": {
            "OrderId": {"name": "orderId", "in": "path", "required": True, "schema": {}}
        },
        "schemas": {
            "NewOrder": {
                "type": "object",
                "required": ["amount"],
                "properties": {"amount": {"type": "number"}, "note": {"type": "string"}},
            },
            "Order": {
                "type": "object",
                "required": ["orderId", "status"],
                "properties": {
                    "orderId": {"type": "string"},
                    "status": {"type": "string", "enum": ["open", "paid"]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "note": {"type": ["string", "null"]},
                    "payer": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                },
            },
        },
    },
}

QUEUE: dict[str, Any] = {
    "asyncapi": "3.0.0",
    "channels": {
        "paid": {
            "address": "orders.paid",
            "messages": {},
            "bindings": {"amqp": {"queue": {"name": "orders.paid"}}},
        }
    },
    "operations": {"onPaid": {"action": "receive", "channel": {"$ref": "#/channels/paid"}}},
}


def made_by(operator: str, document: dict[str, Any] = SHOP) -> list[Mutant]:
    return [mutant for mutant in mutants(document, count=9) if mutant.operator == operator]


def expectations(operator: str, *, isolate: bool = False) -> set[tuple[str, str, str]]:
    """(kind, subject, field) of everything that the mutants of an operator have to cause."""
    return {
        (kind, expected.subject, field)
        for mutant in mutants(SHOP, count=9, isolate=isolate)
        if mutant.operator == operator
        for expected in mutant.expected
        for kind in expected.kinds
        for field in expected.fields
    }


def test_sites_name_every_payload_that_reaches_a_property() -> None:
    reached = {
        site.name: {(use.subject, use.wire) for use in site.uses}
        for site in sites(SHOP)
        if site.owner[-1] == "Order"
    }
    assert reached == {
        name: {("GET /orders", f"[].{name}"), ("GET /orders/{orderId}", f"order.{name}")}
        for name in ("orderId", "status", "tags", "note", "payer")
    }


def test_sites_of_requests_are_those_of_bodies() -> None:
    reached = {(site.name, *site.uses[0][:2]) for site in sites(SHOP, list(requests(SHOP)))}
    assert reached == {("amount", "POST /orders", "amount"), ("note", "POST /orders", "note")}


def test_what_a_client_only_reads_is_no_site_of_requests() -> None:
    document = copy.deepcopy(SHOP)
    body = ("paths", "/orders", "post", "requestBody", "content", "application/json", "schema")
    _, schema = resolved(document, body)
    schema["properties"]["note"] = {"type": "string", "readOnly": True}
    assert {site.name for site in sites(document, list(requests(document)))} == {"amount"}


def test_what_a_client_only_sends_is_no_site_of_responses() -> None:
    document = copy.deepcopy(SHOP)
    assert "note" in {site.name for site in sites(document)}
    for schema in document["components"]["schemas"].values():
        if "note" in schema.get("properties", {}):
            schema["properties"]["note"]["writeOnly"] = True
    assert "note" not in {site.name for site in sites(document)}


def test_changed_types_are_expected_in_every_payload() -> None:
    assert expectations("change_type") == {
        ("type", "GET /orders", "[].orderId"),
        ("type", "GET /orders/{orderId}", "order.orderId"),
        ("type", "GET /orders", "[].note"),
        ("type", "GET /orders/{orderId}", "order.note"),
    }


def test_an_isolated_mutant_changes_one_endpoint_and_no_shared_schema() -> None:
    for mutant in made_by("change_type"):
        assert len(mutant.expected) == 1
        assert mutant.document["components"] == SHOP["components"]


def test_isolating_copies_what_is_shared_to_where_it_is_used_under_its_name() -> None:
    document = copy.deepcopy(SHOP)
    body = ("paths", "/orders", "get", "responses", "200", "content", "application/json", "schema")
    assert inlined(document, (*body, "items")) == (*body, "items")
    changed = document["paths"]["/orders"]["get"]["responses"]["200"]["content"]
    assert changed["application/json"]["schema"]["items"] == {
        **SHOP["components"]["schemas"]["Order"],
        "title": "Order",
    }


def test_a_base_that_lists_what_is_below_it_is_not_isolated() -> None:
    below = {"allOf": [{"$ref": "#/schemas/Base"}, {"properties": {"doors": {}}}]}
    document = {
        "payload": {"$ref": "#/schemas/Base"},
        "other": {"$ref": "#/schemas/Car"},
        "schemas": {"Base": {"oneOf": [{"$ref": "#/schemas/Car"}]}, "Car": below},
    }
    assert inlined(document, ("payload", "properties")) is None
    assert inlined(document, ("other", "allOf")) == ("other", "allOf")


def test_a_changed_item_type_is_expected_at_the_items() -> None:
    assert expectations("change_item_type") == {
        ("type", "GET /orders", "[].tags[]"),
        ("type", "GET /orders/{orderId}", "order.tags[]"),
    }


def test_another_case_counts_under_the_old_and_the_new_name() -> None:
    assert {
        field for _, subject, field in expectations("change_case") if subject == "GET /orders"
    } == {"[].orderId", "[].order_id"}


def test_values_are_dropped_from_enums_only() -> None:
    assert expectations("enum_drop_value") == {
        ("enum", "GET /orders", "[].status"),
        ("enum", "GET /orders/{orderId}", "order.status"),
    }


def test_requiring_what_may_be_sent_always_is_conditional() -> None:
    assert {mutant.conditional for mutant in made_by("optional_to_required")} == {True}


def test_an_envelope_is_added_around_the_whole_payload() -> None:
    assert {(e.subject, e.below) for m in made_by("envelope_added") for e in m.expected} == {
        ("GET /orders", True),
        ("GET /orders/{orderId}", True),
    }


def test_an_envelope_is_removed_where_there_is_one() -> None:
    [mutant] = made_by("envelope_removed")
    response = mutant.document["paths"]["/orders/{orderId}"]["get"]["responses"]["200"]
    assert response["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Order"
    }


def test_a_status_is_changed_to_one_that_no_code_sends() -> None:
    assert expectations("status_changed") == {
        ("status", "GET /orders", ""),
        ("status", "POST /orders", ""),
        ("status", "GET /orders/{orderId}", ""),
    }


def test_null_is_forbidden_where_it_was_allowed() -> None:
    [mutant] = made_by("nullable_removed")
    assert ({e.fields for e in mutant.expected}, mutant.conditional) == (
        {frozenset({"[].note"})},
        True,
    )


def test_an_alternative_is_dropped() -> None:
    [mutant] = made_by("union_member_dropped")
    assert {(e.subject, e.fields) for e in mutant.expected} == {
        ("GET /orders", frozenset({"[].payer", ""}))
    }


def test_code_may_send_another_alternative_than_the_changed_one() -> None:
    shop = copy.deepcopy(SHOP)
    order = shop["components"]["schemas"]["Order"]
    shop["components"]["schemas"]["Order"] = {"oneOf": [order, {"type": "string"}]}
    assert {mutant.conditional for mutant in made_by("change_type")} == {False}
    assert {mutant.conditional for mutant in made_by("change_type", shop)} == {True}


def test_a_parameter_that_is_written_elsewhere_is_left_alone() -> None:
    shop = copy.deepcopy(SHOP)
    shop["paths"]["/orders"]["get"]["parameters"] = [{"in": "query"}]
    assert made_by("parameter_rename", shop) == []


def test_requests_are_changed_apart_from_responses() -> None:
    assert expectations("request_retype") == {
        ("type", "POST /orders", "amount"),
        ("type", "POST /orders", "note"),
    }
    assert {mutant.conditional for mutant in made_by("request_drop")} == {True}


def test_parameters_are_renamed_moved_and_retyped() -> None:
    assert expectations("parameter_rename") == {
        (kind, "GET /orders", name)
        for kind in ("parameter", "name-case")
        for name in ("limit", "limitRenamed", "x-tenant", "x-tenantRenamed")
    }
    [moved] = made_by("parameter_move")
    assert moved.document["paths"]["/orders"]["get"]["parameters"][0]["in"] == "header"
    assert expectations("parameter_retype") == {
        ("parameter", "GET /orders", "limit"),
        ("type", "GET /orders", "limit"),
    }


def test_a_renamed_path_is_missing_under_its_new_name() -> None:
    assert expectations("rename_path") == {
        ("missing-endpoint", "GET /orders-renamed", ""),
        ("missing-endpoint", "POST /orders-renamed", ""),
        ("missing-endpoint", "GET /orders-renamed/{orderId}", ""),
    }


def test_a_dropped_endpoint_is_undocumented() -> None:
    assert ("undocumented-endpoint", "GET /orders", "") in expectations("drop_endpoint")


def test_a_renamed_path_parameter_is_renamed_in_its_declaration_as_well() -> None:
    [mutant] = made_by("control_rename_path_parameter")
    [parameter] = mutant.document["paths"]["/orders/{orderIdQ}"]["parameters"]
    assert parameter["name"] == "orderIdQ"


def test_a_channel_is_renamed_with_its_bindings() -> None:
    [mutant] = made_by("rename_channel", QUEUE)
    channel = mutant.document["channels"]["paid"]
    assert channel["address"] == channel["bindings"]["amqp"]["queue"]["name"]
    assert [(e.subject, e.instead) for e in mutant.expected] == [("paid", "orders.paid")]


def test_a_direction_is_flipped() -> None:
    [mutant] = made_by("flip_direction", QUEUE)
    assert mutant.document["operations"]["onPaid"]["action"] == "send"
    assert not mutant.conditional


def test_controls_expect_nothing() -> None:
    controls = [m for m in mutants(SHOP, count=9) if m.operator.startswith("control_")]
    assert {mutant.operator for mutant in controls} == {
        "control_required_to_optional",
        "control_description",
        "control_reorder",
        "control_add_optional",
        "control_nullable_added",
        "control_request_description",
        "control_parameter_required",
        "control_parameter_description",
        "control_rename_path_parameter",
    }
    assert all(mutant.expected == () for mutant in controls)


@pytest.mark.parametrize("operator", PROPERTY_OPERATORS)
def test_every_operator_finds_a_place_in_the_shop(operator: str) -> None:
    found = property_mutants(SHOP, PROPERTY_OPERATORS, None, 9, 7)
    assert operator in {mutant.operator for mutant in found}


def test_the_contract_itself_stays_as_it_is() -> None:
    before = copy.deepcopy(SHOP)
    list(mutants(SHOP, count=9))
    assert before == SHOP


def test_the_same_seed_gives_the_same_mutants() -> None:
    assert list(mutants(SHOP, 2, seed=3)) == list(mutants(SHOP, 2, seed=3))


@pytest.mark.parametrize(
    ("name", "other"),
    [("bookId", "book_id"), ("book_id", "bookId"), ("isbn", "isbn"), ("coverURL", "cover_url")],
)
def test_other_case(name: str, other: str) -> None:
    assert other_case(name) == other


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("/orders/{id}", "/orders-renamed/{id}"),
        ("/orders/:id", "/orders-renamed/:id"),
        ("/a/b", "/a/b-renamed"),
        ("/{id}", "/{id}/renamed"),
        ("/", "/renamed"),
    ],
)
def test_renamed_path(path: str, other: str) -> None:
    assert renamed_path(path) == other


def test_yaml_is_read_whatever_its_file_is_called(tmp_path: Path) -> None:
    contract = tmp_path / "openapi.json"
    contract.write_text("openapi: 3.1.0\npaths: { /orders: { get: { responses: { 200: {} } } } }")
    assert load(contract) == {
        "openapi": "3.1.0",
        "paths": {"/orders": {"get": {"responses": {"200": {}}}}},
    }


def test_what_a_contract_says_of_the_body_of_an_empty_response_is_never_sent() -> None:
    shop = copy.deepcopy(SHOP)
    responses = shop["paths"]["/orders"]["get"]["responses"]
    responses["204"] = responses.pop("200")
    assert "GET /orders" not in {subject for subject, _ in payloads(shop)}
    assert "GET /orders" in {subject for subject, _ in payloads(SHOP)}


def test_files_beside_a_contract_are_found_by_its_references() -> None:
    document = {
        "a": {"$ref": "money.json#/definitions/Money"},
        "b": [{"$ref": "#/a"}, {"$ref": "../far.json"}, {"$ref": "book.json"}],
    }
    assert references(document) == {"money.json", "book.json"}
