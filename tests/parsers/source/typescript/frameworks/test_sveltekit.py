"""SvelteKit endpoints: paths of `+server` files, what handlers send and read."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

OK = "export const GET = () => new Response(null, { status: 204 });"


def test_paths_of_server_files(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": "{}",
            "src/routes/+server.ts": OK,
            "src/routes/api/users/+server.ts": OK,
            "src/routes/api/users/[id=integer]/+server.js": OK,
            "src/routes/(app)/api/routes/[a]-[b]/+server.ts": OK,
            "src/routes/[[lang]]/hello/+server.ts": OK,
            "src/routes/files/[...path]/+server.ts": OK,
            "src/routes/[x+2e]well-known/info/+server.ts": OK,
            "src/routes/api/page/+page.server.ts": OK,
            "apps/two/package.json": "{}",
            "apps/two/svelte.config.js": """
                const config = { kit: { paths: { base: '/two' } } };
                export default config;
            """,
            "apps/two/src/routes/x/+server.ts": OK,
            "apps/three/package.json": "{}",
            "apps/three/svelte.config.js": """
                export default { kit: { paths: { base: process.env.BASE_PATH } } };
            """,
            "apps/three/src/routes/x/+server.ts": OK,
        },
    )
    assert project.routes() == {
        "GET /",
        "GET /api/users",
        "GET /api/users/{id}",
        "GET /api/routes/{a}-{b}",
        "GET /hello",
        "GET /{lang}/hello",
        "GET /files/{path*}",
        "GET /.well-known/info",
        "GET /two/x",
        "GET /{computed}/x <`base` in apps/three/svelte.config.js is not constant>",
    }


def test_what_handlers_send_and_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": "{}",
            "src/routes/items/+server.ts": """
                import { error, json, redirect, text } from '@sveltejs/kit';
                import { z } from 'zod';
                import type { RequestHandler } from './$types';
                interface Item { id: number; name: string }
                declare function find(): Promise<Item[]>;
                const input = z.object({ name: z.string() });
                export const GET: RequestHandler = async ({ url }) => {
                  const page = url.searchParams.get('page');
                  if (!page) error(400, 'no page');
                  return json(await find());
                };
                export const POST = (async (event) => {
                  const data = input.parse(await event.request.json());
                  if (!data) throw redirect(303, '/login');
                  return json({ ok: true }, { status: 201 });
                }) satisfies RequestHandler;
                export async function PUT({ request }) {
                  const item: Item = await request.json();
                  return text('done');
                }
                export const DELETE = () => new Response(null, { status: 204 });
                export const fallback = ({ request }) => text(request.method, { status: 202 });
            """,
            "src/routes/other/+server.ts": """
                import { handler } from 'elsewhere';
                export const GET = handler;
                export { DELETE } from '../items/+server';
            """,
        },
    )
    assert project.routes() == {
        "GET /items",
        "POST /items",
        "PUT /items",
        "DELETE /items",
        "* /items",
        "GET /other",
        "DELETE /other",
    }
    assert project.responses("GET /items") == {
        "400": "unknown (*/*)",
        "200*": "[{id: numeric, name: string}]",
    }
    assert project.operation("GET /items").statuses_complete
    assert project.parameters("GET /items") == {"query page?: unknown"}
    assert project.responses("POST /items") == {"303": "", "201": "{ok: True}"}
    assert project.request("POST /items") == "{name: string}"
    assert project.responses("PUT /items") == {"200*": "'done' (text/plain)"}
    assert project.request("PUT /items") == "{id=: numeric, name=: string}"
    assert project.responses("* /items") == {"202": "unknown (*/*)"}
    assert project.responses("GET /other") == {"200*": "unknown"}
    assert project.responses("DELETE /other") == {"204": ""}
