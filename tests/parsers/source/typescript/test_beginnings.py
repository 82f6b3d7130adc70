"""Empty objects that a name begins with, and what takes their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

STORE = "export function load(): { id: number; note?: string } { return query(); }"


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        pytest.param(
            "let p = {}; try { p = load(); } catch (e) { log(e); } res.json(p);",
            "{id~: numeric, note~: string}",
            id="an error may have left it",
        ),
        pytest.param(
            "let p = {}; if (req.query.all) { p = load(); } res.json(p);",
            "{id~: numeric, note~: string}",
            id="a test may have left it",
        ),
        pytest.param(
            "let p = {}; for (const x of list()) { p = load(); } res.json(p);",
            "{id~: numeric, note~: string}",
            id="there may have been nothing to go through",
        ),
        pytest.param(
            "let p = {}; p = load(); res.json(p);",
            "{id: numeric, note~: string}",
            id="it is never left",
        ),
        pytest.param("const p = {}; res.json(p);", "{}", id="nothing takes its place"),
        pytest.param(
            "let p: any = {}; if (req.query.all) { p = { id: 1 }; } else { p.note = 'x'; }"
            " res.json(p);",
            "({id: 1} | {note: 'x'})",
            id="it is filled on one way",
        ),
    ],
)
def test_empty_objects(tmp_path: Path, body: str, sent: str) -> None:
    source = f"""
        import express from 'express';
        import {{ load }} from './store';
        const app = express();
        app.get('/', async (req, res) => {{ {body} }});
    """
    project = Project(tmp_path, {"app.ts": source, "store.ts": STORE})
    assert project.responses("GET /")["200*"] == sent


@pytest.mark.parametrize(
    ("loop", "sent"),
    [
        ("for (let i = 0; i < rows.length; i++) { rows[i] = { n: 1 }; }", "[{n: 1}]"),
        (
            "for (let i = 0; i < rows.length; i++) { rows[i] = { was: rows[i].id, i }; }",
            "[{was: numeric, i: integer}]",
        ),
        ("for (const i of rows.keys()) { rows[i] = { n: 1 }; }", "[{n: 1}]"),
        ("for (let i = 1; i < other.length; i++) { rows[i] = { n: 1 }; }", "[{id: numeric}]"),
    ],
)
def test_items_that_a_loop_takes_the_place_of(tmp_path: Path, loop: str, sent: str) -> None:
    source = f"""
        import express from 'express';
        const app = express();
        function all(): {{ id: number }}[] {{ return query(); }}
        app.get('/', (req, res) => {{ const rows: any = all(); {loop} res.json(rows); }});
    """
    assert Project(tmp_path, {"app.ts": source}).responses("GET /")["200*"] == sent
