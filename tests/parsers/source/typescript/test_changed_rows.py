"""Functions that change the rows of queries that they are handed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

APP = """
    import express from 'express';
    import { Schema, model } from 'mongoose';
    const app = express();
    const User = model('User', new Schema({
      name: { type: String, required: true },
      secret: { type: String, required: true },
      closed: { type: Boolean, required: true },
      lines: { type: [{ text: { type: String, required: true } }], required: true },
    }));
    const change = (row: any) => { %s };
    app.get('/user', async (req, res) => { res.json(change(await User.create({}))); });
"""
LINES = "lines: [{text: string, _id: string}]"


def _sent(root: Path, body: str) -> str:
    return Project(root, {"app.ts": APP % body}).responses("GET /user")["200*"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        pytest.param(
            "row.id = String(row._id); delete row._id; delete row.secret; return row;",
            f"{{name: string, closed: boolean, {LINES}, __v: integer, id: string}}",
            id="keys set and taken away",
        ),
        pytest.param(
            "for (const key of ['_id', '__v', 'secret', 'lines']) delete row[key]; return row;",
            "{name: string, closed: boolean}",
            id="keys of a list",
        ),
        pytest.param(
            "['_id', '__v', 'secret', 'lines'].forEach((key) => { delete row[key]; }); return row;",
            "{name: string, closed: boolean}",
            id="keys of a list, one call for each",
        ),
        pytest.param(
            "if (row.closed) { row.note = 'closed'; delete row.secret; } return row;",
            f"{{name: string, closed: boolean, {LINES}, _id: string, __v: integer, "
            "note?: 'closed', secret?: string}",
            id="a branch that is not decided",
        ),
        pytest.param(
            "if (row.secret) delete row.secret; return row;",
            f"{{name: string, closed: boolean, {LINES}, _id: string, __v: integer}}",
            id="taken away where there is something",
        ),
        pytest.param(
            "const copy = row; copy.lines = []; Object.assign(copy, { size: 1 }); return copy;",
            "{name: string, secret: string, closed: boolean, lines: [nothing], _id: string, "
            "__v: integer, size: 1}",
            id="another name for it",
        ),
        pytest.param(
            "row.lines.forEach((line) => { delete line._id; }); delete row.secret; return row;",
            "{name: string, closed: boolean, lines: [{text: string}], _id: string, __v: integer}",
            id="the objects of a list in it",
        ),
    ],
)
def test_what_is_left_of_a_row(tmp_path: Path, body: str, told: str) -> None:
    assert _sent(tmp_path, body) == told
