"""Zod schemas, versions 3 and 4."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SOURCE = """
    import { z } from 'zod';
    import * as ns from 'zod';
    import { Shared } from './shared';
    enum Color { Red = 'red' }
    const base = z.object({ id: z.string().uuid(), n: z.number().int().min(1) });
    const S = {
      scalars: z.object({
        email: z.string().email(), at: z.iso.datetime(), v4: z.email(), date: z.date(),
        coerced: z.coerce.number(), bool: z.boolean(), any: z.any(), nothing: z.null(),
      }),
      presence: z.object({
        optional: z.string().optional(), nullable: z.string().nullable(),
        nullish: z.string().nullish(), defaulted: z.string().default('x'),
        both: z.string().nullable().optional(), caught: z.number().catch(1),
      }),
      literals: z.object({
        lit: z.literal('a'), many: z.literal(['a', 'b']), e: z.enum(['x', 'y']),
        native: z.nativeEnum(Color), own: z.enum(Color), union: z.union([z.string(), z.number()]),
      }),
      containers: z.object({
        array: z.array(z.string()), array2: z.string().array(),
        tuple: z.tuple([z.string(), z.null()]),
        record: z.record(z.string(), z.number()), record3: z.record(z.number()),
        keyed: z.record(z.enum(['a', 'b']), z.boolean()),
      }),
      extended: base.extend({ extra: z.string() }).omit({ n: true }),
      picked: base.pick({ id: true }),
      partial: base.partial(),
      some: base.partial({ n: true }),
      merged: base.merge(z.object({ n: z.string() })).strict(),
      spread: z.object({ ...base.shape, more: base.shape.id }),
      loose: base.passthrough(),
      discriminated: z.discriminatedUnion('t', [
        z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
      both: base.and(z.object({ x: z.string() })),
      transformed: z.object({
        n: z.string().transform((s) => s.length > 1), m: z.preprocess(f, z.int()) }),
      refined: base.refine(() => true).describe('x'),
      lazy: z.object({ inner: z.lazy(() => base) }),
      imported: z.object({ shared: Shared, other: ns.string() }),
    };
    declare function f(x: unknown): unknown;
    const User = z.object({ name: z.string() });
    type User = z.infer<typeof User>;
    const Node = z.object({ name: z.string(), children: z.array(z.lazy(() => Node)) });
    type Node = z.output<typeof Node>;
    class Dto { list: z.infer<typeof User>[] }
"""

BASE = "id: string(uuid), n: integer"

SHAPES = {
    "scalars": (
        "{email: string(email), at: string(date-time), v4: string(email), date: string(date-time), "
        "coerced: numeric, bool: boolean, any~: unknown, nothing: null}"
    ),
    "presence": (
        "{optional?: string, nullable: string?, nullish?: string?, defaulted=: string, "
        "both?: string?, caught=: numeric}"
    ),
    "literals": (
        "{lit: 'a', many: 'a'/'b', e: 'x'/'y', native: 'red', own: 'red', "
        "union: (string | numeric)}"
    ),
    "containers": (
        "{array: [string], array2: [string], tuple: [string, null], record: {*: numeric}, "
        "record3: {*: numeric}, keyed: {a~: boolean, b~: boolean}}"
    ),
    "extended": "{id: string(uuid), extra: string}",
    "picked": "{id: string(uuid)}",
    "partial": "{id?: string(uuid), n?: integer}",
    "some": "{id: string(uuid), n?: integer}",
    "merged": "{id: string(uuid), n: string, *: nothing}",
    "spread": "{" + BASE + ", more: string(uuid)}",
    "loose": "{" + BASE + ", *: anything}",
    "discriminated": "({t: 'a'} | {t: 'b'})",
    "both": "{" + BASE + ", x: string}",
    "transformed": "{n: boolean, m: integer}",
    "refined": "{" + BASE + "}",
    "lazy": "{inner: {" + BASE + "}}",
    "imported": "{shared: {s: string}, other: string}",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    types = "".join(f"type T_{name} = z.infer<typeof S.{name}>;\n" for name in SHAPES)
    return Project(
        tmp_path_factory.mktemp("zod"),
        {
            "a.ts": SOURCE + types,
            "shared.ts": "import z from 'zod'; export const Shared = z.object({ s: z.string() });",
        },
    )


@pytest.mark.parametrize("name", SHAPES)
def test_schemas(project: Project, name: str) -> None:
    assert project.type(f"T_{name}") == SHAPES[name]


def test_a_type_that_bears_the_name_of_its_schema(project: Project) -> None:
    assert project.type("User") == "{name: string}"
    assert project.type("Dto") == "{list: [{name: string}]}"


def test_a_schema_that_holds_itself_is_not_followed_for_ever(project: Project) -> None:
    assert project.type("Node") == "{name: string, children: [unknown]}"


def test_what_a_schema_takes_is_not_what_it_makes_of_it(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import express from 'express';
                import { z } from 'zod';
                const Query = z
                  .object({
                    limit: z.coerce.number().default(20),
                    page: z.preprocess((value) => value ?? 1, z.coerce.number()),
                    sort: z.string().transform((text) => text.length),
                    since: z.string().optional(),
                  })
                  .transform((query) => ({ ...query, since: query.since ?? 'ever' }));
                const app = express();
                app.get('/orders', (req, res) => { Query.parse(req.query); res.json({}) });
            """
        },
    )
    operation = project.operation("GET /orders")
    assert [(p.name, p.required) for p in operation.parameters] == [
        ("limit", False),
        ("page", False),
        ("sort", True),
        ("since", False),
    ]


def test_schemas_are_models(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {"a.ts": "import { z } from 'zod';\nexport const OrderSchema = z.object({ id: z.int() });"},
    )
    assert [
        (model.name, project.shape(model.schema))
        for model in project.code.models(frozenset({"Order"}))
    ] == [("OrderSchema", "{id: integer}")]
