"""ts-rest: contracts in code, the handlers that keep them, the apps that serve them."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

CONTRACT = """
    import { initContract } from '@ts-rest/core';
    import { z } from 'zod';
    const c = initContract();
    const User = z.object({ id: z.number(), name: z.string() });
    const users = c.router({
      list: {
        method: 'GET', path: '/users',
        query: z.object({ page: z.number().optional() }),
        responses: { 200: z.array(User) },
      },
      one: c.query({
        method: 'GET', path: '/users/:id', pathParams: z.object({ id: z.string() }),
        responses: c.responses({ 200: User, 404: z.object({ message: z.string() }) }),
      }),
      create: {
        method: 'POST', path: '/users', body: z.object({ name: z.string() }),
        responses: { 201: User },
      },
      remove: c.mutation({
        method: 'DELETE', path: '/users/:id', body: c.noBody(), responses: { 204: c.noBody() },
      }),
      export: {
        method: 'GET', path: '/export', responses: {
          200: c.otherResponse({ contentType: 'text/csv', body: z.string() }),
        },
      },
      upload: {
        method: 'POST', path: '/upload', contentType: 'multipart/form-data',
        body: c.type<{ file: string }>(), responses: { 200: c.type<{ size: number }>() },
      },
    }, { pathPrefix: '/v1' });
    export const contract = c.router({
      users,
      health: { method: 'GET', path: '/health', responses: { 200: z.object({ up: z.boolean() }) } },
    }, { pathPrefix: '/api' });
"""


def test_endpoints_that_express_serves(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "contract.ts": CONTRACT,
            "users.ts": """
                import { initServer } from '@ts-rest/express';
                import { contract } from './contract';
                const s = initServer();
                export const users = s.router(contract.users, {
                  list: async ({ query }) => ({ status: 200, body: load(query.page) }),
                  one: {
                    middleware: [guard],
                    handler: async ({ params: { id } }) => {
                      const user = load(id);
                      if (!user) return { status: 404 as const, body: { message: 'none' } };
                      return { status: 200 as const, body: user };
                    },
                  },
                  create: s.route(contract.users.create, async ({ body }) => {
                    return { status: 409, body: { taken: body.name } };
                  }),
                  remove: async () => ({ status: 204, body: undefined }),
                  upload: handlers.upload,
                });
                declare const guard: any;
                declare const handlers: any;
                declare function load(id: any): any;
            """,
            "app.ts": """
                import express, { Router } from 'express';
                import { createExpressEndpoints } from '@ts-rest/express';
                import { contract } from './contract';
                import { users } from './users';
                const app = express();
                const inner = Router();
                app.use('/inner', inner);
                createExpressEndpoints(contract, {
                  users, health: async () => ({ status: 200, body: { up: true } }),
                }, inner, { responseValidation: true });
                app.get('/plain', (req, res) => { res.json({}) });
            """,
        },
    )
    user = "{id: numeric, name: string}"
    base = "/inner/api/v1"
    assert project.routes() == {
        "GET /plain",
        "GET /inner/api/health",
        f"GET {base}/users",
        f"GET {base}/users/{{id}}",
        f"POST {base}/users",
        f"DELETE {base}/users/{{id}}",
        f"GET {base}/export",
        f"POST {base}/upload",
    }
    assert {
        route: project.responses(f"{route.replace(' ', f' {base}')}")
        for route in ("GET /users", "GET /users/{id}", "POST /users", "DELETE /users/{id}")
    } == {
        "GET /users": {"200": f"[{user}]"},
        "GET /users/{id}": {"200": user, "404": "{message: string}"},
        "POST /users": {"409": "{taken: unknown}"},
        "DELETE /users/{id}": {"204": ""},
    }
    assert project.responses(f"GET {base}/export") == {"200*": "string (text/csv)"}
    assert project.responses(f"POST {base}/upload") == {"200*": "{size: numeric}"}
    assert project.responses("GET /inner/api/health") == {"200": "{up: boolean}"}
    assert project.request(f"POST {base}/users") == "{name: string}"
    assert project.request(f"POST {base}/upload") == "{file: string} (multipart/form-data)"
    assert project.request(f"DELETE {base}/users/{{id}}") == ""
    assert project.parameters(f"GET {base}/users") == {"query page?: numeric"}
    assert project.parameters(f"GET {base}/users/{{id}}") == {"path id: string"}


def test_other_adapters_are_told_without_their_prefixes(tmp_path: Path) -> None:
    contract = """
        import { initContract } from '@ts-rest/core';
        const c = initContract();
        export const one = c.router({
          get: { method: 'GET', path: '/one', responses: { 200: c.type<{ a: number }>() } },
        });
        export const two = c.router({ get: { method: 'GET', path: '/two', responses: {} } });
        export const three = c.router({ get: { method: 'GET', path: '/three', responses: {} } });
        export const called = c.router({ get: { method: 'GET', path: '/called', responses: {} } });
    """
    project = Project(
        tmp_path,
        {
            "contract.ts": contract,
            "fastify.ts": """
                import { initServer } from '@ts-rest/fastify';
                import { one } from './contract';
                const s = initServer();
                const get = async () => ({ status: 200, body: { a: 1 } });
                const router = s.router(one, { get });
                app.register(s.plugin(router));
            """,
            "next.ts": """
                import { createNextRouter } from '@ts-rest/next';
                import { two } from './contract';
                export default createNextRouter(two, { get: async () => ({ status: 200 }) });
            """,
            "nest.ts": """
                import { Controller } from '@nestjs/common';
                import { TsRestHandler, tsRestHandler } from '@ts-rest/nest';
                import { three } from './contract';
                @Controller()
                export class Three {
                  @TsRestHandler(three.get)
                  get() { return tsRestHandler(three.get, async () => ({ status: 200 })); }
                }
            """,
            "client.ts": """
                import { initClient } from '@ts-rest/core';
                import { called } from './contract';
                export const client = initClient(called, { baseUrl: '' });
            """,
        },
    )
    reason = "the route is served by `{}`, whose prefixes are not followed"
    assert project.routes() == {
        f"GET /one <{reason.format('router')}>",
        f"GET /two <{reason.format('createNextRouter')}>",
        f"GET /three <{reason.format('TsRestHandler')}>",
    }
    assert project.responses("GET /one") == {"200": "{a: numeric}"}


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { createExpressEndpoints } from '@ts-rest/express';
                import { initContract } from '@ts-rest/core';
                import express from 'express';
                const c = initContract();
                const open = c.router({
                  any: { method: process.env.METHOD, path: '/any', responses: {} },
                  path: { method: 'GET', path: process.env.PLACE, responses: {} },
                  told: { method: 'GET', path: '/told', responses: {} },
                }, { pathPrefix: '/x' });
                createExpressEndpoints(open, handlers, express());
                createExpressEndpoints(c.router({
                  lost: { method: 'GET', path: '/lost', responses: {} },
                }), handlers, made());
                declare const handlers: any;
                declare function made(): any;
            """
        },
    )
    assert project.routes() == {
        "* /x/any <the method is not constant>",
        "GET /x/{computed} <the path is not constant>",
        "GET /x/told",
        "GET /lost <what the routes are registered with is not seen>",
    }
    assert project.responses("GET /x/told") == {"200*": "unknown"}


def test_a_body_of_optional_fields_alone_need_not_be_there(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { createExpressEndpoints, initServer } from '@ts-rest/express';
                import { initContract } from '@ts-rest/core';
                import express from 'express';
                import { z } from 'zod';
                const c = initContract();
                const doors = c.router({
                  open: {
                    method: 'POST', path: '/open', responses: {},
                    body: z.object({ note: z.string().optional() }),
                  },
                  close: { method: 'POST', path: '/close', responses: {}, body: z.object({}) },
                  paint: {
                    method: 'POST', path: '/paint', responses: {},
                    body: z.object({ colour: z.string() }),
                  },
                  mark: { method: 'POST', path: '/mark', responses: {}, body: z.array(z.string()) },
                });
                createExpressEndpoints(doors, initServer().router(doors, {}), express());
            """
        },
    )
    required = {o.path: [b.required for b in o.request] for o in project.code.operations}
    assert required == {"/open": [None], "/close": [None], "/paint": [True], "/mark": [True]}


def test_the_statuses_are_those_that_the_handler_returns(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import { createExpressEndpoints, initServer } from '@ts-rest/express';
                import { initContract } from '@ts-rest/core';
                import express from 'express';
                import { unknown } from 'elsewhere';
                const c = initContract();
                const doors = c.router({
                  seen: { method: 'GET', path: '/seen', responses: { 200: c.type<number>() } },
                  open: { method: 'GET', path: '/open', responses: { 200: c.type<number>() } },
                  lost: { method: 'GET', path: '/lost', responses: { 200: c.type<number>() } },
                });
                const router = initServer().router(doors, {
                  seen: async ({ query }) => {
                    if (query.a) return { status: 403 as const, body: undefined };
                    return { status: 200 as const, body: 1 };
                  },
                  open: async () => unknown(),
                });
                createExpressEndpoints(doors, router, express());
            """
        },
    )
    told = {
        o.path: (sorted(r.status for r in o.responses), o.statuses_complete)
        for o in project.code.operations_with_answers
    }
    assert told == {
        "/seen": (["200", "403"], True),
        "/open": (["200"], False),
        "/lost": (["200"], False),
    }
