"""Schemas that contain themselves, and schemas too large to compare."""

from __future__ import annotations

import pytest

from contract_scan.ir.schema import Field, Object, Reference, Schema, Union
from contract_scan.scanners.differences import Comparer
from contract_scan.scanners.differences.compare import MAX_DEPTH
from tests.scanners.builders import INTEGER, STRING, Names, array, at, obj, optional
from tests.scanners.differences.comparing import compare


def ref(key: str, nullable: bool = False) -> Reference:
    return Reference(key=key, nullable=nullable)


def found(contract: Names, code: Names, start: str = "Node") -> set[tuple[str, str]]:
    comparison = compare(
        "response", ref(start), ref(start), contract_names=contract, code_names=code
    )
    assert comparison.undetermined == ()
    return {(type(item).__name__, item.path) for item in comparison.differences}


def tree(value: Schema) -> Object:
    return obj({"value": value, "children": array(ref("Node"))})


def test_a_recursive_schema_fits_itself() -> None:
    assert found(Names(Node=tree(STRING)), Names(Node=tree(STRING))) == set()


def test_a_difference_in_a_recursive_schema_is_said_once() -> None:
    assert found(Names(Node=tree(STRING)), Names(Node=tree(INTEGER))) == {("TypeDiffers", "value")}


def test_recursion_over_several_schemas() -> None:
    contract = Names(
        Node=obj({"next": ref("Other")}), Other=obj({"back": ref("Node"), "x": STRING})
    )
    code = Names(Node=obj({"next": ref("Other")}), Other=obj({"back": ref("Node"), "x": INTEGER}))
    assert found(contract, code) == {("TypeDiffers", "next.x")}
    assert found(contract, code, "Other") == {("TypeDiffers", "x")}


def entities(file: str, value: Schema) -> Names:
    """Three types that hold each other, each in two ways, and a value of their own."""
    names = ("a", "b", "c")
    return Names(
        **{
            name.upper(): Object(
                fields=(
                    Field(name="value", schema=value, origin=at(file, line)),
                    *(
                        Field(name=f"{other}{way}", schema=array(ref(other.upper())))
                        for other in names
                        if other != name
                        for way in (1, 2)
                    ),
                )
            )
            for line, name in enumerate(names, 1)
        }
    )


def test_types_that_hold_each_other_differ_where_each_is_met_first() -> None:
    contract, code = entities("openapi.yaml", STRING), entities("app.py", INTEGER)
    assert found(contract, code, "A") == {
        ("TypeDiffers", path) for path in ("value", "b1[].value", "c1[].value")
    }


def test_what_was_compared_inside_a_cycle_is_compared_again_outside_of_it() -> None:
    contract = Names(A=obj({"b": ref("B"), "x": STRING}), B=obj({"a": optional(ref("A"))}))
    code = Names(A=obj({"b": ref("B"), "x": INTEGER}), B=obj({"a": optional(ref("A"))}))
    comparer = Comparer(contract=contract, code=code, direction="response")
    first = comparer.compare(contract=ref("A"), code=ref("A"))
    second = comparer.compare(contract=ref("B"), code=ref("B"))
    assert [item.path for item in first.differences] == ["x"]
    assert [item.path for item in second.differences] == ["a.x"]


def test_a_schema_reached_twice_has_its_difference_at_both_places() -> None:
    both = obj({"billing": ref("Address"), "shipping": ref("Address")})
    contract = Names(Node=both, Address=obj({"zip": STRING}))
    code = Names(Node=both, Address=obj({"zip": INTEGER}))
    assert found(contract, code) == {
        ("TypeDiffers", "billing.zip"),
        ("TypeDiffers", "shipping.zip"),
    }


def test_the_reference_and_its_target_may_both_allow_null() -> None:
    names = Names(Node=obj({"next": ref("Node", nullable=True)}))
    strict = Names(Node=obj({"next": ref("Node")}))
    assert found(strict, names) == {("NullableDiffers", "next")}
    assert found(names, strict) == set()


def test_a_union_that_is_an_option_of_itself() -> None:
    json = Union(options=(STRING, array(ref("Node")), ref("Node")))
    assert found(Names(Node=json), Names(Node=json)) == set()


def test_a_ring_of_references_has_no_value() -> None:
    ring = Names(Node=ref("Other"), Other=ref("Node"))
    assert found(ring, ring) == set()


def test_a_reference_that_leads_nowhere_is_undetermined() -> None:
    comparison = compare("response", ref("Gone"), STRING)
    assert [item.reason for item in comparison.undetermined] == ["`Gone` leads nowhere"]


@pytest.mark.parametrize("levels", [MAX_DEPTH + 50, 2000])
def test_deep_nesting_ends(levels: int) -> None:
    arrays: Schema = STRING
    objects: Schema = STRING
    for _ in range(levels):
        arrays, objects = array(arrays), obj({"a": objects})
    for deep in (arrays, objects):
        comparison = compare("response", deep, deep)
        assert comparison.differences == ()
        [place] = comparison.undetermined
        assert place.reason == f"nested more than {MAX_DEPTH} levels deep"


class Endless:
    """A resolver that makes a new object at every call."""

    def resolve(self, reference: Reference) -> Schema:
        return obj({"next": ref(reference.key), "x": STRING})


def test_a_resolver_may_make_new_objects() -> None:
    comparison = compare(
        "response", ref("N"), ref("N"), contract_names=Endless(), code_names=Endless()
    )
    assert comparison.fits is True


def test_too_many_combinations_end() -> None:
    def many(depth: int, value: Schema) -> Schema:
        if not depth:
            return value
        return Union(
            options=tuple(
                obj({f"f{depth}": many(depth - 1, value), f"only{i}": STRING}) for i in range(6)
            )
        )

    comparison = compare("response", many(4, STRING), many(4, INTEGER))
    assert comparison.fits is False
    assert {item.reason for item in comparison.undetermined} == {
        "too many combinations of alternatives to compare them all"
    }
