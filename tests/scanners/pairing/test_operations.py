"""Which route stands for which contracted operation."""

from __future__ import annotations

import msgspec
import pytest

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import UNREACHABLE_ROUTE, Operation, Parameter, RouteTraits
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.pairing.operations import pair_operations
from contract_scan.scanners.pairing.other_services import FOREIGN, UNREAD
from contract_scan.scanners.pairing.paired import OperationPairing
from contract_scan.scanners.unit import Unit
from tests.scanners.builders import INTEGER, FakeCode, openapi, promised, route


def pairing(contract: list[Operation], routes: list[Operation], *bases: str) -> OperationPairing:
    document = openapi(*contract, base_paths=bases)
    return pair_operations(Unit(documents=(document,), code=FakeCode(routes)))


def named(operation: Operation) -> str:
    return f"{operation.method} {operation.path}"


def pairs(result: OperationPairing) -> dict[str, list[str]]:
    return {named(p.contract): [named(r) for r in p.routes] for p in result.pairs}


@pytest.mark.parametrize(
    ("contract", "code"),
    [
        ("GET /orders", "GET /orders"),
        ("GET /orders/{id}", "GET /orders/{order_id}"),
        ("GET /a/{x}/b/{y}", "GET /a/{y}/b/{x}"),
        ("GET /orders/", "GET /orders"),
        ("GET /orders", "GET /orders/"),
        ("GET /", "GET /"),
        ("GET /files/{path}", "GET /files/{rest*}"),
        ("GET /report/{name}.json", "GET /report/{id}.json"),
        ("DELETE /orders", "* /orders"),
    ],
)
def test_same_endpoint(contract: str, code: str) -> None:
    result = pairing([promised(contract)], [route(code)])
    assert pairs(result) == {contract: [code]}
    assert (result.missing, result.possible, result.undocumented) == ((), (), ())


@pytest.mark.parametrize(
    ("contract", "code"),
    [
        ("GET /orders", "GET /order"),
        ("GET /orders", "GET /Orders"),
        ("GET /orders/{id}", "GET /orders"),
        ("GET /report/{name}.json", "GET /report/{name}.csv"),
        ("GET /orders", "POST /orders"),
    ],
)
def test_another_endpoint(contract: str, code: str) -> None:
    result = pairing([promised(contract)], [route(code)])
    assert [named(m.contract) for m in result.missing] == [contract]
    assert [u.path for u in result.undocumented] == [code.split()[1]]


NO_CASE = RouteTraits(paths_case_insensitive=True)
AFTER_TYPES = RouteTraits(paths_case_insensitive=True, paths_named_after_types=True)


def test_frameworks_that_do_not_tell_cases_apart() -> None:
    caseless = pairing([promised("GET /api/orders")], [route("GET /API/Orders", traits=NO_CASE)])
    assert pairs(caseless) == {"GET /api/orders": ["GET /API/Orders"]}
    strict = pairing([promised("GET /api/orders")], [route("GET /API/Orders")])
    assert pairs(strict) == {}


def test_a_contract_that_writes_a_word_in_two_ways() -> None:
    contract = [promised("GET /Chapter"), promised("GET /series/chapter")]
    folding = [
        route("GET /chapter", traits=AFTER_TYPES),
        route("GET /Series/chapter", traits=AFTER_TYPES),
    ]
    assert pairs(pairing(contract, folding)) == {
        "GET /Chapter": ["GET /chapter"],
        "GET /series/chapter": ["GET /Series/chapter"],
    }
    strict = [route("GET /Chapter"), route("GET /series/chapter")]
    assert pairs(pairing(contract, [*strict, folding[1]])) == {
        "GET /Chapter": ["GET /Chapter"],
        "GET /series/chapter": ["GET /series/chapter", "GET /Series/chapter"],
    }
    swapped = [route("GET /CHAPTER"), route("GET /series/CHAPTER")]
    assert pairs(pairing(contract, swapped)) == {}


def test_a_route_of_its_own_wins_over_one_for_every_method() -> None:
    result = pairing([promised("GET /a")], [route("* /a"), route("GET /a")])
    assert pairs(result) == {"GET /a": ["GET /a"]}


def test_other_methods_of_a_missing_operation_are_named() -> None:
    result = pairing(
        [promised("DELETE /a"), promised("GET /a")], [route("GET /a"), route("PUT /a")]
    )
    [missing] = result.missing
    assert named(missing.contract) == "DELETE /a"
    assert [named(other) for other in missing.other_methods] == ["GET /a", "PUT /a"]
    assert [u.path for u in result.undocumented] == ["/a"]


def test_the_base_path_of_the_servers_is_optional() -> None:
    routes = [route("GET /api/orders"), route("GET /health")]
    result = pairing([promised("GET /orders"), promised("GET /health")], routes, "/api")
    assert pairs(result) == {
        "GET /orders": ["GET /api/orders"],
        "GET /health": ["GET /health"],
    }
    [(_, mounting)] = result.mountings
    assert mounting.offset is None
    assert mounting.declared_missing == ()


def test_a_declared_base_path_that_no_route_has() -> None:
    result = pairing([promised("GET /a"), promised("GET /b")], [route("GET /a")], "/api")
    [(_, mounting)] = result.mountings
    assert mounting.declared_missing == ("api",)
    assert [named(m.contract) for m in result.missing] == ["GET /b"]


def several(routes: list[Operation], **documents: tuple[str, list[str]]) -> OperationPairing:
    """What is paired of several documents: name -> base path and operations."""
    contracts = tuple(
        openapi(*map(promised, operations), path=f"{name}.yaml", base_paths=(base,))
        for name, (base, operations) in documents.items()
    )
    return pair_operations(Unit(documents=contracts, code=FakeCode(routes)))


def test_a_route_that_fits_two_contracts_at_places_that_neither_declares() -> None:
    result = several(
        [route("POST /api/card/v1/activation"), route("GET /api/card/v1/state")],
        notes=("/api/v1/notes", ["POST /activation"]),
        cards=("/api/v1/cards", ["POST /activation"]),
    )
    assert [each.contract.path for each in result.possible] == ["/activation", "/activation"]
    assert {each.reason for each in result.possible} == {
        "`POST /api/card/v1/activation` fits it, and operations of other contracts as well"
    }
    assert (result.pairs, result.missing) == ((), ())
    assert [mounting.offset for _, mounting in result.mountings] == [None, None]
    assert [each.path for each in result.undocumented] == ["/api/card/v1/state"]


def test_a_route_is_of_the_contract_whose_base_path_is_more_like_its_own() -> None:
    result = several(
        [route("GET /shop/api/v1/orders"), route("GET /shop/api/v1/items")],
        first=("/api/v1", ["GET /orders", "GET /items"]),
        second=("/api/v2", ["GET /orders", "GET /items", "GET /baskets"]),
    )
    assert pairs(result) == {
        "GET /orders": ["GET /shop/api/v1/orders"],
        "GET /items": ["GET /shop/api/v1/items"],
    }
    assert {pair.document.path for pair in result.pairs} == {"first.yaml"}
    assert [each.contract.path for each in result.possible] == ["/orders", "/items"]


def test_contracts_of_one_base_path_share_an_undeclared_distance() -> None:
    result = several(
        [route("GET /api/orders"), route("GET /api/items")],
        first=("", ["GET /orders"]),
        second=("", ["GET /orders", "GET /items"]),
    )
    assert [pair.document.path for pair in result.pairs] == [
        "first.yaml",
        "second.yaml",
        "second.yaml",
    ]


def test_a_contract_may_leave_the_version_open() -> None:
    contracted = [promised("GET /api/v{version}/orders/{id}"), promised("GET /api/v{version}/me")]
    routes = [
        route("GET /api/v1/orders/{id}"),
        route("GET /api/v1.0/orders/{id}", excluded_from_docs=True),
        route("GET /api/v1/{name}"),
    ]
    result = pairing(contracted, routes)
    assert pairs(result) == {
        "GET /api/v{version}/orders/{id}": [
            "GET /api/v1/orders/{id}",
            "GET /api/v1.0/orders/{id}",
        ]
    }
    assert [u.path for u in result.undocumented] == ["/api/v1/{name}"]


def test_routes_that_may_not_be_documented() -> None:
    routes = [
        route("GET /a"),
        route("GET /hidden", excluded_from_docs=True),
        route("HEAD /a"),
        route("OPTIONS /b"),
        route("GET /{rest*}"),
        route("GET /admin"),
    ]
    result = pairing([promised("GET /a")], routes)
    assert [u.path for u in result.undocumented] == ["/admin"]


@pytest.mark.parametrize(
    ("contracted", "traits", "shown"),
    [
        ("/api/tag", AFTER_TYPES, "/api/filesystem/{Id}"),
        ("/api/Tag", AFTER_TYPES, "/api/FileSystem/{Id}"),
        ("/API/tag", AFTER_TYPES, "/API/FileSystem/{Id}"),
        ("/api/tag", NO_CASE, "/api/FileSystem/{Id}"),
        ("/api/tag", RouteTraits(), "/api/FileSystem/{Id}"),
    ],
)
def test_undocumented_routes_are_spelled_as_the_contract_spells(
    contracted: str, traits: RouteTraits, shown: str
) -> None:
    routes = [
        route(f"GET {contracted}", traits=traits),
        route("GET /api/FileSystem/{Id}", traits=traits),
    ]
    result = pairing([promised(f"GET {contracted}")], routes)
    assert [u.path for u in result.undocumented] == [shown]


def test_undocumented_routes_are_named_below_the_base_path() -> None:
    routes = [route("GET /api/a"), route("GET /api/b/{id}"), route("GET /health")]
    result = pairing([promised("GET /a")], routes, "/api")
    assert [u.path for u in result.undocumented] == ["/b/{id}", "/health"]


@pytest.mark.parametrize(
    ("contracted", "shown"),
    [("/a/", "/b/{id}/"), ("/a", "/b/{id}"), ("/c/:id", "/b/:id")],
    ids=["slashes", "none", "colons"],
)
def test_undocumented_routes_are_written_as_contracted_ones_are(
    contracted: str, shown: str
) -> None:
    routes = [route("GET /a/"), route("GET /c/{id}/"), route("GET /b/{id}/")]
    routes = [r for r in routes if r.path[:2] in (contracted[:2], "/b")]
    result = pairing([promised(f"GET {contracted}")], routes)
    assert [u.path for u in result.undocumented] == [shown]


def test_undocumented_routes_are_written_as_most_contracted_ones_are() -> None:
    routes = [route("GET /a/{id}"), route("GET /b/{id}"), route("GET /c/{id}")]
    result = pairing([promised("GET /a/{id}"), promised("GET /c/:id")], routes)
    assert [u.path for u in result.undocumented] == ["/b/{id}"]


def test_routes_of_paths_that_could_not_be_read_are_contracted() -> None:
    document = msgspec.structs.replace(
        openapi(promised("GET /orders"), base_paths=("/api",)),
        undetermined_paths=("/orders/{id}/lines",),
    )
    routes = [
        route("GET /api/orders"),
        route("GET /api/orders/{order}/lines"),
        route("GET /api/orders/{order}/lines/{line}"),
    ]
    result = pair_operations(Unit(documents=(document,), code=FakeCode(routes)))
    assert [u.path for u in result.undocumented] == ["/orders/{order}/lines/{line}"]


def test_a_head_operation_may_be_answered_by_the_framework() -> None:
    result = pairing([promised("HEAD /a"), promised("GET /a")], [route("GET /a")])
    assert [named(p.contract) for p in result.possible] == ["HEAD /a"]


def test_an_unresolved_route_makes_what_it_may_stand_for_undetermined() -> None:
    unresolved = route("GET /items/{id}", unresolved="its prefix comes from the environment")
    contract = [
        promised("GET /shop/items/{id}"),
        promised("POST /shop/items/{id}"),
        promised("GET /shop/carts"),
    ]
    result = pairing(contract, [unresolved, route("GET /other")])
    assert [named(p.contract) for p in result.possible] == ["GET /shop/items/{id}"]
    assert result.possible[0].reason.endswith("its prefix comes from the environment")
    assert [named(m.contract) for m in result.missing] == [
        "POST /shop/items/{id}",
        "GET /shop/carts",
    ]


def test_a_route_that_nothing_can_serve_stands_for_no_operation() -> None:
    unserved = route("DELETE /{computed}/{id}", unresolved=UNREACHABLE_ROUTE)
    result = pairing([promised("DELETE /orders/{id}")], [unserved, route("GET /orders/{id}")])
    assert [named(m.contract) for m in result.missing] == ["DELETE /orders/{id}"]
    assert [u.path for u in result.undocumented] == ["/orders/{id}"]


def test_a_route_of_which_nothing_is_known_may_be_any() -> None:
    unresolved = route("* /", unresolved="the path is computed")
    result = pairing([promised("GET /a")], [unresolved, route("GET /b")])
    assert [named(p.contract) for p in result.possible] == ["GET /a"]


def test_a_parameter_may_stand_where_the_contract_has_a_word() -> None:
    result = pairing([promised("GET /users/me")], [route("GET /users/{id}")])
    assert [named(p.contract) for p in result.possible] == ["GET /users/me"]
    contract = [promised("GET /users/me"), promised("GET /users/{id}")]
    taken = pairing(contract, [route("GET /users/{id}")])
    assert [named(m.contract) for m in taken.missing] == ["GET /users/me"]


def test_words_may_stand_where_the_contract_has_a_parameter() -> None:
    routes = [route("GET /reports/daily"), route("GET /other")]
    result = pairing([promised("GET /reports/{kind}")], routes)
    assert [named(p.contract) for p in result.possible] == ["GET /reports/{kind}"]
    assert [u.path for u in result.undocumented] == ["/other"]


def test_each_of_several_words_that_stand_for_a_parameter_is_documented() -> None:
    routes = [route(f"GET /reports/{kind}") for kind in ("daily", "weekly", "monthly")]
    result = pairing([promised("GET /reports/{kind}")], [*routes, route("POST /reports/daily")])
    assert [named(p.contract) for p in result.possible] == ["GET /reports/{kind}"]
    assert [named(u.route) for u in result.undocumented] == ["POST /reports/daily"]


def test_a_catch_all_below_a_prefix_may_answer() -> None:
    result = pairing([promised("GET /files/{a}/{b}")], [route("* /files/{rest*}")])
    assert [named(p.contract) for p in result.possible] == ["GET /files/{a}/{b}"]


def test_a_catch_all_below_a_parameter_may_answer() -> None:
    # The endpoints of Spring Boot's actuator: what is below them is known to the framework alone.
    contract = [promised("GET /actuator/metrics/{name}"), promised("GET /status/metrics/{name}")]
    result = pairing(contract, [route("* /actuator/{name}/{path*}")])
    assert [named(p.contract) for p in result.possible] == ["GET /actuator/metrics/{name}"]
    assert [named(m.contract) for m in result.missing] == ["GET /status/metrics/{name}"]


def test_a_catch_all_at_the_root_is_a_fallback_unless_nothing_else_is_contracted() -> None:
    fallback = route("* /{rest*}")
    result = pairing([promised("GET /a"), promised("GET /b")], [fallback, route("GET /b")])
    assert [named(m.contract) for m in result.missing] == ["GET /a"]
    proxy = pairing([promised("GET /a")], [fallback])
    assert [named(p.contract) for p in proxy.possible] == ["GET /a"]


def test_a_contract_without_any_route_that_a_route_for_every_path_may_answer() -> None:
    contract = [promised("GET /a"), promised("GET /b"), promised("POST /b")]
    routes = [route("GET /{rest*}"), route("GET /stats")]
    result = pairing(contract, routes)
    reason = Reason("one-route-answers-contract", route="GET /{rest*}")
    assert {(named(p.contract), p.reason) for p in result.possible} == {
        ("GET /a", reason),
        ("GET /b", reason),
    }
    assert [named(m.contract) for m in result.missing] == ["POST /b"]
    assert [u.path for u in result.undocumented] == ["/stats"]


def test_a_route_for_every_path_that_refuses_it_answers_nothing() -> None:
    refusal = route("* /{rest*}", status="404", statuses_complete=True)
    result = pairing([promised("GET /a")], [refusal, route("GET /stats")])
    assert [named(m.contract) for m in result.missing] == ["GET /a"]


@pytest.mark.parametrize(
    ("texts", "words", "missing"),
    [
        (["spec/openapi.yaml"], ["listA", "getA"], 0),
        (["spec/openapi.yaml"], ["listA"], 0),  # half of the names
        (["spec/openapi.yaml"], [], 2),
        ([], ["listA", "getA"], 2),
    ],
)
def test_operations_that_code_finds_by_their_names(
    texts: list[str], words: list[str], missing: int
) -> None:
    document = openapi(
        promised("GET /a", operation_id="listA"), promised("GET /a/{id}", operation_id="getA")
    )
    code = FakeCode([route("GET /stats")], texts=texts, words=words)
    result = pair_operations(Unit(documents=(document,), code=code))
    assert len(result.missing) == missing
    assert [p.reason for p in result.possible] == [
        Reason("routed-by-contract-file", path="app.py")
    ] * (2 - missing)


def test_catch_alls_of_one_place_are_documented_together() -> None:
    first = route("GET /keys/{rest*}", line=3)
    beside = msgspec.structs.replace(first, method="POST")
    routes = [first, beside, route("GET /old/{rest*}", line=9)]
    result = pairing([promised("GET /keys/session")], routes)
    assert [u.path for u in result.undocumented] == ["/old/{rest*}"]


@pytest.mark.parametrize(
    ("contract", "code", "expressions"),
    [
        ("GET /pump-settings", "GET /{device}-settings", ()),
        ("GET /map.svg", "GET /map.{format}", (("format", "svg|txt"),)),
        ("GET /map/svg", "GET /map/{format}", (("format", "svg|txt"),)),
        ("GET /v2-beta/a", "GET /v{major}-{stage}/a", (("major", r"\d+"),)),
        ("GET /aaaa.b", "GET /{x}.b", (("x", "(a+)+"),)),  # any text: groups are not read
        (f"GET /{'a' * 300}.b", "GET /{x}.b", ()),
        ("GET /1-2-3-4-5-6", "GET /{a}-{b}-{c}-{d}-{e}-{f}", ()),
    ],
)
def test_words_that_a_part_of_a_segment_takes(
    contract: str, code: str, expressions: tuple[tuple[str, str], ...]
) -> None:
    result = pairing([promised(contract)], [route(code, path_expressions=expressions)])
    assert pairs(result) == {contract: [code]}
    assert (result.missing, result.possible, result.undocumented) == ((), (), ())


@pytest.mark.parametrize(
    ("contract", "code", "expressions"),
    [
        ("GET /pump_settings", "GET /{device}-settings", ()),
        ("GET /-settings", "GET /{device}-settings", ()),
        ("GET /map.pdf", "GET /map.{format}", (("format", "svg|txt"),)),
        ("GET /orders/me", "GET /orders/{id}", (("id", r"\d+"),)),
        # Each of these has more ways to share the word than can be tried.
        (f"GET /{'a' * 60}.c", "GET /{x}.b", (("x", "a?" * 60),)),
        (f"GET /{'a' * 300}.c", "GET /{x}.b", (("x", "a*a*a*a*a*"),)),
        (f"GET /{'a-' * 100}c", f"GET /{'-'.join(f'{{p{n}}}' for n in range(20))}.b", ()),
    ],
)
def test_words_that_a_parameter_does_not_take(
    contract: str, code: str, expressions: tuple[tuple[str, str], ...]
) -> None:
    result = pairing([promised(contract)], [route(code, path_expressions=expressions)])
    assert [named(m.contract) for m in result.missing] == [contract]


def test_the_route_with_the_most_fixed_characters_is_meant() -> None:
    routes = [route("GET /{name}.svg"), route("GET /map.{format}"), route("GET /{x}p.svg")]
    result = pairing([promised("GET /map.svg")], routes)
    assert pairs(result) == {"GET /map.svg": ["GET /{x}p.svg"]}


def test_the_same_path_of_two_services_goes_to_the_nearest_document() -> None:
    orders = openapi(promised("GET /health"), promised("GET /orders"), path="docs/orders.yaml")
    catalog = openapi(promised("GET /health"), promised("GET /books"), path="catalog/api.yaml")
    code = FakeCode(
        [
            route("GET /health", file="orders/health.py"),
            route("GET /orders", file="orders/api/orders.py"),
            route("GET /health", file="catalog/src/health.py"),
            route("GET /books", file="catalog/src/books.py"),
        ]
    )
    result = pair_operations(Unit(documents=(orders, catalog), code=code))
    files = {
        (p.document.path, named(p.contract)): [r.origin.path for r in p.routes]
        for p in result.pairs
    }
    assert files == {
        ("docs/orders.yaml", "GET /health"): ["orders/health.py"],
        ("docs/orders.yaml", "GET /orders"): ["orders/api/orders.py"],
        ("catalog/api.yaml", "GET /health"): ["catalog/src/health.py"],
        ("catalog/api.yaml", "GET /books"): ["catalog/src/books.py"],
    }
    assert result.undocumented == ()


def test_two_routes_of_one_endpoint_are_both_kept() -> None:
    result = pairing([promised("GET /a")], [route("GET /a", line=1), route("GET /a", line=9)])
    assert pairs(result) == {"GET /a": ["GET /a", "GET /a"]}


def _service(folder: str, *routes: str) -> list[Operation]:
    origin = Origin(f"{folder}/app.ts")
    return [msgspec.structs.replace(route(each), origin=origin) for each in routes]


def test_a_path_that_two_services_have_is_that_of_the_service_the_document_describes() -> None:
    server = _service("server", "GET /games", "GET /users", "GET /saves", "GET /old")
    agent = _service("agent", "GET /games", "GET /status", "GET /log")
    contract = [promised("GET /games"), promised("GET /users"), promised("GET /saves")]
    result = pairing(contract, [*agent, *server])
    assert [pair.routes for pair in result.pairs] == [(one,) for one in server[:3]]
    # That the agent has a route of this path too is no matter of this contract.
    assert [u.path for u in result.undocumented] == ["/status", "/log", "/old"]


def test_a_stand_in_of_a_service_does_not_take_its_place() -> None:
    server = _service("server", "GET /games", "GET /users", "GET /a", "GET /b", "GET /c")
    fake = _service("fake", "GET /games")
    result = pairing([promised("GET /games"), promised("GET /users")], [*fake, *server])
    assert [pair.routes for pair in result.pairs] == [(fake[0], server[0]), (server[1],)]


def test_two_services_that_a_document_describes_are_both_compared() -> None:
    one = _service("one", "GET /games", "GET /users")
    two = _service("two", "GET /games", "GET /users", "GET /log")
    result = pairing([promised("GET /games"), promised("GET /users")], [*one, *two])
    assert [pair.routes for pair in result.pairs] == [(one[0], two[0]), (one[1], two[1])]


def test_a_route_around_the_service_may_be_part_of_it() -> None:
    login, log, page = (promised(p) for p in ("POST /login", "GET /log", "GET /pages/{path}"))
    document = openapi(promised("GET /orders"), login, log, page)
    around = _service("shared", "POST /login", "POST /log", "GET /other", "GET /pages/{rest*}")
    unit = Unit(
        documents=(document,),
        code=FakeCode(_service("orders", "GET /orders")),
        sibling_code=FakeCode(around),
    )
    result = pair_operations(unit)
    reason = "shared/app.ts, outside the folder of its service, has such a route"
    assert [(p.contract.path, p.reason, p.route) for p in result.possible] == [
        ("/login", reason, around[0]),
        ("/pages/{path}", reason, around[3]),
    ]
    assert [named(m.contract) for m in result.missing] == ["GET /log"]
    assert result.undocumented == ()


def test_three_operations_that_another_service_answers_may_be_mounted_from_there() -> None:
    mounted = [promised(f"{method} /users") for method in ("GET", "POST", "DELETE")]
    document = openapi(promised("GET /orders"), *mounted, promised("GET /reports"))
    users = _service("users", "GET /users", "POST /users", "DELETE /users")
    unit = Unit(
        documents=(document,),
        code=FakeCode(_service("orders", "GET /orders")),
        neighbours=FakeCode(users),
    )
    result = pair_operations(unit)
    reason = "users/app.ts, of another service, has such a route"
    assert [(named(p.contract), p.reason, p.route) for p in result.possible] == [
        ("GET /users", reason, users[0]),
        ("POST /users", reason, users[1]),
        ("DELETE /users", reason, users[2]),
    ]
    assert [named(m.contract) for m in result.missing] == ["GET /reports"]


def _gateway(*contract: str, users: str = "users") -> OperationPairing:
    code = [
        *_service("orders", "GET /all", "GET /all/{id}", "GET /health"),
        *_service(users, "GET /everyone", "POST /login", "GET /health"),
    ]
    own = (promised("GET /metrics"), promised("GET /version"))
    routes = [*code, *_service("gateway", "GET /metrics", "GET /version")]
    return pairing([*own, *map(promised, contract)], routes)


def test_services_behind_a_gateway_that_takes_a_word_off() -> None:
    result = _gateway(
        "GET /orders/all", "GET /orders/all/{id}", "POST /users/login", "POST /users/all"
    )
    reason = "`{}` is it where a gateway takes the first word off"
    assert [(named(p.contract), p.reason) for p in result.possible] == [
        ("GET /orders/all", reason.format("/all")),
        ("GET /orders/all/{id}", reason.format("/all/{id}")),
        ("POST /users/login", reason.format("/login")),
    ]
    assert [named(m.contract) for m in result.missing] == ["POST /users/all"]
    assert [(u.route.origin.path, u.path) for u in result.undocumented] == [
        ("orders/app.ts", "/health"),
        ("users/app.ts", "/everyone"),
        ("users/app.ts", "/health"),
    ]


def test_of_services_with_one_route_alike_the_one_that_is_called_as_the_word_is_meant() -> None:
    contract = ["GET /orders/all", "GET /orders/health", "GET /users/health", "POST /users/login"]
    result = _gateway(*contract)
    assert [p.route and p.route.origin.path for p in result.possible] == [
        "orders/app.ts",
        "orders/app.ts",
        "users/app.ts",
        "users/app.ts",
    ]
    assert result.missing == ()


def test_a_service_that_has_lost_its_prefix_is_not_behind_a_gateway() -> None:
    contract = ["GET /orders/all", "GET /orders/all/{id}", "POST /users/login"]
    in_one_folder = _gateway(*contract, users="orders")
    assert [named(m.contract) for m in in_one_folder.missing] == contract


def test_two_operations_that_another_service_answers_are_named_alike_by_chance() -> None:
    document = openapi(promised("GET /orders"), promised("GET /users"), promised("POST /users"))
    unit = Unit(
        documents=(document,),
        code=FakeCode(_service("orders", "GET /orders")),
        neighbours=FakeCode(_service("users", "GET /users", "POST /users")),
    )
    result = pair_operations(unit)
    assert [named(m.contract) for m in result.missing] == ["GET /users", "POST /users"]
    assert result.possible == ()


def test_a_route_for_every_value_answers_the_words_that_its_code_knows() -> None:
    contract = [promised("GET /list/{type}"), promised("GET /list/instance")]
    code = [route("GET /list/{kind}")]

    def pair(routes: list[Operation], *texts: str) -> OperationPairing:
        document = openapi(*contract)
        return pair_operations(Unit(documents=(document,), code=FakeCode(routes, texts=texts)))

    known = pair(code, "instance")
    [possible] = known.possible
    assert (named(possible.contract), possible.reason) == (
        "GET /list/instance",
        "`GET /list/{kind}` answers this path too, as one value of its parameter",
    )
    assert known.missing == ()
    assert [named(m.contract) for m in pair(code).missing] == ["GET /list/instance"]
    number = Parameter(name="kind", location="path", schema=INTEGER, required=True)
    numbers = [msgspec.structs.replace(code[0], parameters=(number,))]
    assert [named(m.contract) for m in pair(numbers, "instance").missing] == ["GET /list/instance"]


def test_a_route_below_an_unknown_prefix_answers_the_words_that_its_code_knows() -> None:
    names = ("GET /list/{type}", "GET /items/new", "POST /items/new", "GET /search/all")
    routes = [
        route(f"{method} /{{computed}}{path}", unresolved="the prefix is computed")
        for method, path in (name.split() for name in names)
    ]
    document = openapi(*map(promised, names), promised("GET /list/instance"))

    def missing(*texts: str) -> list[str]:
        code = FakeCode(routes, texts=texts)
        result = pair_operations(Unit(documents=(document,), code=code))
        return [named(entry.contract) for entry in result.missing]

    assert missing("instance") == []
    assert missing() == ["GET /list/instance"]


def test_a_route_whose_values_a_contract_lists_one_by_one_is_documented() -> None:
    contract = [promised("PUT /config/logo"), promised("PUT /config/hero")]
    result = pairing(contract, [route("PUT /config/{key}"), route("PUT /backups/{key}")])
    assert [named(p.contract) for p in result.possible] == ["PUT /config/logo", "PUT /config/hero"]
    assert [u.path for u in result.undocumented] == ["/backups/{key}"]


def test_an_operation_that_a_contract_of_other_services_lists_too_may_be_theirs() -> None:
    others = [promised(f"GET /push/{number}") for number in range(10)]
    all_of_them = openapi(promised("GET /sent"), *others, path="bundle.yaml")
    own = [promised("GET /sent"), promised("GET /received"), promised("GET /push/3")]
    routes = FakeCode([route("GET /sent"), route("GET /received")])

    def pair(*more: Operation, discovered: bool = True) -> OperationPairing:
        documents = (all_of_them, openapi(*own, *more, path="own.yaml"))
        return pair_operations(Unit(documents=documents, code=routes, discovered=discovered))

    found = pair(promised("GET /drafts"))
    assert [(m.document.path, named(m.contract)) for m in found.missing] == [
        ("own.yaml", "GET /drafts")
    ]
    reason = Reason("operation-of-contract-without-routes", path="bundle.yaml")
    assert [named(p.contract) for p in found.possible if p.reason == reason] == ["GET /push/3"]
    assert "GET /push/3" in [named(m.contract) for m in pair(discovered=False).missing]


def test_a_document_that_was_found_and_of_which_nothing_has_a_route_may_be_of_another_service() -> (
    None
):
    own = openapi(promised("GET /a"), promised("GET /b"), promised("GET /c"), path="own.yaml")
    called = openapi(promised("GET /cases"), path="integration/cases.yaml")
    routes = FakeCode([route("GET /a"), route("GET /b")])

    def pair(*, discovered: bool) -> OperationPairing:
        unit = Unit(documents=(own, called), code=routes, discovered=discovered)
        return pair_operations(unit)

    found = pair(discovered=True)
    assert [named(entry.contract) for entry in found.missing] == ["GET /c"]
    assert [(named(p.contract), p.reason) for p in found.possible] == [("GET /cases", FOREIGN)]
    given = pair(discovered=False)
    assert [named(entry.contract) for entry in given.missing] == ["GET /c", "GET /cases"]


def test_what_every_service_answers_does_not_make_a_found_contract_the_codes() -> None:
    own = openapi(promised("GET /health"), promised("GET /a"), path="own.yaml")
    called = openapi(promised("GET /health"), promised("GET /cases"), path="called.yaml")
    code = FakeCode([route("GET /health"), route("GET /a")])
    found = pair_operations(Unit(documents=(own, called), code=code, discovered=True))
    assert [(named(p.contract), p.reason) for p in found.possible] == [("GET /cases", FOREIGN)]
    assert found.missing == ()


@pytest.mark.parametrize(("count", "discovered"), [(10, True), (9, True), (10, False)])
def test_a_whole_contract_that_was_found_is_rather_unread_than_missing(
    count: int, discovered: bool
) -> None:
    contract = [promised(f"GET /a{number}") for number in range(count)]
    unit = Unit(
        documents=(openapi(*contract),), code=FakeCode([route("GET /b")]), discovered=discovered
    )
    result = pair_operations(unit)
    told = {(named(p.contract), p.reason) for p in result.possible}
    missing = {named(m.contract) for m in result.missing}
    names = {named(operation) for operation in contract}
    if count == 10 and discovered:
        assert (told, missing) == ({(name, UNREAD) for name in names}, set())
    else:
        assert (told, missing) == (set(), names)


def test_a_part_of_a_contract_without_any_route_is_rather_elsewhere_than_missing() -> None:
    def pair(
        count: int, *code: str, more: tuple[str, ...] = (), discovered: bool = True
    ) -> OperationPairing:
        hub = [promised(f"{m} /api/hub/a{n}") for n in range(count) for m in ("GET", "PUT")]
        own = [promised(f"GET /api/own/b{number}") for number in range(14)]
        routes = [*(f"GET /shop/api/own/b{number}" for number in range(12)), *code]
        unit = Unit(
            documents=(openapi(*hub, *own, *map(promised, more), base_paths=["/shop"]),),
            code=FakeCode([route(each) for each in routes]),
            discovered=discovered,
        )
        return pair_operations(unit)

    missing = ["GET /api/own/b12", "GET /api/own/b13"]
    result = pair(5)
    reason = Reason("contract-part-without-routes", prefix="/api/hub")
    assert {p.reason for p in result.possible} == {reason}
    assert [named(m.contract) for m in result.missing] == missing
    assert len(result.possible) == 10

    # A contract that was named, a part of one resource, one of which there is some code, and one
    # that the code calls otherwise.
    told = [
        pair(5, discovered=False),
        pair(4),
        pair(5, "DELETE /shop/api/hub/a0"),
        pair(5, "GET /shop/api/center/a0", "GET /shop/a1", "GET /shop/center/a2"),
    ]
    assert [len(each.missing) for each in told] == [12, 10, 12, 12]
    assert [each.possible for each in told] == [(), (), (), ()]

    # Most of the contract has no route.
    most = pair(5, "PUT /shop/api/c0", more=tuple(f"GET /api/c{number}" for number in range(12)))
    assert [named(m.contract) for m in most.missing] == ["GET /api/c0"]
    assert {p.reason for p in most.possible} == {Reason("contract-mostly-without-routes")}


def test_an_svc_table_does_not_list_every_endpoint() -> None:
    table = ContractDocument(
        path="REQUIREMENTS.md", kind="svc-table", operations=(promised("GET /a"),)
    )
    code = FakeCode([route("GET /a"), route("GET /b")])
    assert pair_operations(Unit(documents=(table,), code=code)).undocumented == ()


def unseen(name: str) -> Operation:
    """A route of which the name that the contract gives it is all that is told."""
    return route("* ", operation_id=name, unresolved="its interface is generated")


def test_a_route_of_which_only_the_name_is_told() -> None:
    contract = [
        promised("GET /orders", operation_id="list-orders"),
        promised("POST /orders", operation_id="addOrder"),
        promised("GET /health"),
    ]
    result = pairing(contract, [unseen("listOrders"), unseen("addOrder")])
    assert pairs(result) == {"GET /orders": ["* "], "POST /orders": ["* "]}
    assert [named(m.contract) for m in result.missing] == ["GET /health"]
    assert result.undocumented == ()


def test_a_route_whose_name_no_operation_has_may_stand_for_any_that_is_left() -> None:
    contract = [
        promised("GET /orders", operation_id="listOrders"),
        promised("GET /items", operation_id="listItems"),
    ]
    result = pairing(contract, [unseen("listOrders"), unseen("getThings")])
    assert pairs(result) == {"GET /orders": ["* "]}
    assert [(named(p.contract), p.reason) for p in result.possible] == [
        ("GET /items", "a route is undetermined: its interface is generated")
    ]


def test_a_name_that_two_routes_have_tells_nothing() -> None:
    contract = [promised("GET /orders", operation_id="list")]
    result = pairing(contract, [unseen("list"), unseen("list")])
    assert (pairs(result), len(result.possible)) == ({}, 1)


def test_a_name_that_two_operations_have_tells_nothing() -> None:
    contract = [promised(f"GET /{path}", operation_id="list") for path in ("orders", "items")]
    result = pairing(contract, [unseen("list")])
    assert (pairs(result), len(result.possible)) == ({}, 2)


def test_a_route_of_which_all_but_the_prefix_is_told() -> None:
    def below_unknown(name: str) -> Operation:
        method, path = name.split()
        return route(f"{method} /{{computed}}{path}", unresolved="the prefix is not constant")

    contract = [
        promised("GET /orders"),
        promised("GET /orders/{id}"),
        promised("GET /items"),
        promised("GET /{id}"),
    ]
    routes = [
        below_unknown("GET /orders"),
        below_unknown("GET /orders/{order}"),
        below_unknown("GET /api/items"),
        below_unknown("GET /{id}"),
    ]
    result = pairing(contract, routes, "/api")
    assert pairs(result) == {
        "GET /orders": ["GET /{computed}/orders"],
        "GET /orders/{id}": ["GET /{computed}/orders/{order}"],
        "GET /items": ["GET /{computed}/api/items"],
    }
    assert [named(p.contract) for p in result.possible] == [
        *(named(operation) for operation in contract[:3]),
        "GET /{id}",
    ]


def test_several_contracts_that_were_found_are_rather_unread_than_missing_as_a_whole() -> None:
    names = [f"GET /a{number}" for number in range(10)]
    some = openapi(*map(promised, names[:5]), path="some.yaml")
    others = openapi(*map(promised, names[5:]), path="others.yaml")
    code = FakeCode([route("GET /b")])
    result = pair_operations(Unit(documents=(some, others), code=code, discovered=True))
    assert [(named(p.contract), p.reason) for p in result.possible] == [(n, UNREAD) for n in names]
    assert result.missing == ()


def test_parts_of_a_contract_that_are_served_below_a_prefix_of_their_own() -> None:
    most = [f"GET /shop/{name}" for name in ("orders", "shelves", "people", "days", "places")]
    own = [f"GET /tenants/{{id}}/{name}" for name in ("groups", "roles", "users")]
    result = pairing(
        [promised(each) for each in (*most, *own, "GET /tenants/{id}/gone", "GET /lost")],
        [
            *(route(each) for each in most),
            *(route(each.replace(" ", " /api/v1")) for each in own),
            route("GET /api/v1/lost"),
        ],
    )
    assert [named(p.contract) for p in result.possible] == own
    assert {p.reason for p in result.possible} == {
        f"`/api/v1{each.removeprefix('GET ')}` is it below a prefix that others do not have"
        for each in own
    }
    assert [named(m.contract) for m in result.missing] == ["GET /tenants/{id}/gone", "GET /lost"]
    assert [named(u.route) for u in result.undocumented] == ["GET /api/v1/lost"]
