"""Koa routes: prefixes and nested routers, what handlers set on the context, what they read."""

from __future__ import annotations

from pathlib import Path

from contract_scan.api import extract
from contract_scan.ir.schema import Object
from tests.parsers.source.typescript.project import Project


def test_prefixes_and_routers_below_routers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Koa from 'koa';
                import Router from '@koa/router';
                import mount from 'koa-mount';
                import compose from 'koa-compose';
                import users from './users';
                import { orders } from './orders';
                import { legacy, first, second } from './legacy';
                import { addHealth } from './health';
                const app = new Koa();
                app.use(async (ctx, next) => { await next(); });
                const api = new Router({ prefix: '/api' });
                api.use(users.routes(), users.allowedMethods());
                api.use('/shop', orders.routes());
                api.use(['/a', '/b'], first.middleware());
                app.use(api.routes()).use(api.allowedMethods());
                app.use(mount('/legacy', legacy.routes()));
                app.use(compose([second.routes(), second.allowedMethods()]));
                const root = new Router();
                addHealth(root);
                app.use(root.routes());
                app.listen(3000);
            """,
            "users.ts": """
                import Router from '@koa/router';
                const router = new Router();
                router.prefix('/users');
                router
                  .get('list', '/', list)
                  .post('/', create)
                  .del('/:id(\\\\d+)', list);
                router.all('/any', list);
                router.get(['/x', '/y'], list);
                router.register('/many', ['GET', 'PUT'], list);
                function list(ctx) { ctx.body = []; }
                function create(ctx) { ctx.status = 201; ctx.body = {}; }
                export default router;
            """,
            "orders.ts": """
                import Router from 'koa-router';
                export const orders = new Router({ prefix: '/orders' });
                const ORDER = '/:orderId';
                orders.get(ORDER, async (ctx) => { ctx.body = 1; });
            """,
            "legacy.js": """
                const Router = require('koa-router');
                const legacy = Router();
                legacy.get('/old', (ctx) => { ctx.body = 1 });
                const first = new Router();
                first.get('/first', (ctx) => { ctx.body = 1 });
                const second = new Router();
                second.get('/second', (ctx) => { ctx.body = 1 });
                module.exports = { legacy, first, second };
            """,
            "health.ts": """
                import type Router from '@koa/router';
                export function addHealth(server: Router) {
                  server.get('/health', (ctx) => { ctx.body = 'ok'; });
                }
            """,
        },
    )
    assert project.routes() == {
        "GET /api/users",
        "POST /api/users",
        "DELETE /api/users/{id}",
        "* /api/users/any",
        "GET /api/users/x",
        "GET /api/users/y",
        "GET /api/users/many",
        "PUT /api/users/many",
        "GET /api/shop/orders/{orderId}",
        "GET /api/a/first",
        "GET /api/b/first",
        "GET /legacy/old",
        "GET /second",
        "GET /health",
    }


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const Koa = require('koa');
                const Router = require('@koa/router');
                const app = new Koa();
                const named = new Router({ prefix: process.env.PREFIX });
                named.get('/x', (ctx) => { ctx.body = 1 });
                app.use(named.routes());
                app.use(JSON.parse('{}').routes());
                const lost = new Router();
                lost.get('/lost', (ctx) => { ctx.body = 1 });
                lost.get('/lib', require('somewhere'));
                const cache = new Map();
                cache.get('/no', 1);
            """,
        },
    )
    reason = "a router is mounted in a way that is not seen: "
    seen = "what JSON.parse gives has no declared type"
    assert project.routes() == {
        "GET /{computed}/x <the prefix is not constant>",
        f"GET /{{computed}}/lost <{reason}{seen}>",
        f"GET /{{computed}}/lib <{reason}{seen}>",
    }
    assert project.responses("GET /{computed}/lib") == {"200*": "unknown"}


def test_what_handlers_set(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Koa, { type Context } from 'koa';
                import Router from '@koa/router';
                import createError from 'http-errors';
                import { outside } from 'somewhere';
                import { OrderController } from './orders';
                const router = new Router();
                const ok = (ctx: Context, data: unknown) => { ctx.body = { data }; };
                router.get('/a', async (ctx) => {
                  if (!ctx.query.q) { ctx.status = 400; ctx.body = { error: 'q' }; return; }
                  if (ctx.query.q === 'x') ctx.throw(404, 'none');
                  ctx.assert(ctx.state.user, 401);
                  if (ctx.query.q === 'y') throw createError(409);
                  ctx.body = { ok: true };
                });
                router.post('/b', (ctx) => { ctx.body = { id: 1 }; ctx.status = 201; });
                router.put('/c', ({ response }) => { response.status = 202; response.body = []; });
                router.delete('/d', (ctx) => { ctx.status = 204; });
                router.delete('/e', (ctx) => { ctx.body = null; });
                router.get('/f', (ctx) => ctx.redirect('/a'));
                router.get('/g', (ctx) => { ctx.body = 'text'; });
                router.get('/h', (ctx) => { ok(ctx, [1]); });
                router.get('/i', (ctx) => { ctx.success([1]); });
                router.get('/j', async (ctx) => { await outside(ctx); });
                router.get('/k', async (ctx, next) => {
                  try { ctx.body = { a: 1 }; }
                  catch (error) { ctx.status = 500; ctx.body = { e: 1 }; }
                });
                const orders = new OrderController();
                router.get('/l', orders.list);
                router.get('/m', (ctx) => orders.one(ctx));
                router.get('/n', (ctx) => { ctx.status = ctx.state.code; ctx.body = 1; });
                const app = new Koa();
                app.use(router.routes());
            """,
            "orders.ts": """
                import type { Context } from 'koa';
                interface Order { id: string }
                export class OrderController {
                  private load(): Order[] { return []; }
                  list = async (ctx: Context) => { ctx.body = this.load(); };
                  async one(ctx: Context) { const [order] = this.load(); ctx.body = order; }
                }
            """,
        },
    )
    assert project.responses("GET /a") == {
        "400": "{error: 'q'}",
        "404": "unknown (*/*)",
        "401": "unknown (*/*)",
        "409": "unknown (*/*)",
        "200*": "{ok: True}",
    }
    assert project.operation("GET /a").statuses_complete
    assert project.responses("POST /b") == {"201": "{id: 1}"}
    assert project.responses("PUT /c") == {"202": "[nothing]"}
    assert project.responses("DELETE /d") == {"204": ""}
    assert project.responses("DELETE /e") == {"204*": ""}
    assert project.responses("GET /f") == {"302": ""}
    assert project.responses("GET /g") == {"200*": "'text' (text/plain)"}
    assert project.responses("GET /h") == {"200*": "{data: [1]}"}
    assert project.responses("GET /i") == {"200*": "unknown"}
    assert project.responses("GET /j") == {"200*": "unknown"}
    assert not project.operation("GET /j").statuses_complete
    assert project.responses("GET /k") == {"200*": "{a: 1}", "500": "{e: 1}"}
    assert project.responses("GET /l") == {"200*": "[{id: string}]"}
    assert project.responses("GET /m") == {"200*": "{id: string}"}
    assert project.responses("GET /n") == {"200*": "unknown"}


def test_middleware_that_changes_bodies(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const Koa = require('koa');
                const Router = require('@koa/router');
                const app = new Koa();
                const wrap = async (ctx, next) => { await next(); ctx.body = { data: ctx.body }; };
                const guard = (ctx, next) => {
                  if (ctx.state.user) return next();
                  ctx.status = 401;
                  ctx.body = {};
                };
                const missing = async (ctx, next) => {
                  try { await next(); } catch (error) { ctx.body = { error: 1 }; }
                  if (ctx.status === 404) ctx.body = { error: 2 };
                };
                app.use(missing);
                app.use(guard);
                const plain = new Router({ prefix: '/plain' });
                plain.get('/', (ctx) => { ctx.body = [1]; });
                const wrapped = new Router({ prefix: '/wrapped' });
                wrapped.use(wrap);
                wrapped.get('/', (ctx) => { ctx.body = [1]; });
                const renames = async (ctx, next) => {
                  await next();
                  if (ctx.body && isObject(ctx.body)) ctx.body = humps.camelizeKeys(ctx.body);
                };
                const renamed = new Router({ prefix: '/renamed' });
                renamed.use(renames);
                renamed.get('/', (ctx) => {
                  return ctx.body = { created_at: String(1), some_rows: [{ row_id: 1 }] };
                });
                app.use(plain.routes()).use(wrapped.routes()).use(renamed.routes());
            """,
        },
    )
    assert project.responses("GET /plain") == {"200*": "[1]"}
    assert project.responses("GET /renamed") == {
        "200*": "{createdAt: string, someRows: [{rowId: 1}]}"
    }
    assert project.responses("GET /wrapped") == {"200*": "{data: [1]}"}


def test_what_handlers_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Koa from 'koa';
                import Router from '@koa/router';
                import { z } from 'zod';
                interface Input { name: string }
                const schema = z.object({ title: z.string() });
                const check = (s: z.ZodSchema) => async (ctx, next) => {
                  s.parse(ctx.request.body);
                  await next();
                };
                const router = new Router();
                router.post('/a', (ctx) => {
                  const input = ctx.request.body as Input;
                  const { page, size } = ctx.query;
                  const sort = ctx.request.query.sort;
                  ctx.body = 1;
                });
                router.post('/b', check(schema), (ctx) => { ctx.body = 1; });
                router.post('/c', (ctx) => { const { name } = ctx.request.body; ctx.body = name; });
                router.get('/d/:id', (ctx) => { ctx.body = ctx.params.id; });
                const app = new Koa();
                app.use(router.routes());
            """,
        },
    )
    assert project.request("POST /a") == "{name=: string}"
    assert project.parameters("POST /a") == {
        "query page?: unknown",
        "query size?: unknown",
        "query sort?: unknown",
    }
    assert project.request("POST /b") == "{title: string}"
    assert project.request("POST /c") == "{name?: value~}~"
    assert project.request("GET /d/{id}") == ""
    assert project.parameters("GET /d/{id}") == {"path id: string"}


def test_a_body_without_needed_fields_may_be_left_out(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Router from '@koa/router';
                import Joi from 'joi';
                const router = new Router();
                const loose = Joi.object({ a: Joi.string() });
                const tight = Joi.object({ a: Joi.string().required() });
                router.patch('/loose', (ctx) => { ctx.body = loose.validate(ctx.request.body); });
                router.patch('/tight', (ctx) => { ctx.body = tight.validate(ctx.request.body); });
            """
        },
    )
    assert {
        operation.path: [body.required for body in operation.request]
        for operation in project.code.operations
    } == {"/loose": [None], "/tight": [True]}


def test_methods_that_are_computed_are_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Koa from 'koa';
                import Router from '@koa/router';
                const app = new Koa();
                const router = new Router();
                const list = (ctx) => { ctx.body = []; };
                router['get']('/named', list);
                store().forEach((route) => router[route.method]('/computed', list));
                handlers[process.env.KIND]('/none', list);
                app.use(router.routes());
            """
        },
    )
    assert project.routes() == {
        "GET /named",
        "* /computed <the method is computed>",
    }


def test_only_a_status_of_errors_says_that_a_key_is_needed(tmp_path: Path) -> None:
    source = """
        import Koa from 'koa';
        import Router from '@koa/router';
        const router = new Router();
        router.post('/a', ctx => {
            const { name, note } = ctx.request.body as any;
            if (!name) { ctx.status = 400; return; }
            if (!note) { ctx.status = 204; return; }
            ctx.body = {};
        });
        new Koa().use(router.routes());
    """
    (tmp_path / "app.ts").write_text(source)
    (operation,) = extract(tmp_path, cache=False).endpoints
    (body,) = operation.request
    assert isinstance(body.schema, Object)
    assert {field.name: field.required for field in body.schema.fields} == {
        "name": True,
        "note": False,
    }


def test_functions_of_libraries_that_answer(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Koa from 'koa';
                import Router from '@koa/router';
                import mount from 'koa-mount';
                import limit from 'koa-ratelimit';
                import { koaSwagger } from 'koa2-swagger-ui';
                import board from 'acme-board';
                const app = new Koa();
                const router = new Router();
                router.get('/api/jobs', (ctx) => { ctx.body = []; });
                app.use(koaSwagger({ routePrefix: false }));
                app.use(mount('/board', board()));
                app.use(mount('/api', limit({ max: 5 })));
                app.use(router.routes()).use(router.allowedMethods());
            """,
        },
    )
    assert {(o.method, o.path, o.unresolved) for o in project.code.operations} == {
        ("GET", "/api/jobs", ""),
        ("*", "/board", "`acme-board` of a library is mounted there, and is not read"),
        ("*", "/board/{path*}", "`acme-board` of a library is mounted there, and is not read"),
    }
