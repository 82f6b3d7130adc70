"""What the models of databases say of a request body whose parts a query stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SCHEMA = """
    model Article {
      id     Int @id @default(autoincrement())
      title  String
      views  Int
      open   Boolean
      at     DateTime?
      price  Decimal
    }
"""
APP = """
    import express from 'express';
    import { PrismaClient } from '@prisma/client';
    import { Schema, model } from 'mongoose';
    import { pgTable, text, integer } from 'drizzle-orm/pg-core';
    import { drizzle } from 'drizzle-orm/node-postgres';
    const db = drizzle(pool);
    const prisma = global.prisma || new PrismaClient();
    const User = model('User', new Schema({ name: String, age: Number, tags: [String] }));
    const users = pgTable('users', { id: integer('id'), name: text('name').notNull() });
    const app = express();
    app.post('/x', async (req, res) => { %s; res.json({}); });
"""
SCALAR = "(string | numeric | boolean)~"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        pytest.param(
            "const { title, views, open, at, price } = req.body; "
            "await prisma.article.create({ data: { title, views, open, at, price } })",
            "{title?: string~, views?: numeric~, open?: boolean~, at?: string~, price?: value~}~",
            id="Prisma",
        ),
        pytest.param(
            "await prisma.article.update({ where: { id: 1 }, data: req.body })",
            "{id~=: numeric, title~=: string, views~=: numeric, open~=: boolean, at~=: string, "
            "...}~",
            id="Prisma, the body as a whole",
        ),
        pytest.param(
            "await prisma.article.create({ data: { title: String(req.body.title) } })",
            "{title?: anything}~",
            id="a value that is converted",
        ),
        pytest.param(
            "await User.create({ name: req.body.name })", f"{{name?: {SCALAR}}}~", id="Mongoose"
        ),
        pytest.param(
            "await new User({ name: req.body.name }).save()",
            f"{{name?: {SCALAR}}}~",
            id="Mongoose, made",
        ),
        pytest.param(
            "await User.findByIdAndUpdate(1, { age: req.body.age })",
            f"{{age?: {SCALAR}}}~",
            id="Mongoose, changed",
        ),
        pytest.param(
            "await db.insert(users).values({ name: req.body.name })",
            f"{{name?: {SCALAR}}}~",
            id="Drizzle",
        ),
        pytest.param(
            "await db.update(users).set({ name: req.body.name })",
            f"{{name?: {SCALAR}}}~",
            id="Drizzle, set",
        ),
        pytest.param(
            "await library.create({ name: req.body.name })", "{name?: value~}~", id="not a model"
        ),
    ],
)
def test_a_query_says_what_it_takes_parts_for(tmp_path: Path, body: str, told: str) -> None:
    project = Project(tmp_path, {"app.ts": APP % body, "prisma/schema.prisma": SCHEMA})
    assert project.request("POST /x") == told
