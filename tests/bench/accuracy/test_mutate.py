"""Mutants change one thing of a contract and say what a scan then has to find."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from bench.accuracy.contract_text import references
from bench.accuracy.mutate import PROPERTY_OPERATORS, Mutant
from bench.accuracy.mutate_names import other_case, renamed_path
from bench.accuracy.mutate_operations import mutants
from bench.accuracy.sites import Use, sites

SHOP: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/orders": {
            "get": {
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
                }
            }
        },
        "/orders/{orderId}": {
            "parameters": [{"$ref": "#/components/parameters/OrderId"}],
            "get": {
                "responses": {
                    "200": {
                        "description": "one",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
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
            "Order": {
                "type": "object",
                "required": ["orderId", "status"],
                "properties": {
                    "orderId": {"type": "string"},
                    "status": {"type": "string", "enum": ["open", "paid"]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            }
        },
    },
}


def made_by(operator: str) -> list[Mutant]:
    return [mutant for mutant in mutants(SHOP, count=9) if mutant.operator == operator]


def expectations(operator: str) -> set[tuple[str, str, str]]:
    """(kind, subject, field) of everything that the mutants of an operator have to cause."""
    return {
        (kind, expected.subject, field)
        for mutant in made_by(operator)
        for expected in mutant.expected
        for kind in expected.kinds
        for field in expected.fields
    }


def test_sites_name_every_payload_that_reaches_a_property() -> None:
    assert {site.name: site.uses for site in sites(SHOP)} == {
        name: (Use("GET /orders", f"[].{name}"), Use("GET /orders/{orderId}", name))
        for name in ("orderId", "status", "tags")
    }


def test_changed_types_are_expected_in_every_payload() -> None:
    assert expectations("change_type") == {
        ("type", "GET /orders", "[].orderId"),
        ("type", "GET /orders/{orderId}", "orderId"),
    }


def test_a_changed_item_type_is_expected_at_the_items() -> None:
    assert expectations("change_item_type") == {
        ("type", "GET /orders", "[].tags[]"),
        ("type", "GET /orders/{orderId}", "tags[]"),
    }


def test_another_case_counts_under_the_old_and_the_new_name() -> None:
    assert {
        field for _, subject, field in expectations("change_case") if subject == "GET /orders"
    } == {"[].orderId", "[].order_id"}


def test_values_are_dropped_from_enums_only() -> None:
    assert expectations("enum_drop_value") == {
        ("enum", "GET /orders", "[].status"),
        ("enum", "GET /orders/{orderId}", "status"),
    }


def test_requiring_what_may_be_sent_always_is_conditional() -> None:
    assert [mutant.conditional for mutant in made_by("optional_to_required")] == [True]


def test_a_renamed_path_is_missing_under_its_new_name() -> None:
    assert expectations("rename_path") == {
        ("missing-endpoint", "GET /orders-renamed", ""),
        ("missing-endpoint", "GET /orders-renamed/{orderId}", ""),
    }


def test_a_dropped_endpoint_is_undocumented() -> None:
    assert ("undocumented-endpoint", "GET /orders", "") in expectations("drop_endpoint")


def test_a_renamed_path_parameter_is_renamed_in_its_declaration_as_well() -> None:
    [mutant] = made_by("control_rename_path_parameter")
    [parameter] = mutant.document["paths"]["/orders/{orderIdQ}"]["parameters"]
    assert parameter["name"] == "orderIdQ"


def test_controls_expect_nothing() -> None:
    controls = [m for m in mutants(SHOP, count=9) if m.operator.startswith("control_")]
    assert {mutant.operator for mutant in controls} == {
        "control_required_to_optional",
        "control_description",
        "control_reorder",
        "control_add_optional",
        "control_rename_path_parameter",
    }
    assert all(mutant.expected == () for mutant in controls)


@pytest.mark.parametrize("operator", PROPERTY_OPERATORS)
def test_every_operator_finds_a_place_in_the_shop(operator: str) -> None:
    assert made_by(operator)


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
        ("/a/b", "/a/b-renamed"),
        ("/{id}", "/{id}/renamed"),
        ("/", "/renamed"),
    ],
)
def test_renamed_path(path: str, other: str) -> None:
    assert renamed_path(path) == other


def test_files_beside_a_contract_are_found_by_its_references() -> None:
    document = {
        "a": {"$ref": "money.json#/definitions/Money"},
        "b": [{"$ref": "#/a"}, {"$ref": "../far.json"}, {"$ref": "book.json"}],
    }
    assert references(document) == {"money.json", "book.json"}
