"""Elysia routes: chains, groups, guards and plugins, schemas of `t`, what handlers send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_chains_groups_and_plugins(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { Elysia } from 'elysia';
                import { cors } from '@elysiajs/cors';
                import { users } from './users';
                import { orders } from './orders';
                import { health } from './health';
                import { admin } from './admin';
                const app = new Elysia({ prefix: '/api' })
                  .use(cors())
                  .get('/', 'hello')
                  .route('PURGE', '/cache', () => null)
                  .all('/any', () => 1)
                  .group('/v1', (app) => app.use(users).use([orders]).get('/ping', () => 'pong'))
                  .group('/guarded', { detail: { hide: true } }, (app) => app.get('/x', () => 1))
                  .guard({ headers: undefined }, (app) => app.put('/below/:id?', () => 1))
                  .use(health)
                  .use(admin(new Elysia({ prefix: '/admin' })));
                const late = new Elysia();
                late.get('/files/*', () => 1);
                app.use(late);
                app.listen(3000);
            """,
            "users.ts": """
                import Elysia, { t } from 'elysia';
                export const users = new Elysia({ prefix: '/users' })
                  .get('/', () => [])
                  .get('/:id', ({ params }) => params.id);
            """,
            "orders.ts": """
                import { Elysia } from 'elysia';
                const path = '/orders';
                export const orders = new Elysia({ name: 'orders' });
                orders.post(path, () => 1);
            """,
            "health.ts": """
                import { Elysia } from 'elysia';
                export const health = (app: Elysia) => app.get('/health', () => ({ up: true }));
            """,
            "admin.ts": """
                import type { Elysia } from 'elysia';
                export function admin(app: Elysia) { return app.delete('/all', () => 1); }
            """,
        },
    )
    assert project.routes() == {
        "GET /api",
        "PURGE /api/cache",
        "* /api/any",
        "GET /api/v1/users",
        "GET /api/v1/users/{id}",
        "POST /api/v1/orders",
        "GET /api/v1/ping",
        "GET /api/guarded/x",
        "PUT /api/below",
        "PUT /api/below/{id}",
        "GET /api/health",
        "DELETE /api/admin/all",
        "GET /api/files/{wildcard*}",
    }
    assert [o.path for o in project.code.operations if o.excluded_from_docs] == ["/api/guarded/x"]


def test_schemas_of_hooks_guards_and_models(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { Elysia, t } from 'elysia';
                import { z } from 'zod';
                const user = t.Object({
                  id: t.Integer(),
                  name: t.Nullable(t.String()),
                  role: t.UnionEnum(['admin', 'user']),
                  born: t.Optional(t.Date()),
                });
                const load = async () => query();
                new Elysia()
                  .model({ user, list: t.Array(user) })
                  .model('one', t.Object({ one: t.Literal(1) }))
                  .post('/users/:id', ({ body }) => load(body), {
                    body: user,
                    params: t.Object({ id: t.Numeric() }),
                    query: t.Object({ page: t.Optional(t.Numeric({ default: 1 })), q: t.String() }),
                    headers: t.Object({ 'x-key': t.String() }),
                    cookie: t.Cookie({ session: t.Optional(t.String()) }),
                    response: { 200: 'list', 404: t.Object({ error: t.String() }) },
                  })
                  .get('/named', () => load(), { response: 'one' })
                  .get('/text', () => load(), { response: t.String() })
                  .get('/lost', () => load(), { response: 'nobody' })
                  .put('/files', ({ body: { file } }) => file.name, {
                    body: t.Object({ file: t.File(), note: t.String() }),
                  })
                  .patch('/zod', ({ body }) => body, { body: z.object({ a: z.number() }) })
                  .put('/read', ({ body, query }) => ({ done: query.page }))
                  .guard({ query: t.Object({ key: t.String() }), response: user })
                  .get('/guarded', () => load())
                  .get('/of-its-own', () => load(), { query: t.Object({ own: t.String() }) });
            """
        },
    )
    user = "{id: integer, name: string?, role: 'admin'/'user', born?: string(date-time)}"
    assert project.request("POST /users/{id}") == user
    assert project.parameters("POST /users/{id}") == {
        "path id: numeric",
        "query page?=: numeric",
        "query q: string",
        "header x-key: string",
        "cookie session?: string",
    }
    assert project.responses("POST /users/{id}") == {"200": f"[{user}]"}
    assert project.responses("GET /named") == {"200": "{one: 1}"}
    assert project.responses("GET /text") == {"200": "string (text/plain)"}
    assert project.responses("GET /lost") == {"200": "unknown"}
    assert project.request("PUT /files") == "{file: unknown, note: string} (multipart/form-data)"
    assert project.request("PATCH /zod") == "{a: numeric}"
    assert project.request("PUT /read") == "unknown"
    assert {p.name for p in project.operation("PUT /read").parameters} >= {"page"}
    assert project.responses("GET /guarded") == {"200": user}
    assert project.parameters("GET /guarded") == {"query key: string"}
    assert project.parameters("GET /of-its-own") == {"query own: string"}


def test_what_handlers_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { Elysia, status, file, redirect } from 'elysia';
                import { find } from './service';
                new Elysia()
                  .get('/static', { a: 1 })
                  .get('/value', () => find())
                  .get('/text', () => 'hello')
                  .get('/nothing', () => {})
                  .get('/null', () => null)
                  .post('/set', ({ set }) => { set.status = 201; return { id: 1 }; })
                  .post('/named', ({ set }) => { set.status = 'Created'; return { id: 1 }; })
                  .post('/either', ({ set, body }) => {
                    if (body) { set.status = 201; return { made: true }; }
                    return { made: false };
                  })
                  .get('/status', async ({ status, error }) => {
                    const found = await find();
                    if (!found) return status(404, { message: 'none' });
                    if (found.id > 3) throw error('Forbidden', 'no');
                    return status(202, found);
                  })
                  .get('/imported', () => status(418))
                  .get('/go', ({ redirect }) => redirect('/x', 301))
                  .get('/file', () => file('x.png'))
                  .get('/response', () => Response.json({ r: 1 }, { status: 203 }));
            """,
            "service.ts": """
                export interface Item { id: number; name?: string }
                export async function find(): Promise<Item | null> { return null }
            """,
        },
    )
    item = "{id: numeric, name?: string}"
    assert {route: project.responses(route) for route in project.routes()} == {
        "GET /static": {"200*": "{a: 1}"},
        "GET /value": {"200*": item + "?"},
        "GET /text": {"200*": "'hello' (text/plain)"},
        "GET /nothing": {},
        "GET /null": {"200*": ""},
        "POST /set": {"201": "{id: 1}"},
        "POST /named": {"201": "{id: 1}"},
        "POST /either": {"201": "{made: True}", "200*": "{made: False}"},
        "GET /status": {"404": "{message: 'none'}", "403": "'no' (text/plain)", "202": item},
        "GET /imported": {"418": "string (text/plain)"},
        "GET /go": {"301": ""},
        "GET /file": {"200*": "unknown (*/*)"},
        "GET /response": {"203": "{r: 1}"},
    }


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { Elysia } from 'elysia';
                new Elysia({ prefix: process.env.PREFIX })
                  .get('/a', () => ({ a: 1 }))
                  .get(`/${process.env.PART}/b`, () => 1)
                  .route(process.env.METHOD, '/c', () => 1)
                  .mount('/auth', handler);
            """,
            "wrapped.ts": """
                import { Elysia } from 'elysia';
                export const wrapped = new Elysia({ prefix: '/wrapped' })
                  .onAfterHandle(({ response }) => ({ data: response }))
                  .get('/x', () => ({ a: 1 }))
                  .get('/y', () => ({ b: 1 }), { afterHandle: log });
            """,
            "client.ts": """
                import { treaty } from '@elysiajs/eden';
                import type { App } from './app';
                treaty<App>('localhost').get('/no', {});
            """,
        },
    )
    prefix = "the prefix is not constant"
    assert project.routes() == {
        f"GET /{{computed}}/a <{prefix}>",
        "GET /{computed}/b <the path is not constant: a part of it is computed>",
        "* /{computed}/c <the method is not constant>",
        "* /{computed}/auth/{computed*} <what is mounted answers by itself>",
        "GET /wrapped/x",
        "GET /wrapped/y",
    }
    assert project.responses("GET /wrapped/x") == {"200*": "unknown"}
