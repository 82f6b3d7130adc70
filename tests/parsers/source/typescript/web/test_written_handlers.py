"""Loops are taken item by item where they may register routes, and not where a request is
answered or nothing is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.analysis.evaluation import long_lists
from contract_scan.parsers.source.typescript.resolution import walker
from tests.parsers.source.typescript.project import Project

EXPRESS = """
    import express from 'express';
    const app = express();
    const NAMES = ['orders', 'users'];
    const known = new Set<string>();
"""
FASTIFY = """
    import Fastify from 'fastify';
    const app = Fastify();
    const NAMES = ['orders', 'users'];
    const known = new Set<string>();
"""


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lines of the lists that are evaluated for a loop."""
    lines: list[int] = []

    def evaluate_list(program, expr, scope):  # type: ignore[no-untyped-def]
        lines.append(expr.span.line)
        return long_lists.evaluate_list(program, expr, scope)

    monkeypatch.setattr(walker, "evaluate_list", evaluate_list)
    return lines


@pytest.mark.parametrize(
    ("begin", "answer"),
    [(EXPRESS, "res.json({})"), (FASTIFY, "return {}")],
    ids=["Express", "Fastify"],
)
def test_loops_are_followed_where_they_may_register(
    tmp_path: Path, evaluated: list[int], begin: str, answer: str
) -> None:
    code = f"""{begin}
    for (const name of NAMES) app.get(`/${{name}}`, (req, res) => {{ {answer} }});
    for (const name of NAMES) known.add(name);
    let last = '';
    for (const name of NAMES) last = name;
    app.get('/all', async (req, res) => {{
      for (const name of NAMES) res.header('x-name', name);
      {answer}
    }});
    """
    assert Project(tmp_path, {"a.ts": code}).routes() == {"GET /orders", "GET /users", "GET /all"}
    assert set(evaluated) == {7}


@pytest.mark.parametrize("begin", [EXPRESS, FASTIFY], ids=["Express", "Fastify"])
def test_a_request_that_is_handed_on_is_no_router(
    tmp_path: Path, evaluated: list[int], begin: str
) -> None:
    code = f"""{begin}
    function answer(request, kind) {{
      for (const name of NAMES) request.get(name, kind);
    }}
    app.get('/all', async (request, response) => answer(request, 'all'));
    """
    assert Project(tmp_path, {"a.ts": code}).routes() == {"GET /all"}
