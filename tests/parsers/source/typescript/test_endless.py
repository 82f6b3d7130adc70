"""Calls that never come back: a value that is tested before them is there afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

FAILURES = """
    export function fail(code: number): never { return stop(code); }
    export const refuse = (code: number) => { throw new Error(String(code)); };
    export function warn(code: number) { console.log(code); }
    export async function later(code: number) { throw new Error(String(code)); }
"""
FOUND = "{id: string}"
OR_NULL = "{id: string}?"


def responses(tmp_path: Path, guard: str) -> str:
    source = f"""
        import assert from 'node:assert';
        import invariant from 'tiny-invariant';
        import Router from '@koa/router';
        import {{ error }} from '@sveltejs/kit';
        import {{ notFound }} from 'next/navigation';
        import {{ fail, later, refuse, warn }} from './failures';
        const rows = new Map<string, {{ id: string }}>();
        function find(id: string) {{
          const row = rows.get(id);
          if (!row) return null;
          return {{ ...row }};
        }}
        const router = new Router();
        router.get('/', (ctx) => {{ const row = find('1'); {guard}; ctx.body = row; }});
    """
    project = Project(tmp_path, {"app.ts": source, "failures.ts": FAILURES})
    return project.responses("GET /")["200*"]


@pytest.mark.parametrize(
    "guard",
    [
        "if (!row) ctx.throw(404)",
        "if (!row) { console.log('none'); fail(404); }",
        "if (!row) { refuse(404); }",
        "if (row === null) notFound()",
        "if (!row) error(404, 'none')",
        "if (!row) process.exit(1)",
        "if (row) { console.log(row.id) } else { fail(404) }",
        "assert(row)",
        "assert.ok(row, 'none')",
        "invariant(row)",
        "ctx.assert(row, 404)",
    ],
)
def test_what_a_call_guards_that_never_comes_back(tmp_path: Path, guard: str) -> None:
    assert responses(tmp_path, guard) == FOUND


@pytest.mark.parametrize(
    "guard",
    [
        "if (!row) warn(404)",
        "if (!row) later(404)",
        "if (!row) { const fail = (code) => code; fail(404); }",
        "if (!row) console.error(404)",
        "console.assert(row, 'none')",
    ],
)
def test_a_call_that_comes_back_guards_nothing(tmp_path: Path, guard: str) -> None:
    assert responses(tmp_path, guard) == OR_NULL
