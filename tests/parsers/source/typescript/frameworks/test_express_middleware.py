"""Express routes for every method whose function hands on to those behind it are middleware."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_all_with_a_function_that_hands_on_is_nothing_to_document(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                const app = express();
                function auth(req, res, next) {
                  if (!req.user) { return res.status(401).json({}); }
                  next();
                }
                app.all('/admin/*', auth);
                app.all('/any', (req, res) => res.json({}));
                app.all('/guarded', auth, (req, res) => res.json({}));
                app.all('/fails', async (req, res, next) => {
                  try { res.json({}); } catch (error) { next(error); }
                });
                app.get('/one', auth);
            """,
        },
    )
    assert {(f"{o.method} {o.path}", o.excluded_from_docs) for o in project.code.operations} == {
        ("* /admin/{wildcard*}", True),
        ("* /any", False),
        ("* /guarded", False),
        ("* /fails", False),
        ("GET /one", False),
    }


def test_all_with_a_router_mounts_it_and_takes_nothing_off_the_path(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "api.js": """
                const express = require('express');
                const app = express();
                const entries = require('./entries')();
                app.all('/entries*', entries);
                app.all('/times/*', guard, entries);
                app.all('/answers', (req, res) => res.json({}));
                const server = express();
                server.use('/api/v1', app);
                function guard(req, res, next) { next(); }
            """,
            "entries.js": """
                const express = require('express');
                module.exports = function configure() {
                  const api = express.Router();
                  api.get('/entries/:id', (req, res) => res.json({ id: 1 }));
                  api.get('/times', (req, res) => res.json([]));
                  return api;
                };
            """,
        },
    )
    assert project.routes() == {
        "* /api/v1/answers",
        "GET /api/v1/entries/{id}",
        "GET /api/v1/times",
    }
