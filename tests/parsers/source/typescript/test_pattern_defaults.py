"""`({ status = 200 })`: what a name that a parameter takes apart is where nothing is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SOURCE = """
    import express from 'express';
    const app = express();
    const CREATED = 201;
    function reply(res, { status = 200, body }) { res.status(status).json(body); }
    function created(res, { status = CREATED } = {}) { res.status(status).json({ ok: true }); }
    const named = ({ kind = 'x', size }: { kind?: string; size: number }) => ({ kind, size });
    const inner = ({ outer: { a: renamed = 1 } }) => ({ renamed });
    const listed = ([first, { deep = 2 }]) => ({ first, deep });
    app.get('/', (req, res) => {
      const CREATED = 500;
      BODY
    });
"""


@pytest.mark.parametrize(
    ("body", "responses"),
    [
        ("reply(res, { body: { id: 1 } });", {"200": "{id: 1}"}),
        ("reply(res, { status: 202, body: { id: 1 } });", {"202": "{id: 1}"}),
        ("reply(res, { status: undefined, body: { id: 1 } });", {"200": "{id: 1}"}),
        ("created(res);", {"201": "{ok: True}"}),
        ("created(res, {});", {"201": "{ok: True}"}),
        ("created(res, { status: 202 });", {"202": "{ok: True}"}),
        ("created(res, library.options());", {}),
        ("res.json(named({ size: 2 }));", {"200*": "{kind: 'x', size: 2}"}),
        ("res.json(named({ kind: 'y', size: 2 }));", {"200*": "{kind: 'y', size: 2}"}),
        ("res.json(inner({ outer: {} }));", {"200*": "{renamed: 1}"}),
        ("res.json(inner({ outer: { a: 5 } }));", {"200*": "{renamed: 5}"}),
        ("res.json(inner({ outer: library.get() }));", {"200*": "{renamed: unknown}"}),
        ("res.json(listed([1, {}]));", {"200*": "{first: 1, deep: 2}"}),
    ],
)
def test_a_default_stands_where_a_call_gives_nothing(
    tmp_path: Path, body: str, responses: dict[str, str]
) -> None:
    project = Project(tmp_path, {"a.ts": SOURCE.replace("BODY", body)})
    assert project.responses("GET /") == responses
