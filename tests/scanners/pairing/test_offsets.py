"""The constant distance between the paths of a contract and those of the code."""

from __future__ import annotations

import pytest

from contract_scan.scanners.pairing.base_path_offset import DocumentMount, Offset, find_mounting
from contract_scan.scanners.pairing.paths import segments


def mounting(
    contract: list[str], routes: list[str], *bases: str, optional: bool = False
) -> DocumentMount:
    def split(name: str) -> tuple[str, tuple[str, ...]]:
        method, path = name.split()
        return method, segments(path)

    table: dict[tuple[str, ...], frozenset[str]] = {}
    for method, path in map(split, routes):
        table[path] = table.get(path, frozenset()) | {method}
    return find_mounting([split(name) for name in contract], bases, table, optional)


ORDERS = ["GET /orders", "POST /orders", "GET /orders/{id}"]


@pytest.mark.parametrize(
    ("contract", "routes", "bases", "offset"),
    [
        (ORDERS, ORDERS, [], None),
        (ORDERS, [r.replace("/orders", "/api/orders") for r in ORDERS], ["/api"], None),
        (ORDERS, [r.replace("/orders", "/v1/orders") for r in ORDERS], [], Offset(added=("v1",))),
        (
            [r.replace("/orders", "/api/v1/orders") for r in ORDERS],
            ORDERS,
            [],
            Offset(removed=("api", "v1")),
        ),
        (
            ORDERS,
            [r.replace("/orders", "/v1/orders") for r in ORDERS],
            ["/api/v1"],
            Offset(added=("v1",)),
        ),
        (
            ORDERS,
            [r.replace("/orders", "/{tenant}/orders") for r in ORDERS],
            [],
            Offset(added=("{}",)),
        ),
    ],
)
def test_offsets(
    contract: list[str], routes: list[str], bases: list[str], offset: Offset | None
) -> None:
    assert mounting(contract, routes, *bases).offset == offset


def test_one_stray_route_is_no_offset() -> None:
    assert mounting(ORDERS, [*ORDERS[:2], "GET /admin/orders/{id}"]).offset is None


def test_an_offset_explains_at_least_half() -> None:
    contract = ["GET /a", "GET /b", "GET /c", "GET /d", "GET /e"]
    assert mounting(contract, ["GET /v1/a", "GET /v1/b", "GET /z"]).offset is None
    routes = ["GET /v1/a", "GET /v1/b", "GET /v1/c"]
    assert mounting(contract, routes).offset == Offset(added=("v1",))


def test_parameters_alone_do_not_vote() -> None:
    assert mounting(["GET /{id}"], ["GET /orders/{id}", "GET /users/{id}"]).offset is None


def test_the_methods_must_agree() -> None:
    assert mounting(["GET /a"], ["POST /v1/a"]).offset is None


def test_the_base_path_in_use_is_tried_first() -> None:
    result = mounting(ORDERS, [r.replace("/orders", "/v2/orders") for r in ORDERS], "/v1", "/v2")
    assert result.prefixes[0] == ("v2",)
    assert set(result.prefixes) == {(), ("v1",), ("v2",)}
    assert result.declared_missing == ()


def test_a_base_path_that_only_a_proxy_can_add() -> None:
    assert mounting(ORDERS, ORDERS, "/api").declared_missing == ("api",)
    assert mounting(ORDERS, ["GET /other"], "/api").declared_missing == ()
    assert mounting(ORDERS, ORDERS, "/api", optional=True).declared_missing == ()


def test_paths_move_with_the_offset() -> None:
    assert Offset(added=("v1",)).apply(("a",)) == ("v1", "a")
    assert Offset(removed=("api",)).apply(("api", "a")) == ("a",)
    assert Offset(removed=("api",)).apply(("a",)) is None
