"""What a parameter holds: what a call gives it, or what it is declared to be."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

STORE = """
    import type { Mailer } from 'mail';
    interface Patch { title?: string; pages: number }
    type Part = Partial<Pick<Patch, 'pages'>>;
    interface Sender { send(text: string): unknown }
    export function patched(patch: Patch) { return { id: '1', ...patch }; }
    export function part(patch: Part) { return { pages: patch.pages }; }
    export function sent(mailer: Sender) { return { mailer: mailer.send('x') }; }
"""


def responses(tmp_path: Path, body: str) -> str:
    source = f"""
        import express from 'express';
        import {{ parse, mailer }} from 'library';
        import {{ patched, part, sent }} from './store';
        const app = express();
        app.get('/', (req, res) => {{ {body} }});
    """
    project = Project(tmp_path, {"app.ts": source, "store.ts": STORE})
    return project.responses("GET /")["200*"]


def test_a_declared_type_tells_what_a_library_gives(tmp_path: Path) -> None:
    told = "{id: '1', title?: string, pages: numeric}"
    assert responses(tmp_path, "res.json(patched(parse(req.body)));") == told
    assert responses(tmp_path, "res.json(patched(parse(req.body).data));") == told
    assert responses(tmp_path, "res.json(patched(req.body));") == told


def test_a_literal_tells_more_than_a_declared_type(tmp_path: Path) -> None:
    assert responses(tmp_path, "res.json(patched({ pages: 3 }));") == "{id: '1', pages: 3}"


def test_what_has_methods_is_what_is_given(tmp_path: Path) -> None:
    assert responses(tmp_path, "res.json(sent(mailer));") == "{mailer: unknown}"


def test_members_of_types_that_the_language_makes(tmp_path: Path) -> None:
    assert responses(tmp_path, "res.json(part(parse(req.body)));") == "{pages~: numeric}"
