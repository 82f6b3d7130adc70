from __future__ import annotations

import json

import jsonschema
import pytest

from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Unknown,
)
from contract_scan.reports.json_schema import SchemaWriter, unused_name
from tests.reports.extraction_samples import ALL_SORTS, NAMES, ORDER, STRING, Names


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        (STRING, {"type": "string"}),
        (
            Scalar(type="string", format="date", nullable=True),
            {"type": ["string", "null"], "format": "date"},
        ),
        (Scalar(type="numeric"), {"type": "number"}),
        (
            Scalar(type="string", values=("a", "b"), nullable=True),
            {"type": ["string", "null"], "enum": ["a", "b", None]},
        ),
        (Scalar(type="integer", nullable=None), {"type": "integer", "x-unknown-nullable": True}),
        (Unknown(reason="declared as any"), {"x-unknown": "declared as any"}),
        (Nothing(), {"not": {}}),
        (Nothing(nullable=True), {"type": "null"}),
        (Object(additional=STRING), {"type": "object", "additionalProperties": {"type": "string"}}),
        (Object(additional=Nothing()), {"type": "object", "additionalProperties": False}),
        (Object(incomplete_reason="a spread"), {"type": "object", "x-partial": "a spread"}),
        (
            Object(
                fields=(
                    Field(name="a", schema=STRING),
                    Field(name="b", schema=STRING, required=False, read_only=True),
                    Field(name="c", schema=STRING, required=None, write_only=True),
                )
            ),
            {
                "type": "object",
                "properties": {
                    "a": {"type": "string"},
                    "b": {"type": "string", "readOnly": True},
                    "c": {"type": "string", "writeOnly": True},
                },
                "required": ["a"],
                "x-unknown-required": ["c"],
            },
        ),
        (
            Reference(key="py:Order", nullable=True),
            {"anyOf": [{"$ref": "#/$defs/Order"}, {"type": "null"}]},
        ),
    ],
)
def test_a_schema_as_json_schema(schema: Schema, written: dict[str, object]) -> None:
    assert SchemaWriter(NAMES, "#/$defs").write(schema) == written


@pytest.mark.parametrize("inline", [True, False])
def test_every_sort_of_schema_is_valid_json_schema(inline: bool) -> None:
    writer = SchemaWriter(NAMES, "#/$defs", inline=inline)
    document = {"anyOf": [writer.write(schema) for schema in ALL_SORTS]}
    document["$defs"] = writer.named_schemas()  # type: ignore[assignment]
    jsonschema.Draft202012Validator.check_schema(document)
    json.dumps(document, allow_nan=False)


def test_named_schemas_are_written_in_place_as_far_as_that_ends() -> None:
    writer = SchemaWriter(NAMES, "#/schemas", inline=True)
    assert writer.write(Array(items=Reference(key="py:Order"))) == {
        "type": "array",
        "items": writer.write(ORDER),
    }
    assert writer.write(Reference(key="py:Tree")) == {
        "type": "object",
        "title": "Tree",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/schemas/Tree"}}},
        "required": ["children"],
    }
    assert list(writer.named_schemas()) == ["Tree"]


def test_schemas_that_refer_to_each_other_twice_do_not_explode() -> None:
    depth = 40
    names = Names(
        {
            f"L{level}": Object(
                name=f"L{level}",
                fields=tuple(
                    Field(name=side, schema=Reference(key=f"L{level + 1}")) for side in "ab"
                ),
            )
            for level in range(depth)
        }
        | {f"L{depth}": STRING}
    )
    writer = SchemaWriter(names, "#/schemas", inline=True)
    written = writer.write(Reference(key="L0"))
    assert len(json.dumps(written)) < 400_000
    assert len(writer.named_schemas()) <= depth + 1


def test_hostile_nesting_ends_in_an_unknown() -> None:
    schema: Schema = STRING
    for _ in range(5000):
        schema = Array(items=schema)
    text = json.dumps(SchemaWriter(NAMES, "#/$defs").write(schema))
    assert text.count('{"x-unknown": "nested too deeply to be written"}') == 1


def test_names_keep_to_the_letters_that_documents_allow_and_never_collide() -> None:
    assert unused_name("Page<Order>", ()) == "Page_Order"
    assert unused_name("Order", ["Order", "Order_2"]) == "Order_3"
    assert unused_name("日本", ()) == "Schema"
    writer = SchemaWriter(NAMES, "#/$defs", reserved=["Order"])
    assert writer.write(Reference(key="py:Order")) == {"$ref": "#/$defs/Order_2"}
    assert writer.write(Reference(key="ts:Order")) == {"$ref": "#/$defs/Order_3"}
