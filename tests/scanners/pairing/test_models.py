"""Which types stand for which shared model."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from contract_scan.scanners.pairing.models import pair_models
from contract_scan.scanners.unit import Unit
from tests.scanners.builders import FakeCode, model, obj, shared


def types_for(model_names: list[str], types: list[tuple[str, str]]) -> dict[str, list[str]]:
    code = FakeCode(models=[model(name, obj(), language) for language, name in types])
    document = shared(*(model(name, obj()) for name in model_names))
    return {
        pair.model.name: [f"{item.language} {item.name}" for item in pair.types]
        for pair in pair_models(Unit(documents=(document,), code=code))
    }


def test_every_type_of_the_name_in_every_language() -> None:
    types = [("python", "Order"), ("java", "Order"), ("typescript", "Order"), ("csharp", "Item")]
    assert types_for(["Order"], types) == {
        "Order": ["python Order", "java Order", "typescript Order"]
    }


def test_a_plain_name_wins_over_an_affix_within_a_language() -> None:
    types = [("python", "Order"), ("python", "OrderDto"), ("typescript", "IOrder")]
    assert types_for(["Order"], types) == {"Order": ["python Order", "typescript IOrder"]}


def test_the_case_style_of_a_model_does_not_count() -> None:
    assert types_for(["order"], [("java", "Order")]) == {"order": ["java Order"]}


def test_affixes() -> None:
    for name in ("OrderDto", "OrderDTO", "OrderModel", "OrderSchema", "IOrder"):
        assert types_for(["Order"], [("java", name)]) == {"Order": [f"java {name}"]}
    for name in ("OrderType", "OrderEntity", "Orders", "Idea"):
        assert types_for(["Order"], [("java", name)]) == {"Order": []}


def test_two_affixed_types_are_ambiguous() -> None:
    code = FakeCode(models=[model(n, obj(), "java") for n in ("OrderDto", "OrderModel")])
    [pair] = pair_models(Unit(documents=(shared(model("Order", obj())),), code=code))
    assert pair.types == ()
    assert [item.name for item in pair.ambiguous] == ["OrderDto", "OrderModel"]


def test_a_type_with_an_affix_may_be_a_model_of_its_own() -> None:
    types = [("java", "OrderModel")]
    assert types_for(["Order", "OrderModel"], types) == {
        "Order": [],
        "OrderModel": ["java OrderModel"],
    }


@pytest.mark.parametrize(
    ("document", "source", "stands"),
    [
        ("schemas/order.json", "", True),
        ("schemas/order.json", "order.json", True),
        ("schemas/order.json", "schemas", True),
        ("schemas/order.json", "old-order.json", False),
    ],
)
def test_a_type_that_was_generated_stands_for_the_models_of_its_source(
    document: str, source: str, stands: bool
) -> None:
    code = FakeCode(models=[replace(model("Order", obj(), "python"), stated_source=source)])
    contract = replace(shared(model("Order", obj())), path=document)
    [pair] = pair_models(Unit(documents=(contract,), code=code))
    assert bool(pair.types) is stands
