"""What a test leaves of a value that may be one of several."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

STORE = """
    export interface Order { id: number; note: string }
    export class Failure extends Error { constructor(public code: number) { super(); } }
    export type Found = { ok: true; order: Order } | { ok: false; reason: string };
    export type Event = { kind: 'made'; at: string } | { kind: 'gone'; why: string };
    export function find(id: string): Order | Failure { return query(id); }
    export function count(id: string): Promise<number | Error> { return query(id); }
    export function look(id: string): Found { return query(id); }
    export function next(): Event { return query(); }
    export function list(): Order[] | Order { return query(); }
    export function any(): string | Order { return query(); }
    export function made(id: string) {
      try {
        return { success: true, order: { id: 1, note: 'x' } };
      } catch (error) {
        return { success: false, reason: 'none' };
      }
    }
"""


def responses(tmp_path: Path, body: str) -> str:
    source = f"""
        import express from 'express';
        import {{ find, count, look, next, list, any, made, Failure, Event }} from './store';
        const app = express();
        app.get('/', async (req, res) => {{ {body} }});
    """
    project = Project(tmp_path, {"app.ts": source, "store.ts": STORE})
    return project.responses("GET /")["200*"]


def test_what_an_instance_of_leaves_of_a_declared_type(tmp_path: Path) -> None:
    body = "const o = find('1'); if (o instanceof Failure) { return; } res.json(o);"
    assert responses(tmp_path, body) == "{id: numeric, note: string}"


def test_what_is_no_error_of_a_promise(tmp_path: Path) -> None:
    body = "const n = await count('1'); if (n instanceof Error) return; res.json({ n });"
    assert responses(tmp_path, body) == "{n: numeric}"


def test_a_mark_that_tells_the_kinds_apart(tmp_path: Path) -> None:
    body = "const f = look('1'); if (!f.ok) { return; } res.json(f);"
    assert responses(tmp_path, body) == "{ok: True, order: {id: numeric, note: string}}"


def test_the_block_in_which_the_mark_is_set(tmp_path: Path) -> None:
    body = "const e = next(); if (e.kind === 'gone') { res.json(e); }"
    assert responses(tmp_path, body) == "{kind: 'gone', why: string}"


def test_both_sides_of_a_conditional_expression(tmp_path: Path) -> None:
    body = "const e = next(); res.json(e.kind === 'gone' ? { a: e.why } : { b: e.at });"
    assert responses(tmp_path, body) == "({a: string} | {b: string})"


def test_objects_that_are_made_there(tmp_path: Path) -> None:
    body = "const m = made('1'); if (!m.success) return; res.json(m.order);"
    assert responses(tmp_path, body) == "{id: 1, note: 'x'}"


def test_lists_and_kinds_of_values(tmp_path: Path) -> None:
    body = "const l = list(); if (Array.isArray(l)) { res.json(l); }"
    assert responses(tmp_path, body) == "[{id: numeric, note: string}]"


def test_a_call_of_which_the_code_says_that_it_gives_something(tmp_path: Path) -> None:
    body = """
        const get = async () => (req.query.none ? null : { id: 1 });
        const it = (await get())!;
        res.json({ ...it });
    """
    assert responses(tmp_path, body) == "{id: 1}"


def test_what_typeof_says(tmp_path: Path) -> None:
    body = "const a = any(); if (typeof a === 'string') { return; } res.json(a);"
    assert responses(tmp_path, body) == "{id: numeric, note: string}"


def test_keys_that_only_some_have(tmp_path: Path) -> None:
    body = "const m = made('1'); if ('reason' in m) { res.json(m); }"
    assert responses(tmp_path, body) == "{success: False, reason: 'none'}"


def test_a_test_that_says_nothing_of_the_kinds_leaves_all(tmp_path: Path) -> None:
    body = "const o = find('1'); if (o.note === 'x') { return; } res.json(o);"
    assert responses(tmp_path, body) == "({id: numeric, note: string} | {code: numeric, ...})"


def test_a_block_that_goes_on_rules_nothing_out(tmp_path: Path) -> None:
    body = "const e = next(); if (e.kind === 'gone') { log(e); } res.json(e);"
    assert responses(tmp_path, body) == "({kind: 'made', at: string} | {kind: 'gone', why: string})"


def test_an_error_that_the_value_is_not_seen_to_hold(tmp_path: Path) -> None:
    body = """
        const read = async () => {
          const n = Number(req.query.n);
          if (n instanceof Failure) { return n; }
          return { n };
        };
        res.json(await read());
    """
    assert responses(tmp_path, body) == "({code: numeric, ...} | {n: numeric})"


def test_what_a_parameter_is_handed(tmp_path: Path) -> None:
    body = """
        Promise.resolve(made('1')).then((m) => {
          if (m['reason']) { res.status(404).json(m); } else { res.status(200).json(m); }
        });
    """
    source = f"""
        import express from 'express';
        import {{ made }} from './store';
        const app = express();
        app.get('/', (req, res) => {{ {body} }});
    """
    project = Project(tmp_path, {"app.ts": source, "store.ts": STORE})
    assert project.responses("GET /") == {
        "200": "{success: True, order: {id: 1, note: 'x'}}",
        "404": "{success: False, reason: 'none'}",
    }


def test_a_parameter_of_a_declared_type(tmp_path: Path) -> None:
    body = """
        function shown(e: Event) {
          if (e.kind === 'gone') { return { why: e.why, all: e }; }
          return { at: e.at, all: e };
        }
        res.json(shown(next()));
    """
    assert responses(tmp_path, body) == (
        "({why: string, all: {kind: 'gone', why: string}} | "
        "{at: string, all: {kind: 'made', at: string}})"
    )


ALL = "'new' | 'hot' | 'done'"
TICKET = "enum Open { New = 'new', Hot = 'hot' } interface Ticket { id: number; state: %s }"


@pytest.mark.parametrize(
    ("state", "body", "left"),
    [
        (ALL, "if (t.state === 'done') res.json(t);", "'done'"),
        (ALL, "if (t.state !== 'done') return; res.json(t);", "'done'"),
        (ALL, "if (t.state === 'done') return; res.json(t);", "'new'/'hot'"),
        (ALL, "if (t['state'] === 'hot' && t.id) res.json(t);", "'hot'"),
        (
            ALL,
            "if (t.state === 'hot' || t.id) res.json(t);",
            "'new'/'hot'/'done'",
        ),
        (
            ALL,
            "if (t.state === 'hot') res.json({ id: t.id, state: t.state });",
            "'hot'",
        ),
        ("Open", "if (t.state === Open.Hot) res.json(t);", "'hot'"),
        (
            "'new' | 'done'",
            "if (t.state === 'new') { t.state = 'done'; res.json(t); }",
            "'done'",
        ),
        ("string", "if (t.state === 'new') res.json(t);", "string"),
    ],
)
def test_a_member_that_a_test_has_asked_for(
    tmp_path: Path, state: str, body: str, left: str
) -> None:
    source = f"""
        import express from 'express';
        {TICKET % state}
        declare function load(id: string): Ticket;
        const app = express();
        app.get('/', (req, res) => {{ const t: Ticket = load('1'); {body} }});
    """
    project = Project(tmp_path, {"app.ts": source})
    assert project.responses("GET /")["200*"] == f"{{id: numeric, state: {left}}}"
