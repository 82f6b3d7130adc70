"""Next.js routes: files of the app and pages folders, what handlers send and read."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

PACKAGE = '{ "name": "web", "dependencies": { "next": "15.0.0" } }'
OK = "export const GET = () => Response.json(1);"


def test_paths_of_route_files(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": PACKAGE,
            "src/app/route.ts": OK,
            "src/app/api/users/route.ts": OK,
            "src/app/api/users/[id]/route.ts": OK,
            "src/app/api/users/[user-id]/posts/route.js": OK,
            "src/app/(shop)/api/carts/route.ts": OK,
            "src/app/api/@modal/photos/route.ts": OK,
            "src/app/api/files/[...path]/route.ts": OK,
            "src/app/api/docs/[[...slug]]/route.tsx": OK,
            "src/app/api/app/route.ts": OK,
            "src/app/api/%5Fnext/route.ts": OK,
            "src/app/api/_private/route.ts": OK,
            "src/app/api/users/page.tsx": "export function GET() {}",
            "src/lib/route.ts": OK,
        },
    )
    assert project.routes() == {
        "GET /",
        "GET /api/users",
        "GET /api/users/{id}",
        "GET /api/users/{user-id}/posts",
        "GET /api/carts",
        "GET /api/photos",
        "GET /api/files/{path*}",
        "GET /api/docs",
        "GET /api/docs/{slug*}",
        "GET /api/app",
        "GET /api/_next",
    }
    assert project.parameters("GET /api/users/{id}") == {"path id: string"}


def test_exports_of_route_files(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": PACKAGE,
            "app/a/route.ts": """
                import { NextResponse } from 'next/server';
                import { withAuth } from '../../lib/auth';
                export async function GET() { return NextResponse.json([]); }
                export const POST = withAuth(async () => NextResponse.json({ id: 1 }));
                const update = () => NextResponse.json({ ok: true });
                export { update as PUT, update as PATCH };
                function DELETE() {}
                export const dynamic = 'force-dynamic';
            """,
            "app/b/route.ts": "export { GET, POST } from '../../lib/handlers';",
            "app/c/route.ts": "export * from '../../lib/handlers';",
            "app/d/route.ts": """
                import { auth } from 'some-auth';
                export const GET = auth((req) => Response.json({ user: 'x' }));
                export const { POST } = auth.handlers;
            """,
            "app/e/route.ts": """
                import { handle } from 'hono/vercel';
                import app from '../../lib/app';
                export const GET = handle(app);
            """,
            "lib/auth.ts": """
                export const withAuth = (handler) => async (request, context) => {
                  if (!request.headers.get('x')) return new Response(null, { status: 401 });
                  return handler(request, context);
                };
            """,
            "lib/handlers.ts": """
                export const GET = () => Response.json('b');
                export const POST = () => Response.json('p', { status: 201 });
                export const helper = 1;
            """,
        },
    )
    assert project.routes() == {
        "GET /a",
        "POST /a",
        "PUT /a",
        "PATCH /a",
        "GET /b",
        "POST /b",
        "GET /c",
        "POST /c",
        "GET /d",
        "POST /d",
    }
    assert project.responses("POST /a") == {"401": "", "200*": "{id: 1}"}
    assert project.operation("POST /a").statuses_complete
    assert project.responses("POST /c") == {"201": "'p'"}
    assert project.responses("GET /d") == {"200*": "{user: 'x'}"}
    assert not project.operation("GET /d").statuses_complete
    (response,) = project.operation("POST /d").responses
    (body,) = response.bodies
    assert getattr(body.schema, "reason", "") == (
        "the handler is `some-auth.auth.handlers.POST` of a library"
    )


def test_base_path(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "apps/one/package.json": PACKAGE,
            "apps/one/next.config.ts": """
                import withPlugin from 'plugin';
                const nextConfig = { basePath: '/one', reactStrictMode: true };
                export default withPlugin(nextConfig);
            """,
            "apps/one/app/x/route.ts": OK,
            "apps/two/package.json": PACKAGE,
            "apps/two/next.config.js": "module.exports = { basePath: process.env.BASE };",
            "apps/two/app/x/route.ts": OK,
            "apps/three/package.json": PACKAGE,
            "apps/three/next.config.mjs": "export default () => ({ basePath: '/three' });",
            "apps/three/pages/api/y.js": "export default (req, res) => res.json(1);",
        },
    )
    assert project.routes() == {
        "GET /one/x",
        "GET /{computed}/x <`basePath` in apps/two/next.config.js is not constant>",
        "* /three/api/y",
    }


def test_what_route_handlers_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": PACKAGE,
            "app/orders/route.ts": """
                import { NextResponse, type NextRequest } from 'next/server';
                import { notFound, redirect } from 'next/navigation';
                import { Order, find } from '../../lib/orders';
                function fail(status: 400 | 404, message: string): NextResponse {
                  return NextResponse.json({ message }, { status });
                }
                export async function GET(request: NextRequest) {
                  try {
                    const order: Order = await find();
                    if (!order) notFound();
                    return NextResponse.json({ order });
                  } catch (error) {
                    return fail(400, 'bad');
                  }
                }
                export async function POST() {
                  const response = NextResponse.json({ id: 'a' }, { status: 201 });
                  response.cookies.set('seen', '1');
                  return response;
                }
                async function owned(): Promise<{ id: string } | Response> {
                  const order = await find();
                  if (!order.isNew) return fail(404, 'none');
                  return { id: order.id };
                }
                export async function DELETE() {
                  const result = await owned();
                  if (result instanceof Response) return result;
                  return new NextResponse(null, { status: 204 });
                }
                export async function PUT() { redirect('/login'); }
                export async function PATCH() {
                  const created = await find();
                  return Response.json(created, { status: created.isNew ? 201 : 200 });
                }
            """,
            "app/other/route.ts": """
                import { send } from 'somewhere';
                export async function GET() {
                  return new Response(JSON.stringify({ a: 1 }), {
                    headers: { 'Content-Type': 'application/problem+json; charset=utf-8' },
                  });
                }
                export async function POST() { return new Response('hello'); }
                export async function PUT() { return send(1); }
                export async function PATCH(req) {
                  const upstream = await fetch('x');
                  return new Response(upstream.body, { status: upstream.status });
                }
                export async function DELETE() {
                  return Response.redirect('/x');
                }
            """,
            "lib/orders.ts": """
                export interface Order { id: string; isNew: boolean }
                export declare function find(): Promise<Order>;
            """,
        },
    )
    order = "{id: string, isNew: boolean}"
    assert project.responses("GET /orders") == {
        "404": "",
        "200*": f"{{order: {order}}}",
        "400": "{message: 'bad'}",
    }
    assert project.responses("POST /orders") == {"201": "{id: 'a'}"}
    assert project.responses("DELETE /orders") == {"404": "{message: 'none'}", "204": ""}
    assert project.operation("DELETE /orders").statuses_complete
    assert project.responses("PUT /orders") == {"307": ""}
    assert project.responses("PATCH /orders") == {"201": order, "200": order}
    assert project.operation("PATCH /orders").statuses_complete
    assert project.responses("GET /other") == {"200*": "{a: 1} (application/problem+json)"}
    assert project.responses("POST /other") == {"200*": "'hello' (text/plain)"}
    assert project.responses("PUT /other") == {"200*": "unknown"}
    assert project.responses("PATCH /other") == {"200*": "unknown"}
    assert project.responses("DELETE /other") == {"302*": ""}


def test_what_route_handlers_read(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": PACKAGE,
            "app/a/route.ts": """
                import { z } from 'zod';
                const schema = z.object({ name: z.string(), age: z.number().optional() });
                interface Input { title: string }
                async function parsed(request: Request) {
                  return schema.parse(await request.json());
                }
                export async function POST(request: Request) {
                  const input = await parsed(request);
                  return Response.json(input);
                }
                export async function PUT(request: Request) {
                  const body = await request.json();
                  const result = schema.safeParse(body);
                  return Response.json({ ok: result.success });
                }
                export async function PATCH(request: Request) {
                  const { title }: Input = await request.json();
                  return Response.json({ title });
                }
                export async function DELETE(request: Request) {
                  const { reason } = await request.json();
                  return new Response(null, { status: 204 });
                }
                export async function GET(request: Request) {
                  const { searchParams } = new URL(request.url);
                  const page = searchParams.get('page');
                  const other = new URL('https://example.com').searchParams.get('other');
                  return Response.json({ page });
                }
            """,
            "app/b/route.ts": """
                import { NextRequest } from 'next/server';
                export async function GET(req: NextRequest, { params }) {
                  const size = req.nextUrl.searchParams.get('size');
                  return Response.json(size);
                }
                export async function POST(req: NextRequest) {
                  const form = await req.formData();
                  return Response.json({});
                }
            """,
        },
    )
    assert project.request("POST /a") == "{name: string, age?: numeric}"
    assert project.request("PUT /a") == "{name: string, age?: numeric}"
    assert project.request("PATCH /a") == "{title=: string}"
    assert project.request("DELETE /a") == "{reason?: value~}~"
    assert project.parameters("GET /a") == {"query page?: unknown"}
    assert project.request("GET /a") == ""
    assert project.parameters("GET /b") == {"query size?: unknown"}
    assert project.request("POST /b") == "unknown (*/*)"


def test_api_routes_of_the_pages_folder(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "package.json": PACKAGE,
            "pages/api/index.ts": "export default function handler(req, res) { res.json({}) }",
            "pages/api/users/[id].ts": """
                import type { NextApiRequest, NextApiResponse } from 'next';
                export default async function handler(req: NextApiRequest, res: NextApiResponse) {
                  const { method } = req;
                  switch (method) {
                    case 'GET': {
                      res.status(200).json({ id: 1 });
                      break;
                    }
                    case 'PUT':
                    case 'PATCH':
                      return res.status(202).json({ changed: true });
                    default:
                      res.setHeader('Allow', ['GET']);
                      res.status(405).end();
                  }
                }
            """,
            "pages/api/orders.ts": """
                import { withSession } from 'sessions';
                async function create(req, res) { res.status(201).json({ id: req.body.id }) }
                export default withSession(async (req, res) => {
                  if (req.method !== 'POST') {
                    return res.status(405).json({ message: 'no' });
                  }
                  return create(req, res);
                });
            """,
            "pages/api/mixed/[...all].ts": """
                export default (req, res) => {
                  if (req.method === 'GET' || req.method === 'HEAD') return res.json([1]);
                  else if (req.method?.toLowerCase() === 'delete') res.status(204).end();
                  else res.status(200).json('other');
                };
            """,
            "pages/api/table.ts": """
                const list = (req, res) => res.json(['x']);
                const add = (req, res) => res.status(201).json('x');
                const handlers = { GET: list, POST: add };
                export default (req, res) => handlers[req.method](req, res);
            """,
            "pages/api/tried.ts": """
                export default async function handler(req, res) {
                  try {
                    switch (req.method) {
                      case 'POST':
                        await create(req, res);
                        break;
                      default:
                        res.status(405).json({ error: 'method' });
                    }
                  } catch (error) {
                    res.status(error.status || 500).json({ error: 'failed' });
                  }
                }
                const create = async (req, res) => { res.status(201).json({ id: 1 }); };
            """,
            "pages/api/thrown.ts": """
                export default async function handler(req, res) {
                  try {
                    if (req.method != 'POST') throw new Error('method');
                    res.status(202).end();
                  } catch (error) {
                    res.end();
                  }
                }
            """,
            "pages/about.tsx": "export default function Page() { return null }",
            "pages/api/types.d.ts": "export default interface X { a: string }",
        },
    )
    assert project.routes() == {
        "* /api",
        "GET /api/users/{id}",
        "PUT /api/users/{id}",
        "PATCH /api/users/{id}",
        "POST /api/orders",
        "GET /api/mixed/{all*}",
        "HEAD /api/mixed/{all*}",
        "DELETE /api/mixed/{all*}",
        "* /api/mixed/{all*}",
        "GET /api/table",
        "POST /api/table",
        "POST /api/tried",
        "POST /api/thrown",
    }
    assert project.responses("POST /api/tried") == {"201": "{id: 1}", "500": "{error: 'failed'}"}
    assert project.responses("GET /api/users/{id}") == {"200": "{id: 1}"}
    assert project.responses("PATCH /api/users/{id}") == {"202": "{changed: True}"}
    assert project.responses("POST /api/orders") == {"201": "{id: unknown}"}
    assert project.request("POST /api/orders") == "{id?: value~}~"
    assert project.responses("DELETE /api/mixed/{all*}") == {"204": ""}
    assert project.responses("* /api/mixed/{all*}") == {"200": "'other'"}
    assert project.responses("POST /api/table") == {"201": "'x'"}


def test_files_of_other_projects_are_no_routes(tmp_path: Path) -> None:
    other = '{ "name": "server", "dependencies": { "express": "5.0.0", "react": "19" } }'
    project = Project(
        tmp_path,
        {
            "package.json": other,
            "src/app/users/route.ts": "export const GET = '/users';",
            "src/pages/api/users.ts": "export default function users() { return fetch('/users') }",
        },
    )
    assert project.routes() == set()


def test_only_the_source_folder_is_scanned(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app/users/route.ts": OK,
            "pages/api/orders.js": "export default (req, res) => res.json([]);",
            "pages/api/client.js": "export default (id) => fetch('/orders/' + id);",
        },
    )
    assert project.routes() == {"GET /users", "* /api/orders"}
