"""Statuses that are set on the response before it is sent: in branches, in functions that are given
it, and by handlers that run before the one that sends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

EXPRESS = """
    import express from 'express';
    const app = express();
    function send(res) { res.json({}); }
    function mark(res) { res.status(207); }
    function partial(req, res, next) { res.status(207); next(); }
    function guard(req, res, next) {
      if (!req.user) { res.status(401); return next(new Error('no')); }
      next();
    }
    app.get('/sent-elsewhere', (req, res) => { res.status(207); send(res); });
    app.get('/marked', (req, res) => { mark(res); res.json({}); });
    app.get('/assigned', (req, res) => { res.statusCode = 207; send(res); });
    app.get('/sometimes', (req, res) => { if (req.user) res.status(207); send(res); });
    app.get('/replaced', (req, res) => {
      if (req.user) res.status(207);
      res.status(202);
      send(res);
    });
    app.get('/sent-before', (req, res) => {
      if (req.user) { res.status(207).json({}); return; }
      res.json({});
    });
    app.get('/together', (req, res) => {
      const user = req.user;
      if (!user) res.status(404);
      if (user) return res.json({});
      res.json({ error: 1 });
    });
    app.get('/tried', async (req, res) => {
      try { res.status(207); await work(); } catch (error) { res.status(200); }
      send(res);
    });
    app.get('/called', partial, (req, res) => send(res));
    app.get('/guarded', guard, (req, res) => send(res));
    const router = express.Router();
    router.get('/earlier', (req, res) => send(res));
    router.use((req, res, next) => { res.status(207); next(); });
    router.get('/later', (req, res) => send(res));
    app.use(router);
    """

KOA = """
    import Koa from 'koa';
    import Router from '@koa/router';
    const app = new Koa(), router = new Router(), used = new Router();
    const partial = async (ctx, next) => { ctx.status = 207; await next(); };
    const after = async (ctx, next) => { await next(); ctx.status = 207; };
    const guard = async (ctx, next) => {
      if (!ctx.state.user) { ctx.status = 401; return; }
      try { await next(); } catch (error) { ctx.status = 500; ctx.body = {}; }
    };
    router.get('/before', partial, (ctx) => { ctx.body = {}; });
    router.get('/after', after, (ctx) => { ctx.body = {}; });
    router.get('/replaced', partial, (ctx) => { ctx.status = 202; ctx.body = {}; });
    router.get('/guarded', guard, (ctx) => { ctx.body = {}; });
    used.use(partial);
    used.get('/used', (ctx) => { ctx.body = {}; });
    app.use(router.routes());
    app.use(used.routes());
    """

FASTIFY = """
    import Fastify from 'fastify';
    const app = Fastify();
    function mark(reply) { reply.code(207); }
    function send(reply) { return reply.send({}); }
    app.get('/marked', async (request, reply) => { mark(reply); return {}; });
    app.get('/sent-elsewhere', async (request, reply) => { reply.code(207); return send(reply); });
    app.get('/sometimes', async (request, reply) => { if (request.a) reply.code(207); return {}; });
    const preHandler = async (request, reply) => { reply.code(207); };
    app.get('/hooked', { preHandler }, async (request, reply) => ({}));
    const onRequest = [(request, reply, done) => { reply.header('a', 'b'); done(); }];
    app.get('/plain', { onRequest }, async (request, reply) => ({}));
    """

HONO = """
    import { Hono } from 'hono';
    const app = new Hono();
    function mark(c) { c.status(207); }
    function send(c) { c.status(202); return c.json({}); }
    app.get('/marked', (c) => { mark(c); return c.json({}); });
    app.get('/sent-elsewhere', (c) => { c.status(207); return send(c); });
    app.get('/sometimes', (c) => { if (c.req.query('a')) c.status(207); return c.json({}); });
    app.get('/given', (c) => { c.status(207); return c.json({}, 202); });
    app.get('/called', async (c, next) => { c.status(207); await next(); }, (c) => c.json({}));
    app.use('/used/*', async (c, next) => { c.status(207); await next(); });
    app.get('/used/x', (c) => c.json({}));
    app.get('/unused', (c) => c.json({}));
    """

NEST = """
    import { Controller, Get, Query, Res } from '@nestjs/common';
    function mark(res) { res.status(207); }
    @Controller()
    export class Orders {
      @Get('marked') a(@Res({ passthrough: true }) res) { mark(res); return {}; }
      @Get('sometimes') b(@Res({ passthrough: true }) res, @Query('a') a: string) {
        if (a) this.flag(res);
        return {};
      }
      @Get('plain') c(@Res({ passthrough: true }) res) { res.cookie('a', 'b'); return {}; }
      @Get('sent-elsewhere') d(@Res() res) { res.status(207); this.send(res); }
      private flag(res) { res.status(207); }
      private send(res) { res.json({}); }
    }
    """


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            EXPRESS,
            {
                "sent-elsewhere": "207",
                "marked": "207",
                "assigned": "207",
                "sometimes": "200 207",
                "replaced": "202",
                "sent-before": "200 207",
                "together": "200 404",
                "tried": "200 207",
                "called": "207",
                "guarded": "200",
                "earlier": "200",
                "later": "207",
            },
        ),
        (
            KOA,
            {"before": "207", "after": "207", "replaced": "202", "guarded": "200", "used": "207"},
        ),
        (
            FASTIFY,
            {
                "marked": "207",
                "sent-elsewhere": "207",
                "sometimes": "200 207",
                "hooked": "207",
                "plain": "200",
            },
        ),
        (
            HONO,
            {
                "marked": "207",
                "sent-elsewhere": "202",
                "sometimes": "200 207",
                "given": "202",
                "called": "207",
                "used/x": "207",
                "unused": "200",
            },
        ),
        (NEST, {"marked": "207", "sometimes": "200 207", "plain": "200", "sent-elsewhere": "207"}),
    ],
    ids=["Express", "Koa", "Fastify", "Hono", "NestJS"],
)
def test_statuses_set_on_a_response(source: str, expected: dict[str, str], tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.ts": source})
    assert {
        path: " ".join(sorted(s.rstrip("*") for s in project.responses(f"GET /{path}")))
        for path in expected
    } == expected


def test_bodies_of_ways_that_exclude_each_other(tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.ts": EXPRESS})
    assert project.responses("GET /together") == {"200*": "{}", "404": "{error: 1}"}
