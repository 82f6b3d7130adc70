"""TypeScript programs beside their contracts: guilty code next to innocent code of its sort."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.api import scan
from tests.engine.judged import Judged, judged

SAVED = """
responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
  required: [saved], properties: {saved: {type: boolean}}}}}}}
"""


def operation(verb: str, path: str, inner: str) -> str:
    """An operation of a contract."""
    lines = "".join(f"    {line}\n" for line in inner.strip("\n").splitlines())
    return f"{path}:\n  {verb}:\n{lines}"


# --------------------------------------------------------------------- bodies that may be left out


@pytest.mark.parametrize(
    ("statements", "is_needed"),
    [
        ("const minutes = body?.minutes ?? 5; return { saved: minutes > 0 };", False),
        ("return { saved: (body ?? {}).minutes === 3 };", False),
        ("if (body) { return { saved: body.minutes > 0 }; } return { saved: false };", False),
        ("return { saved: !!(body && body.minutes) };", False),
        ("return { saved: true };", False),
        ("return { saved: body.minutes > 0 };", False),
        ("if (!body) { throw new BadRequestException(); } return { saved: true };", False),
        ("return { saved: this.service.save(body) };", False),
    ],
)
def test_a_nest_body_that_no_pipe_checks_is_not_said_to_be_needed(
    tmp_path: Path, statements: str, is_needed: bool
) -> None:
    """Where a request has none, the parser of bodies gives Express 4 an empty object."""
    source = f"""
        import {{ BadRequestException, Body, Controller, HttpCode, Post }} from '@nestjs/common';
        @Controller('pauses')
        export class PausesController {{
          constructor(private readonly service: any) {{}}
          @Post()
          @HttpCode(200)
          pause(@Body() body: {{ minutes?: number }}) {{ {statements} }}
        }}
    """
    found = judged(tmp_path, {"pauses.ts": source}, operation("post", "/pauses", SAVED))
    needed = [f for f in found.findings if "shape" in f]
    assert bool(needed) is is_needed


def test_a_nest_body_that_a_pipe_checks_is_needed(tmp_path: Path) -> None:
    source = """
        import { Body, Controller, HttpCode, Post, UsePipes, ValidationPipe } from '@nestjs/common';
        import { IsInt } from 'class-validator';
        class Pause { @IsInt() minutes!: number; }
        @Controller('pauses')
        @UsePipes(new ValidationPipe())
        export class PausesController {
          @Post()
          @HttpCode(200)
          pause(@Body() body: Pause) { return { saved: body.minutes > 0 }; }
        }
    """
    found = judged(tmp_path, {"pauses.ts": source}, operation("post", "/pauses", SAVED))
    assert found.findings == ["POST /pauses shape"]


# --------------------------------------------------------------------- replaced senders


WIDTH = """
responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
  required: [width], properties: {width: {type: %s}}}}}}}
"""


@pytest.mark.parametrize(
    ("sent", "is_same"),
    [
        ("original.call(this, JSON.parse(JSON.stringify(body)))", True),
        ("original.apply(this, [JSON.parse(JSON.stringify(body))])", True),
        ("original.call(this, structuredClone(body))", True),
        ("original.call(this, plain(body))", True),
        ("original.call(this, copy)", True),
        ("original.call(this, wrapped(body))", False),
        ("original.call(this, { data: body })", False),
        ("original.call(this, JSON.stringify(body))", False),
        ("original.call(this, imported(body))", False),
    ],
)
def test_a_sender_that_sends_the_same_json_changes_nothing(
    tmp_path: Path, sent: str, is_same: bool
) -> None:
    source = f"""
        import express from 'express';
        import {{ imported }} from 'elsewhere';
        function plain(value: any) {{ return JSON.parse(JSON.stringify(value)); }}
        function wrapped(value: any) {{ return {{ data: value }}; }}
        const app = express();
        app.use((_req, res, next) => {{
          const original = res.json;
          res.json = function (body: any) {{
            const copy = plain(body);
            return {sent};
          }};
          next();
        }});
        app.get('/lanes', (_req, res) => {{ res.json({{ width: 3 }}); }});
        app.get('/lanes/old', (_req, res) => {{ res.json({{ width: 2 }}); }});
    """
    paths = operation("get", "/lanes", WIDTH % "integer") + operation(
        "get", "/lanes/old", WIDTH % "string"
    )
    found = judged(tmp_path, {"main.ts": source}, paths)
    if is_same:
        assert found == Judged(["GET /lanes/old type: width"], [], 1)
    else:
        assert (found.findings, found.undetermined) == ([], ["GET /lanes", "GET /lanes/old"])


# --------------------------------------------------------------------- valibot


TOOL = """
requestBody: {required: true, content: {application/json: {schema: {type: object,
  required: [tool], properties: {tool: %s}}}}}
responses: {'204': {description: ok}}
"""


@pytest.mark.parametrize(
    ("schema", "innocent", "guilty"),
    [
        ("v.string()", "{type: string}", "{type: integer}"),
        ("v.pipe(v.number(), v.integer())", "{type: integer}", "{type: number}"),
        ("v.pipe(v.string(), v.email())", "{type: string, format: email}", "{type: boolean}"),
        ("v.nullable(v.boolean())", "{type: boolean, nullable: true}", "{type: string}"),
        ("v.array(v.number())", "{type: array, items: {type: number}}", "{type: number}"),
        ("v.picklist(['a', 'b'])", "{type: string, enum: [a, b]}", "{type: string, enum: [c]}"),
        ("v.literal('a')", "{type: string, enum: [a]}", "{type: string, enum: [b]}"),
        ("v.union([v.string(), v.number()])", "{type: string}", "{type: boolean}"),
        ("v.pipe(v.string(), v.transform(Number))", "{type: string}", "{type: boolean}"),
        (
            "v.partial(v.object({ size: v.number() }))",
            "{type: object, properties: {size: {type: number}}}",
            "{type: object, properties: {size: {type: string}}}",
        ),
        (
            "v.pick(v.object({ size: v.number(), name: v.string() }), ['size'])",
            "{type: object, required: [size], properties: {size: {type: number}}}",
            "{type: object, required: [size], properties: {size: {type: string}}}",
        ),
        (
            "v.record(v.string(), v.number())",
            "{type: object, additionalProperties: {type: number}}",
            "{type: object, additionalProperties: {type: string}}",
        ),
        (
            "v.intersect([v.object({ a: v.number() }), v.object({ b: v.number() })])",
            "{type: object, required: [a, b], properties: {a: {type: number}, b: {type: number}}}",
            "{type: object, required: [a, b], properties: {a: {type: number}, b: {type: string}}}",
        ),
    ],
)
def test_valibot_schemas_say_what_is_accepted(
    tmp_path: Path, schema: str, innocent: str, guilty: str
) -> None:
    source = f"""
        import express from 'express';
        import * as v from 'valibot';
        const Tool = v.object({{ tool: {schema} }});
        const app = express();
        app.use(express.json());
        app.post('/tools', (req, res) => {{
          const tool = v.parse(Tool, req.body);
          res.status(204).end();
        }});
    """
    files = {"main.ts": source}
    assert judged(tmp_path / "a", files, operation("post", "/tools", TOOL % innocent)) == Judged(
        [], [], 1
    )
    found = judged(tmp_path / "b", files, operation("post", "/tools", TOOL % guilty)).findings
    assert [f for f in found if f.startswith("POST /tools")] != []


@pytest.mark.parametrize(
    ("imports", "parse"),
    [
        ("import * as v from 'valibot'", "const t = v.parse(Tool, req.body);"),
        ("import * as v from 'valibot'", "const t = v.safeParse(Tool, req.body);"),
        (
            "import * as v from 'valibot';\nimport { parse } from 'valibot'",
            "const t = parse(Tool, req.body);",
        ),
        ("import * as v from 'valibot'", "const t = await v.parseAsync(Tool, req.body);"),
    ],
)
def test_valibot_checks_the_second_argument_by_the_first(
    tmp_path: Path, imports: str, parse: str
) -> None:
    source = f"""
        import express from 'express';
        {imports};
        const Tool = v.object({{ tool: v.number(), note: v.optional(v.string(), 'none') }});
        const app = express();
        app.use(express.json());
        app.post('/tools', async (req, res) => {{ {parse} res.status(204).end(); }});
    """
    paths = operation("post", "/tools", TOOL % "{type: string}")
    assert judged(tmp_path, {"main.ts": source}, paths).findings == ["POST /tools type: tool"]


# --------------------------------------------------------------------- statuses behind filters


NET = """
responses: {'404': {description: none}, '200': {description: ok, content: {application/json:
  {schema: {type: object, required: [size], properties: {size: {type: integer}}}}}}}
"""
FILTER = """
        @Catch()
        export class AllFilter {
          catch(exception: unknown, host: any) {
            const response = host.switchToHttp().getResponse();
            %s
          }
        }
"""


@pytest.mark.parametrize(
    ("filter", "is_kept"),
    [
        ("", True),
        (
            "const status = exception instanceof HttpException ? exception.getStatus() : 500;"
            "response.status(status).json({});",
            True,
        ),
        (
            "let status = 500; if (exception instanceof HttpException)"
            " { status = exception.getStatus(); } response.status(status).json({});",
            True,
        ),
        ("response.status((exception as HttpException).getStatus()).json({});", True),
        ("response.status(500).json({});", False),
        ("response.status(statusOf(exception)).json({});", False),
        ("const status = 418; response.status(status).json({});", False),
    ],
)
@pytest.mark.parametrize(
    "thrown",
    [
        "new HttpException('no', HttpStatus.FORBIDDEN)",
        "new ForbiddenException()",
        "new Refused()",
        "new RefusedFor('a reason')",
    ],
)
def test_errors_keep_their_status_where_the_filter_keeps_it(
    tmp_path: Path, filter: str, is_kept: bool, thrown: str
) -> None:
    written = FILTER % filter if filter else ""
    source = f"""
        import {{ Catch, Controller, ForbiddenException, Get, HttpException, HttpStatus, Query }}
          from '@nestjs/common';
        import {{ statusOf }} from './elsewhere';
        class Refused extends HttpException {{
          constructor() {{ super('refused', HttpStatus.FORBIDDEN); }}
        }}
        class RefusedFor extends HttpException {{
          constructor(reason: string, status = 403) {{ super(reason, status); }}
        }}
        {written}
        @Controller('nets')
        export class NetsController {{
          @Get()
          one() {{
            if (Math.random() > 1) {{ throw {thrown}; }}
            return {{ size: Math.floor(3) }};
          }}
        }}
    """
    found = judged(tmp_path, {"nets.ts": source}, operation("get", "/nets", NET))
    assert found.findings == (["GET /nets status (note)"] if is_kept else [])


def test_a_factory_of_handlers_sends_what_its_schemas_let_through(tmp_path: Path) -> None:
    files = {
        "package.json": '{"dependencies": {"next": "14.2.3", "zod": "^3.23.8"}}',
        "lib/createRoute.ts": """
            import type { NextApiRequest, NextApiResponse } from 'next';
            import type { z, ZodType } from 'zod';
            type RouteConfig<R extends ZodType<any>> = {
              name: string;
              responseSchema: R;
              successStatusCode?: number;
              fn: (input: { req: NextApiRequest }) => Promise<z.infer<R>>;
            };
            export const createRoute = <R extends ZodType<any>>(config: RouteConfig<R>) => {
              return async (req: NextApiRequest, res: NextApiResponse) => {
                const response = await config.fn({ req });
                res.status(config.successStatusCode || 200)
                  .json(config.responseSchema.parse(response));
              };
            };
            """,
        "lib/methods.ts": """
            import type { NextApiHandler, NextApiRequest, NextApiResponse } from 'next';
            export const methods = (handlers: { GET?: NextApiHandler; POST?: NextApiHandler }) => {
              return async (req: NextApiRequest, res: NextApiResponse) => {
                const handler = handlers[req.method as 'GET' | 'POST'];
                if (!handler) {
                  return res.status(405).end();
                }
                return await handler(req, res);
              };
            };
            """,
        "pages/api/spans.ts": """
            import { z } from 'zod';
            import { createRoute } from '../../lib/createRoute';
            import { methods } from '../../lib/methods';
            export default methods({
              GET: createRoute({
                name: 'list', responseSchema: z.object({ count: z.number().int() }),
                fn: async () => ({ count: 2 }),
              }),
              POST: createRoute({
                name: 'add', responseSchema: z.object({ id: z.string() }),
                successStatusCode: 201, fn: async () => ({ id: 'x' }),
              }),
            });
            """,
    }
    paths = """
        /api/spans:
          get:
            responses: {'200': {description: ok, content: {application/json: {schema: {
              type: object, required: [count], properties: {count: {type: string}}}}}}}
          post:
            responses: {'201': {description: ok, content: {application/json: {schema: {
              type: object, required: [id], properties: {id: {type: string}}}}}}}
    """
    said = judged(tmp_path, files, paths)
    assert said.findings == ["GET /api/spans type: count"]
    assert said.verified == 1
    assert said.undetermined == []


# --------------------------------------------------------------------- tables of routes


@pytest.mark.parametrize(
    "loop",
    [
        "allRoutes.forEach((route) => {{ {statements} }});",
        "for (const route of allRoutes) {{ {statements} }}",
        "for (const route of first.concat(second)) {{ {statements} }}",
        "for (const route of [first, second].flat()) {{ {statements} }}",
    ],
)
def test_routes_that_a_loop_registers_from_joined_tables(tmp_path: Path, loop: str) -> None:
    statements = """
        const version = (route as { version?: string }).version ?? "v1";
        const path = `/${version}${route.path}`;
        router[route.method](path, route.handler);
    """
    table = """
        import express, { Router } from 'express';
        import { first } from './first';
        const spec = { method: 'post' as const, path: '/projects', version: 'v2' };
        function route<V>(validator: V) {
          return (handler: (req: unknown) => unknown) => ({ ...validator,
            handler: (req: express.Request, res: express.Response) => {
              res.status(201).json(handler(req)); } });
        }
        const second = [route(spec)(() => ({ id: 1 }))];
        const allRoutes = [...first, ...second];
        const router = Router();
        LOOP
        const app = express();
        app.use('/api', router);
    """
    first = """
        export const first = [{ method: 'get' as const, path: '/features',
          handler: (req, res) => res.json({ id: 'a' }) }];
    """
    answer = "{description: ok, content: {application/json: {schema: {type: object, "
    answer += "properties: {id: {type: string}}}}}}"
    paths = f"""
        /api/v1/features: {{get: {{responses: {{'200': {answer}}}}}}}
        /api/v2/projects: {{post: {{responses: {{'201': {answer}}}}}}}
        /api/v1/projects: {{post: {{responses: {{'201': {answer}}}}}}}
    """
    source = table.replace("LOOP", loop.format(statements=statements))
    found = judged(tmp_path, {"app.ts": source, "first.ts": first}, paths)
    assert found.findings == [
        "POST /api/v1/projects missing-endpoint",
        "POST /api/v2/projects type: id",
    ]


# --------------------------------------------------------------------- catch-alls and refusals


def test_a_catch_all_answers_a_contract_that_has_no_other_route(tmp_path: Path) -> None:
    source = """
        import { Hono } from 'hono';
        import { dispatch } from './elsewhere';
        const app = new Hono();
        app.get('/items', (c) => c.json({ saved: 1 }));
        app.all('/rpc/*', async (c) => dispatch(c));
        app.put('/markdown', (c) => c.text('Method Not Allowed', 405));
        app.put('/page', (c) => c.text('Made', 201));
        export default app;
    """
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "package.json").write_text('{"dependencies": {"hono": "4"}}')
    (tmp_path / "src" / "app.ts").write_text(source)
    (tmp_path / "src" / "rpc.yaml").write_text(CONTRACT % "/rpc/health.v1.Health/Check")
    (tmp_path / "src" / "openapi.yaml").write_text(CONTRACT % "/items")
    report = scan(tmp_path / "src", cache=False)
    told = [(f.kind, f.operation.path if f.operation else "") for f in report.findings]
    assert sorted(told) == [("type", "/items"), ("undocumented-endpoint", "/page")]
    assert [
        u.reason for u in report.undetermined if u.operation and "/rpc" in u.operation.path
    ] == ["`* /rpc/{wildcard*}` answers every path below it"]


CONTRACT = """
openapi: 3.0.3
info: {title: t, version: "1"}
paths:
  %s:
    get:
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
        properties: {saved: {type: boolean}}}}}}}
"""


# --------------------------------------------------------------------- results behind interfaces


@pytest.mark.parametrize(
    ("constructor", "argument"),
    [
        ("constructor(orders: IOrders) { this.orders = orders; }", "new Orders()"),
        (
            "constructor({ orders }: { orders: IOrders }) { this.orders = orders; }",
            "{ orders: new Orders() }",
        ),
    ],
)
def test_what_the_one_class_behind_an_interface_sets_is_there(
    tmp_path: Path, constructor: str, argument: str
) -> None:
    source = f"""
        import express from 'express';
        interface Order {{ id: string; paid?: boolean; note?: string; }}
        interface IOrders {{ pay(id: string): Promise<Order>; }}
        class Orders implements IOrders {{
          private ofRow = (row: any): Order => {{
            return {{ id: row.id, paid: row.paid ?? false }};
          }};
          pay = async (id: string) => {{
            const row = await rows.findOne({{ id }});
            if (!row) {{ throw new Error('none'); }}
            return this.ofRow(row);
          }};
        }}
        class Payments {{
          private orders: IOrders;
          {constructor}
          pay = async (id: string): Promise<Order> => {{
            const order = await this.orders.pay(id);
            if (order.paid) {{ console.log(order); }}
            return order;
          }};
        }}
        const payments = new Payments({argument});
        const app = express();
        app.post('/pay/:id', async (req, res) => {{
          res.json(await payments.pay(req.params.id));
        }});
    """
    paths = """
        /pay/{id}:
          post:
            parameters: [{name: id, in: path, required: true, schema: {type: string}}]
            responses: {'200': {description: ok, content: {application/json: {schema: {
              type: object, required: [id, paid, note], properties: {id: {type: string},
              paid: {type: boolean}, note: {type: string}}}}}}}
    """
    found = judged(tmp_path, {"app.ts": source}, paths)
    assert found.findings == ["POST /pay/{id} missing-field: note"]


def test_what_may_be_undefined_is_not_there_for_certain(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        interface Order { id: string; note?: string; }
        function ofRow(row: any): Order { return { id: row.id, note: row.note ?? undefined }; }
        const app = express();
        app.get('/orders/1', (req, res) => res.json(ofRow(load())));
    """
    paths = """
        /orders/1:
          get:
            responses: {'200': {description: ok, content: {application/json: {schema: {
              type: object, required: [id, note], properties: {id: {type: string},
              note: {type: string}}}}}}}
    """
    found = judged(tmp_path, {"app.ts": source}, paths)
    assert (found.verified, found.undetermined) == (0, ["GET /orders/1 note"])


# --------------------------------------------------------------------- kinds that nothing tells

MEMBER = """
responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
  required: [member], properties: {member: {type: boolean}}}}}}}
"""
GROUPS = """
    const groups = module.exports;
    groups.isMember = async function (user, name) { return name === 'admins'; };
    groups.areMembers = async function (users, name) { return users.map(() => name === 'admins'); };
"""


@pytest.mark.parametrize(
    ("given", "asked", "said"),
    [
        ("request.user", "groups[Array.isArray(user) ? 'areMembers' : 'isMember']", "open"),
        ("request.user", "(Array.isArray(user) ? groups.areMembers : groups.isMember)", "open"),
        ("['ann']", "groups[Array.isArray(user) ? 'areMembers' : 'isMember']", "violated"),
        ("request.user", "groups.areMembers", "violated"),
        ("request.user", "groups.isMember", "verified"),
    ],
)
def test_a_function_chosen_by_the_kind_of_an_unknown_argument_is_not_told_as_both(
    tmp_path: Path, given: str, asked: str, said: str
) -> None:
    source = f"""
        const express = require('express');
        const groups = require('./groups');
        const app = express();
        async function isIn(user, name) {{ return await {asked}(user, name); }}
        app.get('/members', async (request, response) => {{
          response.json({{ member: await isIn({given}, 'admins') }});
        }});
        app.listen(8080);
    """
    files = {"app.js": source, "groups.js": GROUPS}
    found = judged(tmp_path, files, operation("get", "/members", MEMBER))
    assert (
        found
        == {
            "open": Judged([], ["GET /members member"], 0),
            "violated": Judged(["GET /members shape: member"], [], 0),
            "verified": Judged([], [], 1),
        }[said]
    )


OWN_ID = """
responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
  required: [id], properties: {id: {type: integer}}}}}}}
"""


@pytest.mark.parametrize(
    ("signed_in", "said"),
    [
        (
            "function finish(request, user) { request.own = parseInt(user.id, 10); }"
            "exports.signIn = (request, response, next) => { finish(request, read()); next(); };",
            Judged([], ["GET /own id"], 0),
        ),
        (
            "exports.signIn = (request, response, next) => { request.own = 7; next(); };",
            Judged([], ["GET /own id"], 0),
        ),
        (
            "exports.signIn = (request, response, next) => next();",
            Judged(["GET /own type: id"], [], 0),
        ),
    ],
)
def test_what_middleware_puts_on_requests_is_open_where_others_put_another_kind_there(
    tmp_path: Path, signed_in: str, said: Judged
) -> None:
    """What one middleware puts there need not be what a handler finds: it may stand before other
    routes alone."""
    middleware = f"""
        {signed_in}
        exports.checkSignature = (request, response, next) => {{
          request.own = String(request.headers.signature);
          next();
        }};
    """
    app = """
        const express = require('express');
        const { signIn, checkSignature } = require('./middleware');
        const app = express();
        app.use(signIn);
        app.get('/own', (request, response) => response.json({ id: request.own }));
        app.post('/inbox', checkSignature, (request, response) => response.status(204).end());
        app.listen(8080);
    """
    files = {"app.js": app, "middleware.js": middleware}
    contract = operation("get", "/own", OWN_ID) + operation(
        "post", "/inbox", "responses: {'204': {description: ok}}"
    )
    found = judged(tmp_path, files, contract)
    assert (found.findings, found.undetermined) == (said.findings, said.undetermined)
