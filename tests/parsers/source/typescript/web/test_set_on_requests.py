"""What middleware puts on the request or the context."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

STORE = """
    export interface User { id: number; name: string }
    export async function user(): Promise<User | null> { return query(); }
    export async function order(): Promise<{ total: number }> { return query(); }
"""


def test_express(tmp_path: Path) -> None:
    source = """
        const express = require('express');
        const { user, order } = require('./store');
        const app = express();
        app.use(async (req, res, next) => { req.user = await user(); next(); });
        app.param('order', (req, res, next, id) => {
          order(id).then(function (found) { req.order = found; return next(); }).catch(next);
        });
        app.use((req, res, next) => { req.lost = anything(); next(); });
        app.use((req, res) => { req.late = 1; });
        app.get('/user', (req, res) => { res.json(req.user); });
        app.get('/order/:order', (req, res) => { const { order } = req; res.json({ order }); });
        app.get('/lost', (req, res) => { res.json({ lost: req.lost, late: req.late }); });
    """
    project = Project(tmp_path, {"app.js": source, "store.ts": STORE})
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /user": "{id: numeric, name: string}",
        "GET /order/{order}": "{order: {total: numeric}}",
        "GET /lost": "{lost: unknown, late: unknown}",
    }


def test_koa(tmp_path: Path) -> None:
    source = """
        import Koa from 'koa';
        import Router from '@koa/router';
        import { user, order } from './store';
        const router = new Router();
        router.param('order', async (id, ctx, next) => {
          ctx.order = await order();
          return next();
        });
        router.use(async (ctx, next) => { ctx.state.user = await user(); await next(); });
        router.get('/user', (ctx) => { ctx.body = { user: ctx.state.user.name }; });
        router.get('/order/:order', (ctx) => { ctx.body = ctx.order; });
        new Koa().use(router.routes());
    """
    project = Project(tmp_path, {"app.ts": source, "store.ts": STORE})
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /user": "{user: string}",
        "GET /order/{order}": "{total: numeric}",
    }
