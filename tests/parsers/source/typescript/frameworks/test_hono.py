"""Hono routes: mounts, base paths and chains, validators, declared routes, what handlers send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_routers_are_mounted_across_files(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "index.ts": """
                import { Hono } from 'hono';
                import users from './users';
                import { orders } from './orders';
                import { registerHealth } from './health';
                const app = new Hono<{ Bindings: Env }>({ strict: false });
                app.use('*', async (c, next) => { await next(); });
                app.get('/', (c) => c.text('hello'));
                app.route('/users', users);
                app.route('/v1', orders).route('/v2', orders);
                registerHealth(app);
                app.on(['PUT', 'DELETE'], ['/a', '/b'], (c) => c.json({}));
                app.on('PURGE', '/cache', (c) => c.body(null, 204));
                app.all('/any', (c) => c.json({}));
                const api = app.basePath('/api');
                api.get('/in', (c) => c.json({}));
                export default app;
            """,
            "users.ts": """
                import { Hono } from 'hono';
                const users = new Hono()
                  .get('/', (c) => c.json([]))
                  .post((c) => c.json({}, 201))
                  .get('/:id{[0-9]+}', (c) => c.json({}))
                  .get('/:id/files/:name{.+\\\\.png}', (c) => c.json({}))
                  .get('/type/:kind?', (c) => c.json({}));
                export default users;
            """,
            "orders.ts": """
                import { Hono } from 'hono';
                export const orders = new Hono().basePath('/orders');
                orders.get('/', (c) => c.json([]));
                orders.get('/*', (c) => c.json([]));
            """,
            "health.ts": """
                import type { Hono } from 'hono';
                export function registerHealth(server: Hono) {
                  server.get('/health', (c) => c.json({ ok: true }));
                }
            """,
        },
    )
    assert project.routes() == {
        "GET /",
        "GET /users",
        "POST /users",
        "GET /users/{id}",
        "GET /users/{id}/files/{name*}",
        "GET /users/type",
        "GET /users/type/{kind}",
        "GET /v1/orders",
        "GET /v2/orders",
        "GET /v1/orders/{wildcard*}",
        "GET /v2/orders/{wildcard*}",
        "GET /health",
        "PUT /a",
        "PUT /b",
        "DELETE /a",
        "DELETE /b",
        "PURGE /cache",
        "* /any",
        "GET /api/in",
    }


def test_all_with_a_function_that_hands_on_is_nothing_to_document(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "auth.ts": """
                import type { MiddlewareHandler } from 'hono';
                export const auth: MiddlewareHandler = async (c, next) => {
                  if (!c.req.header('Authorization')) return c.json({}, 401);
                  await next();
                };
            """,
            "app.ts": """
                import { Hono } from 'hono';
                import { auth } from './auth';
                const likes = new Hono().all(auth).get('/', (c) => c.json([]));
                const app = new Hono();
                app.route('/likes', likes);
                app.all('/admin/*', auth);
                app.all('/any', (c) => c.json({}));
                app.all('/unused', (c, next) => c.json({}));
                app.get('/one', auth, (c) => c.json({}));
                export default app;
            """,
        },
    )
    assert {(f"{o.method} {o.path}", o.excluded_from_docs) for o in project.code.operations} == {
        ("* /likes", True),
        ("GET /likes", False),
        ("* /admin/{wildcard*}", True),
        ("* /any", False),
        ("* /unused", False),
        ("GET /one", False),
    }


def test_each_call_of_a_function_that_makes_routers_makes_another(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "lib.ts": """
                import { OpenAPIHono } from '@hono/zod-openapi';
                export type App = OpenAPIHono<{ Variables: {} }>;
                export function createRouter() { return new OpenAPIHono({ strict: false }); }
                export function createApp() {
                  const app = createRouter();
                  app.use(async (c, next) => next());
                  app.notFound((c) => c.json({ message: 'no' }, 404));
                  return app;
                }
            """,
            "a.ts": """
                import { createRouter } from './lib';
                export default createRouter().get('/x', (c) => c.json(1));
            """,
            "b.ts": """
                import { createRouter } from './lib';
                const router = createRouter();
                router.get('/y', (c) => c.json(1));
                export default router;
            """,
            "app.ts": """
                import { createApp, type App } from './lib';
                import a from './a';
                import b from './b';
                const app = createApp();
                const routes = [a, b] as const;
                routes.forEach((route) => { app.route('/r', route); });
                app.route('/b', b);
                function extra(server: App) { server.get('/extra', (c) => c.json(1)); }
                extra(app);
                type Application = ReturnType<typeof createApp>;
                function more(server: Application) { server.get('/more', (c) => c.json(1)); }
                more(app);
                function most(server: typeof app) { server.get('/most', (c) => c.json(1)); }
                most(app);
            """,
        },
    )
    assert project.routes() == {
        "GET /r/x",
        "GET /r/y",
        "GET /b/y",
        "GET /extra",
        "GET /more",
        "GET /most",
    }


def test_callers_of_functions_that_take_an_app_need_not_name_hono(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "lib.ts": """
                import { Hono } from 'hono';
                export const createApp = () => new Hono({ getPath: (r) => r.headers.get('p', 1) });
            """,
            "users.ts": """
                import { createApp } from './lib';
                export const users = createApp();
                users.get('/list', (c) => c.json([]));
            """,
            "routes.ts": """
                import type { createApp } from './lib';
                import { users } from './users';
                export function addRoutes(app: ReturnType<typeof createApp>) {
                  app.route('/users', users);
                }
            """,
            "start.ts": """
                import { createApp } from './lib';
                import { addRoutes } from './routes';
                export function start() {
                  const app = createApp();
                  addRoutes(app);
                  return app;
                }
            """,
        },
    )
    assert project.routes() == {"GET /users/list"}


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "index.ts": """
                import { Hono } from 'hono';
                import { stranger } from './unseen';
                const app = new Hono();
                const leaf = new Hono();
                leaf.get('/leaf', (c) => c.json(1));
                app.route('/x', stranger.router);
                app.get(`/${process.env.PREFIX}/y`, (c) => c.json(1));
                app.get('/lib', stranger);
                const cache = new Map();
                cache.get('/no-route', () => 1);
            """,
            "unseen.ts": "export const { stranger } = JSON.parse('{}');",
        },
    )
    reason = "a router is mounted in a way that is not seen: "
    assert project.routes() == {
        f"GET /leaf <{reason}what JSON.parse gives has no declared type>",
        "GET /{computed}/y <the path is not constant: a part of it is computed>",
        "GET /lib",
    }
    assert project.responses("GET /lib") == {"200*": "unknown"}


def test_what_handlers_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "index.ts": """
                import { Hono, type Context } from 'hono';
                import { HTTPException } from 'hono/http-exception';
                import { streamSSE } from 'hono/streaming';
                import * as HttpStatusCodes from 'stoker/http-status-codes';
                import { OrderController } from './orders';
                const app = new Hono();
                const fail = (c: Context, message: string) => c.json({ message }, 400);
                app.get('/a', async (c) => {
                  if (!c.req.query('q')) return fail(c, 'no query');
                  if (c.req.query('q') === 'x') throw new HTTPException(404, { message: 'no' });
                  return c.json({ ok: true });
                });
                app.post('/b', (c) => { c.status(201); return c.json({ id: 1 }); });
                app.put('/c', (c) => c.json({ id: 1 }, HttpStatusCodes.ACCEPTED));
                app.delete('/d', (c) => c.body(null, 204));
                app.get('/e', (c) => c.redirect('/a'));
                app.get('/f', (c) => c.html('<p></p>'));
                app.get('/g', (c) => streamSSE(c, async (stream) => {}));
                app.get('/h', (c) => c.notFound());
                app.get('/i', () => new Response('raw', { status: 202 }));
                app.get('/j', (c) => { if (x) { c.status(202); } return c.json({}); });
                const orders = new OrderController();
                app.get('/k', (c) => orders.list(c));
                app.get('/l', auth, orders.one);
                async function auth(c, next) { await next(); }
            """,
            "orders.ts": """
                import type { Context } from 'hono';
                interface Order { id: string; total: number }
                export class OrderController {
                  private async load(): Promise<Order[]> { return []; }
                  async list(c: Context) { return c.json(await this.load()); }
                  one = async (c: Context) => {
                    const [order] = await this.load();
                    return c.json({ order }, 200);
                  };
                }
            """,
        },
    )
    assert project.responses("GET /a") == {
        "400": "{message: 'no query'}",
        "404": "unknown (*/*)",
        "200*": "{ok: True}",
    }
    assert project.operation("GET /a").statuses_complete
    assert project.responses("POST /b") == {"201": "{id: 1}"}
    assert project.responses("PUT /c") == {"202": "{id: 1}"}
    assert project.responses("DELETE /d") == {"204": ""}
    assert project.responses("GET /e") == {"302*": ""}
    assert project.responses("GET /f") == {"200*": "'<p></p>' (text/html)"}
    assert project.responses("GET /g") == {"200*": "unknown (text/event-stream)"}
    assert project.responses("GET /h") == {"404": "unknown (*/*)"}
    assert project.responses("GET /i") == {"202": "'raw' (text/plain)"}
    assert project.responses("GET /j") == {"202": "{}", "200*": "{}"}
    assert project.operation("GET /j").statuses_complete
    assert project.responses("GET /k") == {"200*": "[{id: string, total: numeric}]"}
    assert project.responses("GET /l") == {"200": "{order: {id: string, total: numeric}}"}


def test_a_helper_may_cast_what_it_sends_to_a_generic_type_of_the_library(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "index.ts": """
                import { Hono, type Context, type TypedResponse } from 'hono';
                function send<T, S>(c: Context, body: T, status: S): TypedResponse<T, S> {
                  return c.json(body, status) as unknown as TypedResponse<T, S>;
                }
                interface Reply<T> { value: T }
                const app = new Hono();
                app.post('/a', (c) => send(c, { id: 1 }, 201));
                app.get('/b', async (c) => {
                  const reply = (await fetch('/x')) as Reply<string>;
                  return send(c, { value: reply.value }, 200);
                });
            """,
        },
    )
    assert project.responses("POST /a") == {"201": "{id: 1}"}
    assert project.operation("POST /a").statuses_complete
    assert project.responses("GET /b") == {"200": "{value: string}"}


def test_what_handlers_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "index.ts": """
                import { Hono } from 'hono';
                import { createFactory } from 'hono/factory';
                import { zValidator } from '@hono/zod-validator';
                import { vValidator } from '@hono/valibot-validator';
                import * as v from 'valibot';
                import { z } from 'zod';
                const app = new Hono();
                const input = z.object({ name: z.string(), size: z.number().default(1) });
                const check = (schema: z.ZodSchema) => zValidator('json', schema);
                app.post('/a/:id',
                  zValidator('param', z.object({ id: z.string().uuid() })),
                  zValidator('query', z.object({ page: z.coerce.number().optional() })),
                  zValidator('header', z.object({ 'x-key': z.string() })),
                  zValidator('json', input),
                  (c) => c.json(c.req.valid('json')));
                app.post('/b', check(input), (c) => c.json({}));
                app.post('/c', vValidator('json', v.object({})), (c) => c.json({}));
                app.post('/d', async (c) => {
                  const body = await c.req.json<{ title: string }>();
                  const { sort } = c.req.query();
                  const size = c.req.query('size');
                  return c.json({});
                });
                app.post('/e', async (c) => {
                  const body = input.parse(await c.req.json());
                  return c.json({});
                });
                app.post('/f', async (c) => { await c.req.parseBody(); return c.json({}); });
                const ok = (c) => c.json(7);
                const factory = createFactory();
                const handlers = factory.createHandlers(zValidator("json", input), ok);
                app.post('/g', ...handlers);
            """,
        },
    )
    assert project.parameters("POST /a/{id}") == {
        "path id: string(uuid)",
        "query page?: numeric",
        "header x-key: string",
    }
    assert project.request("POST /a/{id}") == "{name: string, size=: numeric}"
    assert project.request("POST /b") == "{name: string, size=: numeric}"
    assert project.request("POST /c") == "{}"
    assert project.request("POST /d") == "{title=: string}"
    assert project.parameters("POST /d") == {"query sort?: unknown", "query size?: unknown"}
    assert project.request("POST /e") == "{name: string, size=: numeric}"
    assert project.request("POST /f") == "unknown (*/*)"
    assert project.request("POST /g") == "{name: string, size=: numeric}"
    assert project.responses("POST /g") == {"200*": "7"}


def test_routes_declared_with_zod_openapi(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "routes.ts": """
                import { createRoute, z } from '@hono/zod-openapi';
                import * as HttpStatusCodes from 'stoker/http-status-codes';
                import { jsonContent, jsonContentRequired } from 'stoker/openapi/helpers';
                const Task = z.object({ id: z.number().int(), name: z.string() }).openapi('Task');
                export const list = createRoute({
                  path: '/tasks', method: 'get',
                  request: { query: z.object({ done: z.string().optional() }) },
                  responses: { [HttpStatusCodes.OK]: jsonContent(z.array(Task), 'The tasks') },
                });
                export const one = createRoute({
                  path: '/tasks/{id}', method: 'get',
                  request: { params: z.object({ id: z.coerce.number() }) },
                  responses: {
                    200: { content: { 'application/json': { schema: Task } }, description: 'x' },
                    404: { description: 'no' },
                  },
                });
                export const create = createRoute({
                  path: '/tasks', method: 'post', hide: true,
                  request: { body: jsonContentRequired(Task.omit({ id: true }), 'x') },
                  responses: { [HttpStatusCodes.CREATED]: jsonContent(Task, 'The task') },
                });
            """,
            "index.ts": """
                import { OpenAPIHono } from '@hono/zod-openapi';
                import * as routes from './routes';
                import { find, imported } from 'elsewhere';
                const app = new OpenAPIHono();
                const router = new OpenAPIHono()
                  .openapi(routes.list, async (c) => c.json(await find()))
                  .openapi(routes.one, (c) => {
                    const task = find();
                    if (!task) return c.body(null, 404);
                    return c.json(task, 200);
                  })
                  .openapi(routes.create, imported);
                app.route('/api', router);
                app.openapi(imported, (c) => c.json(1));
            """,
        },
    )
    assert project.routes() == {
        "GET /api/tasks",
        "GET /api/tasks/{id}",
        "POST /api/tasks",
        "* /{computed} <the route that is declared is not seen>",
    }
    task = "{id: integer, name: string}"
    assert project.responses("GET /api/tasks") == {"200": f"[{task}]"}
    assert project.parameters("GET /api/tasks") == {"query done?: string"}
    assert project.responses("GET /api/tasks/{id}") == {"404": "", "200": task}
    assert project.parameters("GET /api/tasks/{id}") == {"path id: numeric?"}
    assert project.responses("POST /api/tasks") == {"201": task}
    assert project.request("POST /api/tasks") == "{name: string}"
    created = project.operation("POST /api/tasks")
    assert created.excluded_from_docs
    assert [body.required for body in created.request] == [True]


def test_a_router_that_a_loop_makes_is_another_one_for_each_item(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { Hono } from 'hono';
                import { plugins } from './plugins';
                const app = new Hono();
                for (const plugin of plugins) {
                  if (plugin.routes) {
                    const gated = new Hono();
                    gated.route('/', plugin.routes);
                    app.route(`/plugins/${plugin.slug}`, gated);
                  }
                }
            """,
            "plugins.ts": """
                import { Hono } from 'hono';
                type Routes = Hono<any, any>;
                interface Plugin { slug: string; routes?: Routes }
                const first: Plugin = {
                  slug: 'first', routes: new Hono().get('/one', (c) => c.json(1))
                };
                const second: Plugin = {
                  slug: 'second', routes: new Hono().get('/two', (c) => c.json(2))
                };
                export const plugins: Plugin[] = [first, second];
            """,
        },
    )
    assert project.routes() == {"GET /plugins/first/one", "GET /plugins/second/two"}


def test_methods_that_are_computed_are_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { Hono } from 'hono';
                const app = new Hono();
                const list = (c) => c.json([]);
                app['get']('/named', list);
                store().forEach((route) => app[route.method]('/computed', list));
                handlers[process.env.KIND]('/none', list);
            """
        },
    )
    assert project.routes() == {
        "GET /named",
        "* /computed <the method is computed>",
    }


def test_apps_of_a_factory_and_modules_by_address(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { createFactory } from "npm:hono@4.6.1/factory";
                import { users } from './users.ts';
                const factory = createFactory<Env>({
                  initApp(app) {
                    app.use(async (c, next) => { await next(); });
                    app.get('/health', (c) => c.json({ ok: true }));
                    app.route('/users', users);
                  },
                });
                export default factory.createApp();
            """,
            "users.ts": """
                import { Hono } from "https://deno.land/x/hono@v3.5.4/mod.ts";
                export const users = new Hono();
                users.get('/:id', (c) => c.json({ id: 1 }));
            """,
            "other.ts": """
                import { Hono } from "hono/mod.ts";
                const app = new Hono();
                app.get('/other', (c) => c.json(1));
            """,
        },
    )
    assert project.routes() == {"GET /health", "GET /users/{id}", "GET /other"}
    assert project.responses("GET /users/{id}") == {"200*": "{id: 1}"}
