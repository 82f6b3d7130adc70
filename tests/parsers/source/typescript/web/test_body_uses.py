"""Bodies without a declared type: what handlers are seen to read of them, and what they need."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def _bodies(tmp_path: Path, source: str, **others: str) -> dict[str, str]:
    """Route -> body, of routes that are added to a router."""
    files = {
        "app.js": f"""
            const router = require('express').Router();
            const {{ service }} = require('./service');
            {source}
        """,
        "service.js": "exports.service = {};",
    }
    files.update({f"{name}.js": text for name, text in others.items()})
    project = Project(tmp_path, files)
    return {
        f"{o.method} {o.path}": project.request(f"{o.method} {o.path}")
        for o in project.code.operations
    }


def test_what_a_handler_refuses_to_do_without_is_needed(tmp_path: Path) -> None:
    assert _bodies(
        tmp_path,
        """
        router.post('/thrown', (req, res) => {
            const { name, bio } = req.body;
            if (!name) throw new Error('name');
        });
        router.post('/answered', (req, res) => {
            const { a, b, c } = req.body;
            if (!a || b === undefined) return res.status(422).json({});
            if (c == null) { res.sendStatus(400) }
        });
        router.post('/handed-on', (req, res, next) => {
            if (!req.body.a) return next(new Error('a'));
            if (!req.body.b) return handleError(res, 'b');
        });
        router.post('/either', (req, res) => {
            const { a, b } = req.body;
            if (!a && !b) throw new Error('one of them');
        });
        router.post('/all', (req, res) => {
            const { a, b } = req.body;
            if (!(a && b)) throw new Error('both');
        });
        router.post('/made-of', (req, res) => {
            const name = req.body.name?.trim();
            if (!name) throw new Error('name');
        });
        router.post('/otherwise', (req, res) => {
            if (req.body.a) { res.json({}) } else { res.status(400).end() }
        });
        router.post('/not-an-error', (req, res) => {
            if (!req.body.a) return res.json([]);
            if (!req.body.b) { console.error('no b') }
            if (!req.body.c) throw new Error('c');
        });
        """,
    ) == {
        "POST /thrown": "{name: value~, bio?: value~}~",
        "POST /answered": "{a: value~, b: value~, c: value~}~",
        "POST /handed-on": "{a: value~, b: value~}~",
        "POST /either": "{a?: value~, b?: value~}~",
        "POST /all": "{a: value~, b: value~}~",
        "POST /made-of": "{name: string~}~",
        "POST /otherwise": "{a: value~}~",
        "POST /not-an-error": "{a?: value~, b?: value~, c?: value~}~",
    }


def test_what_is_looked_into_is_needed_and_tells_its_type(tmp_path: Path) -> None:
    assert _bodies(
        tmp_path,
        """
        router.post('/deep', (req, res) => { find(req.body.user.email, req.body.other?.id) });
        router.post('/taken-apart', (req, res) => {
            const { address: { city }, tags: [first], page = 1 } = req.body;
        });
        router.post('/text', (req, res) => { req.body.name.trim(); req.body.mail?.split('@') });
        router.post('/list', (req, res) => {
            req.body.items.map((item) => item.product.id);
            for (const tag of req.body.tags) { tag.name }
        });
        router.post('/asked', (req, res) => {
            const { a, b, c, d } = req.body;
            if (typeof a !== 'string' || !Array.isArray(b)) return res.status(400).end();
            const kind = typeof c === 'string' ? c.trim() : c;
            d = Number(d);
        });
        router.post('/two-ways', (req, res) => {
            if (req.body.many) { req.body.a.map(f) } else { req.body.a.trim() }
            if (req.body.many) { req.body.b.trim() }
        });
        """,
    ) == {
        "POST /deep": "{user: {email?: value~}~, other?: {id?: value~}~}~",
        "POST /taken-apart": "{address: {city?: value~}~, tags?: [value~]~, page?: value~}~",
        "POST /text": "{name: string~, mail?: string~}~",
        "POST /list": "{items: [{product: {id?: value~}~}~]~, tags?: [{name?: value~}~]~}~",
        "POST /asked": "{a: string~, b: [value~]~, c?: anything, d?: anything}~",
        "POST /two-ways": "{many?: value~, a?: anything, b?: string~}~",
    }


def test_a_body_is_followed_into_functions_that_are_given_it(tmp_path: Path) -> None:
    assert _bodies(
        tmp_path,
        """
        router.post('/part', (req, res, next) => {
            service.login(req.body.user).then((user) => res.json({ user })).catch(next);
        });
        router.post('/spread', (req, res) => { service.login({ ...req.body.user, demo: false }) });
        router.post('/made', (req, res) => {
            const { mail, password } = req.body;
            service.login({ email: mail, password });
        });
        router.post('/request', check, (req, res) => { read(req) });
        const wrapped = (f) => (req, res, next) => Promise.resolve(f(req, res, next)).catch(next);
        const first = wrapped(async (req) => req.query.x);
        router.post('/wrapped', first, wrapped(async (req) => service.login(req.body)));
        router.post('/conditional', (req, res) => { if (req.query.x) { service.login(req.body) } });
        function check(req, res, next) {
            if (!req.body.token) return res.sendStatus(401);
            next();
        }
        function read({ body }) { return body.name.trim() }
        """,
        service="""
            exports.service = {
                async login({ email, password, demo }) {
                    if (!email) throw new Error('email');
                    if (!demo) { demo = true }
                    return password.toLowerCase();
                },
            };
        """,
    ) == {
        "POST /part": "{user: {email: value~, password: string~, demo?: value~}~}~",
        "POST /spread": "{user?: {email: value~, password: string~}~}~",
        "POST /made": "{mail: value~, password: string~}~",
        "POST /request": "{token: value~, name: string~}~",
        "POST /wrapped": "{email: value~, password: string~, demo?: value~}~",
        "POST /conditional": "{email?: value~, password?: string~, demo?: value~}~",
    }


def test_declared_types_of_parameters_say_what_parts_are(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express, { Request, Response } from 'express';
                const app = express();
                interface Login { email: string; age: number; extra?: { id: string } }
                const login = (input: Login) => { if (!input.email) { throw new Error('email') } };
                const comment = (text: string, on: Date) => text;
                app.post('/login', (req: Request, res: Response) => { login(req.body.user) });
                app.post('/without', (req, res) => { login({ ...req.body, age: 3 }) });
                app.post('/made', ({ body }, res) => { login({ email: body.mail, age: body.n }) });
                app.post('/text', (req, res) => { comment(req.body.comment.body, req.body.on) });
            """,
        },
    )
    assert {route: project.request(route) for route in sorted(project.routes())} == {
        "POST /login": "{user: {email: string~, age=: numeric~, extra?=: {id=: string~}~}~}~",
        "POST /made": "{mail: string~, n?: numeric~}~",
        "POST /text": "{comment: {body?: string~}~, on?: string~}~",
        "POST /without": "{email: string~, extra?=: {id=: string~}~}~",
    }


def test_what_code_has_written_itself_is_not_asked_of_clients(tmp_path: Path) -> None:
    assert _bodies(
        tmp_path,
        """
        router.use((req, res, next) => { req.body.author = req.user.id; next() });
        router.post('/key', (req, res) => {
            if (!req.body.slug) req.body.slug = 'x';
            req.body.slug.trim();
            if (!req.body.author || !req.body.title) throw new Error();
        });
        router.post('/name', (req, res) => {
            let { page } = req.body;
            if (!page) page = 1;
            page.toFixed();
        });
        router.post('/fallback', (req, res) => {
            const user = req.body.user || {};
            user.email.trim();
            const { size = 10 } = req.body;
            if (!size) throw new Error();
        });
        router.post('/whole', (req, res) => {
            req.body = { a: 1 };
            if (!req.body.b) throw new Error();
        });
        """,
    ) == {
        "POST /key": "{slug?: value~, title: value~}~",
        "POST /name": "{page?: value~}~",
        "POST /fallback": "{user?: {email: string~}~, size?: value~}~",
        "POST /whole": "unknown",
    }


def test_what_is_needed_in_some_cases_only_is_not_needed(tmp_path: Path) -> None:
    assert _bodies(
        tmp_path,
        """
        router.post('/kinds', (req, res) => {
            if (req.body.kind === 'a') { req.body.a.trim(); return res.json({}) }
            if (!req.body.b) throw new Error('b');
        });
        router.post('/caught', (req, res) => {
            try { req.body.a.trim() } catch { /* goes on */ }
            try { req.body.b.trim() } catch (error) { res.status(500).json({ error }) }
        });
        router.post('/later', (req, res) => {
            const read = () => req.body.a.trim();
            setTimeout(() => req.body.b.trim(), 10);
            ready.then(() => req.body.c.trim());
        });
        """,
    ) == {
        "POST /kinds": "{kind?: value~, a?: string~, b?: value~}~",
        "POST /caught": "{a?: string~, b: string~}~",
        "POST /later": "{a?: string~, b?: string~, c: string~}~",
    }


def test_a_body_that_is_handed_to_what_is_not_seen_is_undetermined_whole(tmp_path: Path) -> None:
    assert _bodies(
        tmp_path,
        """
        const User = require('unseen');
        router.post('/whole', (req, res) => { User.create(req.body) });
        router.post('/also', (req, res) => { if (!req.body.a) throw 1; new User(req.body) });
        router.post('/keys', (req, res) => { req.body.a; Object.keys(req.body).map(f) });
        router.post('/computed', (req, res) => { req.body.a; req.body[req.query.key] });
        router.post('/picked', (req, res) => { _.pick(req.body, ['a', 'b']) });
        router.post('/rest', (req, res) => { const { a, ...rest } = req.body; User.create(rest) });
        router.post('/logged', (req, res) => { console.log(req.body, JSON.stringify(req.body)) });
        router.post('/looked-for', (req, res) => { if ('a' in req.body) { req.body.b } });
        """,
    ) == {
        "POST /whole": "unknown",
        "POST /also": "{a: value~, ...}~",
        "POST /keys": "{a?: value~, ...}~",
        "POST /computed": "{a?: value~, ...}~",
        "POST /picked": "{a?: value~, b?: value~}~",
        "POST /rest": "{a?: value~, ...}~",
        "POST /logged": "unknown",
        "POST /looked-for": "{a?: value~, b?: value~}~",
    }


def test_a_schema_that_checks_the_body_says_more_than_its_use(tmp_path: Path) -> None:
    assert _bodies(
        tmp_path,
        """
        const { z } = require('zod');
        const schema = z.object({ name: z.string() });
        const validate = (schema) => (req, res, next) => { schema.parse(req.body); next() };
        router.post('/', validate(schema), (req, res) => { if (!req.body.other) throw 1 });
        const source = (schema, part) => (req, res, next) => {
            const result = schema.safeParse(req[part]);
            if (!result.success) return res.status(400).end();
            req[part] = result.data;
            next();
        };
        router.post('/source', source(schema, 'body'), (req, res) => { req.body.name });
        router.post('/query', source(schema, 'query'), (req, res) => { req.body.name });
        router.post('/variable', (req, res) => { const body = req.body; schema.parse(body) });
        const unseen = (req, res, next) => { req.body = other.parse(req.body); next() };
        router.post('/unseen', unseen, (req, res) => { req.body.name.trim() });
        """,
    ) == {
        "POST /": "{name: string}",
        "POST /source": "{name: string}",
        "POST /query": "{name?: value~}~",
        "POST /variable": "{name: string}",
        "POST /unseen": "{name: string~, ...}~",
    }


def test_a_body_that_is_asked_for_being_an_object_is_still_read_as_one(tmp_path: Path) -> None:
    assert _bodies(
        tmp_path,
        """
        const check = (body) => {
            if (typeof body !== 'object' || body === null) throw new Error('no object');
            if (typeof body.name !== 'string') throw new Error('name');
            return body;
        };
        router.post('/', (req, res) => { check(req.body) });
        """,
    ) == {"POST /": "(string | numeric | boolean | {name: string~}~)~"}


def test_a_computed_key_of_which_all_values_are_known_reads_each_of_these(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                interface Order { id: number; user: string }
                const DECLARED: (keyof Order)[] = read();
                const app = express();
                app.post('/listed', (req, res) => {
                  for (const key of ['user', 'time'] as const) {
                    if (typeof req.body[key] !== 'string') throw new Error(key);
                  }
                });
                app.post('/declared', (req, res) => {
                  for (const key of DECLARED) check(req.body[key]);
                });
                app.post('/one', (req, res) => {
                  const key = 'user';
                  req.body[key].trim();
                });
                app.post('/turns', (req, res) => {
                  for (let i = 0; i < req.body.rows.length; i += 1) {
                    const row = req.body.rows[i];
                    check(row.name);
                  }
                });
                app.post('/any', (req, res) => {
                  for (const key of Object.keys(req.query)) check(req.body[key]);
                });
            """,
        },
    )
    assert {o.path: project.request(f"POST {o.path}") for o in project.code.operations} == {
        "/listed": "{user?: value~, time?: value~}~",
        "/declared": "{id?: value~, user?: value~}~",
        "/one": "{user: string~}~",
        "/turns": "{rows?: value~}~",
        "/any": "unknown",
    }


def test_types_of_members_that_a_body_is_stored_in_say_what_it_is(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import express from 'express';
                import { merge } from 'lodash';
                import { settings, Agent } from './settings';
                const router = express.Router();
                router.post('/stored', (req, res) => {
                    settings.mail = req.body;
                    res.status(200).json(settings.mail);
                });
                router.post('/assigned', (req, res) => { Object.assign(settings.mail, req.body); });
                router.post('/merged', (req, res) => {
                    settings.mail = merge(settings.mail, req.body);
                });
                router.post('/made', (req, res) => { new Agent(req.body).send(); });
                router.post('/unknown', (req, res) => { global.mail = req.body; });
            """,
            "settings.ts": """
                export enum Level { Low = 1, High = 2 }
                export interface Mail { sender: string; level: Level; hosts?: string[] }
                class Settings { mail: Mail; }
                export const settings = new Settings();
                export class Agent {
                    constructor(private mail?: Mail) {}
                    send() { return this.mail.sender; }
                }
            """,
        },
    )
    stored = "{sender=: string~, level=: numeric~, hosts?=: [string~]~}~"
    shown = {o.path: project.request(f"POST {o.path}") for o in project.code.operations}
    assert shown == {
        "/stored": stored,
        "/assigned": stored,
        "/merged": stored,
        "/made": stored,
        "/unknown": "unknown",
    }
