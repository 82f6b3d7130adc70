"""Defaults of type parameters, where nothing else says what they stand for."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

APP = """
    import express from 'express';
    import { read } from 'store';
    interface Row { id: string }
    class User { name: string }
    class Table<T = Row> {
      async one(): Promise<T> { return read(); }
      async find<Q = T>(query: string, options: { process?: (row: any) => Q } = {}): Promise<Q[]> {
        return read();
      }
    }
    class Users extends Table<User> {}
    async function load<T = Row>(): Promise<T> { return read(); }
    async function given<T = Row>(value: T): Promise<T> { return read(); }
    async function open<T>(): Promise<T> { return read(); }
    const app = express();
    app.get('/load', async (req, res) => res.json(await load()));
    app.get('/told', async (req, res) => res.json(await load<User>()));
    app.get('/given', async (req, res) => res.json(await given({ size: 1 })));
    app.get('/undetermined', async (req, res) => res.json(await given(read())));
    app.get('/open', async (req, res) => res.json(await open()));
    app.get('/users', async (req, res) => res.json(await new Users().find('all')));
    app.get('/rows', async (req, res) => res.json(await new Table().find('all')));
    app.get('/processed', async (req, res) => res.json(
      await new Users().find('all', { process: (row) => ({ size: row.size }) })));
    app.listen(3000);
"""


def test_they_count_where_no_argument_says_more(tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.ts": APP})
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /load": "{id: string}",
        "GET /told": "{name: string}",
        "GET /given": "{size: 1}",
        "GET /undetermined": "unknown",
        "GET /open": "unknown",
        "GET /users": "[{name: string}]",
        "GET /rows": "[{id: string}]",
        "GET /processed": "unknown",
    }
