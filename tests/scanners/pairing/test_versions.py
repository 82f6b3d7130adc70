"""Models and types of several versions."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.scanners.pairing.models import pair_models
from contract_scan.scanners.pairing.versions import versions_in
from contract_scan.scanners.unit import Unit
from tests.scanners.builders import FakeCode, model, obj, shared


@pytest.mark.parametrize(
    ("place", "versions"),
    [
        ("schemas/v2/Order.json", {(2,)}),
        ("schemas/V1.2/Order.json", {(1, 2)}),
        ("Shop.Messages_V1.Order", {(1,)}),
        ("Shop.OrdersV3", {(3,)}),
        ("com.shop.v1_1.Order", {(1, 1)}),
        ("schemas/2.0/order.json", {(2,)}),
        ("schemas/2024-05-01/order.json", {(2024, 5, 1)}),
        ("schemas/version-4/order.json", {(4,)}),
        ("schemas/order.json", set()),
        ("src/IPv4Address.cs", set()),
        ("ov2/Csv1Reader.cs", set()),
    ],
)
def test_what_places_say(place: str, versions: set[tuple[int, ...]]) -> None:
    assert versions_in(place) == versions


def pairs(documents: list[str], types: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Document -> places of the types that stand for its model; types by path and package."""
    code = FakeCode(
        models=[
            replace(model("Report", obj(), "csharp"), origin=Origin(path), package=package)
            for path, package in types
        ]
    )
    found = tuple(replace(shared(model("Report", obj())), path=path) for path in documents)
    return {
        pair.document.path: [item.origin.path for item in pair.types]
        for pair in pair_models(Unit(documents=found, code=code))
    }


BOTH = ["schemas/v1/Report.json", "schemas/v2/Report.json"]


@pytest.mark.parametrize(
    "types",
    [
        [("A.cs", "Probes.Messages_V1.Report"), ("B.cs", "Probes.Messages_V2.Report")],
        [("src/v1/A.cs", "Probes.Report"), ("src/v2/A.cs", "Probes.Report")],
        [("com/shop/v1/Report.java", "com.shop.v1"), ("com/shop/v2/Report.java", "com.shop.v2")],
    ],
)
def test_each_type_stands_for_the_model_of_its_version(types: list[tuple[str, str]]) -> None:
    first, second = (path for path, _ in types)
    assert pairs(BOTH, types) == {BOTH[0]: [first], BOTH[1]: [second]}


def test_a_namespace_counts_before_a_folder() -> None:
    types = [("v2/A.cs", "Probes.V1.Report")]
    assert pairs(BOTH, types) == {BOTH[0]: ["v2/A.cs"], BOTH[1]: []}


def test_a_type_without_a_version_may_stand_for_both() -> None:
    assert pairs(BOTH, [("A.cs", "Probes.Report")]) == {path: ["A.cs"] for path in BOTH}


def test_a_type_of_a_version_without_a_model_may_stand_for_both() -> None:
    assert pairs(BOTH, [("A.cs", "Probes.V3.Report")]) == {path: ["A.cs"] for path in BOTH}


def test_one_model_is_every_version_s() -> None:
    assert pairs(BOTH[:1], [("A.cs", "Probes.V2.Report")]) == {BOTH[0]: ["A.cs"]}


def test_a_model_without_a_version_is_not_that_of_a_type_with_another_s() -> None:
    documents = ["schemas/Report.json", "schemas/v2/Report.json"]
    types = [("A.cs", "Probes.Report"), ("B.cs", "Probes.V2.Report")]
    assert pairs(documents, types) == {documents[0]: ["A.cs"], documents[1]: ["A.cs", "B.cs"]}


def test_a_file_that_names_its_schema_says_more_than_a_version_in_its_name() -> None:
    made_from = replace(
        model("Report", obj(), "python"),
        origin=Origin("made/reports_pydantic_v2.py"),
        stated_source="reports.json",
    )
    paths = ["schemas/reports.json", "schemas/v2/other.json"]
    documents = tuple(replace(shared(model("Report", obj())), path=path) for path in paths)
    pairs = pair_models(Unit(documents=documents, code=FakeCode(models=[made_from])))
    assert [list(pair.types) for pair in pairs] == [[made_from], []]
