"""Responses for which code may have nothing to send: `undefined`, which JSON does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import Judged, judged

USER = """
/users/{id}:
  get:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    responses:
      '200': {description: ok, content: {application/json: {schema: {type: object,
        required: [id], properties: {id: {type: string}}}}}}
      '404': {description: there is none}
"""
OPEN = Judged([], ["GET /users/{id}"], 0)
KEPT = Judged([], [], 1)
NO_BODY = Judged(["GET /users/{id} shape"], [], 0)

USERS = "const users = [{ id: 'ann' }, { id: 'bob' }];"
FOUND = "users.find((user) => user.id === asked)"


def in_express(statements: str) -> str:
    return f"""
        import express from 'express';
        import {{ storedUser }} from './stored';
        {USERS}
        const app = express();
        app.get('/users/:id', (req, res) => {{
          const asked = req.params.id;
          {statements}
        }});
        app.listen(8080);
    """


STORED = """
    export interface User { id: string }
    declare const rows: any;
    export function storedUser(id: string): User | undefined { return rows.get(id); }
"""


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (f"res.json({FOUND});", OPEN),
        (f"res.send({FOUND});", OPEN),
        (f"const user = {FOUND}; res.status(200).json(user);", OPEN),
        ("res.json(storedUser(asked));", OPEN),
        ("res.json(undefined);", NO_BODY),
        (f"const user = {FOUND}; if (!user) return res.status(404).end(); res.json(user);", KEPT),
        (f"const user = {FOUND}; user ? res.json(user) : res.status(404).end();", KEPT),
        (f"const user = {FOUND}!; res.json(user);", KEPT),
        (f"res.json({FOUND} ?? users[0]);", KEPT),
        ("const user = storedUser(asked); if (!user) throw new Error(); res.json(user);", KEPT),
    ],
)
def test_express_sends_an_empty_body_for_undefined(
    tmp_path: Path, statements: str, said: Judged
) -> None:
    """Tried out: 200, `Content-Type: application/json`, and nothing in it."""
    files = {"app.ts": in_express(statements), "stored.ts": STORED}
    assert judged(tmp_path, files, USER) == said


GUARDED = f"const user = {FOUND}; if (!user)"
IN_HONO = """
    import { Hono } from 'hono';
    %s
    const app = new Hono();
    app.get('/users/:id', (c) => { const asked = c.req.param('id'); %s });
    export default app;
"""
IN_KOA = """
    import Koa from 'koa';
    import Router from '@koa/router';
    %s
    const router = new Router();
    router.get('/users/:id', (ctx) => { const asked = ctx.params.id; %s });
    new Koa().use(router.routes()).listen(8080);
"""
IN_FASTIFY = """
    import Fastify from 'fastify';
    %s
    const app = Fastify();
    app.get('/users/:id', async (request: any, reply) => { const asked = request.params.id; %s });
    app.listen({ port: 8080 });
"""
IN_NEST = """
    import { Controller, Get, NotFoundException, Param } from '@nestjs/common';
    %s
    @Controller('users')
    export class UsersController {
      @Get(':id')
      one(@Param('id') asked: string) { %s }
    }
"""


@pytest.mark.parametrize(
    ("program", "statements", "said"),
    [
        (IN_HONO, f"return c.json({FOUND});", OPEN),
        (IN_HONO, f"{GUARDED} return c.body(null, 404); return c.json(user);", KEPT),
        (IN_KOA, f"ctx.body = {FOUND};", OPEN),
        (IN_KOA, f"{GUARDED} {{ ctx.status = 404; return; }} ctx.body = user;", KEPT),
        (IN_FASTIFY, f"return {FOUND};", OPEN),
        (IN_FASTIFY, f"reply.send({FOUND});", OPEN),
        (IN_FASTIFY, f"{GUARDED} {{ return reply.code(404).send(); }} return user;", KEPT),
        (IN_NEST, f"return {FOUND};", OPEN),
        (IN_NEST, f"{GUARDED} throw new NotFoundException(); return user;", KEPT),
    ],
)
def test_other_frameworks_send_no_body_for_undefined_either(
    tmp_path: Path, program: str, statements: str, said: Judged
) -> None:
    files = {"app.ts": program % (USERS, statements)}
    assert judged(tmp_path, files, USER) == said


# --------------------------------------------------------------------- words of a status

ERRORS = """
/users/{id}:
  get:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    responses:
      '200': {description: ok, content: {application/json: {schema: {type: object,
        required: [id], properties: {id: {type: string}}}}}}
      '500': {description: broken, content: %s}
"""
MESSAGE = (
    "application/json: {schema: {type: object, required: [message], "
    "properties: {message: {type: string}}}}"
)


@pytest.mark.parametrize(
    ("content", "broken", "said"),
    [
        (f"{{{MESSAGE}}}", "res.sendStatus(500)", ["GET /users/{id} shape"]),
        (f"{{{MESSAGE}}}", "res.status(500).end()", ["GET /users/{id} shape"]),
        (f"{{{MESSAGE}}}", "res.status(500).json({ message: 'again' })", []),
        (f"{{{MESSAGE}, text/plain: {{schema: {{type: string}}}}}}", "res.sendStatus(500)", []),
    ],
)
def test_send_status_sends_the_words_of_the_status_as_text(
    tmp_path: Path, content: str, broken: str, said: list[str]
) -> None:
    source = in_express(f"""
        if (asked === 'x') return {broken};
        if (asked === 'y') return res.status(500).json({{ message: 'broken' }});
        res.json({{ id: asked }});
    """)
    files = {"app.ts": source, "stored.ts": STORED}
    assert judged(tmp_path, files, ERRORS % content).findings == said
