"""Routes below a prefix that is undetermined: what the contract says the prefix is."""

from __future__ import annotations

import pytest

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation
from contract_scan.scanners.pairing.dynamic_prefix import may_be
from contract_scan.scanners.pairing.paired import OperationPairing
from contract_scan.scanners.pairing.paths import segments
from contract_scan.scanners.pairing.routes import Route
from tests.scanners.builders import promised, route
from tests.scanners.pairing.test_operations import named, pairing, pairs


def below_undetermined(name: str) -> Operation:
    method, path = name.split()
    reason = "the global prefix is not constant"
    return route(f"{method} {DYNAMIC_PREFIX}{path}", unresolved=reason)


def told(result: OperationPairing) -> list[tuple[str, str]]:
    return [
        (undetermined.document.path, undetermined.route.unresolved)
        for undetermined in result.undetermined
    ]


SHOP = ["GET /orders", "GET /orders/{id}", "POST /orders", "GET /items"]


def test_operations_that_are_the_tails_of_routes_say_what_the_prefix_is() -> None:
    contract = [promised(name) for name in SHOP]
    result = pairing(contract, [below_undetermined(name) for name in SHOP], "/api")
    assert pairs(result) == {
        "GET /orders": ["GET /{computed}/orders"],
        "GET /orders/{id}": ["GET /{computed}/orders/{id}"],
        "POST /orders": ["POST /{computed}/orders"],
        "GET /items": ["GET /{computed}/items"],
    }
    assert (result.missing, result.possible, result.undocumented) == ((), (), ())
    assert told(result) == [("openapi.yaml", "the global prefix is not constant")]


def test_the_prefix_may_stand_in_the_paths_of_the_contract() -> None:
    contract = [promised(name.replace(" /", " /api/v1/")) for name in SHOP]
    result = pairing(contract, [below_undetermined(name) for name in SHOP])
    assert len(result.pairs) == len(SHOP)
    assert (result.missing, result.possible, result.undocumented) == ((), (), ())


def test_what_ends_like_no_tail_is_missing_and_the_other_way_round_undocumented() -> None:
    contract = [promised(name) for name in [*SHOP, "GET /carts"]]
    result = pairing(contract, [below_undetermined(name) for name in [*SHOP, "GET /health"]])
    assert [named(missing.contract) for missing in result.missing] == ["GET /carts"]
    assert [entry.path for entry in result.undocumented] == ["/health"]
    assert result.possible == ()


def test_prefixes_may_be_undetermined_for_several_reasons() -> None:
    contract = [promised(name) for name in SHOP]
    routes = [below_undetermined(name) for name in SHOP[:3]]
    for name in (SHOP[3], "DELETE /items"):
        method, path = name.split()
        routes.append(route(f"{method} {DYNAMIC_PREFIX}{path}", unresolved="it is generated"))
    result = pairing(contract, routes)
    assert [entry.path for entry in result.undocumented] == ["/items"]
    assert told(result) == [("openapi.yaml", "the global prefix is not constant")]


def test_undocumented_routes_are_named_as_the_contract_would() -> None:
    contract = [promised(name.replace(" /", " /api/v1/")) for name in SHOP]
    result = pairing(contract, [below_undetermined(name) for name in [*SHOP, "GET /health"]])
    assert [entry.path for entry in result.undocumented] == ["/api/v1/health"]


def test_two_tails_are_too_few() -> None:
    contract = [promised(name) for name in SHOP[:2]]
    result = pairing(contract, [below_undetermined(name) for name in SHOP[:2]])
    assert len(result.pairs) == 2
    assert [named(possible.contract) for possible in result.possible] == SHOP[:2]
    assert told(result) == []


def generated(name: str, operation_id: str) -> Operation:
    method, path = name.split()
    tail = f"{DYNAMIC_PREFIX}{path}" if path != "?" else ""
    return route(f"{method} {tail}", operation_id=operation_id, unresolved="it is generated")


def test_a_name_and_a_tail_tell_the_route_together() -> None:
    contract = [promised(name, operation_id=f"op_{i}") for i, name in enumerate(SHOP[:2])]
    routes = [generated(name, f"op{i}") for i, name in enumerate(SHOP[:2])]
    result = pairing(contract, routes)
    assert len(result.pairs) == 2
    assert (result.missing, result.possible, result.undocumented) == ((), (), ())


def test_a_path_that_the_code_does_not_have_is_missing_whatever_it_is_called() -> None:
    contract = [promised("GET /purchases", operation_id="list"), promised("PUT /orders")]
    result = pairing(contract, [generated("GET /orders", "list")])
    assert (result.pairs, result.possible) == ((), ())
    assert [named(missing.contract) for missing in result.missing] == [
        "GET /purchases",
        "PUT /orders",
    ]


def test_that_names_alone_do_not_tell_paths_is_said_once() -> None:
    contract = [promised(name, operation_id=f"op_{i}") for i, name in enumerate(SHOP)]
    result = pairing(contract, [generated("* ?", f"op{i}") for i in range(len(SHOP))])
    assert len(result.pairs) == len(SHOP)
    assert (result.missing, result.possible, result.undocumented) == ((), (), ())
    assert [(entry.document.path, entry.route.operation_id) for entry in result.unplaced] == [
        ("openapi.yaml", "op0")
    ]


def test_tails_of_the_smaller_part_of_a_contract_are_too_few() -> None:
    others = [f"GET /other{number}" for number in range(5)]
    contract = [promised(name) for name in [*SHOP, *others]]
    result = pairing(contract, [below_undetermined(name) for name in SHOP])
    assert [named(possible.contract) for possible in result.possible] == SHOP
    assert told(result) == []


def test_a_route_at_another_distance_is_only_likely() -> None:
    contract = [promised(name) for name in [*SHOP, "GET /carts"]]
    routes = [below_undetermined(name) for name in [*SHOP, "GET /api/carts"]]
    result = pairing(contract, routes, "/api")
    assert [named(possible.contract) for possible in result.possible] == ["GET /carts"]
    assert len(result.pairs) == 5


@pytest.mark.parametrize(
    ("tail", "path", "possible"),
    [
        ("/orders/{id}", "/api/orders/{id}", True),
        ("/orders/{id}", "/orders/{id}", True),
        ("/{id}", "/api/orders", True),
        ("/orders/{id}", "/api/orders/me", True),
        ("/orders/mine", "/api/orders/{id}", True),
        ("/orders/{id}", "/orders/{id}/items", False),
        ("/health", "/api/orders/{id}", False),
        ("/orders/{id}", "/api/carts/{id}", False),
        ("/api/orders/{id}", "/orders/{id}", False),
        ("/files/{rest*}", "/api/files/a/b", True),
    ],
)
def test_which_paths_a_route_may_have(tail: str, path: str, possible: bool) -> None:
    operation = below_undetermined(f"GET {tail}")
    assert may_be(Route(operation, segments(operation.path)), segments(path)) is possible
