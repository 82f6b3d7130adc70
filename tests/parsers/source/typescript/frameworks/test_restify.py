"""Restify routes: servers, routers of restify-router, what handlers send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_servers_and_routers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const restify = require('restify');
                const users = require('./users');
                const health = require('./health');
                const server = restify.createServer({ name: 'x' });
                server.use(restify.plugins.bodyParser());
                server.get('/plain/:id', (req, res, next) => { res.send({ a: 1 }); next(); });
                server.del({ path: '/versioned', version: '1.0.0' }, remove);
                server.opts('/options', remove);
                server.get(/^\\/.*/, remove);
                users.applyRoutes(server, '/api');
                health(server);
                function remove(req, res, next) { res.send(204); return next(); }
                server.listen(8080);
            """,
            "users.js": """
                const { Router } = require('restify-router');
                const inner = require('./inner');
                const router = new Router();
                router.post('/users', (req, res, next) => { res.send(201, { id: 1 }); });
                router.add('/inner', inner);
                module.exports = router;
            """,
            "inner.js": """
                const { Router } = require('restify-router');
                const router = new Router();
                router.put('/x', (req, res) => res.json({ x: 1 }));
                module.exports = router;
            """,
            "health.js": """
                module.exports = (server) => {
                  server.head('/health', (req, res, next) => { res.send(200); });
                };
            """,
        },
    )
    assert project.routes() == {
        "GET /plain/{id}",
        "DELETE /versioned",
        "OPTIONS /options",
        "GET /{wildcard*}",
        "POST /api/users",
        "PUT /api/inner/x",
        "HEAD /health",
    }
    assert project.responses("POST /api/users") == {"201": "{id: 1}"}


def test_what_handlers_send_and_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import * as restify from 'restify';
                import { find, save } from './service';
                const server: restify.Server = restify.createServer();
                server.get('/value', async (req, res) => { res.send(await find()); });
                server.get('/status', (req, res, next) => { res.status(202); res.json({ a: 1 }); });
                server.get('/text', (req, res, next) => { res.send('hello'); return next(); });
                server.get('/both', (req, res, next) => {
                  if (!req.query.q) { res.json(400, { error: 'q' }); return next(false); }
                  res.json({ q: req.query.q as string });
                });
                server.post('/save', check, (req, res, next) => { save(req.body); res.send(204); });
                server.get('/lost', serveStatic({ directory: './' }));
                function check(req, res, next) { return next(); }
            """,
            "service.ts": """
                export interface Item { id: number; name?: string }
                export async function find(): Promise<Item> { return null }
                export function save(item: Item): void {}
            """,
        },
    )
    assert {route: project.responses(route) for route in project.routes()} == {
        "GET /value": {"200*": "{id: numeric, name?: string}"},
        "GET /status": {"202": "{a: 1}"},
        "GET /text": {"200*": "'hello'"},
        "GET /both": {"400": "{error: 'q'}", "200*": "{q: string}"},
        "POST /save": {"204": ""},
        "GET /lost": {"200*": "unknown"},
    }
    assert project.request("POST /save") == "{id=: numeric, name?=: string}"
    assert {p.name for p in project.operation("GET /both").parameters} == {"q"}
