"""An empty text that a `try` is meant to put something else in the place of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("let p = ''; try { p = load(); } catch {} res.json({ p });", "unknown"),
        ("let p = ''; try { p = load(); } catch { p = ''; } res.json({ p });", "unknown"),
        ("let p = ''; try { p = 'a'; } catch {} res.json({ p });", "''/'a'"),
        ("let p = ''; try { p = { id: 1 }; } catch {} res.json({ p });", "('' | {id: 1})"),
        ("let p = ''; if (load()) { p = load(); } res.json({ p });", "('' | unknown)"),
        ("let p = 'none'; try { p = load(); } catch {} res.json({ p });", "(unknown | 'none')"),
    ],
)
def test_what_a_try_puts_in_the_place_of_an_empty_text(
    tmp_path: Path, body: str, sent: str
) -> None:
    source = f"""
        import express from 'express';
        import {{ load }} from 'library';
        const app = express();
        app.get('/', (req, res) => {{ {body} }});
    """
    project = Project(tmp_path, {"app.ts": source})
    assert project.responses("GET /")["200*"] == f"{{p: {sent}}}"
