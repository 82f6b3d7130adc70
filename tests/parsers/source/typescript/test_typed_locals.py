"""A variable that is declared to be of a type of the project is sent as that type says, also where
what it holds comes from within what a library gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SOURCE = """
    import express from 'express';
    import { parse } from 'library';
    interface Item { id: string; name?: string }
    const app = express();
    app.get('/', async (req, res) => {
      const body = await parse(req);
      BODY
    });
"""


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("const item: Item = await body.value; res.json(item);", "{id: string, name?: string}"),
        ("const item: Item = body.inner.value; res.json(item);", "{id: string, name?: string}"),
        (
            "const all: Item[] = body.all; res.json(all.map((item) => ({ id: item.id })));",
            "[{id: string}]",
        ),
        (
            "const item: Item | undefined = body.value; if (!item) return; res.json(item);",
            "{id: string, name?: string}",
        ),
        ("const item: any = body.value; res.json(item);", "unknown"),
        ("const item = body.value; res.json(item);", "unknown"),
    ],
)
def test_the_declared_type_of_a_local_says_what_is_sent(
    tmp_path: Path, body: str, shape: str
) -> None:
    project = Project(tmp_path, {"a.ts": SOURCE.replace("BODY", body)})
    assert project.responses("GET /") == {"200*": shape}
