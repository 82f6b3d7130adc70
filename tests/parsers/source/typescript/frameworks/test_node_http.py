"""Plain HTTP servers of Node: paths and methods that handlers compare themselves."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_comparisons_of_method_and_path(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import http from 'node:http';
                import { items } from './items';
                const ITEM = /^\\/items\\/([^/]+)$/;
                const server = http.createServer(async (req, res) => {
                  const url = new URL(req.url ?? '/', `http://${req.headers.host}`);
                  const send = (code: number, data: unknown) => {
                    res.writeHead(code, { 'Content-Type': 'application/json' });
                    res.end(data === undefined ? undefined : JSON.stringify(data));
                  };
                  if (req.method === 'OPTIONS') { res.writeHead(204); return res.end(); }
                  try {
                    if (req.method === 'GET' && url.pathname === '/health') {
                      return send(200, { ok: true });
                    }
                    if (url.pathname === '/any') return send(200, { any: 1 });
                    if (url.pathname === '/both') {
                      if (req.method === 'POST') return send(201, { made: 1 });
                      if (req.method === 'GET') return send(200, { list: [1] });
                      return send(405, { error: 'no' });
                    }
                    const match = url.pathname.match(/^\\/users\\/(?<id>[^/]+)\\/posts$/);
                    if (match && req.method === 'DELETE') return send(200, { gone: match[1] });
                    if (['/a', '/b'].includes(url.pathname)) return send(200, { ab: true });
                    if (url.pathname === '/items') return items(req, res);
                    send(404, { error: 'none' });
                  } catch (error) { send(500, { error: 'broken' }); }
                });
                server.listen(3000);
            """,
            "items.ts": """
                export async function items(request, response) {
                  switch (request.method) {
                    case 'GET': response.statusCode = 200; response.end(JSON.stringify([1])); break;
                    case 'POST': response.writeHead(201).end(); break;
                    default: response.writeHead(405).end();
                  }
                }
            """,
        },
    )
    assert project.routes() == {
        "GET /health",
        "* /any",
        "POST /both",
        "GET /both",
        "DELETE /users/{id}/posts",
        "* /a",
        "* /b",
        "GET /items",
        "POST /items",
    }
    broken = {"500": "{error: 'broken'}"}
    assert project.responses("GET /health") == {"200": "{ok: True}", **broken}
    assert project.responses("POST /both") == {"201": "{made: 1}", **broken}
    assert project.responses("GET /items") == {"200": "[1]"}
    assert project.responses("POST /items") == {"201": ""}


def test_switches_keys_and_tables(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const { createServer } = require('http');
                const url = require('url');
                const routes = {
                  'GET /table': (req, res) => { res.end(JSON.stringify({ a: 1 })); },
                  '/plain': (req, res) => { res.end('x'); },
                };
                const first = createServer((req, res) => {
                  const { pathname } = url.parse(req.url, true);
                  switch (pathname) {
                    case '/one': res.end(JSON.stringify({ one: 1 })); break;
                    case '/two': res.writeHead(200); res.end(JSON.stringify({ two: 2 })); break;
                    default: res.writeHead(404); res.end();
                  }
                });
                const second = createServer();
                second.on('request', (req, res) => {
                  const key = `${req.method} ${req.url.split('?')[0]}`;
                  if (key === 'PUT /key') { res.end(JSON.stringify({ key: 1 })); return; }
                  const route = routes[key];
                  if (route) return route(req, res);
                  handle(req, res, req.url);
                });
                function handle(req, res, path) {
                  if (req.method !== 'GET') { res.writeHead(405); res.end(); return; }
                  if (path !== '/last') { res.writeHead(404); res.end(); return; }
                  res.writeHead(200); res.end(JSON.stringify({ last: 1 }));
                }
            """
        },
    )
    assert project.routes() == {
        "* /one",
        "* /two",
        "PUT /key",
        "GET /table",
        "* /plain",
        "GET /last",
    }
    assert project.responses("* /two") == {"200": "{two: 2}"}
    assert project.responses("PUT /key") == {"200*": "{key: 1}"}
    assert project.responses("GET /last") == {"200": "{last: 1}"}


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                import { createServer } from 'http';
                import express from 'express';
                const app = express();
                createServer(app).listen(1);
                createServer((req, res) => { res.end('the same for all'); }).listen(2);
                createServer((req, res) => {
                  if (req.url.startsWith('/api/')) return api(req, res);
                  if (/^\\/x(\\/y)*/.test(req.url)) return res.end();
                }).listen(3);
                function api(req, res) { res.end(JSON.stringify({})); }
            """,
            "elsewhere.js": """
                import { createServer } from 'vite';
                createServer((req, res) => { if (req.url === '/no') res.end(); });
            """,
        },
    )
    assert project.routes() == {
        "* /api/{computed*} <which paths are answered is told by how they begin alone>",
        "* /{computed*} <which paths are answered is told by a pattern>",
    }


def test_servers_on_the_side_are_not_expected_in_a_contract(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "metrics.js": """
                require('http').createServer((req, res) => {
                  if (req.url === '/metrics') res.end('x');
                });
            """
        },
    )
    assert {(o.path, o.excluded_from_docs) for o in project.code.operations} == {("/metrics", True)}


def test_answers_that_helpers_write_with_a_head_of_their_own(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "http.js": """
                export function sendJson(response, status, body, headers = {}) {
                  const payload = JSON.stringify(body);
                  response.writeHead(status, {
                    'Content-Type': 'application/json; charset=utf-8',
                    'Content-Length': Buffer.byteLength(payload),
                    ...headers,
                  });
                  response.end(payload);
                }
                export function sendData(response, status, data) {
                  sendJson(response, status, { data });
                }
            """,
            "server.js": """
                import { createServer } from 'node:http';
                import { sendData } from './http.js';
                const server = createServer((request, response) => {
                  const { pathname } = new URL(request.url, 'http://localhost');
                  if (request.method === 'GET' && pathname === '/health') {
                    sendData(response, 200, { ok: true });
                    return;
                  }
                  if (request.method === 'GET' && pathname === '/metrics') {
                    response.setHeader('Content-Type', 'text/plain; version=0.0.4');
                    response.end('up 1');
                    return;
                  }
                  if (request.method === 'GET' && pathname === '/page') {
                    response.statusCode = 203;
                    response.setHeader('content-type', pageType());
                    response.end('<html>');
                    return;
                  }
                });
            """,
        },
    )
    assert {route: project.responses(route) for route in project.routes()} == {
        "GET /health": {"200": "{data: {ok: True}}"},
        "GET /metrics": {"200*": "'up 1' (text/plain)"},
        "GET /page": {"203": "'<html>' (*/*)"},
    }
