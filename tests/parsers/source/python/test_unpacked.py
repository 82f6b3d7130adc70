"""Names that one value is taken apart into, where tests of one say something of the others."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from tests.parsers.source.python.project import project, shape

FIND = """
    from flask import abort
    def find(x):
        if x == 1: return None, "missing"
        if x == 2: return None, f"bad {x}"
        return {"id": 1}, None
    def kinds(x):
        if x == 1: return None, "none"
        return {"id": 1}, "some"
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("order, error = find(x)\nif error: return\nreturn order", "{id: integer[1]}"),
        ("order, error = find(x)\nif not error: return order", "{id: integer[1]}"),
        (
            "order, error = find(x)\nif error is not None: abort(404)\nreturn order",
            "{id: integer[1]}",
        ),
        ("order, error = find(x)\nif not order: return error", "string"),
        ("order, kind = kinds(x)\nif kind == 'none': return\nreturn order", "{id: integer[1]}"),
        ("order, _ = find(x)\nreturn order", "{id: integer[1]}?"),
        ("order, error = find(x)\nlog(error)\nreturn order", "{id: integer[1]}?"),
        (
            "order, error = find(x)\nerror = None\nif error: return\nreturn order",
            "{id: integer[1]}?",
        ),
    ],
)
def test_what_the_test_of_one_leaves_of_another(tmp_path: Path, body: str, expected: str) -> None:
    source = dedent(FIND) + "def sent(x):\n" + indent(body, "    ") + "\n"
    program = project(tmp_path, {"app.py": source})
    found = program.names.lookup("sent", program.module_scope(program.facts("app.py")))
    results = [
        program.infer(result.value, result.scope)
        for result in program.function_exits(found)  # type: ignore[arg-type]
        if result.value is not None and not result.thrown
    ]
    assert [shape(program, result) for result in results] == [expected]
