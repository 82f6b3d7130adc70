"""The way into a schema, and to everything that stands for something on the other side."""

from __future__ import annotations

import pytest

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.schema import Field, Reference, Schema, Union, Unknown
from contract_scan.ir.violation import Finding, OperationRef
from contract_scan.scanners.links import links_of
from contract_scan.scanners.provenance import descend, trail_of
from contract_scan.scanners.rule import Options, PairedUnit
from contract_scan.scanners.unit import Unit
from tests.scanners.builders import (
    INTEGER,
    STRING,
    FakeCode,
    Names,
    array,
    at,
    obj,
    openapi,
    promised,
    route,
)

LINE = obj({"sku": STRING, "unit_price": INTEGER}, name="Line")
NODE = obj({"next": Reference(key="Node"), "value": INTEGER}, name="Node")
NAMES = Names(
    Line=LINE,
    Node=NODE,
    Ring=Reference(key="Ring"),
    Order=obj(
        {"lines": array(Reference(key="Line")), "a.b": obj({"c": STRING}), "a": STRING},
        name="Order",
        additional=obj({"deep": STRING}),
    ),
)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", ["type `Order`"]),
        ("lines", ["type `Order`", "property `lines`: array of Line, always there"]),
        (
            "lines[].sku",
            [
                "type `Order`",
                "property `lines`: array of Line, always there",
                "type `Line`",
                "property `sku`: string, always there",
            ],
        ),
        (
            "lines[].unitPrice",
            [
                "type `Order`",
                "property `lines`: array of Line, always there",
                "type `Line`",
                "property `unit_price`: integer, always there",
            ],
        ),
        (
            "a.b.c",
            [
                "type `Order`",
                "property `a.b`: object, always there",
                "property `c`: string, always there",
            ],
        ),
        ("{}.deep", ["type `Order`", "property `deep`: string, always there"]),
        ("gone", ["type `Order`"]),
        ("lines.sku", ["type `Order`", "property `lines`: array of Line, always there"]),
    ],
)
def test_the_way_goes_as_far_as_the_schema_does(path: str, words: list[str]) -> None:
    assert [step.words for step in descend(Reference(key="Order"), NAMES, path)] == words


def test_of_several_shapes_the_one_that_has_the_place_is_entered() -> None:
    either = Union(options=(obj({"x": STRING}, name="One"), obj({"y": INTEGER}, name="Two")))
    assert [step.words for step in descend(either, NAMES, "y")] == [
        "type `Two`",
        "property `y`: integer, always there",
    ]


@pytest.mark.parametrize(
    ("schema", "path", "words"),
    [
        (Reference(key="Node"), "next.next.value", 6),
        (Reference(key="Node"), ".".join(["next"] * 200), 60),
        (Reference(key="Ring"), "x", 0),
        (Reference(key="Gone"), "x", 0),
        (Unknown(reason="who knows"), "x", 1),
    ],
)
def test_rings_and_depths_come_to_an_end(schema: Schema, path: str, words: int) -> None:
    assert len(descend(schema, NAMES, path)) == words


ORDER = obj(
    {"total": Field(name="", schema=INTEGER, origin=at("c.yaml", 9))},
    name="Order",
    origin=at("c.yaml", 8),
)
DTO = obj(
    {"Total": Field(name="", schema=STRING, origin=at("dto.py", 4))},
    name="OrderDto",
    origin=at("dto.py", 3),
)


def paired(*files: str) -> list[PairedUnit]:
    """A unit for each file of routes, all with the same contracted operation."""
    return [
        PairedUnit(
            Unit(
                name=file,
                documents=(openapi(promised("GET /orders", sends=ORDER), path=f"{file}.yaml"),),
                code=FakeCode([route("GET /orders", sends=DTO, file=file, line=7)]),
            ),
            Options(),
        )
        for file in files
    ]


def test_services_with_the_same_operation_are_told_apart_by_the_places_of_the_finding() -> None:
    finding = Finding(
        rule="CONTRACT-001",
        kind="name-case",
        severity="error",
        message="",
        origin=at("dto.py", 4),
        operation=OperationRef(method="GET", path="/orders", status="200", direction="response"),
        field="total",
        contract=at("c.yaml", 9),
        reached_from=at("two.py", 7, symbol="GET /orders"),
    )
    trail = trail_of(finding, paired("one.py", "two.py"))
    assert trail.code[0].origin == at("two.py", 7, symbol="GET /orders")
    assert trail.code[-1].origin == at("dto.py", 4)
    assert trail.contract[-1].origin == at("c.yaml", 9)


def test_a_finding_about_nothing_in_particular_has_no_way() -> None:
    finding = Finding(
        rule="CONTRACT-000", kind="unused-ignore", severity="note", message="", origin=NOWHERE
    )
    assert trail_of(finding, paired("one.py")) == trail_of(finding, [])


def test_what_stands_for_what_is_listed_with_both_places() -> None:
    found = links_of(paired("one.py"))
    assert [
        (link.sort, link.name, link.contract.path, link.contract.span.line, link.code.span.line)
        for link in found
        if link.sort in ("type", "property")
    ] == [("type", "Order", "c.yaml", 8, 3), ("property", "total", "c.yaml", 9, 4)]
    assert {link.promise for link in found} == {"GET /orders"}
