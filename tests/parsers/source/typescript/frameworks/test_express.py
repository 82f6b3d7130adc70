"""Express routes: mounts across files, what handlers send and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project


def test_routers_are_mounted_across_files_however_they_are_exported(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                import users from './users';
                import { orders as orderRouter } from './routes';
                import * as health from './health';
                const app = express();
                app.use(express.json());
                app.use('/api', users);
                app.use('/api/v1', guard, orderRouter);
                app.use('/api/v2', orderRouter);
                app.use(health.router);
                app.use('/legacy', require('./legacy'));
                app.get('/', (req, res) => res.send('hello'));
                function guard(req, res, next) { next(); }
            """,
            "users.ts": """
                import { Router } from 'express';
                const router = Router();
                router.route('/users').get((req, res) => { res.json([]) }).post(create);
                router.all('/users/any', (req, res) => { res.end() });
                function create(req, res) { res.sendStatus(201) }
                export default router;
            """,
            "routes/index.ts": "export * from './orders';",
            "routes/orders.ts": """
                import express from 'express';
                export const orders = express.Router();
                orders.get(['/orders', '/all-orders'], (req, res) => { res.json([]) });
                orders.delete('/orders/:id(\\\\d+)', (req, res) => { res.status(204).end() });
            """,
            "health.ts": """
                import { Router } from 'express';
                export const router = Router().get('/health', (req, res) => res.json({ ok: true }));
            """,
            "legacy.js": """
                const router = require('express').Router();
                router.get('/old/:name?', function (req, res) { res.json({}) });
                module.exports = router;
            """,
        },
    )
    assert project.routes() == {
        "GET /",
        "GET /api/users",
        "POST /api/users",
        "* /api/users/any",
        "GET /api/v1/orders",
        "GET /api/v1/all-orders",
        "DELETE /api/v1/orders/{id}",
        "GET /api/v2/orders",
        "GET /api/v2/all-orders",
        "DELETE /api/v2/orders/{id}",
        "GET /health",
        "GET /legacy/old",
        "GET /legacy/old/{name}",
    }


def test_apps_handed_to_functions_and_routers_made_by_functions_and_classes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const express = require('express');
                const app = express();
                require('./install')(app, '/x');
                const { makeRouter } = require('./factory');
                app.use('/made', makeRouter());
                const { UserRoutes } = require('./class-routes');
                app.use('/users', new UserRoutes().router);
            """,
            "install.js": """
                module.exports = function (server) {
                  server.get('/installed', (req, res) => { res.json(1) });
                  server.route('/both').get((req, res) => { res.json(1) }).post((req, res) => {});
                };
            """,
            "factory.ts": """
                import { Router } from 'express';
                export function makeRouter(): Router {
                  const router = Router();
                  router.put('/thing', (req, res) => { res.json(1) });
                  return router;
                }
            """,
            "class-routes.ts": """
                import { Router } from 'express';
                export class UserRoutes {
                  public router: Router;
                  constructor() { this.router = Router(); this.initialize(); }
                  private initialize() {
                    this.router.get(`/${'all'}`, this.list);
                    this.router.get('/:id', this.one.bind(this));
                  }
                  private list = async (req, res) => { res.json([1]) };
                  private one(req, res) { res.json({ id: 1 }) }
                }
            """,
        },
    )
    assert project.routes() == {
        "GET /installed",
        "GET /both",
        "POST /both",
        "PUT /made/thing",
        "GET /users/all",
        "GET /users/{id}",
    }
    assert project.responses("GET /users/all") == {"200*": "[1]"}
    assert project.responses("GET /users/{id}") == {"200*": "{id: 1}"}


@pytest.mark.parametrize(
    ("pattern", "routes"),
    [
        (r"/(\/api)?/", {"GET /a", "GET /api/a"}),
        (r"/^\/(v1|v2)/", {"GET /v1/a", "GET /v2/a"}),
        (r"/(\/x(?:\/y)?)?\/z/", {"GET /z/a", "GET /x/z/a", "GET /x/y/z/a"}),
        (r"/^\/api\.v1/", {"GET /api.v1/a"}),
        (r"/^\/\d+/", {"GET /a <the path is a regular expression /^\\/\\d+/>"}),
    ],
)
def test_a_regular_expression_mounts_at_each_text_that_it_is(
    tmp_path: Path, pattern: str, routes: set[str]
) -> None:
    source = f"""
        import express from 'express';
        const app = express();
        const router = express.Router();
        router.get('/a', (req, res) => res.json([]));
        app.use({pattern}, router);
    """
    project = Project(tmp_path, {"app.ts": source})
    assert project.routes() == routes
    # Of several spellings no contract lists all.
    assert {o.excluded_from_docs for o in project.code.operations} == {len(routes) > 1}


def test_functions_that_are_given_a_router_and_a_prefix(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                const { users, orders, nested, same } = require('./routes');
                const app = express();
                users(app, '/api');
                users(app, '/v2');
                orders(app, { prefix: '/shop' });
                nested(app, '/deep');
                same(app, compute());
                function tool(server, base = '/tools') { server.get(base + '/run', run); }
                tool(app);
                function run(req, res) { res.json({ ran: true }) }
                function tree(server, at) { server.get(at, run); tree(server, at + '/more'); }
                tree(app, '/tree');
            """,
            "routes.js": """
                const { Router } = require('express');
                function users(target, prefix) {
                  target.get(prefix + '/users', list);
                  const inner = Router();
                  inner.post(`${prefix}/new`, (req, res) => { res.json({ at: 1 }) });
                  target.use('/inner', inner);
                }
                function list(req, res) { res.json([1]) }
                function orders(target, { prefix }) {
                  target.delete(prefix + '/orders/:id', (req, res) => { res.sendStatus(204) });
                }
                function nested(target, prefix) { users(target, prefix + '/er'); }
                function same(target, prefix) { target.put(prefix + '/same', list); }
                module.exports = { users, orders, nested, same };
            """,
        },
    )
    assert project.routes() == {
        "GET /api/users",
        "POST /inner/api/new",
        "GET /v2/users",
        "POST /inner/v2/new",
        "DELETE /shop/orders/{id}",
        "GET /deep/er/users",
        "POST /inner/deep/er/new",
        "PUT /{computed}/same <the path is not constant: a part of it is computed>",
        "GET /tools/run",
        "GET /tree",
        "GET /{computed} <the path is not constant: parameter `at` has no declared type>",
    }
    assert project.responses("GET /tools/run") == {"200*": "{ran: True}"}


def test_functions_that_register_on_a_router_around_them_by_what_they_are_given(
    tmp_path: Path,
) -> None:
    """Each call registers routes of its own, if all calls are to be seen."""
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                const { shared } = require('./shared');
                const app = express();
                require('./things')(app, (handler) => handler);
                const deeper = (base) => {
                  app.get(base, run);
                  if (base.length < 9) deeper(base + '/more');
                };
                deeper('/tree');
                const handed = (base) => { app.get(base + '/handed', run); };
                handed('/one');
                LISTS.forEach(handed);
                function unused(base) { app.get(base + '/unused', run); }
                function run(req, res) { res.json({ ran: true }) }
                shared('/near');
                app.use(require('./shared').router);
            """,
            "things.js": """
                module.exports = (service, endpoint) => {
                  const resource = (base, name) => {
                    service.get(`${base}/things`, endpoint((req, res) => {
                      res.json({ [name]: 1 });
                    }));
                    service.route(base + '/:id').delete((req, res) => { res.sendStatus(204) });
                  };
                  resource('', 'all');
                  resource('/projects/:project', 'own');
                  for (const kind of ['/a', '/b']) resource(kind, 'kind');
                };
            """,
            "shared.js": """
                const router = require('express').Router();
                function shared(base) {
                  router.get(base + '/shared', (req, res) => { res.json(1) });
                }
                shared('/here');
                module.exports = { shared, router };
            """,
        },
    )
    computed = "<the path is not constant: a part of it is computed>"
    untyped = "<the path is not constant: parameter `base` has no declared type>"
    assert project.routes() == {
        "GET /things",
        "DELETE /{id}",
        "GET /projects/{project}/things",
        "DELETE /projects/{project}/{id}",
        "GET /a/things",
        "DELETE /a/{id}",
        "GET /b/things",
        "DELETE /b/{id}",
        "GET /tree",
        f"GET /{{computed}} {untyped}",
        f"GET /{{computed}}/handed {computed}",
        f"GET /{{computed}}/unused {computed}",
        f"GET /{{computed}}/shared {computed}",
    }
    assert project.responses("GET /projects/{project}/things") == {"200*": "{own: 1}"}


def test_functions_that_are_given_a_router_in_an_object_or_among_others(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                import loader from './loader';
                const { reload, setup, either } = require('./setup');
                const app = express();
                loader({ app, prefix: '/v1' });
                reload({ router: app, at: 3 });
                reload({ router: compute() });
                setup(app, 'get', '/first', (req, res) => { res.json({ first: 1 }); });
                setup(app, 'put', '/second', [check], async (req, res) => { res.json(2); });
                setup(...compute());
                const pick = app.locals ? either.one : either.two;
                pick({ app });
            """,
            "loader.ts": """
                import express, { Router } from 'express';
                import unused from './unused';
                interface Options { app: express.Application; prefix: string }
                export default ({ app, prefix }: Options) => {
                  const router = Router();
                  router.get('/a', (req, res) => { res.json(1); });
                  app.use(prefix, router);
                  app.get('/b', (req, res) => { res.json(2); });
                };
            """,
            "unused.ts": """
                import express from 'express';
                export default ({ app }: { app: express.Application }) => {
                  app.get('/unused', (req, res) => { res.json(1); });
                };
            """,
            "setup.js": """
                const helpers = module.exports;
                module.exports.reload = async (params) => {
                  const { router } = params;
                  router.get('/c', (req, res) => { res.json(3); });
                };
                helpers.setup = function (...args) {
                  const [router, verb, name] = args;
                  const controller = args[args.length - 1];
                  router[verb](name, helpers.wrap(controller, (err, res) => {
                    res.status(400).json({ error: err.message });
                  }));
                };
                helpers.wrap = function (controller, handler) {
                  if (controller.constructor.name !== 'AsyncFunction') return controller;
                  return async function (req, res, next) {
                    try { await controller(req, res, next); } catch (err) { handler(err, res); }
                  };
                };
                module.exports.either = {
                  one: ({ app }) => { app.get('/one', (req, res) => { res.json(1); }); },
                  two: ({ app }) => { app.get('/two', (req, res) => { res.json(1); }); },
                };
            """,
        },
    )
    several = "<which of several functions is called with the router is undetermined>"
    assert project.routes() == {
        "GET /v1/a",
        "GET /b",
        "GET /c",
        "GET /first",
        "PUT /second",
        f"GET /{{computed}}/unused {several}",
        f"GET /{{computed}}/one {several}",
        f"GET /{{computed}}/two {several}",
    }
    assert project.responses("GET /first") == {"200*": "{first: 1}"}


def test_tables_of_routes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express, { Router } from 'express';
                import { users } from './users';
                const app = express();
                const MODULES = [{ path: '/users', router: users }, { path: '/u', router: users }];
                MODULES.forEach(({ path, router }) => app.use(path, router));
                const ROUTES = [
                  { method: 'get', path: '/a', handler: (req, res) => res.json('a') },
                  { method: 'post', path: '/b', handler: (req, res) => res.json('b') },
                ] as const;
                for (const route of ROUTES) app[route.method](route.path, route.handler);
            """,
            "users.ts": """
                import { Router } from 'express';
                export const users = Router();
                users.get('/', (req, res) => { res.json([]) });
            """,
        },
    )
    assert project.routes() == {"GET /users", "GET /u", "GET /a", "POST /b"}


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express, { Router } from 'express';
                import { compute } from './lib';
                const app = express();
                app.get(/^\\/re/, (req, res) => { res.json(1) });
                app.get(/^\\/whole\\/(\\d+)$/, (req, res) => { res.json(1) });
                app.all(/.*/, (req, res) => { res.status(404).json({}) });
                app.get('/prefix' + compute(), (req, res) => { res.json(1) });
                app.get(process.env.HOME_PATH || '/home', (req, res) => { res.json(1) });
                const lost = Router();
                lost.get('/lost', (req, res) => { res.json(1) });
                app.get('settings');
            """,
            "lib.ts": "export declare function compute(): string;",
        },
    )
    assert project.routes() == {
        "GET / <the path is a regular expression /^\\/re/>",
        "GET /whole/{param1}",
        "* /{wildcard*}",
        "GET /prefix{computed} <the path is not constant: a part of it is computed>",
        "GET /home",
        "GET /{computed}/lost <the router is mounted by no application that can be seen>",
    }


def test_clients_are_no_routes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "client.ts": """
                import axios from 'axios';
                import express from 'express';
                const api = axios.create({ baseURL: '/x' });
                export const load = (client) => client.get('/users', {});
                api.get('/users', { params: {} });
                express().get('/used', (req, res) => { res.json(1) });
                install(express());
                function install(app) {
                  app.api.get('/part', {});
                  const { api } = app;
                  api.post('/taken/apart', {});
                }
                axios.post('/users', {});
                const map = new Map();
                map.set('/a', 1);
                map.get('/a');
            """
        },
    )
    assert project.routes() == {"GET /used"}


def test_what_handlers_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express, { Request, Response } from 'express';
                import { StatusCodes } from 'http-status-codes';
                import { service, User } from './service';
                import { ok } from './reply';
                import wrap from 'express-async-handler';
                import { lost } from 'somewhere';
                const guard = (req, res, next) => { if (!req.user) res.status(401).json({}) };
                const listed = wrap(async (req, res) => { res.json([1]) });
                const app = express();
                app.get('/typed', async (req, res) => {
                  try {
                    const user = await service.find(req.params.id);
                    if (!user) return res.status(404).json({ message: 'none' });
                    return res.json(user);
                  } catch (error) { next(error) }
                });
                app.get('/then', (req, res) => {
                  service.find('1').then((user) => { res.json({ user }) });
                });
                app.post('/created', (req, res) => {
                  res.status(StatusCodes.CREATED);
                  res.set('x', 'y').json({ id: 1, name: `n${1}` });
                });
                app.get('/helper', (req, res) => { ok(res, { total: 3 }) });
                app.get('/text', (req, res) => { res.send('hello') });
                app.get('/done', (req, res) => { res.status(200).send(true) });
                app.get('/csv', (req, res) => { res.type('text/csv').send(rows()) });
                app.get('/file', (req, res) => { res.sendFile('x') });
                app.get('/pieces', (req, res) => {
                  res.write('['); rows().forEach((row) => res.write(row)); res.end();
                });
                app.get('/go', (req, res) => { res.redirect('/x') });
                app.get('/words', (req, res) => { res.sendStatus(200) });
                app.get('/no-words', (req, res) => { res.sendStatus(req.body ? 204 : 205) });
                app.get('/either', (req, res) => { res.status(req.query.x ? 200 : 201).json({}) });
                app.get('/wrapped', asyncHandler(async (req, res) => { res.json({ a: true }) }));
                app.get('/library', guard, listed);
                app.get('/lost', guard, lost);
                app.get('/unknown', (req, res) => { forward(req, res) });
                declare function forward(req: any, res: any): void;
                declare function asyncHandler(f: any): any;
                declare function rows(): string;
            """,
            "service.ts": """
                export interface User { id: number; email?: string; birthday: Date | null }
                class Service {
                  async find(id: string): Promise<User | null> { return null }
                }
                export const service = new Service();
            """,
            "reply.ts": """
                import { Response } from 'express';
                export const ok = <T>(res: Response, data: T, status = 202) =>
                  res.status(status).json({ success: true, data });
            """,
        },
    )
    user = "{id: numeric, email?: string, birthday: string(date-time)?}"
    assert project.responses("GET /typed") == {"404": "{message: 'none'}", "200*": user}
    assert project.responses("GET /then") == {"200*": "{user: " + user + "?}"}
    assert project.responses("POST /created") == {"201": "{id: 1, name: 'n1'}"}
    assert project.responses("GET /helper") == {"202": "{success: True, data: {total: 3}}"}
    assert project.responses("GET /text") == {"200*": "'hello' (text/html)"}
    assert project.responses("GET /done") == {"200": "True"}
    assert project.responses("GET /csv") == {"200*": "string (text/csv)"}
    assert project.responses("GET /file") == {"200*": "unknown (*/*)"}
    assert project.responses("GET /pieces") == {"200*": "unknown (*/*)"}
    assert project.responses("GET /go") == {"302": ""}
    assert project.responses("GET /words") == {"200": "string (text/plain)"}
    assert project.responses("GET /no-words") == {"204": "", "205": ""}
    assert project.responses("GET /either") == {"200": "{}", "201": "{}"}
    assert project.responses("GET /wrapped") == {"200*": "{a: True}"}
    assert project.responses("GET /library") == {"200*": "[1]"}
    assert project.responses("GET /lost") == {}
    assert project.responses("GET /unknown") == {}
    assert {
        route: project.operation(route).statuses_complete
        for route in ("GET /typed", "GET /either", "GET /unknown")
    } == {"GET /typed": True, "GET /either": True, "GET /unknown": False}


SHARED = """
    import express from 'express';
    const app = express();
    const write = (req, res) => { %s };
    app.post('/x', write);
    app.put('/x/:id', write);
"""


def test_a_handler_of_several_routes_is_told_for_each_of_them(tmp_path: Path) -> None:
    by_parameter = """
        if (req.params.id) {
          const { name } = req.body;
          if (!name) throw new Error('no name');
          return res.status(200).json({ name: String(name) });
        }
        if (!req.body.key) throw new Error('no key');
        return res.status(201).json({ id: 1 });
    """
    project = Project(tmp_path, {"app.ts": SHARED % by_parameter})

    assert project.responses("POST /x") == {"201": "{id: 1}"}
    assert project.responses("PUT /x/{id}") == {"200": "{name: string}"}
    assert project.request("POST /x") == "{key: value~}~"
    assert project.request("PUT /x/{id}") == "{name: anything}~"
    assert project.operation("PUT /x/{id}").statuses_complete is True


def test_a_handler_of_several_routes_that_asks_for_the_method(tmp_path: Path) -> None:
    by_method = """
        if (req.method === 'PUT') return res.status(204).end();
        res.status(201).json({ id: 1 });
    """
    project = Project(tmp_path, {"app.ts": SHARED % by_method})

    assert project.responses("POST /x") == {"201": "{id: 1}"}
    assert project.responses("PUT /x/{id}") == {"204": ""}


def test_a_handler_of_several_routes_that_may_decide_by_the_path(tmp_path: Path) -> None:
    by_path = """
        metrics.count(req.path);
        res.status(201).json({ id: 1 });
    """
    counted = Project(tmp_path / "counted", {"app.ts": SHARED % by_path})
    decided = Project(
        tmp_path / "decided", {"app.ts": SHARED % f"const path = req.path; {by_path}"}
    )
    asked = Project(
        tmp_path / "asked",
        {"app.ts": SHARED % f"const at = (r) => r.method === 'PUT'; at(req); {by_path}"},
    )

    assert counted.responses("POST /x") == {"201": "{id: 1}"}
    assert decided.responses("POST /x") == {"201*": "{id: 1}"}
    assert asked.responses("POST /x") == {"201*": "{id: 1}"}


def test_a_handler_of_several_routes_that_asks_for_the_path(tmp_path: Path) -> None:
    by_path = "const { name } = req.body; res.json({ here: req.path });"
    project = Project(tmp_path, {"app.ts": SHARED % by_path})

    assert project.request("POST /x") == "unknown"


def test_handlers_of_decentraland_server(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express, { Request } from 'express';
                import { server } from 'decentraland-server';
                const app = express();
                const find = async (req: Request) => {
                  const kind = server.extractFromReq(req, 'kind');
                  if (kind === 'none') return;
                  return { kind };
                };
                const list = () => [1];
                app.get('/things', server.handleRequest(find));
                app.get('/lists', server.handleRequest(list));
            """,
        },
    )
    assert project.responses("GET /lists") == {"200*": "{ok: True, data: [1]}"}
    assert project.responses("GET /things") == {
        "200*": "({ok: True} | {ok: True, data: {kind: unknown}})"
    }
    assert project.parameters("GET /things") == {"query kind~: unknown"}


def test_what_handlers_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express, { Request } from 'express';
                import { z } from 'zod';
                import { create } from './service';
                const app = express();
                const Body = z.object({ name: z.string(), age: z.number().int().default(1) });
                const validate = (schema) => (req, res, next) => { schema.parse(req.body); next() };
                interface Query { page?: string }
                app.post('/parsed', (req, res) => { res.json(Body.parse(req.body)) });
                app.post('/checked', validate(Body), (req, res) => { res.json(1) });
                app.post('/generic', (req: Request<{}, {}, { a: string }, Query>, res) => {});
                app.post('/cast', (req, res) => { const body = req.body as { b: number } });
                app.post('/passed', (req, res) => { create(req.body) });
                app.post('/untyped', (req, res) => { const { x } = req.body });
                app.get('/query', (req, res) => { const { limit } = req.query; req.query.tag });
                app.get('/none', (req, res) => { res.json(1) });
            """,
            "service.ts": "export function create(input: { c: string[] }) {}",
        },
    )
    assert {
        route: project.request(route)
        for route in (
            "POST /parsed",
            "POST /checked",
            "POST /generic",
            "POST /cast",
            "POST /passed",
            "POST /untyped",
            "GET /none",
        )
    } == {
        "POST /parsed": "{name: string, age=: integer}",
        "POST /checked": "{name: string, age=: integer}",
        "POST /generic": "{a=: string}",
        "POST /cast": "{b=: numeric}",
        "POST /passed": "{c=: [string]}",
        "POST /untyped": "{x?: value~}~",
        "GET /none": "",
    }
    assert project.parameters("POST /generic") == {"query page?=: string"}
    assert project.parameters("GET /query") == {"query limit?: unknown", "query tag?: unknown"}
    assert project.operation("GET /query").parameters_complete


def test_bodies_behind_a_middleware_that_changes_them_are_not_those_of_the_wire(
    tmp_path: Path,
) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                import { camelCased, snakeCased } from './casing';
                const app = express();
                const formatted = (req, res, next) => {
                    const json = res.json.bind(res);
                    res.json = (body) => json(camelCased(body));
                    next();
                };
                const wrapped = (req, res, next) => {
                    const send = res.send;
                    res.send = function (body) { return send.call(this, { data: body }) };
                    next();
                };
                const noted = (req, res, next) => {
                    const original = res.json;
                    res.sendPlain = res.send;
                    res.json = function (body) { log(body); return original.call(this, body) };
                    res.send = (body) => { log(body); res.sendPlain(body) };
                    next();
                };
                const canonical = (req, res, next) => {
                    const json = res.json.bind(res);
                    res.json = function canonicalJson(body) {
                        const status = res.statusCode;
                        if (status < 400) { return json(body) }
                        return json(camelCased(body));
                    };
                    next();
                };
                const enrich = (body, id) => {
                    if (body !== null) { const held = body; held.id = id; }
                };
                const enriched = (req, res, next) => {
                    const json = res.json.bind(res);
                    res.json = function (body) { enrich(body, req.id); return json(body); };
                    next();
                };
                const normalized = (req, res, next) => {
                    if (req.body) req.body = snakeCased(req.body);
                    next();
                };
                const api = express.Router();
                api.use(formatted, normalized);
                api.post('/a', (req, res) => {
                    const { first_name }: { first_name: string } = req.body;
                    res.json({ first_name });
                });
                app.use('/api', api);
                app.get('/wrapped', wrapped, (req, res) => { res.json({ a: 1 }) });
                app.get('/enriched', enriched, (req, res) => { res.json({ a: 1 }) });
                app.get('/errors', canonical, (req, res) => {
                    if (!req.query.a) return res.status(400).json({ error: 1 });
                    res.json({ a: 1 });
                });
                app.get('/plain', (req, res) => { res.json({ a: 1 }) });
                app.use(noted);
            """,
            "casing.ts": """
                import { camelCase, snakeCase } from 'change-keys';
                export function camelCased(value: unknown): unknown { return camelCase(value) }
                export function snakeCased(value: unknown): unknown { return snakeCase(value) }
            """,
        },
    )
    assert {route: project.responses(route) for route in project.routes()} == {
        "POST /api/a": {"200*": "unknown"},
        "GET /wrapped": {"200*": "unknown"},
        "GET /enriched": {"200*": "unknown"},
        "GET /errors": {"400": "unknown", "200*": "{a: 1}"},
        "GET /plain": {"200*": "{a: 1}"},
    }
    assert project.request("POST /api/a") == "unknown"


def test_a_chain_of_routes_goes_on_behind_a_web_socket(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express, { Router } from 'express';
                import expressWs from 'express-ws';
                const app = express();
                expressWs(app);
                function db(): Router {
                    return Router().ws('/live', socket).get('/users', (req, res) => res.json([]));
                }
                app.use('/db', db());
            """,
        },
    )
    assert project.routes() == {"GET /db/users"}


def test_a_function_that_renames_keys_gives_a_list_or_an_object_as_it_is_given_one(
    tmp_path: Path,
) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                import { rows } from 'database';
                type Row = { [key: string]: any };
                const renamed = (data: Row | Row[]) => {
                    if (Array.isArray(data)) {
                        return data.map((row) => renamed(row));
                    }
                    const row: { [key: string]: any } = {};
                    for (const key in data) {
                        row[key.toLowerCase()] = data[key];
                    }
                    return row;
                };
                const app = express();
                app.get('/a', (req, res) => res.json(renamed(rows())));
            """,
        },
    )
    assert project.responses("GET /a") == {"200*": "unknown"}


def test_requests_that_joi_checks(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                const { celebrate, Joi, Segments } = require('celebrate');
                const { z } = require('zod');
                const validate = require('./validate');
                const { create } = require('./validations');
                const app = express();
                app.post('/users/:id', validate(create), (req, res) => { save(req.body); });
                app.post('/note', validate(z.object({ body: z.string() })), (req, res) => {
                  save(req.body);
                });
                app.post('/celebrated', celebrate({
                  [Segments.BODY]: Joi.object().keys({ a: Joi.string().required() }),
                  [Segments.QUERY]: { page: Joi.number().required() },
                }), (req, res) => { save(req.body); });
                app.post('/inside', (req, res) => {
                  const { error, value } = create.body.validate(req.body);
                });
            """,
            "validate.js": """
                module.exports = (schema) => (req, res, next) => { check(schema, req); next(); };
            """,
            "validations.js": """
                const Joi = require('joi');
                const create = {
                  params: Joi.object().keys({ id: Joi.string().uuid() }),
                  body: Joi.object().keys({
                    name: Joi.string().required(), age: Joi.number(),
                    expires: Joi.date().timestamp('unix').greater('now'),
                  }),
                };
                module.exports = { create };
            """,
        },
    )
    body = "{name: string, age?: numeric, expires?: numeric}"
    assert project.request("POST /users/{id}") == body
    assert project.parameters("POST /users/{id}") == {"path id: string(uuid)"}
    assert project.request("POST /note") == "unknown"
    assert project.request("POST /celebrated") == "{a: string}"
    assert project.parameters("POST /celebrated") == {"query page: numeric"}
    assert project.request("POST /inside") == body


def test_modules_that_are_required_by_computed_names(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "index.js": """
                const express = require('express');
                const api = express.Router();
                const routes = [`orders`, `users`];
                routes.forEach((route) => require(`./routes/${route}`)(api));
                const app = express();
                app.use('/api', api);
            """,
            "routes/orders.js": "module.exports = (app) => { app.get('/orders', (q, s) => {}) };",
            "routes/users/index.js": "module.exports = (app) => { app.get('/users', list) };",
        },
    )
    assert project.routes() == {"GET /api/orders", "GET /api/users"}


def test_what_stands_in_a_list_tells_which_optional_members_are_there(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                interface Server { url: string; user?: string }
                interface Answer { servers: Server[] }
                async function answer(user: string): Promise<Answer> {
                  return { servers: [{ url: 'x', user }] };
                }
                const app = express();
                app.get('/', async (req, res) => { res.json(await answer('me')) });
            """,
        },
    )
    assert project.responses("GET /") == {"200*": "{servers: [{url: 'x', user: 'me'}]}"}


def test_handlers_that_a_constructor_binds(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express, { Request, Response } from 'express';
                class Orders {
                  constructor() { this.list = this.list.bind(this); }
                  list(req: Request, res: Response) { res.json([{ id: 1 }]); }
                  one(req: Request, res: Response) { res.json({ id: 1 }); }
                }
                const orders = new Orders();
                const one = orders.one.bind(orders);
                const app = express();
                app.get('/', orders.list);
                app.get('/one', one);
            """,
        },
    )
    assert project.responses("GET /") == {"200*": "[{id: 1}]"}
    assert project.responses("GET /one") == {"200*": "{id: 1}"}


def test_what_a_module_exports_as_one_object(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                const { list, make: create, gone } = require('./orders');
                const { one } = require('./single');
                const app = express();
                app.get('/', list);
                app.post('/', create);
                app.get('/one', one);
                app.get('/gone', gone);
            """,
            "orders.js": """
                const held = { make: (req, res) => { res.json({ id: 1 }) } };
                module.exports = { list: (req, res) => { res.json([]) }, make: held.make };
            """,
            "single.js": """
                class Single { one(req, res) { res.json({ one: 1 }) } }
                module.exports = new Single();
            """,
        },
    )
    assert {route: project.responses(route) for route in project.routes()} == {
        "GET /": {"200*": "[nothing]"},
        "POST /": {"200*": "{id: 1}"},
        "GET /one": {"200*": "{one: 1}"},
        "GET /gone": {},
    }


def test_chains_of_express_validator(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                const { body, check, param, query, ...more } = require('express-validator');
                const { validationResult } = more;
                const { rules } = require('./rules');
                const valid = (req, res, next) => {
                  if (!validationResult(req).isEmpty()) return res.status(400).json({});
                  next();
                };
                const checks = (...chains) => async (req, res, next) => next();
                const app = express();
                app.post('/a', [
                  body('name').isString().trim().notEmpty().withMessage('name'),
                  body('age').optional({ nullable: true }).isInt({ min: 1 }),
                  body('kind').isIn(['x', 'y']),
                  body('flag').isBoolean(),
                  body('note').trim().escape(),
                  body('odd').custom((value) => value > 1),
                  body('address.city').isString(),
                  body('items').isArray(),
                  body('items.*.id').isInt(),
                  body(['one', 'two']).exists(),
                  valid,
                ], (req, res) => { res.json(1) });
                app.get('/b/:id', param('id').isUUID(), query('page').optional().isInt(),
                  query('made.lt').optional().isInt(), valid,
                  (req, res) => { res.json(1) });
                app.post('/c', rules, valid, (req, res) => { res.json(1) });
                app.post('/d', checks([check('mail').isEmail()]), (req, res) => { res.json(1) });
                app.get('/e/:id', check('id').isInt(), valid, (req, res) => { res.json(1) });
            """,
            "rules.js": """
                const { body } = require('express-validator');
                exports.rules = [body('mail').isEmail().toLowerCase()];
            """,
        },
    )
    assert project.request("POST /a") == (
        "{name: string, age?: (numeric | string)?, kind: 'x'/'y', "
        "flag: (boolean | string | numeric), note~: anything, odd~: anything, "
        "address: {city: string}, items: [{id: (numeric | string)}], one: anything, two: anything}"
    )
    assert project.parameters("GET /b/{id}") == {
        "path id: string",
        "query page?: (numeric | string)~",
        "query made.lt?: (numeric | string)~",
    }
    assert project.request("POST /c") == "{mail: string}"
    assert project.request("POST /d") == "{mail: string}"
    assert project.request("GET /e/{id}") == ""


def test_helpers_that_are_given_the_response_in_an_object(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                const sendResponse = require('./send');
                const app = express();
                app.post('/a', (req, res) => {
                  sendResponse({ res, statusCode: 201, data: { id: 1 } });
                });
                app.get('/b', (req, res) => {
                  sendResponse({ res, statusCode: 200, data: [1], message: 'x' });
                });
            """,
            "send.js": """
                const sendResponse = ({ res, statusCode = 200, message = null, data = null }) => {
                  const response = { ok: true };
                  if (message) response.message = message;
                  if (data !== null) response.data = data;
                  res.status(statusCode).json(response);
                };
                module.exports = sendResponse;
            """,
        },
    )
    assert project.responses("POST /a") == {"201": "{ok: True, data: {id: 1}}"}
    assert project.responses("GET /b") == {"200": "{ok: True, message: 'x', data: [1]}"}


def test_routers_of_modules_that_are_imported_later(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                const app = express();
                import('./users').then((module) => app.use('/users', module.default));
                import('./orders').then(({ orders }) => { app.use('/orders', orders); });
            """,
            "users.ts": """
                import { Router } from 'express';
                const router = Router();
                router.get('/', (req, res) => { res.json([]) });
                export default router;
            """,
            "orders.ts": """
                import { Router } from 'express';
                export const orders = Router().get('/all', (req, res) => { res.json([]) });
            """,
        },
    )
    assert project.routes() == {"GET /users", "GET /orders/all"}


def test_routers_of_the_project_itself_are_not_followed(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "router.ts": """
                export class Router {
                  get(path: string, ...handlers) { return this.add('get', path, handlers); }
                  post(path: string, ...handlers) { return this.add('post', path, handlers); }
                  use(path: string, router: Router) { return this; }
                  add(method, path, handlers) { return this; }
                }
                export class Client {
                  get(path: string, options = {}) { return fetch(path); }
                  post(path: string, body) { return fetch(path); }
                  put(path: string, body) { return fetch(path); }
                }
                const Library = { Router };
                export default Library;
            """,
            "below.ts": """
                import Library from './router';
                const router = new Library.Router();
                router.get('/of-an-entry', (req, res) => { res.json([]) });
            """,
            "app.ts": """
                import express from 'express';
                import { Router, Client } from './router';
                const app = express();
                app.get('/seen', (req, res) => { res.json([]) });
                const router = new Router();
                router.get('/own', (req, res) => { res.json([]) });
                new Client().post('/no', { a: 1 });
            """,
        },
    )
    why = "`Router` of the project registers the route, which is not followed"
    assert project.routes() == {
        "GET /seen",
        f"GET /{{computed}}/own <{why}>",
        f"GET /{{computed}}/of-an-entry <{why}>",
    }


def test_what_a_library_gives_is_of_the_type_that_is_declared(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                import { follows } from 'somewhere';
                interface Profile { name: string; following?: boolean }
                function profile(): { profile: Profile } {
                  const found: Profile = { name: 'x', following: follows('y') };
                  return { profile: found };
                }
                const app = express();
                app.get('/', (req, res) => { res.json(profile()) });
            """,
        },
    )
    assert project.responses("GET /") == {"200*": "{profile: {name: 'x', following: boolean}}"}


def test_modules_that_are_required_as_a_whole(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                import * as both from './both';
                const app = express();
                const routes = express.Router();
                require('./modern').default(routes);
                require('./classic')(routes);
                require('./named').setup(routes);
                both.setup(routes);
                both.default(routes);
                app.use('/api', routes);
                app.get('/handler', require('./handler').default);
                function hidden(both) { both.setup(routes); }
            """,
            "modern/index.ts": "export default (app) => { app.get('/modern', send); };",
            "classic.js": "module.exports = (app) => { app.get('/classic', send); };",
            "named.ts": "export const setup = (app) => { app.get('/named', send); };",
            "both.ts": """
                export const setup = (app) => { app.get('/first', send); };
                export default (app) => { app.get('/second', send); };
            """,
            "handler.ts": "export default async (req, res) => { res.json({ a: 1 }); };",
        },
    )
    assert project.routes() == {
        "GET /api/modern",
        "GET /api/classic",
        "GET /api/named",
        "GET /api/first",
        "GET /api/second",
        "GET /handler",
    }
    assert project.responses("GET /handler") == {"200*": "{a: 1}"}


def test_optional_parameters_tell_what_a_handler_does(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        const app = express();
        app.get('/orders/:id?', (req, res) => {
            const { id } = req.params;
            if (id) return res.json({ id });
            res.json([1]);
        });
        app.get('/items/:item?', (req, res) => {
            if (!req.params.item) {
                return res.json([1]);
            }
            if (req.params.item === 'none') return res.status(404).json({ none: true });
            res.json({ item: 1 });
        });
        app.get('/users/:page?', (req, res) => {
            let page = req.params.page;
            if (!page) page = '1';
            if (page) res.json({ page });
            else res.json([]);
        });
    """
    found = Project(tmp_path, {"a.ts": source})
    assert {route: found.responses(route) for route in found.routes()} == {
        "GET /orders": {"200*": "[1]"},
        "GET /orders/{id}": {"200*": "{id: string}"},
        "GET /items": {"200*": "[1]"},
        "GET /items/{item}": {"200*": "{item: 1}", "404": "{none: True}"},
        # A variable that is given another value is undetermined by the path.
        "GET /users": {"200*": "({page: string} | [nothing])"},
        "GET /users/{page}": {"200*": "({page: string} | [nothing])"},
    }


def test_what_several_routes_run_before_their_handlers_says_nothing_of_one(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        const app = express();
        const look = (req, res, next) => { note(req.query.a || req.body.b); next(); };
        const own = (req, res, next) => { note(req.query.c); next(); };
        app.get('/one', look, (req, res) => res.json([]));
        app.put('/two', look, own, (req, res) => res.json([]));
    """
    project = Project(tmp_path, {"app.ts": source})
    assert project.parameters("GET /one") == set()
    assert project.parameters("PUT /two") == {"query c?: unknown"}
    assert project.request("PUT /two") == ""


@pytest.mark.parametrize(
    ("path", "routes"),
    [
        ("/help/:command*?", {"GET /help", "GET /help/{command*}"}),
        ("/help/:command+?", {"GET /help", "GET /help/{command*}"}),
        ("/help/:command*", {"GET /help", "GET /help/{command*}"}),
        ("/help/:command+", {"GET /help/{command*}"}),
        ("/help/:command?", {"GET /help", "GET /help/{command}"}),
    ],
)
def test_parameters_that_are_repeated_or_left_out(
    tmp_path: Path, path: str, routes: set[str]
) -> None:
    source = f"""
        import express from 'express';
        const app = express();
        app.get('{path}', (req, res) => res.json([]));
    """
    assert Project(tmp_path, {"app.ts": source}).routes() == routes


def test_functions_of_libraries_that_answer(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                import cors from 'cors';
                import monitor from 'express-status-monitor';
                import swagger from 'swagger-ui-express';
                import { ExpressAdapter } from '@bull-board/express';
                const app = express();
                const adapter = new ExpressAdapter();
                app.use(cors());
                app.use(monitor({ path: '/monitor' }));
                app.use('/api', cors());
                app.use('/docs', swagger.serve, swagger.setup({}));
                app.use('/api/queues', adapter.getRouter());
                app.get('/api/jobs', (req, res) => { res.json([]); });
            """,
        },
    )
    swagger = "`swagger-ui-express.setup` of a library is mounted there, and is not read"
    board = "@bull-board/express.ExpressAdapter.getRouter"
    assert {(o.method, o.path, o.unresolved) for o in project.code.operations} == {
        ("GET", "/api/jobs", ""),
        (
            "GET",
            "/monitor",
            "the plugin `express-status-monitor`, which is not read, may answer it",
        ),
        ("*", "/docs", swagger),
        ("*", "/docs/{path*}", swagger),
        (
            "*",
            "/api/queues/{computed}",
            f"the plugin `{board}`, which is not read, may register it",
        ),
    }
