"""How well the code's side of a difference is known: the shape nearest to it that says so."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.evidence import (
    DECLARED,
    ENFORCED,
    Evidence,
    Grade,
    uniform,
)
from contract_scan.ir.schema import Field, Reference, Schema, Union, with_nullable
from contract_scan.scanners.differences import Direction
from tests.scanners.builders import INTEGER, STRING, Names, array, obj, optional
from tests.scanners.differences.comparing import compare

GUESSED = uniform("guessed")


def grades(
    direction: Direction, contract: Schema, code: Schema, names: Resolver | None = None
) -> dict[tuple[str, str], Grade | None]:
    """(sort of difference, field) -> how it is known."""
    comparison = compare(direction, contract, code, code_names=names)
    return {(type(item).__name__, item.path): item.evidence for item in comparison.differences}


def test_a_difference_without_evidence_is_known_as_the_whole_value_is() -> None:
    contract, code = obj({"a": STRING}), obj({"a": INTEGER})
    assert grades("response", contract, code) == {("TypeDiffers", "a"): None}


def test_evidence_of_a_shape_holds_for_everything_in_it() -> None:
    contract = obj({"a": array(obj({"b": STRING, "c": STRING}))})
    code = obj({"a": array(obj({"b": INTEGER}))})
    found = {("TypeDiffers", "a[].b"): "declared", ("FieldMissing", "a[].c"): "declared"}
    assert grades("response", contract, replace(code, evidence=DECLARED)) == found


def test_the_contracts_side_says_nothing_of_what_is_known_of_the_code() -> None:
    contract = replace(obj({"a": STRING}), evidence=GUESSED)
    for direction in ("response", "request"):
        assert grades(direction, contract, obj({"a": INTEGER})) == {("TypeDiffers", "a"): None}


def test_the_nearest_shape_that_says_it_counts() -> None:
    inner = replace(obj({"b": INTEGER}), evidence=ENFORCED)
    code = replace(obj({"a": inner, "c": INTEGER}), evidence=DECLARED)
    contract = obj({"a": obj({"b": STRING}), "c": STRING})
    assert grades("request", contract, code) == {
        ("TypeDiffers", "a.b"): "enforced",
        ("TypeDiffers", "c"): "declared",
    }


def test_one_shape_may_prove_its_type_and_only_suggest_the_rest() -> None:
    evidence = Evidence(type="checked", nullable="declared", required="enforced")
    code = replace(obj({"a": INTEGER, "b": STRING, "c": STRING}), evidence=evidence)
    contract = obj({"a": STRING, "b": optional(STRING), "c": with_nullable(STRING)})
    assert grades("request", contract, code) == {
        ("TypeDiffers", "a"): "checked",
        ("RequiredDiffers", "b"): "enforced",
        ("NullableDiffers", "c"): "declared",
    }


def test_a_field_says_how_it_is_known_itself_and_nothing_of_what_is_in_it() -> None:
    field = Field(name="a", schema=obj({"b": INTEGER}), evidence=ENFORCED)
    code = replace(obj({"a": field}), evidence=DECLARED)
    contract = obj({"a": optional(with_nullable(obj({"b": STRING})))})
    assert grades("request", contract, code) == {
        ("RequiredDiffers", "a"): "enforced",
        ("NullableDiffers", "a"): "enforced",
        ("TypeDiffers", "a.b"): "declared",
    }


def test_a_type_that_is_used_twice_is_known_as_each_use_says() -> None:
    """A cast says less of a class than its own validator would, and only where it stands."""
    names = Names(Part=obj({"b": INTEGER}, name="Part"))
    cast = Reference(key="Part", evidence=DECLARED)
    code = obj({"cast": cast, "made": Reference(key="Part")})
    contract = obj({"cast": obj({"b": STRING}), "made": obj({"b": STRING})})
    assert grades("response", contract, code, names) == {
        ("TypeDiffers", "cast.b"): "declared",
        ("TypeDiffers", "made.b"): None,
    }


def test_null_is_known_by_the_alternative_that_may_be_null() -> None:
    sure = replace(with_nullable(STRING), evidence=uniform("checked"))
    vague = replace(with_nullable(INTEGER), evidence=DECLARED)
    never = replace(array(STRING), evidence=DECLARED)
    both = Union(options=(STRING, INTEGER, array(STRING)))
    for options, grade in (
        ((sure, never), "checked"),
        ((vague, never), "declared"),
        ((sure, vague), "checked"),
    ):
        found = grades("response", both, Union(options=options))
        assert found == {("NullableDiffers", ""): grade}


def test_that_no_alternative_takes_null_is_known_no_better_than_the_worst_of_them() -> None:
    contract = Union(options=(STRING, INTEGER, array(STRING)), nullable=True)
    sure = replace(array(STRING), evidence=ENFORCED)
    vague = replace(INTEGER, evidence=DECLARED)
    text = replace(STRING, evidence=uniform("checked"))
    assert grades("request", contract, Union(options=(sure, vague, text))) == {
        ("NullableDiffers", ""): "declared"
    }


def test_values_of_two_alternatives_are_known_no_better_than_the_worse() -> None:
    one = replace(STRING, values=("a",), evidence=ENFORCED)
    other = replace(STRING, values=("b",), evidence=DECLARED)
    contract = replace(STRING, values=("a",))
    code = Union(options=(one, other))
    assert grades("response", contract, code) == {("EnumDiffers", ""): "declared"}


def test_the_same_difference_met_twice_is_known_by_the_better() -> None:
    """Two shapes are sent, and the contract takes neither: the one that is proved is enough."""
    one = replace(obj({"a": INTEGER}), evidence=ENFORCED)
    other = replace(obj({"a": INTEGER, "b": STRING}), evidence=DECLARED)
    for options in ((one, other), (other, one)):
        found = grades(
            "response", obj({"a": STRING, "b": optional(STRING)}), Union(options=options)
        )
        assert found == {("TypeDiffers", "a"): "enforced"}
