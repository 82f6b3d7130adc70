"""CONTRACT-004 of models that no type is named after, by what code has where they are used."""

from __future__ import annotations

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.model import Model
from contract_scan.ir.schema import Object, Reference, Schema, Union, Unknown
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rule import RuleResult
from contract_scan.scanners.rules.contract_004_shared_model import RULE
from tests.scanners.builders import INTEGER, STRING, FakeCode, array, at, enum, model, obj, optional
from tests.scanners.rules.checking import absent, check, found, undetermined, verdicts

ADDRESS = obj({"zip": STRING, "town": optional(STRING)})
PLACE = obj({"zip": INTEGER, "town": STRING}, name="Place", origin=at("Place.java"))


def contract(customer: Object, **definitions: Schema) -> ContractDocument:
    """A document with the model `Customer` and others that it may refer to."""
    schemas = {
        name: type(schema)(**{**_parts(schema), "origin": _there(name)})
        for name, schema in definitions.items()
    }
    return ContractDocument(
        path="models.json",
        kind="json-schema",
        models=(
            Model(name="Customer", schema=customer, origin=at("models.json")),
            *(
                Model(name=name, schema=schema, origin=schema.origin)
                for name, schema in schemas.items()
            ),
        ),
        schemas=schemas,
    )


def _parts(schema: Schema) -> dict[str, object]:
    return {name: getattr(schema, name) for name in schema.__struct_fields__}


def _there(name: str) -> object:
    origin = at("models.json", 2)
    return type(origin)(origin.path, origin.span, f"/$defs/{name}")


def refer(name: str) -> Reference:
    return Reference(key=name)


def answer(document: ContractDocument, *types: Model, **schemas: Schema) -> RuleResult:
    return check(RULE, document, FakeCode(models=types, schemas=schemas))


def test_a_type_of_another_name_stands_for_the_model_that_its_place_is_of() -> None:
    document = contract(
        obj({"home": refer("Address"), "all": array(refer("Address"))}), Address=ADDRESS
    )
    customer = obj({"home": refer("java:Place"), "all": array(refer("java:Place"))})
    result = answer(document, model("Customer", customer, "java"), **{"java:Place": PLACE})
    assert found(result) == ["error type @Address: zip"]
    assert [f.message for f in result.findings] == [
        "Java `Place`: `zip` is an integer, expected a string"
    ]
    assert verdicts(result) == {"Customer": Verdict.VERIFIED, "Address": Verdict.VIOLATED}


def test_fields_that_are_written_down_in_place_stand_for_a_model_too() -> None:
    document = contract(obj({"home": refer("Address")}), Address=ADDRESS)
    inline = obj({"zip": STRING, "street": STRING}, origin=at("customer.ts", 7))
    result = answer(document, model("Customer", obj({"home": inline}), "typescript"))
    assert [f.message for f in result.findings] == [
        "the `Address` of TypeScript `Customer` has `street`, which the contract does not define"
    ]


def test_each_language_is_asked_for_what_it_has() -> None:
    document = contract(obj({"home": refer("Address")}), Address=ADDRESS)
    named = obj({"zip": STRING}, name="Address", origin=at("address.py"))
    result = answer(
        document,
        model("Customer", obj({"home": named}), "python"),
        model("Address", named, "python"),
        model("Customer", obj({"home": refer("java:Place")}), "java"),
        **{"java:Place": PLACE},
    )
    assert [(f.field, f.message.partition(":")[0]) for f in result.findings] == [
        ("zip", "Java `Place`")
    ]


def test_the_alternative_that_fits_is_the_one_that_is_meant() -> None:
    document = contract(
        obj({"owner": Union(options=(refer("Person"), refer("Company")))}),
        Person=obj({"first": STRING, "last": STRING}),
        Company=obj({"title": STRING}),
    )
    human = obj({"first": STRING, "last": STRING}, name="Human", origin=at("Human.java"))
    result = answer(document, model("Customer", obj({"owner": human}), "java"))
    assert (found(result), undetermined(result)) == ([], [])
    assert absent(result) == ["Company (no type in the code stands for the model)"]
    assert verdicts(result) == {
        "Customer": Verdict.VERIFIED,
        "Person": Verdict.VERIFIED,
        "Company": Verdict.ABSENT,
    }


def test_what_is_no_object_needs_no_type() -> None:
    document = contract(
        obj({"id": refer("Key"), "tags": refer("Tags"), "color": refer("Color")}),
        Key=STRING,
        Tags=array(STRING),
        Color=enum("red", "green"),
        Unused=enum("a", "b"),
    )
    customer = obj({"id": STRING, "tags": array(STRING), "color": enum("red", "blue")})
    result = answer(document, model("Customer", customer, "java"))
    assert found(result) == ["error enum @Customer: color"]
    assert (undetermined(result), absent(result)) == (
        [],
        ["Unused (no type in the code stands for the model)"],
    )
    assert verdicts(result) == {
        "Customer": Verdict.VIOLATED,
        "Key": Verdict.VERIFIED,
        "Tags": Verdict.VERIFIED,
        "Color": Verdict.VIOLATED,
        "Unused": Verdict.ABSENT,
    }


def test_a_list_of_values_that_is_used_for_something_else_is_not_compared() -> None:
    document = contract(obj({"level": refer("Level")}), Level=enum("high", "low"))
    customer = obj({"level": enum("high", "low")})
    result = answer(
        document, model("Customer", customer, "java"), model("Level", enum("HIGH", "LOW"), "java")
    )
    assert (found(result), undetermined(result)) == (
        [],
        ["Level (another `Level` stands where the model is used: this one may not stand for it)"],
    )


def test_a_use_that_is_undetermined_says_why() -> None:
    document = contract(obj({"home": refer("Address")}), Address=ADDRESS)
    home = Unknown(reason="it is declared as any")
    result = answer(document, model("Customer", obj({"home": home}), "typescript"))
    assert undetermined(result) == [
        "Address (it is declared as any)",
        "Customer: home (it is declared as any)",
    ]


def test_a_type_of_another_shape_is_none_of_the_model_where_something_else_is_used() -> None:
    document = contract(obj({"version": refer("Version")}), Version=STRING)
    other = obj({"major": INTEGER}, name="Version", origin=at("Version.java"))
    types = [
        model("Customer", obj({"version": STRING}), "java"),
        model("Version", other, "java"),
    ]
    result = answer(document, *types)
    assert (found(result), undetermined(result)) == ([], [])
    assert verdicts(result) == {"Customer": Verdict.VERIFIED, "Version": Verdict.VERIFIED}


def test_a_type_of_the_name_that_is_used_for_something_else_does_not_stand_for_the_model() -> None:
    document = contract(
        obj({"home": refer("Address")}), Address=obj({"zip": STRING, "town": STRING, "way": STRING})
    )
    other = obj({"zip": STRING, "town": STRING, "port": INTEGER}, name="Address", origin=at("n"))
    meant = obj({"zip": STRING, "town": STRING, "way": STRING}, name="Place", origin=at("p"))
    result = answer(
        document,
        model("Customer", obj({"home": meant}), "java"),
        model("Address", other, "java"),
    )
    assert (found(result), undetermined(result)) == (
        [],
        [
            "Address (another `Address` stands where the model is used: "
            "this one may not stand for it)"
        ],
    )


def test_the_presence_of_what_may_be_null_is_nothing_that_a_type_says() -> None:
    def presence(field: dict[str, object]) -> list[str]:
        name = optional(STRING)
        told = type(name)(**{**_fields(name), "required": None, **field})
        return undetermined(
            answer(contract(obj({"name": STRING})), model("Customer", obj({"name": told}), "java"))
        )

    assert presence({"omitted_if_null": True}) == []
    assert presence({}) == ["Customer: name (whether the field is always sent is undetermined)"]


def _fields(field: object) -> dict[str, object]:
    return {name: getattr(field, name) for name in field.__struct_fields__}  # type: ignore[attr-defined]
