"""Fastify routes: plugins and prefixes, schemas, what handlers send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_plugins_with_prefixes_and_autoloaded_folders(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Fastify from 'fastify';
                import autoload from '@fastify/autoload';
                import { join } from 'path';
                import users from './users';
                import shared from './shared';
                const app = Fastify({ logger: true }).withTypeProvider<any>();
                app.register(users, { prefix: '/users' });
                app.register(import('./lazy'), { prefix: '/lazy' });
                app.register(shared, { prefix: '/ignored' });
                app.register(async (instance) => {
                  instance.register(users, { prefix: '/inner' });
                }, { prefix: '/outer' });
                app.register(autoload, {
                  dir: join(__dirname, 'routes'), options: { prefix: '/api' }, routeParams: true,
                });
                app.route({ method: ['GET', 'HEAD'], url: '/both', handler: async () => 1 });
                app.all('/any', async () => 1);
            """,
            "users.ts": """
                import { FastifyInstance, FastifyPluginAsync } from 'fastify';
                const plugin: FastifyPluginAsync = async (fastify) => {
                  fastify.get('/', async () => []);
                  fastify.put<{ Params: { id: string } }>('/:id', async () => 1);
                };
                export default plugin;
            """,
            "lazy.ts": "export default async function (app) { app.get('/x', async () => 1) }",
            "shared.ts": """
                import fp from 'fastify-plugin';
                export default fp(async (fastify) => { fastify.get('/shared', async () => 1) });
            """,
            "routes/orders/_id/index.js": """
                module.exports = async function (fastify, options) {
                  fastify.delete('/', async (request, reply) => { reply.code(204).send() });
                };
            """,
        },
    )
    assert project.routes() == {
        "GET /users",
        "PUT /users/{id}",
        "GET /lazy/x",
        "GET /shared",
        "GET /outer/inner",
        "PUT /outer/inner/{id}",
        "DELETE /api/orders/{id}",
        "GET /both",
        "HEAD /both",
        "* /any",
    }
    assert project.responses("DELETE /api/orders/{id}") == {"204": ""}


def test_an_instance_stays_what_it_is_when_it_is_cast(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Fastify, { FastifyInstance } from 'fastify';
                import { health } from './health';
                export async function build(): Promise<FastifyInstance> {
                  const typed = Fastify({});
                  const app = typed as unknown as FastifyInstance;
                  await app.register(async (scope) => {
                    await scope.register(health, { pool: 1 });
                  });
                  return app;
                }
            """,
            "health.ts": """
                import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
                export const health: FastifyPluginAsync<{ pool: number }> = async (
                  app: FastifyInstance,
                  options,
                ) => {
                  app.get('/healthz', async () => ({ ok: true }));
                };
            """,
        },
    )
    assert project.routes() == {"GET /healthz"}
    assert project.operation("GET /healthz").unresolved == ""


def test_an_instance_of_a_plugin_under_another_name(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Fastify from 'fastify';
                import orders from './orders';
                const app = Fastify();
                app.register(orders, { prefix: '/orders' });
            """,
            "orders.ts": """
                import type { FastifyPluginAsync } from 'fastify';
                import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
                const orders: FastifyPluginAsync = async (fastify) => {
                  const app = fastify.withTypeProvider<TypeBoxTypeProvider>();
                  const client = fastify.client.withTypeProvider();
                  app.get('/', async () => []);
                  app.route({ method: 'GET', url: '/:id', handler: async () => ({ id: 1 }) });
                  client.get('/elsewhere', () => 1);
                };
                export default orders;
            """,
        },
    )
    assert project.routes() == {"GET /orders", "GET /orders/{id}"}


def test_functions_that_are_given_an_instance_and_a_prefix(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const app = require('fastify')();
                const users = require('./users');
                users(app, '/api');
                app.register(async (inner) => { users(inner, '/v2') }, { prefix: '/below' });
                require('./given')(app, compute());
            """,
            "users.js": """
                module.exports = (server, prefix) => {
                  server.get(prefix + '/users', async () => [1]);
                };
            """,
            "given.js": "module.exports = (server, path) => { server.put(path, async () => 1) };",
        },
    )
    assert project.routes() == {
        "GET /api/users",
        "GET /below/v2/users",
        "PUT /{computed} <the path is not constant>",
    }


def test_clients_in_autoloaded_folders_are_no_routes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const app = require('fastify')();
                const path = require('path');
                app.register(require('@fastify/autoload'), {
                  dir: path.join(__dirname, 'services'),
                });
            """,
            "services/users.js": """
                module.exports = async function (instance, options) {
                  instance.get('/users', async () => instance.apiLayer.post('/remote', options));
                  instance.apiLayer.post({ a: 1 }, '/part');
                  const { apiLayer } = instance;
                  apiLayer.post({ a: 1 }, '/taken/apart');
                  const made = instance.axios.create();
                  made.post({ a: 1 }, '/made');
                };
            """,
            "services/send.js": """
                module.exports = async (apiLayer, content, url) => apiLayer.post(content, url);
            """,
            "services/named.js": """
                module.exports = async ({ apiLayer, url }) => apiLayer.post('/named', url);
            """,
            "services/mail/index.js": """
                module.exports = async (instance) => { instance.put('/', async () => 1) };
            """,
            "services/mail/client.js": """
                module.exports = async (client) => { client.put('/remote', 1) };
            """,
        },
    )
    assert project.routes() == {"GET /users", "PUT /mail"}


def test_what_follows_a_prefix_that_is_not_constant(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const path = require('path');
                const app = require('fastify')();
                app.register(require('@fastify/autoload'), {
                  dir: path.join(__dirname, 'routes'), dirNameRoutePrefix: false,
                  options: { prefix: process.env.PREFIX },
                });
                app.register(async (inner) => { inner.get('/users', async () => 1) }, {
                  prefix: process.env.PREFIX,
                });
            """,
            "routes/orders/index.js": """
                module.exports = require('fastify-plugin')(async (server, options) => {
                  server.route({
                    method: 'GET', path: options.prefix + 'orders/:id', handler: async () => 1,
                  });
                });
            """,
            "routes/items/index.js": """
                module.exports = async (server) => { server.get('/items', async () => 1) };
            """,
        },
    )
    assert project.routes() == {
        "GET /{computed}/orders/{id} <the path is not constant>",
        "GET /{computed}/items <the prefix is not constant>",
        "GET /{computed}/users <the prefix is not constant>",
    }


def test_schemas_say_what_is_taken_and_sent(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Fastify from 'fastify';
                import { Type, Static } from '@sinclair/typebox';
                import { z } from 'zod';
                const app = Fastify();
                app.addSchema({ $id: 'user', type: 'object', required: ['id'], properties: {
                  id: { type: 'integer' }, name: { type: ['string', 'null'] },
                  tags: { type: 'array', items: { enum: ['a', 'b'] } } } });
                const T = Type.Object({
                  x: Type.String({ format: 'uuid' }), y: Type.Optional(Type.Array(Type.Integer())),
                }, { additionalProperties: false });
                app.get('/literal/:id', { schema: {
                  params: { type: 'object', properties: { id: { type: 'integer' } } },
                  querystring: { type: 'object', required: ['q'], properties: {
                    q: { type: 'string' }, page: { type: 'integer', default: 1 } } },
                  response: { 200: { $ref: 'user#' }, '4xx': { type: 'object' } },
                } }, async () => load());
                app.post('/typebox', { schema: { body: T, response: { 201: T } } },
                  async (request, reply) => { reply.code(201); return { x: 'a' } });
                app.get('/lacking', { schema: { response: { 200: { $ref: 'user#' } } } },
                  async () => ({ name: 'a' }));
                app.post('/zod', { schema: { body: z.object({ n: z.number() }) } }, async () => 1);
                app.get<{ Querystring: { page?: number }, Reply: { 200: Static<typeof T> } }>(
                  '/types', async () => load());
                declare function load(): any;
            """
        },
    )
    user = "{id: integer, name?: string?, tags?: ['a'/'b']}"
    typebox = "{x: string(uuid), y?: [integer], *: nothing}"
    assert project.responses("GET /literal/{id}") == {"200*": user}
    assert project.parameters("GET /literal/{id}") == {
        "path id: integer",
        "query q: string",
        "query page?=: integer",
    }
    # Nothing is written of an object that lacks what the schema requires.
    assert project.responses("GET /lacking") == {"200*": "{name: 'a'}"}
    assert project.request("POST /typebox") == typebox
    # An optional member that the handler does not give is not written.
    assert project.responses("POST /typebox") == {"201": "{x: string(uuid), *: nothing}"}
    assert project.request("POST /zod") == "{n: numeric}"
    assert project.responses("GET /types") == {"200*": typebox}
    assert project.parameters("GET /types") == {"query page?: numeric"}


def test_what_handlers_return_is_sent(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import fastify, { FastifyRequest } from 'fastify';
                const app = fastify();
                interface User { id: number }
                app.get('/returned', async (request, reply): Promise<User> => load());
                app.get('/both', async (request, reply) => {
                  if (request.query) return reply.status(404).send({ message: 'no' });
                  return { a: 1 };
                });
                app.post('/typed', async (request: FastifyRequest<{ Body: User }>, reply) => {
                  return reply.code(201).send(request.body);
                });
                declare function load(): any;
            """
        },
    )
    assert project.responses("GET /returned") == {"200*": "{id: numeric}"}
    assert project.responses("GET /both") == {"404": "{message: 'no'}", "200*": "{a: 1}"}
    assert project.request("POST /typed") == "{id: numeric}"


def test_a_body_that_may_be_null_may_be_left_out(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import fastify from 'fastify';
                const app = fastify();
                app.post('/any', { schema: { body: { type: 'object', nullable: true } } },
                  async () => 1);
                app.post('/one', { schema: { body: { type: 'object' } } }, async () => 1);
            """
        },
    )
    needed = {path: project.operation(f"POST {path}").request[0].required for path in _BODIES}
    assert needed == {"/any": False, "/one": True}


_BODIES = ("/any", "/one")


def test_a_text_of_type_json_is_made_by_hand(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import fastify from 'fastify';
                const app = fastify();
                app.get('/kept', async (request, reply) => {
                  const kept: string = load();
                  return reply.type('application/json').send(kept);
                });
                app.get('/made', async (request, reply) => {
                  return reply.type('application/json').send(JSON.stringify({ a: 1 }));
                });
                app.get('/text', async (request, reply) => reply.send('hello'));
                declare function load(): any;
            """
        },
    )
    assert {route: project.responses(f"GET {route}") for route in ("/kept", "/made", "/text")} == {
        "/kept": {"200*": "unknown"},
        "/made": {"200*": "{a: 1}"},
        "/text": {"200*": "'hello' (text/html)"},
    }


def test_routes_of_plugins_of_libraries(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Fastify from 'fastify';
                import cors from '@fastify/cors';
                import files from '@fastify/static';
                import pressure from '@fastify/under-pressure';
                import { fastifySwaggerUi } from '@fastify/swagger-ui';
                import admin from 'acme-admin';
                const app = Fastify();
                app.register(cors);
                app.register(files, { prefix: '/files', root: __dirname });
                app.register(pressure, { exposeStatusRoute: { url: '/alive' } });
                app.register(fastifySwaggerUi, { routePrefix: '/docs' });
                app.register(async (inner) => { inner.register(admin); }, { prefix: '/admin' });
            """,
        },
    )
    found = {(o.method, o.path): o.unresolved for o in project.code.operations}
    assert found == {
        ("GET", "/files/{path*}"): "the plugin `@fastify/static`, which is not read, may answer it",
        **{
            ("GET", path): "the plugin `@fastify/under-pressure`, which is not read, may answer it"
            for path in ("/status", "/alive")
        },
        **{
            ("GET", f"/docs{end}"): "the plugin `@fastify/swagger-ui.fastifySwaggerUi`, which is "
            "not read, may answer it"
            for end in ("", "/json", "/yaml", "/{path*}")
        },
        ("*", "/admin/{computed}"): "the plugin `acme-admin`, which is not read, may register it",
    }


def test_methods_that_are_computed(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import Fastify from 'fastify';
                const app = Fastify();
                const found = async () => ({ id: 1 });
                for (const verb of ['get', 'put'] as const) app[verb]('/a', found);
                ['post', 'delete'].forEach((verb) => app[verb as 'post']('/a', found));
                app['patch']('/b', found);
                app[process.env.VERB]('/c', found);
                const handlers = { get: (path, how) => path };
                handlers[process.env.VERB]('/d', found);
            """,
        },
    )
    assert project.routes() == {
        "GET /a",
        "PUT /a",
        "POST /a",
        "DELETE /a",
        "PATCH /b",
        "* /c <the method is computed>",
    }
    assert project.responses("PUT /a") == {"200*": "{id: 1}"}
