"""Types whose names are all in another case style than the contract's."""

from __future__ import annotations

from contract_scan.ir.model import Model
from contract_scan.ir.schema import Object, Schema
from contract_scan.scanners.rules.contract_004_shared_model import RULE
from tests.scanners.builders import INTEGER, STRING, FakeCode, model, obj, shared
from tests.scanners.rules.checking import check, found, undetermined

REASON = (
    "its names are those of the contract in another case style, as in other types: "
    "what writes it may convert them"
)
CONTRACT = {"orderId": STRING, "createdAt": STRING, "unitPrice": INTEGER, "note": STRING}


def said(
    *fields: str, as_declared: bool = True, language: str = "python", **types: Schema
) -> tuple[list[str], list[str]]:
    shape = obj({name: types.get(name, STRING) for name in fields})
    declared = Object(fields=shape.fields, raw_names=as_declared)
    code = FakeCode(models=[model("Order", declared, language)])
    document = shared(Model(name="Order", schema=obj(dict(CONTRACT))))
    result = check(RULE, document, code)
    return found(result), undetermined(result)


def test_names_that_differ_throughout_may_be_converted() -> None:
    names = ("order_id", "created_at", "unit_price", "note")
    assert said(*names, unit_price=INTEGER) == ([], [f"Order ({REASON})"])
    # What the fields hold is compared all the same.
    assert said(*names) == (["error type @Order: unitPrice"], [f"Order ({REASON})"])


def test_classes_of_java_without_a_name_on_the_wire_are_another_form() -> None:
    names = ("order_id", "created_at", "unit_price", "note")
    assert said(*names, language="java") == ([], [f"Order ({REASON})"])


def test_types_of_typescript_are_bound_to_no_serializer() -> None:
    names = ("order_id", "created_at", "unit_price", "note")
    told = said(*names, as_declared=False, language="typescript", unit_price=INTEGER)
    assert told == ([], [f"Order ({REASON})"])
    part = ("orderId", "created_at", "unit_price", "note")
    assert said(*part, as_declared=False, language="typescript", unit_price=INTEGER) == (
        ["error name-case @Order: createdAt", "error name-case @Order: unitPrice"],
        [],
    )


def test_names_that_differ_in_part_are_mistakes() -> None:
    names = ("orderId", "created_at", "unit_price", "note")
    cased = ["error name-case @Order: createdAt", "error name-case @Order: unitPrice"]
    assert said(*names, unit_price=INTEGER) == (cased, [])


def test_names_that_a_serializer_gives_are_what_they_are() -> None:
    names = ("order_id", "created_at", "unit_price", "note")
    cased = [f"error name-case @Order: {name}" for name in ("createdAt", "orderId", "unitPrice")]
    assert said(*names, as_declared=False, unit_price=INTEGER) == (cased, [])
