"""Request bodies without a declared type, by their use, in libraries whose bodies are told by
marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

KOA = """
    import Koa from 'koa';
    import Router from '@koa/router';
    const app = new Koa();
    const router = new Router();
    router.post('/x', async (ctx) => { %s });
    app.use(router.routes());
"""
HONO = """
    import { Hono } from 'hono';
    const app = new Hono();
    app.post('/x', async (c) => { %s });
    export default app;
"""
FASTIFY = """
    import Fastify from 'fastify';
    const app = Fastify();
    app.post('/x', async (request, reply) => { %s });
"""
HAPI = """
    import Hapi from '@hapi/hapi';
    const server = Hapi.server();
    server.route({ method: 'POST', path: '/x', handler: (request, h) => { %s } });
"""


@pytest.mark.parametrize(
    ("app", "body", "told"),
    [
        pytest.param(
            KOA,
            "const { name, age } = ctx.request.body;\n"
            "if (!name) { ctx.status = 400; ctx.body = 'no'; return; }\n"
            "ctx.body = name.trim();",
            "{name: string~, age?: value~}~",
            id="Koa",
        ),
        pytest.param(
            KOA,
            "const body = ctx.request.body;\n"
            "ctx.assert(body.name, 400); if (typeof body.age !== 'number') ctx.throw(400);",
            "{name: value~, age: numeric~}~",
            id="Koa, what fails",
        ),
        pytest.param(
            KOA,
            "for (const item of ctx.request.body.items) { item.text.trim(); }",
            "{items?: [{text: string~}~]~}~",
            id="Koa, a list",
        ),
        pytest.param(
            HONO,
            "const { name } = await c.req.json();\n"
            "if (!name) return c.json({ error: 'no' }, 400);\n"
            "return c.json(name.trim());",
            "{name: string~}~",
            id="Hono",
        ),
        pytest.param(
            HONO,
            "const body = await c.req.json(); const save = (email: string) => ({ email });\n"
            "return c.json(save(body.email));",
            "{email?: string~}~",
            id="Hono, a part that is handed on",
        ),
        pytest.param(
            FASTIFY,
            "const { name } = request.body; if (!name) return reply.code(400).send({});\n"
            "return name.trim();",
            "{name: string~}~",
            id="Fastify",
        ),
        pytest.param(
            HAPI,
            "const { name } = request.payload; if (!name) throw Boom.badRequest();\n"
            "return h.response(name.trim());",
            "{name: string~}~",
            id="Hapi",
        ),
    ],
)
def test_a_body_is_told_by_its_use(tmp_path: Path, app: str, body: str, told: str) -> None:
    assert Project(tmp_path, {"app.ts": app % body}).request("POST /x") == told


def test_a_body_of_adonis_is_told_by_the_keys_that_are_asked_for(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "start/routes.ts": """
                import router from '@adonisjs/core/services/router';
                router.post('/input', async ({ request }) => {
                  const size = request.input('size', 10);
                  return request.input('name').trim() + size;
                });
                router.post('/only', async ({ request }) => {
                  const { email } = request.only(['email', 'age']);
                  return email.trim();
                });
            """
        },
    )
    assert project.request("POST /input") == "{size?: anything, name: string~}~"
    assert project.request("POST /only") == "{email: string~, age?: value~}~"


@pytest.mark.parametrize(
    "app",
    [
        pytest.param(
            KOA.replace("router.post('/x'", "router.get('/x/:id?'")
            % "if (ctx.params.id) { ctx.body = { one: 1 }; return; } ctx.body = [];",
            id="Koa",
        ),
        pytest.param(
            HONO.replace("app.post('/x'", "app.get('/x/:id?'")
            % "const id = c.req.param('id'); if (id) return c.json({ one: 1 }); return c.json([]);",
            id="Hono",
        ),
        pytest.param(
            FASTIFY.replace("app.post('/x'", "app.get('/x/:id?'")
            % "const { id } = request.params; if (id) return { one: 1 }; return [];",
            id="Fastify",
        ),
    ],
)
def test_paths_with_and_without_an_optional_parameter_are_told_apart(
    tmp_path: Path, app: str
) -> None:
    project = Project(tmp_path, {"app.ts": app})
    assert {r: set(project.responses(r).values()) for r in project.routes()} == {
        "GET /x": {"[nothing]"},
        "GET /x/{id}": {"{one: 1}"},
    }
