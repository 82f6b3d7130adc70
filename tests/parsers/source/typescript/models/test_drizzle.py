"""What queries of Drizzle give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SCHEMA = """
    import { relations, InferSelectModel } from 'drizzle-orm';
    import * as pg from 'drizzle-orm/pg-core';
    import {
      pgTable, pgEnum, serial, text, integer, boolean, timestamp, numeric, jsonb, uuid, date, bigint
    } from 'drizzle-orm/pg-core';

    export const status = pgEnum('status', ['open', 'closed']);
    const stamps = { createdAt: timestamp('created_at').defaultNow().notNull() };

    export const customers = pgTable('customers', {
      id: uuid('id').primaryKey().defaultRandom(),
      name: text('name').notNull(),
    });
    export const orders = pgTable('orders', {
      id: serial('id').primaryKey(),
      status: status('status').notNull(),
      kind: text('kind', { enum: ['a', 'b'] }).notNull(),
      note: text(),
      paid: boolean('paid').default(false),
      price: numeric('price').notNull(),
      day: date('day').notNull(),
      tags: text('tags').array().notNull(),
      settings: jsonb('settings').$type<{ dark: boolean }>().notNull(),
      raw: jsonb('raw').notNull(),
      big: bigint('big', { mode: 'number' }).notNull(),
      customerId: uuid('customer_id').notNull().references(() => customers.id),
      ...stamps,
    });
    export const small = pg.pgTable('small', (t) => ({ id: t.integer().notNull(), at: t.time() }));
    export const orderRelations = relations(orders, ({ one, many }) => ({
      customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
    }));
    export const customerRelations = relations(customers, ({ many }) => ({ orders: many(orders) }));
    export type Customer = typeof customers.$inferSelect;
    export type NewOrder = typeof small.$inferInsert;
    export type Small = InferSelectModel<typeof small>;
"""

ORDER = (
    "{id: integer, status: 'open'/'closed', kind: 'a'/'b', note: string?, paid: boolean~, "
    "price: string, day: string(date), tags: [string], settings: {dark: boolean}, raw: unknown, "
    "big: integer, customerId: string(uuid), createdAt: string(date-time)}"
)
CUSTOMER = "{id: string(uuid), name: string}"
NO_ONE = "{id: string(uuid), name: string}?"


def _sent(root: Path, body: str) -> str:
    app = """
        import express from 'express';
        import { count, eq, sql, getTableColumns } from 'drizzle-orm';
        import { db } from './db';
        import { orders, customers, small } from './schema';
        const app = express();
        app.get('/', async (req, res) => { %s });
    """
    files = {"schema.ts": SCHEMA, "app.ts": app % body, "db.ts": DB}
    return Project(root, files).responses("GET /")["200*"]


DB = """
    import { drizzle } from 'drizzle-orm/node-postgres';
    import * as schema from './schema';
    export const db = drizzle(process.env.URL, { schema });
"""


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("res.json(await db.select().from(orders).where(eq(orders.id, 1)));", f"[{ORDER}]"),
        ("const [one] = await db.select().from(customers).limit(1); res.json(one);", CUSTOMER),
        ("const rows = await db.select().from(customers); res.json(rows[0]);", CUSTOMER),
        (
            "res.json((await db.select().from(small)).map((row) => ({ at: row.at, n: 1 })));",
            "[{at: string?, n: 1}]",
        ),
        (
            "const rows = await db.select().from(small); res.json(rows.slice(0, 5));",
            "[{id: integer, at: string?}]",
        ),
        (
            "res.json(await db.select({ no: orders.id, who: { name: customers.name }, "
            "all: count(), odd: sql`1` }).from(orders)"
            ".leftJoin(customers, eq(orders.customerId, customers.id)));",
            "[{no: integer, who: {name: string}, all: integer, odd: unknown}]",
        ),
        (
            "res.json(await db.select({ no: orders.id, who: { name: customers.name } })"
            ".from(orders).leftJoin(customers, eq(orders.note, customers.name)));",
            "[{no: integer, who: {name: string?}~}]",
        ),
        (
            "res.json(await db.select().from(small).leftJoin(customers, eq(small.id, 1)));",
            "[{small: {id: integer, at: string?}, customers: " + NO_ONE + "}]",
        ),
        (
            "res.json(await db.select({ ...getTableColumns(small), more: customers.name })"
            ".from(small).innerJoin(customers, eq(small.id, 1)));",
            "[{id: integer, at: string?, more: string}]",
        ),
        (
            "const [row] = await db.insert(customers).values({ name: 'x' }).returning();"
            "res.json(row);",
            CUSTOMER,
        ),
        (
            "res.json(await db.insert(small).values({ id: 1, at: '10:00' }).returning());",
            "[{id: integer, at: string}]",
        ),
        (
            "res.json(await db.update(small).set({ id: 2 }).returning({ at: small.at }));",
            "[{at: string?}]",
        ),
        ("res.json(await db.delete(customers).where(eq(1, 1)).returning());", f"[{CUSTOMER}]"),
        ("res.json(await db.delete(customers).where(eq(1, 1)));", "unknown"),
        (
            "await db.transaction(async (tx) => { res.json(await tx.select().from(customers)) });",
            f"[{CUSTOMER}]",
        ),
        ("res.json(await db.query.customers.findMany());", f"[{CUSTOMER}]"),
        (
            "const found = await db.query.customers.findFirst({ columns: { name: true }, "
            "with: { orders: { columns: { id: true } } } });"
            "if (!found) throw new Error('x'); res.json(found);",
            "{name: string, orders: [{id: integer}]}",
        ),
        (
            "res.json(await db.query.orders.findMany({ columns: { id: true }, "
            "with: { customer: { columns: { id: false } } } }));",
            "[{id: integer, customer: {name: string}}]",
        ),
        ("res.json(await db.query.orders.findMany({ extras: { x: sql`1` } }));", "[unknown]"),
    ],
)
def test_what_a_query_gives(tmp_path: Path, body: str, sent: str) -> None:
    shown = _sent(tmp_path, body)

    assert shown == sent


def test_types_of_rows(tmp_path: Path) -> None:
    project = Project(tmp_path, {"a.ts": SCHEMA})

    assert project.type("Customer") == CUSTOMER
    assert project.type("NewOrder") == "{id: integer, at?: string?}"
    assert project.type("Small") == "{id: integer, at: string?}"


def test_columns_of_mysql_and_sqlite(tmp_path: Path) -> None:
    code = """
        import { mysqlTable, int, mysqlEnum, datetime, date } from 'drizzle-orm/mysql-core';
        import { sqliteTable, integer, text, blob } from 'drizzle-orm/sqlite-core';
        const one = mysqlTable('one', {
          id: int().primaryKey().autoincrement(),
          kind: mysqlEnum(['x', 'y']),
          at: datetime({ mode: 'string' }).notNull(),
          day: date().notNull(),
        });
        const two = sqliteTable('two', {
          id: integer().primaryKey(),
          done: integer('done', { mode: 'boolean' }).notNull(),
          at: integer({ mode: 'timestamp' }).notNull(),
          data: text({ mode: 'json' }).notNull(),
          bytes: blob().notNull(),
        });
        export type One = typeof one.$inferSelect;
        export type NewOne = typeof one.$inferInsert;
        export type Two = typeof two.$inferSelect;
        export type NewTwo = typeof two.$inferInsert;
    """
    project = Project(tmp_path, {"a.ts": code})

    assert (
        project.type("One") == "{id: integer, kind: 'x'/'y'?, at: string, day: string(date-time)}"
    )
    assert (
        project.type("NewOne")
        == "{id?: integer, kind?: 'x'/'y'?, at: string, day: string(date-time)}"
    )
    assert (
        project.type("Two")
        == "{id: integer, done: boolean, at: string(date-time), data: unknown, bytes: unknown}"
    )
    assert (
        project.type("NewTwo")
        == "{id?: integer, done: boolean, at: string(date-time), data: unknown, bytes: unknown}"
    )


def test_schemas_that_drizzle_zod_makes_of_tables(tmp_path: Path) -> None:
    source = """
        import { pgTable, serial, text, timestamp } from 'drizzle-orm/pg-core';
        import { createInsertSchema, createSelectSchema, createUpdateSchema } from 'drizzle-zod';
        import { z } from 'zod';
        const orders = pgTable('orders', {
          id: serial('id').primaryKey(),
          title: text('title').notNull(),
          note: text('note'),
          made: timestamp('made').notNull().defaultNow(),
        });
        const select = createSelectSchema(orders, { title: z.enum(['a', 'b']) });
        const insert = createInsertSchema(orders, { note: (s) => s.max(9) }).omit({ made: true });
        export type Row = z.infer<typeof select>;
        export type New = z.infer<typeof insert>;
        const update = createUpdateSchema(orders).pick({ title: true });
        const parts = z.object({
          title: insert.shape.title.optional(), note: insert.shape.note, other: update,
        });
        export type Parts = z.infer<typeof parts>;
        const lost = createSelectSchema(anything());
        export type Lost = z.infer<typeof lost>;
    """
    project = Project(tmp_path, {"a.ts": source})
    assert {name: project.type(name) for name in ("Row", "New", "Parts", "Lost")} == {
        "Row": "{id: integer, title: 'a'/'b', note: string?, made: string(date-time)}",
        "New": "{id?: integer, title: string, note?: string?}",
        "Parts": "{title?: string, note?: string?, other: {title?: string}}",
        "Lost": "unknown",
    }
