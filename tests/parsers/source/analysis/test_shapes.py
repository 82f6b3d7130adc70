"""When shapes are equal, and what a value has that may have any of several."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.schemas import describe, is_same_shape, unite

NULLABLE = st.sampled_from([True, False, None])
LEAVES: st.SearchStrategy[Schema] = st.one_of(
    st.builds(
        Scalar,
        type=st.sampled_from(["string", "integer"]),
        format=st.sampled_from(["", "uuid"]),
        values=st.sampled_from([None, ("a",), (1,), (True,)]),
        nullable=NULLABLE,
    ),
    st.builds(Reference, key=st.sampled_from(["a:One", "a:Two"]), nullable=NULLABLE),
    st.builds(Unknown, reason=st.sampled_from(["late", "far"]), nullable=NULLABLE),
    st.builds(Anything, nullable=NULLABLE),
    st.builds(Nothing, nullable=NULLABLE),
)


def _containers(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    lists = st.lists(inner, max_size=2).map(tuple)
    fields = st.lists(
        st.builds(Field, name=st.sampled_from("xy"), schema=inner, required=NULLABLE), max_size=2
    )
    return st.one_of(
        st.builds(Array, items=inner, prefix=lists, nullable=NULLABLE),
        st.builds(
            Object,
            fields=fields.map(tuple),
            additional=st.none() | inner,
            incomplete_reason=st.sampled_from(["", "a spread"]),
            nullable=NULLABLE,
        ),
        st.builds(Union, options=lists, nullable=NULLABLE),
    )


SHAPES = st.recursive(LEAVES, _containers, max_leaves=5)


@settings(deadline=None)
@given(SHAPES, SHAPES)
def test_shapes_are_alike_where_one_text_describes_both(left: Schema, right: Schema) -> None:
    assert is_same_shape(left, right) == (describe(left) == describe(right))


@settings(deadline=None)
@given(SHAPES)
def test_a_shape_is_like_another_one_of_its_kind_elsewhere(shape: Schema) -> None:
    other = type(shape)(
        **{name: getattr(shape, name) for name in shape.__struct_fields__ if name != "origin"},
        origin=Origin("elsewhere.ts"),
    )
    assert is_same_shape(shape, other)


def test_equal_shapes_join_once_and_null_joins_as_nullable() -> None:
    item = Object(fields=(Field(name="id", schema=Scalar(type="integer")),))
    other = Object(fields=(Field(name="id", schema=Scalar(type="string")),))
    joined = unite([item, Nothing(nullable=True), other, item])
    assert joined == Union(options=(item, other), nullable=True)
