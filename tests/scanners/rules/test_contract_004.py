"""CONTRACT-004 over models and types written down by hand."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.model import Model
from contract_scan.ir.schema import Field, Nothing, Reference, Scalar, Schema, Union
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rule import Options, RuleResult
from contract_scan.scanners.rules.contract_004_shared_model import RULE
from tests.scanners.builders import (
    INTEGER,
    STRING,
    FakeCode,
    array,
    at,
    enum,
    model,
    obj,
    optional,
    shared,
    text,
)
from tests.scanners.rules.checking import absent, check, found, undetermined, verdicts

CUSTOMER = obj({"id": STRING, "createdAt": text("date-time"), "nickname": optional(STRING)})


def answer(contract: Schema, *types: Model, options: Options | None = None) -> RuleResult:
    return check(RULE, shared(model("Customer", contract)), FakeCode(models=types), options)


def test_types_that_agree_in_every_language() -> None:
    types = [model("Customer", CUSTOMER, name) for name in ("python", "java", "csharp")]
    result = answer(CUSTOMER, *types)
    assert (found(result), undetermined(result)) == ([], [])
    assert verdicts(result) == {"Customer": Verdict.VERIFIED}


def test_each_type_has_its_findings() -> None:
    result = answer(
        CUSTOMER,
        model("Customer", obj({"id": STRING, "created_at": text("date-time")}), "python"),
        model("Customer", obj({"id": INTEGER, "createdAt": text("date-time")}), "java"),
        model("Customer", obj({"id": optional(STRING)}), "typescript"),
    )
    assert sorted((f.origin.path, f.kind, f.field) for f in result.findings) == [
        ("java.src", "type", "id"),
        ("python.src", "name-case", "createdAt"),
        ("typescript.src", "missing-field", "createdAt"),
        ("typescript.src", "required", "id"),
    ]
    assert {f.model for f in result.findings} == {"Customer"}
    assert {f.severity for f in result.findings} == {"error"}
    assert verdicts(result) == {"Customer": Verdict.VIOLATED}


def test_what_a_type_may_do_differently() -> None:
    contract = obj({"id": STRING, "note": optional(STRING), "other": optional(STRING)})
    assert found(answer(contract, model("Customer", obj({"id": STRING, "note": STRING})))) == []


def test_null_in_both_directions() -> None:
    contract = obj({"a": STRING, "b": text(nullable=True), "c": text(nullable=True)})
    code = obj({"a": text(nullable=True), "b": STRING, "c": text(nullable=None)})
    assert found(answer(contract, model("Customer", code))) == [
        "error nullable @Customer: a",
        "warning nullable @Customer: b",
    ]


def test_null_for_an_optional_field_that_is_not_there() -> None:
    def nickname(**more: object) -> Model:
        field = Field(name="", schema=text(nullable=True), **more)  # type: ignore[arg-type]
        return model("Customer", obj({"nickname": field}))

    lenient, strict = obj({"nickname": optional(STRING)}), obj({"nickname": STRING})
    assert found(answer(lenient, nickname(has_default=True))) == []
    assert found(answer(lenient, nickname(required=False))) == []
    assert found(answer(lenient, nickname())) == ["error nullable @Customer: nickname"]
    assert found(answer(strict, nickname(has_default=True))) == [
        "error nullable @Customer: nickname"
    ]


def test_lists_of_values_in_both_directions() -> None:
    for values in (("a", "b", "c"), ("a",), ("a", "x")):
        result = answer(
            obj({"kind": enum("a", "b")}), model("Customer", obj({"kind": enum(*values)}))
        )
        assert found(result) == ["error enum @Customer: kind"]
    [finding] = answer(
        obj({"kind": enum("a", "b")}), model("Customer", obj({"kind": enum("a", "x")}), "java")
    ).findings
    assert finding.message == (
        'Java `Customer` allows "x" for `kind`, which the contract does not list; it lacks "b"'
    )


def test_an_enum_is_a_model_too() -> None:
    assert found(answer(enum("a", "b"), model("Customer", enum("a")))) == ["error enum @Customer"]


def test_a_model_without_a_type() -> None:
    result = answer(CUSTOMER)
    assert undetermined(result) == [
        "Customer (no type of this name was found in the code, nor one for any other model)"
    ]
    assert verdicts(result) == {"Customer": Verdict.UNDETERMINED}
    required = answer(CUSTOMER, options=Options(required_models=frozenset({"Customer"})))
    assert found(required) == ["error missing-model @Customer"]
    assert required.findings[0].origin == at("models.json")
    assert verdicts(required) == {"Customer": Verdict.MISSING}


def test_a_model_that_the_code_does_not_have() -> None:
    document = shared(model("Customer", CUSTOMER), model("Supplier", CUSTOMER))
    types = (model("Customer", CUSTOMER, "java"),)
    result = check(RULE, document, FakeCode(models=types))
    assert (found(result), undetermined(result)) == ([], [])
    assert absent(result) == ["Supplier (no type in the code stands for the model)"]
    assert verdicts(result) == {"Customer": Verdict.VERIFIED, "Supplier": Verdict.ABSENT}


def test_a_model_that_may_stand_in_a_file_that_was_not_read() -> None:
    document = shared(model("Customer", CUSTOMER), model("Supplier", CUSTOMER))
    lost = (NotAnalysed(path="Supplier.java", reason="is not UTF-8"),)
    code = FakeCode(models=(model("Customer", CUSTOMER, "java"),), problems=lost)
    result = check(RULE, document, code)
    unread = "no type of this name was found in the code, of which a part could not be read"
    assert (undetermined(result), absent(result)) == ([f"Supplier ({unread})"], [])
    assert verdicts(result) == {"Customer": Verdict.VERIFIED, "Supplier": Verdict.UNDETERMINED}


def test_ambiguous_types_are_not_compared() -> None:
    types = [model(name, obj(), "java") for name in ("CustomerDto", "CustomerModel")]
    assert undetermined(answer(CUSTOMER, *types)) == [
        "Customer (several types could stand for the model: CustomerDto, CustomerModel)"
    ]


def test_a_class_of_the_program_that_is_turned_into_the_model_is_not_compared() -> None:
    contract = obj(dict.fromkeys(("orderId", "owner", "state", "total"), STRING))
    domain = obj({"id": STRING, "owner": STRING, "title": STRING, "state": INTEGER})
    result = answer(contract, model("Customer", domain))
    assert (found(result), undetermined(result)) == (
        [],
        ["Customer (`Customer` differs from the model in more fields than it shares with it)"],
    )


def test_a_small_type_that_has_drifted_is_compared() -> None:
    contract = obj({"orderId": STRING, "owner": STRING})
    assert found(answer(contract, model("Customer", obj({"id": STRING, "owner": INTEGER})))) == [
        "error missing-field @Customer: orderId",
        "error type @Customer: owner",
        "warning extra-field @Customer: id",
    ]


def test_a_namesake_is_not_compared() -> None:
    other = obj(dict.fromkeys(("a", "b", "c", "d", "id"), STRING))
    contract = obj(dict.fromkeys(("v", "w", "x", "y", "id"), STRING))
    for schema in (other, enum("a"), Scalar(type="integer")):
        result = answer(contract, model("Customer", schema))
        assert found(result) == []
        assert len(result.undetermined) == 1
        assert verdicts(result) == {"Customer": Verdict.UNDETERMINED}


def test_a_map_is_no_model_of_a_type_with_fields() -> None:
    contract = obj(additional=STRING)
    assert undetermined(
        answer(contract, model("Customer", obj({"home": obj({"zip": STRING})})))
    ) == ["Customer (`Customer` shares hardly a field with the model: it may not stand for it)"]
    assert found(answer(contract, model("Customer", obj({"home": STRING})))) == []


def namesakes(models: dict[str, Schema], code: Schema, path: str = "python.src") -> RuleResult:
    """One type, and models of its name in several documents."""
    documents = [replace(shared(model("Customer", schema)), path=p) for p, schema in models.items()]
    item = replace(model("Customer", code, "python"), origin=at(path))
    return check(RULE, documents, FakeCode(models=[item]))


THREE = {"id": STRING, "name": STRING, "mail": STRING}


def test_of_several_models_a_type_stands_for_those_it_keeps() -> None:
    models = {
        "v1.json": obj({"id": STRING, "phone": STRING}),
        "v2.json": obj(THREE),
        "v2-copy.json": obj(THREE),
    }
    result = namesakes(models, obj(THREE))
    assert found(result) == []
    assert undetermined(result) == [
        "Customer (`Customer` rather stands for the model of that name in v2.json)"
    ]
    assert list(result.models.values()) == [
        Verdict.UNDETERMINED,
        Verdict.VERIFIED,
        Verdict.VERIFIED,
    ]


def test_of_several_models_that_it_breaks_a_type_stands_for_the_nearest() -> None:
    models = {
        "orders/schemas/customer.json": obj({**THREE, "phone": STRING, "fax": STRING}),
        "users/schemas/customer.json": obj({**THREE, "phone": STRING}),
    }
    result = namesakes(models, obj(THREE), "orders/src/customer.py")
    assert found(result) == [
        "error missing-field @Customer: fax",
        "error missing-field @Customer: phone",
    ]
    assert undetermined(result) == [
        "Customer (`Customer` rather stands for the model of that name in "
        "orders/schemas/customer.json)"
    ]


def test_of_several_models_in_one_place_a_type_stands_for_the_one_it_hardly_breaks() -> None:
    near, far = {**THREE, "phone": STRING}, {**THREE, "a": STRING, "b": STRING}
    result = namesakes({"v1.json": obj(far), "v2.json": obj(near)}, obj(THREE))
    assert found(result) == ["error missing-field @Customer: phone"]
    assert undetermined(result) == [
        "Customer (`Customer` rather stands for the model of that name in v2.json)"
    ]
    # Two copies of one model are broken alike.
    result = namesakes({"v2.json": obj(near), "copy.json": obj(near)}, obj(THREE))
    assert found(result) == ["error missing-field @Customer: phone"] * 2


def test_for_which_of_several_models_a_type_stands_may_not_be_told() -> None:
    models = {"v1.json": obj({**THREE, "a": STRING}), "v2.json": obj({**THREE, "b": STRING})}
    result = namesakes(models, obj(THREE))
    assert found(result) == []
    assert (
        undetermined(result)
        == [
            "Customer (2 models have the name, and `Customer` keeps none of them: "
            "for which one it stands is undetermined)"
        ]
        * 2
    )


def test_a_model_inside_another_has_its_findings_once() -> None:
    address = Model(
        name="Address", schema=obj({"zip": STRING}, origin=at("models.json", 2)), origin=at("m")
    )
    customer = obj({"home": Reference(key="Address"), "all": array(Reference(key="Address"))})
    document = shared(Model(name="Customer", schema=customer), address)
    document = type(document)(
        path=document.path,
        kind=document.kind,
        models=document.models,
        schemas={"Address": address.schema},
    )
    code_address = obj({"zip": INTEGER}, name="AddressDto")
    code_customer = obj({"home": code_address, "all": array(code_address)})
    both = [model("Customer", code_customer, "java"), model("AddressDto", code_address, "java")]
    assert found(check(RULE, document, FakeCode(models=both))) == ["error type @Address: zip"]
    # A shape that stands nowhere of its own is looked into where it is used.
    assert found(check(RULE, document, FakeCode(models=both[:1]))) == [
        "error type @Customer: all[].zip",
        "error type @Customer: home.zip",
    ]


def test_fields_of_the_types_that_derive_from_a_base_are_their_own() -> None:
    contract = obj({"uri": STRING})
    text_of = obj({"uri": STRING, "text": STRING, "more": STRING})
    blob = obj({"uri": STRING, "blob": STRING, "more": STRING})
    derived = Union(options=(text_of, blob))
    assert found(answer(contract, model("Customer", derived))) == [
        "warning extra-field @Customer: more"
    ]
    closed = obj({"uri": STRING}, additional=Nothing())
    assert found(answer(closed, model("Customer", derived))) == [
        "error extra-field @Customer: blob",
        "error extra-field @Customer: more",
        "error extra-field @Customer: text",
    ]


def test_a_union_of_which_a_part_keeps_the_model_need_not_stand_for_it_as_a_whole() -> None:
    closed = obj({"uri": STRING}, additional=Nothing())
    union = Union(options=(obj({"uri": STRING}), obj({"uri": STRING, "text": STRING})))
    result = answer(closed, model("Customer", union))
    assert (found(result), undetermined(result)) == (
        [],
        ["Customer (only a part of what `Customer` may be stands for the model)"],
    )
