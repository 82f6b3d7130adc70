"""Functions as they run with the literals that a call gives them."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

APP = """
    import express from 'express';
    const app = express();
    function dump(id, full, extra = null) {
      const body: any = { id: 1 };
      if (full) {
        body.full = 'yes';
      }
      if (extra == null) {
        body.bare = 'yes';
      }
      return body;
    }
    app.get('/few', (req, res) => { res.json(dump(1)); });
    app.get('/all', (req, res) => { res.json(dump(1, true, 'x')); });
    app.get('/open', (req, res) => { res.json(dump(1, req.query.full)); });
"""


def test_literals_and_what_is_left_out(tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.ts": APP})
    assert {name: project.responses(f"GET /{name}") for name in ("few", "all", "open")} == {
        "few": {"200*": "{id: 1, bare: 'yes'}"},
        "all": {"200*": "{id: 1, full: 'yes'}"},
        "open": {"200*": "{id: 1, full?: 'yes', bare: 'yes'}"},
    }
