"""`{ note: order.note }` has no `note` in JSON where `order` has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SOURCE = """
    import express from 'express';
    interface Order { id: string; note?: string; price: number | undefined }
    type Closed = { kind: 'closed'; note: string };
    type Open = { kind: 'open'; note?: string };
    class Entity { @Column() note?: string }
    interface Sent { note: string }
    declare function load(): Order;
    declare function either(): Open | Closed;
    declare function entity(): Entity;
    declare function assertWhole(order: Order): void;
    const app = express();
    app.get('/', (req, res) => {
      const order = load();
      BODY
    });
    const toDto = (order: Order) => ({ id: order.id, note: order.note });
    function toSent(order: Order): Sent { return { note: order.note! }; }
"""


def sent(tmp_path: Path, body: str) -> str:
    project = Project(tmp_path, {"a.ts": SOURCE.replace("BODY", body)})
    return project.responses("GET /")["200*"]


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("res.json({ id: order.id })", "{id: string}"),
        ("res.json({ note: order.note })", "{note?: string}"),
        ("res.json({ text: order.note })", "{text?: string}"),
        ("res.json({ price: order.price })", "{price?: numeric}"),
        ("res.json(toDto(order))", "{id: string, note?: string}"),
        ("res.json({ all: [load()].map(toDto) })", "{all: [{id: string, note?: string}]}"),
        ("res.json({ ...{ note: order.note } })", "{note?: string}"),
    ],
)
def test_a_copied_property_may_be_left_out_where_its_type_says_so(
    tmp_path: Path, body: str, shape: str
) -> None:
    assert sent(tmp_path, body) == shape


@pytest.mark.parametrize(
    "body",
    [
        "if (order.note) res.json({ note: order.note });",
        "if (!order.note) return res.sendStatus(404);\n res.json({ note: order.note });",
        "if (!('note' in order)) return res.sendStatus(404);\n res.json({ note: order.note });",
        "const { note } = order; if (!note) return;\n res.json({ note: order.note });",
        "assertWhole(order);\n res.json({ note: order.note });",
        "if (order.isWhole()) res.json({ note: order.note });",
        "res.json({ note: order.note! });",
        "res.json([order].filter((o) => o.ready).map((o) => ({ note: o.note }))[0]);",
        "const found = either();\n res.json({ note: found.note });",
        "const found = entity();\n res.json({ note: found.note });",
    ],
)
def test_it_is_undetermined_where_a_test_may_have_ruled_it_out(tmp_path: Path, body: str) -> None:
    assert sent(tmp_path, body) == "{note~: string}"


@pytest.mark.parametrize(
    "body",
    [
        "res.json({ note: order.note ?? '' })",
        "res.json({ note: order.note || 'none' })",
        "res.json({ note: order.note ? order.note : 'none' })",
        "res.json(toSent(order))",
        "const sent: Sent = { note: order.note }; res.json(sent);",
    ],
)
def test_it_is_there_where_a_default_or_the_type_of_what_is_sent_says_so(
    tmp_path: Path, body: str
) -> None:
    assert sent(tmp_path, body).startswith("{note: string")


def test_its_value_is_what_code_has_set(tmp_path: Path) -> None:
    assert sent(tmp_path, "order.note = 'x';\n res.json({ note: order.note });") == "{note: 'x'}"
