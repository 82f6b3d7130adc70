"""An empty object behind `||` and `??`: given where null may be, a mere precaution elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("(await typed()) || {}", "{name: string}"),
        ("(await typed()) ?? {}", "{name: string}"),
        ("load() || {}", "unknown"),
        ("(await perhaps()) || {}", "({name: string} | {})"),
        ("null || {}", "{}"),
        ("load() || { none: true }", "(unknown | {none: True})"),
        ("(await typed()) || null || {}", "({name: string} | {})"),
    ],
)
def test_an_empty_object_behind_what_may_not_be_there(
    tmp_path: Path, given: str, sent: str
) -> None:
    source = f"""
        import express from 'express';
        import {{ load }} from 'library';
        interface Thing {{ name: string }}
        declare function typed(): Promise<Thing>;
        declare function perhaps(): Promise<Thing | null>;
        const app = express();
        app.get('/', async (req, res) => {{ const found = {given}; res.json({{ found }}); }});
    """
    project = Project(tmp_path, {"app.ts": source})
    assert project.responses("GET /")["200*"] == f"{{found: {sent}}}"
