"""What holds for every schema."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    with_nullable,
)
from contract_scan.scanners.differences import Direction
from tests.scanners.builders import STRING, array, obj
from tests.scanners.differences.comparing import compare

NAMES = ("id", "total", "createdAt", "created_at", "items", "note")
DIRECTIONS: tuple[Direction, ...] = ("response", "request", "consumer", "model")

scalars = st.builds(
    Scalar,
    type=st.sampled_from(["string", "integer", "number", "numeric", "boolean"]),
    nullable=st.sampled_from([True, False, None]),
) | st.builds(
    Scalar,
    type=st.just("string"),
    format=st.sampled_from(["", "date", "date-time", "uuid", "uri"]),
    values=st.none() | st.sets(st.sampled_from("abc"), min_size=1).map(lambda v: tuple(sorted(v))),
)


def objects(children: st.SearchStrategy[Schema]) -> st.SearchStrategy[Object]:
    field = st.builds(Field, name=st.just(""), schema=children, required=st.booleans())
    return st.builds(
        lambda fields, additional: obj(fields, additional=additional),
        st.dictionaries(st.sampled_from(NAMES), field, max_size=4),
        st.none() | st.just(Nothing()) | st.just(Anything()) | children,
    )


def containers(children: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    return (
        st.builds(array, children)
        | objects(children)
        | st.builds(
            lambda options: Union(options=tuple(options)),
            st.lists(children, min_size=1, max_size=3),
        )
    )


schemas: st.SearchStrategy[Schema] = st.recursive(scalars, containers, max_leaves=12)


@pytest.mark.parametrize("direction", DIRECTIONS)
@given(schema=schemas)
@settings(max_examples=60, deadline=None)
def test_a_schema_fits_itself(direction: Direction, schema: Schema) -> None:
    assert compare(direction, schema, schema).differences == ()


@pytest.mark.parametrize("direction", ["response", "model"])
@given(contract=schemas, code=schemas)
@settings(max_examples=40, deadline=None)
def test_an_optional_field_more_in_the_contract_adds_no_finding(
    direction: Direction, contract: Schema, code: Schema
) -> None:
    ours = obj({"a": contract})
    theirs = obj({"a": code})
    wider = obj({"a": contract, "zz": Field(name="zz", schema=STRING, required=False)})
    assert (
        compare(direction, wider, theirs).differences
        == compare(direction, ours, theirs).differences
    )


@given(contract=schemas, code=schemas)
@settings(max_examples=40, deadline=None)
def test_the_order_of_fields_does_not_matter(contract: Schema, code: Schema) -> None:
    def turned(schema: Schema) -> Schema:
        match schema:
            case Object():
                fields = tuple(
                    msgspec.structs.replace(field, schema=turned(field.schema))
                    for field in reversed(schema.fields)
                )
                return msgspec.structs.replace(schema, fields=fields)
            case Array():
                return msgspec.structs.replace(schema, items=turned(schema.items))
            case _:
                return schema

    def places(one: Schema, other: Schema) -> set[tuple[str, str]]:
        comparison = compare("response", one, other)
        return {(type(item).__name__, item.path) for item in comparison.differences}

    assert places(contract, turned(code)) == places(contract, code)


@given(contract=schemas, code=schemas)
@settings(max_examples=60, deadline=None)
def test_what_fits_as_a_response_fits_mirrored_as_a_request(contract: Schema, code: Schema) -> None:
    if compare("response", contract, code).fits:
        assert not compare("request", code, contract).differences


@given(contract=schemas, code=schemas)
@settings(max_examples=40, deadline=None)
def test_a_contract_that_allows_null_as_well_adds_no_finding(
    contract: Schema, code: Schema
) -> None:
    before = compare("response", contract, code).differences
    after = compare("response", with_nullable(contract, True), code).differences
    assert {(type(d), d.path) for d in after} <= {(type(d), d.path) for d in before}


@given(contract=schemas, code=schemas)
@settings(max_examples=40, deadline=None)
def test_comparing_twice_gives_the_same(contract: Schema, code: Schema) -> None:
    assert compare("response", contract, code) == compare("response", contract, code)
