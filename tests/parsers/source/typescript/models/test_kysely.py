"""What queries of Kysely give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SCHEMA = """
    import type {
      ColumnType, Generated, GeneratedAlways, Insertable, JSONColumnType, Selectable
    } from 'kysely';

    export interface OrdersTable {
      id: Generated<number>;
      number: GeneratedAlways<string>;
      at: ColumnType<Date, string | undefined, never>;
      note: string | null;
      settings: JSONColumnType<{ dark: boolean }>;
      customer_id: number;
    }
    export interface CustomersTable { id: Generated<number>; name: string; mail: string | null }
    export interface Database { orders: OrdersTable; customers: CustomersTable }
    export type Order = Selectable<OrdersTable>;
    export type NewOrder = Insertable<OrdersTable>;
"""

DB = """
    import { Kysely, PostgresDialect } from 'kysely';
    import type { Database } from './schema';
    export type Connection = Kysely<Database>;
    export const db = new Kysely<Database>({ dialect: new PostgresDialect({}) });
"""

ORDER = (
    "{id: numeric, number: string, at: string(date-time), note: string?, "
    "settings: {dark: boolean}, customer_id: numeric}"
)
CUSTOMER = "{id: numeric, name: string, mail: string?}"


def _response_schema(root: Path, body: str) -> str:
    app = """
        import express from 'express';
        import { sql, type Kysely, type Transaction } from 'kysely';
        import { db, type Connection } from './db';
        import type { Database, Order } from './schema';

        class Orders {
          constructor(private readonly connection: Connection) {}
          first(id: number) {
            return this.connection.selectFrom('orders').where('id', '=', id).selectAll()
              .executeTakeFirstOrThrow();
          }
        }
        async function names(trx: Transaction<Database>) {
          return trx.selectFrom('customers').select('name').execute();
        }
        const brief = (order: Order) => ({ id: order.id, note: order.note });
        const app = express();
        app.get('/', async (req, res) => { %s });
    """
    files = {"schema.ts": SCHEMA, "app.ts": app % body, "db.ts": DB}
    return Project(root, files).responses("GET /")["200*"]


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("res.json(await db.selectFrom('orders').selectAll().execute());", f"[{ORDER}]"),
        (
            "res.json(await db.selectFrom('customers').selectAll().orderBy('name').limit(1)"
            ".executeTakeFirstOrThrow());",
            CUSTOMER,
        ),
        (
            "const one = await db.selectFrom('customers').selectAll().executeTakeFirst();"
            "if (!one) { res.status(404).end(); return; } res.json(one);",
            CUSTOMER,
        ),
        (
            "res.json(await db.selectFrom('orders as o').innerJoin('customers as c', 'c.id', "
            "'o.customer_id').select(['o.id', 'c.name as customer']).execute());",
            "[{id: numeric, customer: string}]",
        ),
        # Whether a joined row is there, no type tells.
        (
            "res.json(await db.selectFrom('orders as o').leftJoin('customers as c', 'c.id', "
            "'o.customer_id').select(['c.name', 'c.mail']).execute());",
            "[{name: string~, mail: string?}]",
        ),
        (
            "res.json(await db.selectFrom('orders').innerJoin('customers', 'customers.id', "
            "'customer_id').selectAll('customers').execute());",
            f"[{CUSTOMER}]",
        ),
        # What `where` compares is no null.
        (
            "res.json(await db.selectFrom('customers').where('mail', '=', 'a@b').select('mail')"
            ".execute());",
            "[{mail: string}]",
        ),
        (
            "res.json(await db.selectFrom('customers').where('mail', 'is not', null)"
            ".select('mail').execute());",
            "[{mail: string}]",
        ),
        (
            "res.json(await db.selectFrom('customers').where('mail', 'is', null)"
            ".select('mail').execute());",
            "[{mail: string?}]",
        ),
        # A row that was written holds what was written.
        (
            "res.json(await db.insertInto('customers').values({ name: 'a', mail: 'a@b' })"
            ".returningAll().executeTakeFirstOrThrow());",
            "{id: numeric, name: string, mail: string}",
        ),
        (
            "res.json(await db.updateTable('customers').set({ name: 'a' }).where('id', '=', 1)"
            ".returning(['id', 'mail']).executeTakeFirstOrThrow());",
            "{id: numeric, mail: string?}",
        ),
        (
            "res.json(await db.transaction().execute(async (trx) => "
            "trx.selectFrom('customers').select('name').execute()));",
            "[{name: string}]",
        ),
        ("res.json(await db.transaction().execute((trx) => names(trx)));", "[{name: string}]"),
        ("res.json(await new Orders(db).first(1));", ORDER),
        ("res.json((await load()).map(brief));", "[{id: numeric, note: string?}]"),
        # What is computed is left open, and so is a table that no interface has.
        (
            "res.json(await db.selectFrom('customers').select(['id']).select((eb) => "
            "eb.fn.countAll().as('n')).execute());",
            "[{id: numeric, ...}]",
        ),
        ("res.json(await db.selectFrom('others').selectAll().execute());", "[unknown]"),
        (
            "res.json(await db.with('x', (q) => q).selectFrom('x').selectAll().execute());",
            "unknown",
        ),
    ],
)
def test_rows_that_queries_give(tmp_path: Path, body: str, sent: str) -> None:
    assert _response_schema(tmp_path, body) == sent
