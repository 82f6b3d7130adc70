"""Resource routes of Remix and React Router: file names, `routes.ts`, loaders and actions."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

PACKAGE = '{"dependencies": {"@remix-run/node": "2"}}'
LOADER = "export const loader = () => ({ a: 1 });"


def test_paths_of_files(tmp_path: Path) -> None:
    names = {
        "_index.ts",
        "api.users.$id.ts",
        "api.users._index.ts",
        "api.users_.all.ts",
        "_public.health.ts",
        "files.$.ts",
        "($lang).page.ts",
        "sitemap[.]xml.ts",
        "api.folder/route.ts",
        "nested/$id/part.ts",
        "hybrid+/things.$thingId.ts",
        "hybrid+/_index.ts",
    }
    files = {f"web/app/routes/{name}": LOADER for name in names}
    files["web/package.json"] = PACKAGE
    files["web/app/routes/page.tsx"] = (
        "export const loader = () => 1; export default function P() {}"
    )
    files["web/app/routes/plain.ts"] = "export const helper = 1;"
    files["other/package.json"] = '{"dependencies": {"express": "4"}}'
    files["other/app/routes/users.ts"] = LOADER
    project = Project(tmp_path, files)
    assert project.routes() == {
        "GET /",
        "GET /api/users/{id}",
        "GET /api/users",
        "GET /api/users/all",
        "GET /health",
        "GET /files/{splat*}",
        "GET /page",
        "GET /{lang}/page",
        "GET /sitemap.xml",
        "GET /api/folder",
        "GET /nested/{id}/part",
        "GET /hybrid/things/{thingId}",
        "GET /hybrid",
    }


def test_routes_that_a_file_lists(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": '{"dependencies": {"@react-router/dev": "7"}}',
            "react-router.config.ts": "export default { basename: '/base' };",
            "app/routes.ts": """
                import { type RouteConfig, route, index, layout, prefix }
                  from '@react-router/dev/routes';
                export default [
                  index('./home.tsx'),
                  route('about', './api/about.ts'),
                  layout('./layout.tsx', [route('in/:id', './api/in.ts')]),
                  ...prefix('api', [
                    index('./api/index.ts'),
                    route('users/:id?', './api/users.ts', [route('posts', './api/posts.ts')]),
                  ]),
                ] satisfies RouteConfig;
            """,
            "app/home.tsx": "export default function Home() {} export const loader = () => 1;",
            "app/layout.tsx": "export default function Layout() {}",
            **{f"app/api/{name}.ts": LOADER for name in ("about", "in", "index", "users", "posts")},
        },
    )
    assert project.routes() == {
        "GET /base/about",
        "GET /base/in/{id}",
        "GET /base/api",
        "GET /base/api/users",
        "GET /base/api/users/{id}",
        "GET /base/api/users/posts",
        "GET /base/api/users/{id}/posts",
    }


def test_what_loaders_and_actions_send_and_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": PACKAGE,
            "app/routes/value.ts": """
                import { json, redirect, type LoaderFunctionArgs } from '@remix-run/node';
                import { find } from '../service';
                export async function loader({ request, params }: LoaderFunctionArgs) {
                  if (request.method === 'OPTIONS') return json({ preflight: true });
                  const url = new URL(request.url);
                  const page = url.searchParams.get('page');
                  if (!params.id) throw json({ error: 'no' }, { status: 404 });
                  if (page === '0') return redirect('/x');
                  return json(await find());
                }
            """,
            "app/routes/text.ts": "export const loader = () => 'hello';",
            "app/routes/data.ts": """
                import { data } from 'react-router';
                export const loader = () => data({ a: 1 }, { status: 202 });
            """,
            "app/routes/response.ts": """
                export const loader = async () => new Response(JSON.stringify({ r: 1 }), {
                  status: 203, headers: { 'Content-Type': 'application/json' } });
            """,
            "app/routes/any.ts": """
                import { z } from 'zod';
                const Body = z.object({ name: z.string() });
                export const action = async ({ request }) => {
                  const body = Body.parse(await request.json());
                  return Response.json({ made: true }, { status: 201 });
                };
            """,
            "app/routes/told.ts": """
                import { json } from '@remix-run/node';
                export async function action(args) {
                  switch (args.request.method) {
                    case 'PUT': return json({ put: 1 });
                    case 'DELETE': return new Response(null, { status: 204 });
                    default: return json({ error: 'method' }, { status: 405 });
                  }
                }
            """,
            "app/routes/only.ts": """
                import { json } from '@remix-run/node';
                export async function action({ request }) {
                  if (request.method.toUpperCase() !== 'PATCH') {
                    return json({ error: 'method' }, { status: 405 });
                  }
                  const raw: string = await request.text();
                  return json({ patched: raw });
                }
            """,
            "app/service.ts": """
                export interface Item { id: number; name?: string }
                export async function find(): Promise<Item> { return null }
            """,
        },
    )
    assert {
        o.method + " " + o.path for o in project.code.operations if not o.excluded_from_docs
    } == {
        "GET /value",
        "GET /text",
        "GET /data",
        "GET /response",
        "POST /any",
        "PUT /told",
        "DELETE /told",
        "PATCH /only",
    }
    assert project.responses("GET /value") == {
        "404": "{error: 'no'}",
        "302*": "",
        "200*": "{id: numeric, name?: string}",
    }
    assert {p.name for p in project.operation("GET /value").parameters} == {"page"}
    assert project.responses("GET /text") == {"200*": "'hello' (text/plain)"}
    assert project.responses("GET /data") == {"202": "{a: 1}"}
    assert project.responses("GET /response") == {"203": "{r: 1}"}
    assert project.responses("POST /any") == {"201": "{made: True}"}
    assert project.request("POST /any") == "{name: string}"
    assert project.responses("PUT /told") == {"200*": "{put: 1}"}
    assert project.responses("DELETE /told") == {"204": ""}
    assert project.responses("PATCH /only") == {"200*": "{patched: string}"}
    assert project.request("PATCH /only") == "unknown (*/*)"
