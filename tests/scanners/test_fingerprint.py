"""Names of findings stay while the code around them moves."""

from __future__ import annotations

import msgspec

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding, OperationRef
from contract_scan.scanners.fingerprint import with_fingerprints

FINDING = Finding(
    rule="CONTRACT-001",
    kind="type",
    severity="error",
    message="GET /orders/{id} has integer for `total`",
    origin=Origin("src/orders.py", Span(12, 4, 12, 9), symbol="Order"),
    operation=OperationRef(method="GET", path="/orders/{id}", status="200", direction="response"),
    field="total",
    expected="string",
    found="integer",
)


def fingerprint(**changes: object) -> str:
    [finding] = with_fingerprints([msgspec.structs.replace(FINDING, **changes)])
    return finding.fingerprint


def test_it_is_versioned_and_long_enough() -> None:
    version, _, digest = fingerprint().partition(":")
    assert (version, len(bytes.fromhex(digest))) == ("v1", 16)


def test_it_is_stable_over_versions_of_the_tool() -> None:
    assert fingerprint() == "v1:d65c9a0f14ba6eda389f60d9dfe0c6c2"


def test_what_does_not_change_it() -> None:
    moved = Origin("src/orders.py", Span(112, 8, 112, 13), symbol="Order")
    renamed = OperationRef(
        method="GET", path="/orders/{orderId}", status="200", direction="response"
    )
    for changes in (
        {"origin": moved},
        {"message": "other words"},
        {"severity": "warning"},
        {"operation": renamed},
        {"contract": Origin("openapi.yaml", Span(9, 1, 9, 2))},
        {"found": "boolean"},
    ):
        assert fingerprint(**changes) == fingerprint(), changes


def test_what_changes_it() -> None:
    post = OperationRef(method="POST", path="/orders/{id}", status="200", direction="response")
    changed = [
        fingerprint(**changes)
        for changes in (
            {},
            {"rule": "CONTRACT-003"},
            {"kind": "enum"},
            {"field": "sum"},
            {"operation": post},
            {"operation": None},
            {"channel": "orders"},
            {"model": "Order"},
            {"origin": Origin("src/other.py", FINDING.origin.span, symbol="Order")},
            {"origin": Origin("src/orders.py", FINDING.origin.span, symbol="Item")},
        )
    ]
    assert len(set(changed)) == len(changed)


def test_equal_findings_are_told_apart_by_their_order() -> None:
    later = msgspec.structs.replace(FINDING, origin=Origin("src/orders.py", symbol="Order"))
    first, second, third = (f.fingerprint for f in with_fingerprints([FINDING, later, FINDING]))
    assert (second, third) == (f"{first}:1", f"{first}:2")
