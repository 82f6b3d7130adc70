"""Avro schemas as payloads of AsyncAPI documents, written there or in files of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.contracts.avro import classes_of
from contract_scan.parsers.contracts.located_tree import open_text
from tests.parsers.contracts.rendering import load, render

ORDER = """{
  "type": "record", "name": "Order", "namespace": "shop.events",
  "fields": [
    {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
    {"name": "total", "type": "double"},
    {"name": "note", "type": ["null", "string"], "default": null},
    {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["OPEN", "PAID"]}},
    {"name": "before", "type": {"type": "array", "items": "State"}},
    {"name": "counts", "type": {"type": "map", "values": "long"}},
    {"name": "by", "type": ["string", "int"]},
    {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 16}},
    {"name": "at", "type": "long", "logicalType": "timestamp-millis"},
    {"name": "parent", "type": ["null", "Order"]},
    {"name": "other", "type": "elsewhere.Thing"}
  ]
}"""
DATES = "how Avro's logical type `timestamp-millis` is held is up to the language"
SHAPE = (
    "Order{id: string(uuid), total: number(double), note??=: string|null, "
    "state: string of 'OPEN'/'PAID', before: [string of 'OPEN'/'PAID'], "
    "counts: {*: integer(int64)}, by: (string | integer(int32)), hash: string(byte), "
    f"at: unknown <{DATES}>, parent: unknown <the Avro type `Order` contains itself>, "
    "other: unknown <the Avro type `elsewhere.Thing` is not in the schema>}"
)


@pytest.mark.parametrize(
    "format", ["application/vnd.apache.avro;version=1.9.0", "application/vnd.apache.avro+json"]
)
def test_payloads_in_avro(tmp_path: Path, format: str) -> None:
    (tmp_path / "order.avsc").write_text(ORDER)
    document = load(
        tmp_path,
        f"""
        asyncapi: 2.6.0
        channels:
          a: {{publish: {{message: {{schemaFormat: {format}, payload: {{$ref: ./order.avsc}}}}}}}}
          b: {{publish: {{message: {{schemaFormat: {format}, payload: [string, "null"]}}}}}}
        """,
    )
    assert [render(m.payload) for c in document.channels for m in c.messages] == [
        SHAPE,
        "string|null",
    ]


def test_classes_hold_fields_that_have_a_default() -> None:
    found = classes_of(open_text(ORDER.encode(), "order.avsc").root)
    assert {name: render(schema) for name, schema in found.items()} == {
        "shop.events.Order": SHAPE.replace("note??=", "note="),
        "shop.events.State": "string of 'OPEN'/'PAID'",
        "shop.events.Hash": "string(byte)",
    }


def test_a_schema_nested_without_end_is_not_followed() -> None:
    text = '{"type": "array", "items": ' * 150 + '"string"' + "}" * 150
    found = classes_of(open_text(text.encode(), "deep.avsc").root)
    assert found == {}
