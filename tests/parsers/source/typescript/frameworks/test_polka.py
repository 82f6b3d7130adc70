"""Routes of Polka."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_routes_and_sub_applications(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "users.js": """
                const polka = require('polka');
                module.exports = polka()
                  .get('/:id?', (req, res) => res.end('found'))
                  .put('/:id', (req, res) => { res.statusCode = 202; res.end('updated'); });
            """,
            "server.js": """
                const polka = require('polka');
                const users = require('./users');
                const app = polka({ onError });
                app.use('users', users);
                app.add('PATCH', '/orders/:id', (req, res) => { res.writeHead(204); res.end(); });
                app.add(process.env.METHOD, '/any', (req, res) => res.end());
                app.listen(3000);
            """,
        },
    )
    assert project.routes() == {
        "GET /users",
        "GET /users/{id}",
        "PUT /users/{id}",
        "PATCH /orders/{id}",
        "* /any <the method is computed>",
    }
    assert project.responses("PUT /users/{id}") == {"202": "'updated' (text/html)"}
    assert project.responses("PATCH /orders/{id}") == {"204": ""}


def test_what_handlers_write_and_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import polka from 'polka';
                import { json } from 'body-parser';
                interface Order { id: string; total: number }
                const { PORT = 3000 } = process.env;
                function find(id: string): Order { return load(id); }
                polka()
                  .use(json())
                  .post('/orders', (req, res) => {
                    const order = req.body as Order;
                    res.writeHead(201, { 'Content-Type': 'application/json' });
                    const text = JSON.stringify(order);
                    res.end(text);
                  })
                  .get('/orders/:id', (req, res) => {
                    const full = req.query.full;
                    if (!full) { res.statusCode = 404; return res.end(); }
                    res.setHeader('Content-Type', 'application/json');
                    res.end(JSON.stringify(find(req.params.id)));
                  })
                  .listen(PORT);
            """,
        },
    )
    assert project.request("POST /orders") == "{id=: string, total=: numeric}"
    assert project.responses("POST /orders") == {"201": "{id: string, total: numeric}"}
    assert project.responses("GET /orders/{id}") == {
        "404": "",
        "200*": "{id: string, total: numeric}",
    }
    assert project.parameters("GET /orders/{id}") == {"path id: string", "query full?: unknown"}


def test_send_functions(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const polka = require('polka');
                const send = require('@polka/send-type');
                const sendText = require('@polka/send');
                polka()
                  .get('/typed', (req, res) => send(res, 201, { id: 1, tags: ['a'] }))
                  .get('/empty', (req, res) => send(res, 404))
                  .get('/words', (req, res) => sendText(res, 200, 'pong'))
                  .get('/json', (req, res) => {
                    const headers = { 'Content-Type': 'application/json' };
                    sendText(res, 200, JSON.stringify({ ok: true }), headers);
                  })
                  .get('/page', (req, res) => {
                    sendText(res, 200, render(), { 'Content-Type': 'text/xml' });
                  })
                  .get('/handed', (req, res) => answer(res, { id: 'x' }));
                function answer(res, body) { return send(res, 200, body); }
            """,
        },
    )
    assert project.responses("GET /typed") == {"201": "{id: 1, tags: ['a']}"}
    assert project.responses("GET /empty") == {"404": "string (text/plain)"}
    assert project.responses("GET /words") == {"200": "'pong' (text/plain)"}
    assert project.responses("GET /json") == {"200": "{ok: True}"}
    assert project.responses("GET /page") == {"200": "unknown (text/xml)"}
    assert project.responses("GET /handed") == {"200": "{id: 'x'}"}
