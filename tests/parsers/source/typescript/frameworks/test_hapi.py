"""Hapi routes: tables, plugins and their prefixes, Joi schemas, what handlers send."""

from __future__ import annotations

from pathlib import Path

from contract_scan.ir.schema import Unknown
from tests.parsers.source.typescript.project import Project


def test_routes_and_tables_of_routes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const Hapi = require('@hapi/hapi');
                const notes = require('./notes');
                const extra = require('./extra');
                const start = async () => {
                  const server = Hapi.server({ port: 3000 });
                  server.route(notes);
                  server.route([...extra.list, { method: 'patch', path: '/inline', handler }]);
                  server.route([].concat(extra.more));
                  extra.list2.forEach((route) => server.route(route));
                  server.route(extra.made('/made'));
                  server.route({ method: ['GET', 'POST'], path: '/both', handler });
                  server.route({ method: '*', path: '/{any*}', handler: { directory: {} } });
                  await server.start();
                };
                function handler() { return {}; }
            """,
            "notes.js": """
                const handlers = require('./handlers');
                module.exports = [
                  { method: 'GET', path: '/notes/{id?}', handler: handlers.list },
                  { method: 'DELETE', path: '/notes/{id}/parts/{part*2}', options: {
                      handler: handlers.remove } },
                  { method: 'GET', path: '/img/{file}.jpg', config: () => ({
                      handler: handlers.list }) },
                ];
            """,
            "handlers.js": """
                exports.list = async (request, h) => [];
                exports.remove = async (request, h) => h.response().code(204);
            """,
            "extra.js": """
                const handler = () => 1;
                exports.list = [{ method: 'GET', path: '/spread', handler }];
                exports.more = [{ method: 'GET', path: '/more', handler }];
                exports.list2 = [{ method: 'GET', path: '/each', handler }];
                exports.made = (path) => ({ method: 'GET', path: path + '/x', handler });
            """,
        },
    )
    assert project.routes() == {
        "GET /notes",
        "GET /notes/{id}",
        "DELETE /notes/{id}/parts/{part*}",
        "GET /img/{file}.jpg",
        "GET /spread",
        "PATCH /inline",
        "GET /more",
        "GET /each",
        "GET /made/x",
        "GET /both",
        "POST /both",
        "* /{any*}",
    }


def test_plugins_and_their_prefixes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import Hapi, { Server } from '@hapi/hapi';
                import * as users from './users';
                import orders from './orders';
                import { health } from './health';
                const plugins = ['one', 'two'];
                export async function start(): Promise<Server> {
                  const server = new Hapi.Server({ port: 3000 });
                  await server.register([users, { plugin: orders, options: {} }], {
                    routes: { prefix: '/api' },
                  });
                  await server.register({ plugin: orders, routes: { prefix: '/old' } });
                  await server.register(require('./hpal'));
                  for (const name of plugins) {
                    await server.register({ plugin: require(`./plugins/${name}`) });
                  }
                  health(server);
                  return server;
                }
            """,
            "users.ts": """
                import { Plugin } from '@hapi/hapi';
                import { inner } from './inner';
                export const plugin: Plugin<{}> = {
                  name: 'users',
                  register: async (server, options) => {
                    server.route({ method: 'GET', path: '/users', handler: () => [] });
                    await server.register(inner, { routes: { prefix: '/inner' } });
                    await server.register({ plugin: inner, routes: { prefix: '/own' } });
                  },
                };
            """,
            "inner.ts": """
                export const inner = {
                  name: 'inner',
                  register(server) {
                    server.route({ method: 'GET', path: '/', handler: () => 1 });
                  },
                };
            """,
            "orders.ts": """
                const register = async (server) => {
                  server.route([{ method: 'GET', path: '/orders', handler: () => [] }]);
                };
                export default { name: 'orders', register };
            """,
            "hpal.js": """
                exports.register = function (server, options) { add(server); };
                exports.name = 'hpal';
                function add(server) {
                  server.route({ method: 'PUT', path: '/hpal', handler: () => 1 });
                }
            """,
            "plugins/one.js": """
                module.exports = { name: '1', register: (server) => {
                  server.route({ method: 'GET', path: '/one', handler: () => 1 }); } };
            """,
            "plugins/two.js": """
                exports.plugin = { name: '2', register: (server) => {
                  server.route({ method: 'GET', path: '/two', handler: () => 1 }); } };
            """,
            "health.ts": """
                import { Server } from '@hapi/hapi';
                export function health(server: Server) {
                  server.route({ method: 'GET', path: '/health', handler: () => ({ up: true }) });
                }
            """,
        },
    )
    assert project.routes() == {
        "GET /api/users",
        "GET /api/inner",
        "GET /own",
        "GET /api/orders",
        "GET /old/orders",
        "PUT /hpal",
        "GET /one",
        "GET /two",
        "GET /health",
    }


def test_a_manifest_of_glue(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "manifest.js": """
                module.exports = { server: {}, register: { plugins: [
                  { plugin: require('./api'), routes: { prefix: '/api' } },
                ] } };
            """,
            "index.js": """
                const Hapi = require('@hapi/hapi');
                const Glue = require('@hapi/glue');
                Glue.compose(require('./manifest'), { relativeTo: __dirname });
            """,
            "api.js": """
                module.exports = { name: 'api', register: (server) => {
                  server.route({ method: 'GET', path: '/x', handler: () => 1 }); } };
            """,
        },
    )
    assert project.routes() == {"GET /api/x"}


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const Hapi = require('@hapi/hapi');
                const { routes } = require('routes-of-others');
                const server = Hapi.server();
                server.route(routes);
                server.route({ method: process.env.VERB, path: '/verb', handler: () => 1 });
                server.route({ method: 'GET', path: `/${process.env.BASE}/x`, handler: () => 1 });
                for (const file of glob('./routes')) { server.route(require(file)); }
            """,
            "routes/loaded.js": """
                module.exports = [{ method: 'GET', path: '/loaded', handler: () => ({ a: 1 }) }];
            """,
            "client.js": """
                import app from './app';
                app.route({ method: 'GET', path: '/no', url: '/x' });
            """,
        },
    )
    assert project.routes() == {
        "* /{computed} <the routes are made by `routes-of-others.routes`, which is not looked "
        "into>",
        "* /verb <the method is not constant>",
        "GET /{computed}/x <the path is not constant>",
        "* /{computed} <the routes are made by `require`, which is not looked into>",
        "GET /loaded <no call is seen that registers the route>",
    }
    assert project.responses("GET /loaded") == {"200*": "{a: 1}"}


def test_what_handlers_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import { server as make, Request, ResponseToolkit } from '@hapi/hapi';
                import Boom from '@hapi/boom';
                import fs from 'fs';
                import { find, ok } from './service';
                const server = make({});
                const at = (path: string, handler) => ({ method: 'GET', path, handler });
                server.route(at('/value', async (request: Request) => find()));
                server.route(at('/code', (request, h) => h.response({ id: 1 }).code(201)));
                server.route(at('/made', (request, h) => h.response({ id: 1 }).created('/x')));
                server.route(at('/later', (request, h) => {
                  if (request.query.bad) {
                    const response = h.response({ status: 'fail' });
                    response.code(400);
                    return response;
                  }
                  const response = h.response({ status: 'success' });
                  response.code(202).header('x', 'y');
                  return response;
                }));
                server.route(at('/either', (request, h) => {
                  const response = h.response({ a: 1 });
                  if (request.query.x) { response.code(201); }
                  return response;
                }));
                server.route(at('/text', () => 'hello'));
                server.route(at('/csv', (r, h) => h.response('a;b').type('text/csv; charset=x')));
                server.route(at('/null', () => null));
                server.route(at('/empty', (r, h) => h.response()));
                server.route(at('/go', (r, h) => h.redirect('/x').permanent()));
                server.route(at('/file', (r, h) => h.file('x.pdf')));
                server.route(at('/stream', (r, h) => h.response(fs.createReadStream('x'))));
                server.route(at('/helper', (r, h: ResponseToolkit) => ok(h, { total: 2 })));
                server.route(at('/boom', async () => {
                  const found = await find();
                  if (!found) throw Boom.notFound('none');
                  if (found.id) return Boom.badData('wrong');
                  throw new Boom.Boom('x', { statusCode: 418 });
                }));
                server.route(at('/reply', function (request, reply) { reply({ a: 1 }); }));
                server.route({ method: 'GET', path: '/proxy', handler: { proxy: { uri: 'x' } } });
            """,
            "service.ts": """
                export interface Item { id: number; name?: string }
                export async function find(): Promise<Item> { return null }
                export const ok = (h, data) => h.response({ data }).code(203);
            """,
        },
    )
    error = "{statusCode: integer, error: string, message: string, ...}"
    assert {route: project.responses(route) for route in sorted(project.routes())} == {
        "GET /boom": {"404": error, "422": error, "418": error},
        "GET /code": {"201": "{id: 1}"},
        "GET /csv": {"200*": "'a;b' (text/csv)"},
        "GET /either": {"200*": "unknown"},
        "GET /empty": {"204*": ""},
        "GET /file": {"200*": "unknown (*/*)"},
        "GET /go": {"301": ""},
        "GET /helper": {"203": "{data: {total: 2}}"},
        "GET /later": {"400": "{status: 'fail'}", "202": "{status: 'success'}"},
        "GET /made": {"201": "{id: 1}"},
        "GET /null": {"204*": ""},
        "GET /proxy": {"200*": "unknown"},
        "GET /reply": {"200*": "unknown"},
        "GET /stream": {"200*": "unknown (*/*)"},
        "GET /text": {"200*": "'hello' (text/html)"},
        "GET /value": {"200*": "{id: numeric, name?: string}"},
    }
    assert {
        route: schema.reason
        for route in ("GET /either", "GET /proxy", "GET /reply")
        for response in project.operation(route).responses
        if isinstance(schema := response.bodies[0].schema, Unknown)
    } == {
        "GET /either": "the status of the response is not constant",
        "GET /proxy": "the route is handled by `proxy`",
        "GET /reply": "what the handler sends is not seen",
    }


def test_schemas_of_joi(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const Hapi = require('@hapi/hapi');
                const Joi = require('joi');
                const { user, paging } = require('./schemas');
                const server = Hapi.server();
                const load = () => query();
                server.route({
                  method: 'POST', path: '/users/{id}', handler: (request) => load(),
                  options: {
                    validate: {
                      params: { id: Joi.number().integer().required() },
                      query: paging,
                      headers: Joi.object({ 'x-key': Joi.string().required() }).unknown(),
                      payload: user,
                    },
                    response: { status: { 200: user, 404: Joi.object({ error: Joi.string() }) } },
                  },
                });
                server.route({
                  method: 'PUT', path: '/files', handler: async ({ payload }, h) => load(payload),
                  options: { payload: { allow: 'multipart/form-data', output: 'stream' } },
                });
                server.route({
                  method: 'GET', path: '/noted', handler: () => load(),
                  options: { plugins: { 'hapi-swagger': { responses: {
                    200: { description: 'x', schema: Joi.array().items(Joi.number()) } } } } },
                });
                server.route({
                  method: 'PUT', path: '/read', handler: (request) => {
                    const { page } = request.query;
                    return load(request.payload.name);
                  },
                });
                server.route({
                  method: 'PATCH', path: '/apart', handler: (request) => {
                    const { payload } = request;
                    return load(payload);
                  },
                });
            """,
            "schemas.js": """
                const Joi = require('@hapi/joi').extend(require('@joi/date'));
                const base = Joi.object().keys({ id: Joi.string().guid().required() });
                exports.user = base.append({
                  name: Joi.string().min(1).allow(null).required(),
                  role: Joi.string().valid('admin', 'user').default('user'),
                  email: Joi.string().email(),
                  born: Joi.date().iso(),
                  tags: Joi.array().items(Joi.string().trim()),
                  address: { city: Joi.string().required() },
                  either: Joi.alternatives().try(Joi.number(), Joi.boolean()),
                  other: Joi.any(),
                  never: Joi.forbidden(),
                  depends: Joi.string().when('role', { is: 'admin', then: Joi.required() }),
                }).concat(Joi.object({ extra: Joi.object().pattern(Joi.string(), Joi.number()) }));
                exports.paging = Joi.object({ page: Joi.number().default(1), q: Joi.string() });
            """,
        },
    )
    user = (
        "{id: string(uuid), name: string?, role?=: 'admin'/'user', email?: string(email), "
        "born?: string, tags?: [string], address?: {city: string, *: nothing}, "
        "either?: (numeric | boolean), other?: unknown, depends?: unknown, "
        "extra?: {*: numeric}, *: nothing}"
    )
    # Keys that a schema does not name are refused in requests.
    assert project.request("POST /users/{id}") == user
    assert project.parameters("POST /users/{id}") == {
        "path id: integer",
        "query page?=: numeric",
        "query q?: string",
        "header x-key: string",
    }
    assert project.responses("POST /users/{id}") == {"200*": user.replace(", *: nothing", "")}
    assert project.request("PUT /files") == "unknown (multipart/form-data)"
    assert project.responses("GET /noted") == {"200*": "[numeric]"}
    assert project.request("PUT /read") == "{name?: value~}~"
    assert project.request("PATCH /apart") == "unknown"
    assert {p.name for p in project.operation("PUT /read").parameters} == {"page"}


def test_extensions_that_replace_responses(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const Hapi = require('@hapi/hapi');
                const Boom = require('@hapi/boom');
                const server = Hapi.server();
                server.ext('onPreResponse', (request, h) => {
                  if (request.response.isBoom) return h.response({ errors: [] }).code(400);
                  return h.continue;
                });
                server.route({ method: 'GET', path: '/a', handler: (request) => {
                  if (request.query.x) throw Boom.notFound();
                  return { a: 1 };
                } });
            """
        },
    )
    assert project.responses("GET /a") == {"404": "unknown", "200*": "{a: 1}"}


def test_routes_that_callers_of_a_function_give(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const Hapi = require('@hapi/hapi');
                const Routes = require('./routes');
                const createServer = async (port, routes) => {
                  const server = new Hapi.Server({ port });
                  server.route(routes);
                  return server;
                };
                module.exports.start = () => createServer(3000, Routes.all({}));
            """,
            "routes.js": """
                const all = (api) => [
                  { method: 'GET', path: '/users', handler: (req, h) => h.response([1]).code(203) },
                  { method: 'POST', path: '/users', handler: (req, h) => api.dispatch(req, h) },
                ];
                module.exports = { all };
            """,
        },
    )
    assert project.routes() == {"GET /users", "POST /users"}
    assert set(project.responses("GET /users")) == {"203"}


def test_tables_of_routes_that_a_glob_finds_for_a_plugin_that_callers_give(tmp_path: Path) -> None:
    handled = "handler: (request, h) => h.response().code(202)"
    project = Project(
        tmp_path,
        {
            "src/server.js": """
                const Hapi = require('@hapi/hapi');
                const createServer = (port, modules) => {
                  return (async () => {
                    const server = new Hapi.Server({ port });
                    await server.register(modules);
                    return server;
                  })();
                };
                const initialize = async ({ port, modules = [] }) => createServer(port, modules);
                module.exports = { initialize };
            """,
            "src/api/index.js": """
                const { initialize } = require('../server');
                const Routes = require('./routes');
                const extra = process.env.EXTRA && Routes;
                initialize({ port: 3000, modules: [Routes, extra].filter(Boolean) });
            """,
            "src/api/routes.js": """
                const { globSync } = require('node:fs');
                exports.plugin = {
                  name: 'routes',
                  register: function (server) {
                    globSync('**/routes.js', { cwd: __dirname })
                      .filter((file) => file !== 'routes.js')
                      .forEach((file) => server.route(require('./' + file)));
                  },
                };
            """,
            "src/api/users/routes.js": f"""
                module.exports = [{{ method: 'POST', path: '/users', {handled} }}];
            """,
            "src/api/orders/routes.js": f"""
                module.exports = [{{ method: 'GET', path: '/orders', {handled} }}];
            """,
        },
    )
    assert project.routes() == {"POST /users", "GET /orders"}
    assert set(project.responses("POST /users")) == {"202"}


def test_a_library_that_is_given_the_toolkit_sets_any_status(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const Hapi = require('@hapi/hapi');
                const library = require('library');
                const server = new Hapi.Server({ port: 1 });
                const send = (req, h) => library.dispatch(req.payload, h);
                server.route({ method: 'POST', path: '/users', handler: (req, h) => send(req, h) });
            """,
        },
    )
    operation = project.operation("POST /users")
    assert not operation.statuses_complete
    assert not any(response.explicit_status for response in operation.responses)


def test_routes_of_plugins_of_libraries(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const Hapi = require('@hapi/hapi');
                const swagger = {
                  plugin: require('hapi-swagger'),
                  options: { documentationPath: '/docs', jsonPath: process.env.DOCUMENT },
                };
                const start = async () => {
                  const server = Hapi.server();
                  await server.register([require('@hapi/inert'), require('hapi-pino'), swagger]);
                  await server.register(require('acme-admin'), { routes: { prefix: '/admin' } });
                  await server.register({ plugin: require('hapi-alive'), options: {} });
                };
            """,
        },
    )
    swagger = "the plugin `hapi-swagger`, which is not read, may answer it"
    admin = "the plugin `acme-admin`, which is not read, may register it"
    assert {(o.method, o.path, o.unresolved) for o in project.code.operations} == {
        ("GET", "/docs", swagger),
        ("GET", "/{computed}", swagger),
        ("GET", "/swagger.json", swagger),
        ("GET", "/swaggerui/{path*}", swagger),
        ("*", "/admin/{computed}", admin),
        ("GET", "/health", "the plugin `hapi-alive`, which is not read, may answer it"),
    }
