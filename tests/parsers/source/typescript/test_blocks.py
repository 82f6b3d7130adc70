"""Variables that a block has of its own end with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("if (flag) { const a = 'inside'; use(a); } res.json(a);", "1"),
        ("if (flag) { a = 'inside'; use(a); } res.json(a);", "(1 | 'inside')"),
        ("if (flag) { var a = 'inside'; use(a); } res.json(a);", "(1 | 'inside')"),
        ("if (flag) { const { a } = other(); use(a); } res.json(a);", "1"),
        ("if (flag) { const a = 'inside'; res.json(a); }", "'inside'"),
        ("for (const x of all) { const a = x; if (a) continue; use(a); } res.json(a);", "1"),
        ("try { const a = 'inside'; use(a); } catch { res.json(a); }", "1"),
    ],
)
def test_a_variable_of_a_block(tmp_path: Path, body: str, shape: str) -> None:
    source = f"""
        import express from 'express';
        const app = express();
        app.get('/', (req, res) => {{ let a: number | string = 1; {body} }});
    """
    assert Project(tmp_path, {"app.ts": source}).responses("GET /")["200*"] == shape


def test_a_parameter_that_a_block_hides_later(tmp_path: Path) -> None:
    source = """
        import { createClient } from 'redis';
        interface Order { id: number }
        const client = createClient();
        export async function send(order: Order, all: string[]) {
          await client.publish('orders', JSON.stringify(order));
          for (const text of all) { const order = JSON.parse(text); use(order); }
        }
    """
    assert Project(tmp_path, {"app.ts": source}).events() == {"send orders: {id: numeric}"}
