"""Promise by promise: what became of it, and whose part in it is to blame."""

from __future__ import annotations

import msgspec

from contract_scan.ir.model import Model
from contract_scan.ir.promise import Promise, Service, service_of
from contract_scan.scanners.scan import scan_units
from contract_scan.scanners.unit import Unit
from tests.scanners.builders import (
    INTEGER,
    STRING,
    FakeCode,
    asyncapi,
    at,
    channel,
    message,
    model,
    obj,
    openapi,
    promised,
    route,
    shared,
    use,
)

GOOD, BAD = obj({"id": STRING}), obj({"id": INTEGER})
SERVICES = (Service("shop", ""), Service("orders", "src/orders"), Service("old", "src"))
UNIT = Unit(
    name="shop",
    documents=(
        openapi(promised("GET /good", sends=GOOD), promised("GET /gone", sends=GOOD, line=2)),
        asyncapi(channel("created", "send", message("Created", GOOD)), channel("never", "send")),
        shared(model("Order", GOOD)),
    ),
    code=FakeCode(
        operations=[route("GET /good", sends=GOOD)],
        events=[
            msgspec.structs.replace(use("send", "created", GOOD), origin=at("src/orders/a.py")),
            msgspec.structs.replace(use("send", "created", BAD), origin=at("src/b.py")),
        ],
        models=[
            Model(name="Order", schema=GOOD, language="python", origin=at("src/orders/m.py")),
            Model(name="Order", schema=BAD, language="java", origin=at("Order.java")),
        ],
    ),
)


def said(promise: Promise) -> tuple[object, ...]:
    parts = [(part.service, part.role, part.state) for part in promise.parts]
    return (promise.sort, promise.name, promise.state, parts)


def test_every_part_of_a_promise_has_a_state_of_its_own() -> None:
    report = scan_units([UNIT], services=SERVICES)
    assert report.services == SERVICES
    assert {promise.service for promise in report.promises} == {"shop"}
    assert [said(promise) for promise in report.promises] == [
        (
            "channel",
            "created",
            "violated",
            [("orders", "sends", "verified"), ("old", "sends", "violated")],
        ),
        ("channel", "never", "missing", []),
        (
            "model",
            "Order",
            "violated",
            [("orders", "has", "verified"), ("shop", "has", "violated")],
        ),
        ("operation", "GET /good", "verified", [("shop", "provides", "verified")]),
        ("operation", "GET /gone", "missing", []),
    ]


def test_only_what_selected_rules_could_speak_of_is_listed() -> None:
    for rule, sorts in (
        ("CONTRACT-001", {"operation"}),
        ("CONTRACT-003", {"channel"}),
        ("CONTRACT-004", {"model"}),
        ("CONTRACT-000", set()),
    ):
        promises = scan_units([UNIT], select={rule}).promises
        assert {promise.sort for promise in promises} == sorts


def test_the_innermost_service_counts() -> None:
    assert service_of("src/orders/a.py", SERVICES) == "orders"
    assert service_of("src/ordersx.py", SERVICES) == "old"
    assert service_of("main.py", SERVICES) == "shop"
    assert service_of("main.py", SERVICES[1:]) == ""
