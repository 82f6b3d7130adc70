"""Handlers that parse their body by one of several schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import judged

PATHS = """
    /orders:
      post:
        requestBody: {required: true, content: {application/json: {schema: {type: object,
          required: [%s], properties: {%s: {type: string}}}}}}
        responses: {'204': {description: ok}}
"""
OTHER = "const b = B.parse(req.body); return res.status(204).end();"


@pytest.mark.parametrize(
    "statements",
    [
        "if (isNew(req)) { const a = A.parse(req.body); return res.status(204).end(); }" + OTHER,
        "if (isNew(req)) { A.parse(req.body); } else { B.parse(req.body); } res.status(204).end();",
        "if (isNew(req)) { if (!A.safeParse(req.body).success) { throw new Error('a'); }"
        " res.status(204).end(); return; }" + OTHER,
        "switch (req.headers.kind) { case 'a': A.parse(req.body); break;"
        " case 'b': B.parse(req.body); break; } res.status(204).end();",
    ],
)
def test_schemas_on_paths_of_their_own_are_alternatives(tmp_path: Path, statements: str) -> None:
    source = {
        "main.ts": f"""
            import express from 'express';
            import {{ z }} from 'zod';
            import {{ isNew }} from 'elsewhere';
            const A = z.object({{ a: z.string() }});
            const B = z.object({{ b: z.string() }});
            const app = express();
            app.use(express.json());
            app.post('/orders', (req, res) => {{ {statements} }});
        """
    }
    assert judged(tmp_path / "a", source, PATHS % ("a", "a")).undetermined == []
    assert judged(tmp_path / "b", source, PATHS % ("b", "b")).findings == []
    guilty = judged(tmp_path / "c", source, PATHS % ("c", "c"))
    assert any(finding.startswith("POST /orders") for finding in guilty.findings)


@pytest.mark.parametrize(
    "statements",
    [
        "A.parse(req.body); B.parse(req.body); res.status(204).end();",
        "if (isNew(req)) { A.parse(req.body); } B.parse(req.body); res.status(204).end();",
        "for (const one of [1, 2]) { if (isNew(req)) { A.parse(req.body); }"
        " else { B.parse(req.body); } } res.status(204).end();",
    ],
)
def test_schemas_that_may_both_be_asked_are_no_alternatives(
    tmp_path: Path, statements: str
) -> None:
    source = {
        "main.ts": f"""
            import express from 'express';
            import {{ z }} from 'zod';
            import {{ isNew }} from 'elsewhere';
            const A = z.object({{ a: z.string() }});
            const B = z.object({{ b: z.string() }});
            const app = express();
            app.use(express.json());
            app.post('/orders', (req, res) => {{ {statements} }});
        """
    }
    found = judged(tmp_path, source, PATHS % ("a", "a"))
    assert (found.findings, found.undetermined) == ([], ["POST /orders"])


# --------------------------------------------------------------------- schemas that convert


READ_WIDER = """
    /orders:
      post:
        requestBody: {required: true, content: {application/json: {schema: {type: object,
          required: [since, count, title, kind], properties: {since: {type: string, format: date},
          at: {type: integer}, count: {type: integer}, title: {type: string},
          kind: {type: integer}}}}}}
        responses: {'204': {description: ok}}
"""
NEST = """
    import {{ Body, Controller, HttpCode, Module, Post, ValidationPipe }} from '@nestjs/common';
    import {{ NestFactory }} from '@nestjs/core';
    import {{ Type }} from 'class-transformer';
    import {{ IsDate, IsInt, IsOptional, IsString }} from 'class-validator';
    class Order {{
      @IsDate() {typed} since!: Date;
      @IsOptional() @IsDate() {typed} at?: Date;
      @IsInt() count!: number;
      @IsInt() title!: number;
      @IsString() kind!: string;
    }}
    @Controller('orders')
    class Orders {{ @Post() @HttpCode(204) add(@Body() order: Order) {{}} }}
    @Module({{ controllers: [Orders] }})
    class App {{}}
    async function start() {{
      const app = await NestFactory.create(App);
      app.useGlobalPipes(new ValidationPipe({{ transform: true{options} }}));
      await app.listen(80);
    }}
"""
READERS = {
    "zod": """
        import express from 'express';
        import { z } from 'zod';
        const Order = z.object({ since: z.coerce.date(), at: z.coerce.date().optional(),
          count: z.coerce.number().int(), title: z.number(), kind: z.coerce.string() });
        const app = express();
        app.post('/orders', (req, res) => { Order.parse(req.body); res.status(204).end(); });
    """,
    "joi": """
        import express from 'express';
        import Joi from 'joi';
        const Order = Joi.object({ since: Joi.date().required(), at: Joi.date(),
          count: Joi.number().integer().required(), title: Joi.number().strict().required(),
          kind: Joi.number().required() });
        const app = express();
        app.post('/orders', (req, res) => {
          const { error } = Order.validate(req.body); res.status(204).end(); });
    """,
    "nest types": NEST.format(typed="@Type(() => Date)", options="").replace(
        "@IsString() kind!: string", "@IsInt() kind!: number"
    ),
    "nest conversion": NEST.format(
        typed="", options=", transformOptions: { enableImplicitConversion: true }"
    ).replace("title!: number", "title!: string[]"),
    "fastify": """
        import fastify from 'fastify';
        const app = fastify();
        app.post('/orders', { schema: { body: { type: 'object', properties: {
          since: { type: 'string' }, at: { type: 'string' }, count: { type: 'integer' },
          title: { type: 'array', items: { type: 'string' } }, kind: { type: 'string' } } } } },
          async (request, reply) => { reply.code(204).send(); });
    """,
}


@pytest.mark.parametrize("library", READERS)
def test_what_a_schema_converts_it_reads(tmp_path: Path, library: str) -> None:
    found = judged(tmp_path, {"main.ts": READERS[library]}, READ_WIDER)
    assert [f.partition(": ")[2] for f in found.findings] == ["title"]


def test_a_text_that_a_schema_makes_a_number_of_is_not_decided(tmp_path: Path) -> None:
    found = judged(tmp_path, {"main.ts": READERS["joi"].replace(".strict()", "")}, READ_WIDER)
    assert found.findings == []
    assert found.undetermined == ["POST /orders title"]


def test_what_a_coerced_field_is_sent_as_is_its_own_type(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        import { z } from 'zod';
        const Order = z.object({ since: z.coerce.date(), total: z.coerce.number() });
        const app = express();
        app.get('/orders', (req, res) => { res.json(Order.parse(load())); });
    """
    paths = """
        /orders:
          get:
            responses: {'200': {description: ok, content: {application/json: {schema: {
              type: object, properties: {since: {type: string, format: date},
              total: {type: number}}}}}}}
    """
    found = judged(tmp_path, {"main.ts": source}, paths)
    assert found.findings == ["GET /orders type: since"]


def test_what_a_schema_catches_takes_every_value(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        import { z } from 'zod';
        const Order = z.object({ a: z.number().catch(1), b: z.number().default(1) });
        const app = express();
        app.post('/orders', (req, res) => { Order.parse(req.body); res.status(204).end(); });
    """
    assert judged(tmp_path / "a", {"main.ts": source}, PATHS % ("a", "a")).findings == []
    found = judged(tmp_path / "b", {"main.ts": source}, PATHS % ("b", "b"))
    assert found.findings == ["POST /orders type: b"]


# ------------------------------------------------------------- keys that a schema does not name


NOTES = """
    /notes:
      post:
        requestBody: {required: true, content: {application/json: {schema: {type: object,
          required: [text], properties: {text: {type: string}, extra: {type: string}}}}}}
        responses: {'204': {description: ok}}
"""
REFUSED = ["POST /notes missing-field: extra"]
OPEN = ["POST /notes extra"]


@pytest.mark.parametrize(
    ("server", "validate", "findings", "undetermined"),
    [
        ("", "payload: Joi.object({ text })", REFUSED, []),
        ("", "payload: { text }", REFUSED, []),
        ("", "payload: Joi.object({ text }).options({ abortEarly: false })", REFUSED, []),
        ("", "payload: Joi.object({ text }).unknown().unknown(false)", REFUSED, []),
        ("", "payload: Joi.object({ text }), failAction: (r, h, e) => { throw e; }", REFUSED, []),
        ("", "payload: Joi.object({ text }), options: { allowUnknown: false }", REFUSED, []),
        # What lets keys through, or leaves them out.
        ("", "payload: Joi.object({ text }).unknown()", [], []),
        ("", "payload: Joi.object({ text }).options({ allowUnknown: true })", [], []),
        ("", "payload: Joi.object({ text }), options: { stripUnknown: true }", [], []),
        ("", "payload: Joi.object({ text }), failAction: 'log'", [], []),
        ("routes: { validate: { options: { allowUnknown: true } } }", "payload: { text }", [], []),
        # What may do so.
        ("", "payload: Joi.object({ text }).options(settings)", [], ["POST /notes"]),
        ("", "payload: Own.object({ text })", [], OPEN),
        ("", "payload: Joi.object({ text }), options: settings", [], OPEN),
        ("", "payload: Joi.object({ text }), failAction: (r, h, e) => fail(e)", [], OPEN),
        ("routes: { validate: { options: settings() } }", "payload: { text }", [], OPEN),
        ("...settings", "payload: { text }", [], OPEN),
    ],
)
def test_keys_that_a_joi_schema_of_hapi_does_not_name(
    tmp_path: Path, server: str, validate: str, findings: list[str], undetermined: list[str]
) -> None:
    source = f"""
        const Hapi = require('@hapi/hapi');
        const Joi = require('joi');
        const {{ settings, fail }} = require('elsewhere');
        const Own = Joi.defaults((schema) => schema.options(settings));
        const server = new Hapi.Server({{ {server} }});
        const text = Joi.string().required();
        server.route({{ method: 'POST', path: '/notes', options: {{ validate: {{ {validate} }} }},
          handler: (request, h) => h.response().code(204) }});
    """
    found = judged(tmp_path, {"server.js": source}, NOTES)
    assert (found.findings, found.undetermined) == (findings, undetermined)
