"""Schemas in a few words."""

from __future__ import annotations

import pytest

from contract_scan.ir.schema import (
    Anything,
    Array,
    Nothing,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.scanners.differences.describe import describe, values_text
from tests.scanners.builders import INTEGER, NUMERIC, STRING, Names, array, enum, obj, text

TARGETS: dict[str, Schema] = {
    "models.py#Order|by_alias": obj(name="Order"),
    "models.py#Anonymous": obj({"a": STRING}),
    "#/Id": STRING,
    "#/Ring": Reference(key="#/Ring"),
}
NAMES = Names(**TARGETS)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (STRING, "string"),
        (text("uuid", nullable=True), "string (uuid) or null"),
        (NUMERIC, "number"),
        (enum("a", "b"), '"a" | "b"'),
        (Scalar(type="integer", values=(1, 2)), "1 | 2"),
        (obj(), "object"),
        (obj(name="Order"), "Order"),
        (obj(additional=STRING), "map"),
        (array(obj(name="Order")), "array of Order"),
        (array(array(STRING)), "array of array"),
        (Array(prefix=(STRING,), items=Nothing()), "tuple"),
        (Union(options=(STRING, INTEGER)), "string or integer"),
        (Union(options=()), "nothing"),
        (Anything(), "any value"),
        (Nothing(), "nothing"),
        (Nothing(nullable=True), "null"),
        (Unknown(reason="?"), "unknown"),
        (Unknown(reason="?", is_text=True), "text"),
        (Reference(key="models.py#Order|by_alias"), "Order"),
        (Reference(key="models.py#Anonymous", nullable=True), "Anonymous or null"),
        (Reference(key="#/Id"), "string"),
        (Reference(key="#/Ring"), "Ring"),
        (Reference(key="openapi.yaml#/components/schemas/Gone"), "Gone"),
    ],
)
def test_words(schema: Schema, words: str) -> None:
    assert describe(schema, NAMES) == words


def test_long_lists_of_values_are_cut() -> None:
    assert values_text(tuple("abcdefgh")) == "a | b | c | d | e | f | g | h"
    assert values_text(tuple("abcdefghij")) == "a | b | c | d | e | f | g | h | … (10 values)"
