"""Nuxt and Nitro handlers: paths and methods of files, what handlers return and read."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

OK = "export default defineEventHandler(() => ({ ok: true }));"


def test_paths_of_handler_files(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server/api/users/index.get.ts": OK,
            "server/api/users/index.post.ts": OK,
            "server/api/users/[id].delete.ts": OK,
            "server/api/(admin)/stats.ts": OK,
            "server/api/files/[...path].get.ts": OK,
            "server/api/[...].ts": OK,
            "server/api/dev-only.get.dev.ts": OK,
            "server/routes/health.get.ts": OK,
            "server/routes/feed.xml.ts": OK,
            "server/middleware/auth.ts": OK,
            "server/api/helper.ts": "export const helper = 1; export default { a: 1 };",
            "apps/two/nuxt.config.ts": """
                export default defineNuxtConfig({ app: { baseURL: '/two/' } });
            """,
            "apps/two/server/api/x.get.ts": OK,
        },
    )
    assert project.routes() == {
        "GET /api/users",
        "POST /api/users",
        "DELETE /api/users/{id}",
        "* /api/stats",
        "GET /api/files/{path*}",
        "* /api/{path*}",
        "GET /api/dev-only",
        "GET /health",
        "* /feed.xml",
        "GET /two/api/x",
    }


def test_what_handlers_return(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server/api/a.get.ts": """
                import { find, type Item } from '../lib/items';
                export default defineEventHandler(async (event): Promise<Item[]> => {
                  return await find();
                });
            """,
            "server/api/b.post.ts": """
                import { defineEventHandler, setResponseStatus, createError } from 'h3';
                export default defineEventHandler(async (event) => {
                  const known = await check(event);
                  if (!known) throw createError({ statusCode: 404, statusMessage: 'no' });
                  setResponseStatus(event, 201);
                  return { id: 1 };
                });
            """,
            "server/api/c.delete.ts": """
                export default eventHandler((event) => sendNoContent(event));
            """,
            "server/api/d.get.ts": "export default defineEventHandler(() => null);",
            "server/api/e.get.ts": "export default defineEventHandler(() => 'text');",
            "server/api/f.get.ts": """
                export default defineEventHandler((event) => sendRedirect(event, '/a', 301));
            """,
            "server/api/g.get.ts": """
                export default defineCachedEventHandler(async () => ({ n: 1 }), { maxAge: 60 });
            """,
            "server/api/h.get.ts": """
                export default defineEventHandler({ handler: () => ({ n: 2 }) });
            """,
            "server/api/i.get.ts": """
                import { wrap } from 'somewhere';
                export default wrap(defineEventHandler(() => ({ n: 3 })));
            """,
            "server/api/j.get.ts": """
                import { handler } from 'somewhere';
                export default defineEventHandler(handler);
            """,
            "server/lib/items.ts": """
                export interface Item { id: string }
                export declare function find(): Promise<Item[]>;
            """,
        },
    )
    assert project.responses("GET /api/a") == {"200*": "[{id: string}]"}
    assert project.responses("POST /api/b") == {"404": "unknown (*/*)", "201": "{id: 1}"}
    assert project.responses("DELETE /api/c") == {"204*": ""}
    assert project.responses("GET /api/d") == {"204*": ""}
    assert project.responses("GET /api/e") == {"200*": "'text' (text/html)"}
    assert project.responses("GET /api/f") == {"301": ""}
    assert project.responses("GET /api/g") == {"200*": "{n: 1}"}
    assert project.responses("GET /api/h") == {"200*": "{n: 2}"}
    assert project.operation("GET /api/h").statuses_complete
    assert project.responses("GET /api/i") == {"200*": "{n: 3}"}
    assert not project.operation("GET /api/i").statuses_complete
    assert project.responses("GET /api/j") == {"200*": "unknown"}


def test_what_handlers_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server/api/a.post.ts": """
                interface Input { name: string }
                export default defineEventHandler(async (event) => {
                  const body = await readBody<Input>(event);
                  const { page } = getQuery(event);
                  const query = getQuery(event);
                  return { size: query.size };
                });
            """,
            "server/api/b.post.ts": """
                import { z } from 'zod';
                const input = z.object({ title: z.string() });
                const filter = z.object({ q: z.string().optional() });
                export default defineEventHandler(async (event) => {
                  const body = await readValidatedBody(event, (value) => input.parse(value));
                  const query = await getValidatedQuery(event, filter.parse);
                  return {};
                });
            """,
            "server/api/c.post.ts": """
                export default defineEventHandler(async (event) => {
                  const parts = await readMultipartFormData(event);
                  return {};
                });
            """,
        },
    )
    assert project.request("POST /api/a") == "{name=: string}"
    assert project.parameters("POST /api/a") == {"query page?: unknown", "query size?: unknown"}
    assert project.request("POST /api/b") == "{title: string}"
    assert project.parameters("POST /api/b") == {"query q?: string"}
    assert project.request("POST /api/c") == "unknown (*/*)"


NITRO = "export default defineNitroConfig({ srcDir: 'server' });"
PRIVATE = """
    export function definePrivateEventHandler<T>(handler: (event: H3Event, context: C) => T) {
      return defineEventHandler(async (event) => {
        if (!getHeader(event, 'authorization')) throw createError({ statusCode: 401 });
        return handler(event, { id: 1 });
      });
    }
"""


def test_handlers_of_a_projects_own_function(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "nitro.config.ts": NITRO,
            "server/event-handler.ts": PRIVATE,
            "server/routes/api/me.get.ts": """
                import { definePrivateEventHandler } from '~/event-handler';
                export default definePrivateEventHandler(async (event, { id }) => {
                  return { name: 'a' };
                });
            """,
            "server/routes/api/unseen.get.ts": """
                import { authed } from '#guards';
                export default authed(async (event) => ({ name: 'a' }));
            """,
            "server/routes/api/plain.get.ts": "export default () => ({ name: 'a' });",
            "server/routes/api/helper.ts": "export default { name: 'a' };",
        },
    )
    assert project.routes() == {"GET /api/me", "GET /api/unseen", "GET /api/plain"}
    assert project.responses("GET /api/me") == {
        "200*": "{name: 'a'}",
        "401": "unknown (*/*)",
    }
    assert project.responses("GET /api/plain") == {"200*": "{name: 'a'}"}
    assert project.responses("GET /api/unseen") == {"200*": "unknown"}


def test_names_that_nothing_imports(tmp_path: Path) -> None:
    files = {
        "server/utils/items.ts": """
            export const findItem = () => ({ id: 1 });
            export function countItems(): number { return 1; }
            export interface Item { id: string }
            const hidden = () => ({ id: 1 });
        """,
        "server/api/a.get.ts": """
            export default defineEventHandler(() => ({ item: findItem(), n: countItems() }));
        """,
        "server/api/b.get.ts": "export default defineEventHandler((): Item => load());",
        "server/api/c.get.ts": "export default defineEventHandler(() => ({ item: hidden() }));",
        "server/api/d.get.ts": """
            import { findItem } from 'library';
            export default defineEventHandler(() => ({ item: findItem() }));
        """,
    }
    project = Project(tmp_path, files | {"nuxt.config.ts": "export default {};"})
    assert project.responses("GET /api/a") == {"200*": "{item: {id: 1}, n: numeric}"}
    assert project.responses("GET /api/b") == {"200*": "{id: string}"}
    assert project.responses("GET /api/c") == {"200*": "{item: unknown}"}
    assert project.responses("GET /api/d") == {"200*": "{item: unknown}"}
