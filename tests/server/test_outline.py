"""Contracted schemas in a few lines."""

from __future__ import annotations

import pytest

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Object,
    Reference,
    Scalar,
    Schema,
    with_nullable,
)
from contract_scan.server.hover import LONGEST, code_block, outline

TEXT = Scalar(type="string")
LINE = Object(
    name="Line",
    fields=(Field(name="sku", schema=TEXT), Field(name="count", schema=TEXT, required=False)),
)
ORDER = Object(
    name="Order",
    fields=(
        Field(name="id", schema=Scalar(type="string", format="uuid")),
        Field(name="lines", schema=Array(items=Reference(key="Line"))),
        Field(name="note", schema=with_nullable(TEXT), required=None),
    ),
    additional=TEXT,
)
NODE = Object(name="Node", fields=(Field(name="next", schema=Reference(key="Node")),))
DOCUMENT = ContractDocument(
    path="c.yaml", kind="openapi", schemas={"Line": LINE, "Order": ORDER, "Node": NODE}
)


@pytest.mark.parametrize(
    ("schema", "lines"),
    [
        (TEXT, ["string"]),
        (Anything(), ["any value"]),
        (
            Reference(key="Order"),
            [
                "Order",
                "  id: string (uuid)",
                "  lines: array of Line",
                "    sku: string",
                "    count?: string",
                "  note?: string or null",
                "  …: string",
            ],
        ),
        (
            Array(items=Reference(key="Line")),
            ["array of Line", "  sku: string", "  count?: string"],
        ),
        (Reference(key="Node"), ["Node", "  next: Node"]),
        (Reference(key="Gone"), ["Gone"]),
    ],
)
def test_schemas(schema: Schema, lines: list[str]) -> None:
    assert outline(schema, DOCUMENT) == lines


def test_a_long_schema_is_cut() -> None:
    wide = Object(fields=tuple(Field(name=f"f{n}", schema=TEXT) for n in range(100)))
    lines = outline(wide, DOCUMENT)
    assert (len(lines), lines[0], lines[-1]) == (LONGEST + 1, "object", "…")


def test_a_deep_schema_is_cut() -> None:
    deep: Schema = TEXT
    for _ in range(500):
        deep = Object(fields=(Field(name="a", schema=deep),))
    assert outline(deep, DOCUMENT) == [
        "object",
        "  a: object",
        "    a: object",
        "      a: object",
        "        a: object",
    ]


def test_nothing_ends_a_fence_but_itself() -> None:
    assert code_block(["a", "````", "\x1b[2J"]) == "`````\na\n````\n\\x1b[2J\n`````"
