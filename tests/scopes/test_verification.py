"""What a scope did, held against its contract."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from contract_scan.scopes.contract import Item, ScopeContract, items
from contract_scan.scopes.handoff import DeliverableOutcome, Fulfillment
from contract_scan.scopes.verification import Delivery, endpoints, verify

CONTRACT = ScopeContract(
    name="API",
    scope_id="api",
    deliverables=(
        Item("src/api.py", 5),
        Item("tests/**", 6),
        Item("POST /orders/{id}/refunds", 7),
        Item("event refunds.settled", 8),
        Item("a migration of orders", 9),
    ),
    exports=(Item("POST /orders/:order/refunds", 11), Item("type Refund", 12)),
    shared_files=(Item("shared/*.py", 14), Item("web/", 15)),
)
KEPT = Delivery(
    files=frozenset({"src/api.py", "tests/a/test_api.py", "shared/money.py", "web/page.ts"}),
    changed=frozenset({"src/api.py", "tests/a/test_api.py", "README.md"}),
    endpoints=endpoints([("post", "/orders/{orderId}/refunds")]),
    addresses=frozenset({"refunds.settled"}),
    types=frozenset({"Refund"}),
)
OPEN = (
    "undetermined",
    9,
    "a migration of orders: no type of this name was found; whether something else is meant is "
    "unknown",
)


def deviations(
    contract: ScopeContract = CONTRACT,
    fulfillment: Fulfillment | None = None,
    **changed: frozenset[str] | str,
) -> list[tuple[str, int, str]]:
    """Kind, line and message of everything that departs from the contract, where the delivery is
    as it should be but for what is `changed`."""
    fields = {name: getattr(KEPT, name) for name in KEPT.__struct_fields__}
    found = verify(contract, Delivery(**{**fields, **changed}), fulfillment)
    assert {one.scope_id for one in found} <= {"api"}
    return [(one.kind, one.line, one.message) for one in found]


def test_a_contract_that_is_kept() -> None:
    assert deviations() == [OPEN]


@pytest.mark.parametrize(
    ("files", "changed", "kind", "line", "message"),
    [
        ({"tests/a.py"}, {"tests/a.py"}, "undelivered", 5, "src/api.py: no such file"),
        ({"src/api.py"}, {"src/api.py"}, "undelivered", 6, "tests/**: no file is meant by it"),
        (
            {"src/api.py", "tests/a.py"},
            {"tests/a.py"},
            "undelivered",
            5,
            "src/api.py: is as it was before the scope began",
        ),
        (
            {"src/api.py", "tests/a.py"},
            {"src/api.py", "tests/a.py", "shared/money.py"},
            "forbidden-file",
            14,
            "shared/money.py was changed; it belongs to a sibling (`shared/*.py`)",
        ),
        (
            {"src/api.py", "tests/a.py"},
            {"src/api.py", "tests/a.py", "web/src/gone.ts"},
            "forbidden-file",
            15,
            "web/src/gone.ts was changed; it belongs to a sibling (`web/`)",
        ),
    ],
)
def test_files_that_are_not_as_promised(
    files: set[str], changed: set[str], kind: str, line: int, message: str
) -> None:
    found = deviations(files=frozenset(files), changed=frozenset(changed))
    assert [one for one in found if one != OPEN] == [(kind, line, message)]


def test_endpoints_and_events_that_are_not_there() -> None:
    found = deviations(endpoints=frozenset({"GET /orders"}), addresses=frozenset({"orders"}))
    assert found == [
        ("undelivered", 7, "POST /orders/{id}/refunds: no route answers it"),
        ("undelivered", 8, "event refunds.settled: no code sends or receives it"),
        OPEN,
    ]


def test_an_endpoint_below_a_prefix_may_be_the_one_that_is_meant() -> None:
    found = deviations(endpoints=frozenset({"POST /api/v1/orders/{id}/refunds", "GET /refunds"}))
    assert found[0] == (
        "undetermined",
        7,
        "POST /orders/{id}/refunds: the code has POST /api/v1/orders/{id}/refunds; whether that is "
        "meant is unknown",
    )
    assert {kind for kind, _, _ in found} == {"undetermined"}


def test_exports_that_are_no_deliverables_are_looked_for_too() -> None:
    contract = ScopeContract(name="API", scope_id="api", exports=items(["GET /orders"]))
    assert deviations(contract) == [("missing-export", 0, "GET /orders: no route answers it")]


def test_where_the_code_is_not_known_whole_nothing_is_missing() -> None:
    found = deviations(
        endpoints=frozenset(),
        addresses=frozenset(),
        types=frozenset(),
        unknown_routes="2 routes are not known whole",
        unknown_channels="no use of a channel was recognised in the code",
    )
    assert {kind for kind, _, _ in found} == {"undetermined"}
    assert [message for _, _, message in found[:2]] == [
        "POST /orders/{id}/refunds: no route was found for it, and 2 routes are not known whole",
        "event refunds.settled: no use of it was found, and no use of a channel was recognised in "
        "the code",
    ]


def test_a_handoff_that_is_true() -> None:
    fulfillment = Fulfillment(
        tuple(DeliverableOutcome(item.text, True, item.text) for item in CONTRACT.deliverables)
    )
    assert deviations(fulfillment=fulfillment) == [OPEN]


def test_claims_of_a_handoff_that_are_false() -> None:
    outcomes = (
        DeliverableOutcome("src/api.py", True, "src/orders/api.py", 21),
        DeliverableOutcome("tests/", False, "no time", 22),
        DeliverableOutcome("POST /orders/{id}/refunds", True, "", 23),
        DeliverableOutcome("docs/api.md", True, "", 24),
        DeliverableOutcome("a migration of orders", True, "", 25),
    )
    found = deviations(fulfillment=Fulfillment(outcomes, line=20), endpoints=frozenset({"GET /"}))
    assert found[:2] == [
        ("undelivered", 7, "POST /orders/{id}/refunds: no route answers it"),
        OPEN,
    ]
    assert found[2:] == [
        (
            "wrong-claim",
            21,
            "src/api.py is said to be src/orders/api.py, which is not there",
        ),
        ("wrong-claim", 22, "tests/ is said to be undelivered, but is there"),
        (
            "wrong-claim",
            23,
            "POST /orders/{id}/refunds is said to be delivered, but no route answers it",
        ),
        ("wrong-claim", 24, "docs/api.md is no deliverable of the contract"),
        (
            "unmentioned",
            20,
            "the handoff says nothing of the deliverable event refunds.settled",
        ),
    ]


def test_what_nobody_can_tell_is_undelivered_where_the_handoff_says_so() -> None:
    outcomes = (
        *(DeliverableOutcome(item.text, True) for item in CONTRACT.deliverables[:-1]),
        DeliverableOutcome("a migration of orders", False, "no time", 25),
    )
    found = deviations(fulfillment=Fulfillment(outcomes, line=20))
    message = "a migration of orders: the handoff calls it undelivered: no time"
    assert found == [("undelivered", 25, message)]


def random_scope(random: Random) -> tuple[ScopeContract, Delivery]:
    """A contract of files, endpoints and events, and a delivery that keeps it."""
    files = [f"src/{name}.py" for name in random.sample("abcdefghij", random.randint(5, 8))]
    routes = [f"GET /{name}/{{id}}" for name in random.sample("klmnop", random.randint(5, 6))]
    exports = [f"POST /{name}" for name in random.sample("klmnop", random.randint(5, 6))]
    shared = [f"shared/{name}.ts" for name in random.sample("uvwxyz", random.randint(5, 6))]
    contract = ScopeContract(
        name="Scope",
        scope_id="scope",
        deliverables=items(random.sample([*files, *routes], len(files) + len(routes))),
        exports=items(exports),
        shared_files=items(shared),
    )
    return contract, Delivery(
        files=frozenset({*files, *shared, "README.md"}),
        changed=frozenset({*files, "README.md"}),
        endpoints=frozenset({*routes, *exports, "GET /health"}),
    )


@pytest.mark.parametrize("seed", range(50))
def test_exactly_what_was_planted_is_reported(seed: int) -> None:
    random = Random(seed)
    contract, kept = random_scope(random)
    assert verify(contract, kept) == []

    def some(of: Iterable[str]) -> frozenset[str]:
        return frozenset(random.sample(sorted(of), random.randint(1, 5)))

    promised = [item.text for item in contract.deliverables]
    gone = some(text for text in promised if text.startswith("src/"))
    unanswered = some(text for text in promised if text.startswith("GET "))
    unexported = some(item.text for item in contract.exports)
    touched = some(item.text for item in contract.shared_files)
    broken = Delivery(
        files=kept.files - gone,
        changed=(kept.changed - gone) | touched,
        endpoints=kept.endpoints - unanswered - unexported,
    )
    planted = {
        *(("undelivered", f"{text}: no such file") for text in gone),
        *(("undelivered", f"{text}: no route answers it") for text in unanswered),
        *(("missing-export", f"{text}: no route answers it") for text in unexported),
        *(
            ("forbidden-file", f"{text} was changed; it belongs to a sibling (`{text}`)")
            for text in touched
        ),
    }
    found = [(one.kind, one.message) for one in verify(contract, broken)]
    assert sorted(found) == sorted(planted)
