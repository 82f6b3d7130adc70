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


def test_functions_that_a_response_is_handed_to(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        const app = express();
        async function trade(req, res, side) {
          await transaction(async (step) => {
            if (side == 'buy') {
              res.json({ bought: 1 });
            } else {
              res.json({ sold: 1 });
            }
            ['sell'].forEach((side) => { if (side == 'sell') { res.json({ each: 1 }); } });
          });
        }
        app.post('/buy', async (req, res) => { await trade(req, res, 'buy'); });
        app.post('/sell', async (req, res) => { await trade(req, res, 'sell'); });
        app.post('/any', async (req, res) => { await trade(req, res, req.query.side); });
    """
    project = Project(tmp_path, {"app.ts": source})
    assert {name: project.responses(f"POST /{name}") for name in ("buy", "sell", "any")} == {
        "buy": {"200*": "({bought: 1} | {each: 1})"},
        "sell": {"200*": "({sold: 1} | {each: 1})"},
        "any": {"200*": "({bought: 1} | {sold: 1} | {each: 1})"},
    }


def test_statuses_that_are_asked_for_as_texts(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        const app = express();
        const written = (status, res) => {
          if (String(status).startsWith('2')) { res.json({ good: 1 }); }
          else { res.json({ bad: 1 }); }
        };
        const shown = (status, res) => {
          if (`${status}`.startsWith('2')) { res.json({ good: 1 }); } else { res.json({ bad: 1 }); }
        };
        const converted = (status, res) => {
          if (status.toString().startsWith('2')) { res.json({ good: 1 }); }
          else { res.json({ bad: 1 }); }
        };
        const corrected = (status, res, problem) => {
          if (String(status).startsWith('2')) {
            res.json({ good: 1 });
          } else {
            if (problem === 'unknown') status = 404;
            res.json({ bad: status === 404 ? 'none' : 'bad' });
          }
        };
        app.get('/corrected', (req, res) => { corrected(200, res, 'unknown'); });
        app.get('/changed', (req, res) => { corrected(400, res, req.query.problem); });
        app.get('/written', (req, res) => { written(201, res); });
        app.get('/failed', (req, res) => { written(404, res); });
        app.get('/shown', (req, res) => { shown(200, res); });
        app.get('/converted', (req, res) => { converted(200, res); });
        app.get('/any', (req, res) => { written(req.query.status, res); });
    """
    project = Project(tmp_path, {"app.ts": source})
    assert {o.path: project.responses(f"GET {o.path}") for o in project.code.operations} == {
        "/written": {"200*": "{good: 1}"},
        "/failed": {"200*": "{bad: 1}"},
        "/shown": {"200*": "{good: 1}"},
        "/converted": {"200*": "{good: 1}"},
        "/corrected": {"200*": "{good: 1}"},
        "/changed": {"200*": "({good: 1} | {bad: 'none'/'bad'})"},
        "/any": {"200*": "({good: 1} | {bad: 1})"},
    }


def test_what_only_throws_gives_nothing(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        const app = express();
        function fail(what) { throw new Error(what); }
        function perhaps(what) { if (what) { throw new Error(what); } }
        app.get('/spread', (req, res) => {
          const kind = req.query.kind;
          res.json({
            ...(kind == 'a' ? { kind: 'a' } : kind == 'b' ? { kind: 'b' }
              : (() => { throw new Error(); })()),
          });
        });
        app.get('/fallback', (req, res) => {
          const name: string | null = load();
          res.json({ name: name ?? fail('no name'), other: name ?? perhaps('') });
        });
        declare function load(): any;
    """
    project = Project(tmp_path, {"app.ts": source})
    assert project.responses("GET /spread") == {"200*": "{kind: 'a'/'b'}"}
    assert project.responses("GET /fallback") == {"200*": "{name: string, other: string?}"}


def test_a_parameter_that_a_call_leaves_out_is_undefined(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        const app = express();
        function done(res, more?: Record<string, string>) { res.json({ ...more, ok: true }); }
        app.get('/bare', (req, res) => { done(res); });
        app.get('/more', (req, res) => { done(res, { name: 'x' }); });
    """
    project = Project(tmp_path, {"app.ts": source})
    assert project.responses("GET /bare") == {"200*": "{ok: True}"}
    assert project.responses("GET /more") == {"200*": "{name: 'x', ok: True}"}


def test_a_literal_tells_which_properties_of_an_inline_type_are_there(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        const app = express();
        type Next = number | null;
        function view(items: string[], opt?: { next?: Next; more?: boolean; all?: number }) {
          return { items, next: opt?.next, more: opt?.more, all: opt?.all };
        }
        app.get('/given', (req, res) => { res.json(view([], { next: 1, more: load() })); });
        app.get('/bare', (req, res) => { res.json(view([])); });
        declare function load(): boolean;
    """
    project = Project(tmp_path, {"app.ts": source})
    assert project.responses("GET /given") == {"200*": "{items: [string], next: 1, more: boolean}"}
    assert project.responses("GET /bare") == {
        "200*": "{items: [string], next?: numeric?, more?: boolean, all?: numeric}"
    }
