"""Functions that members of classes hold: what `this` is in them."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

APP = """
    import express from 'express';
    import wrap from 'express-async-handler';
    class Service { async find() { return { id: 1 }; } }
    class Made {
      private service = new Service();
      constructor(private options) {}
      handler = (req, res) => { res.json(this.options.body); };
      wrapped = wrap(async (req, res) => { res.json(this.options.body); });
      found = async (req, res) => { res.json(await this.service.find()); };
    }
    class Extended extends Made { constructor() { super({ body: { extended: 1 } }); } }
    const app = express();
    app.get('/handler', new Made({ body: { a: 1 } }).handler);
    app.get('/other', new Made({ body: { b: 'x' } }).handler);
    app.get('/wrapped', new Made({ body: { c: true } }).wrapped);
    app.get('/found', new Made({}).found);
    app.get('/extended', new Extended().handler);
    app.get('/open', new Made(JSON.parse(process.env.OPTIONS)).handler);
    app.listen(3000);
"""


def test_they_see_the_object_that_they_are_part_of(tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.ts": APP})
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /handler": "{a: 1}",
        "GET /other": "{b: 'x'}",
        "GET /wrapped": "{c: True}",
        "GET /found": "{id: 1}",
        "GET /extended": "{extended: 1}",
        "GET /open": "unknown",
    }
