"""What decorators of the project make of what a view returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import Judged, judged

PATHS = (
    "/orders: {get: {responses: {'200': {description: ok, content: "
    "{application/json: {schema: {$ref: '#/components/schemas/Orders'}}}}}}}"
)
SCHEMAS = """
    Orders:
      type: object
      required: [result]
      properties: {result: {type: array, items: {type: string}}}
    """


def said_of(folder: Path, inside: str, *, decorated: str = "@around", returned: str) -> Judged:
    """What is said of a view `f` below a decorator whose wrapper has this body."""
    program = (
        "import functools\n"
        "from flask import Flask, current_app, jsonify, make_response, request\n"
        "from other import scrambled\n"
        "app = Flask(__name__)\n"
        "def around(f):\n"
        "    @functools.wraps(f)\n"
        "    def inner(*args, **kwargs):\n"
        + "".join(f"        {line}\n" for line in inside.split("; "))
        + "    return inner\n"
        "def keyed(name):\n"
        "    def decorator(f):\n"
        "        @functools.wraps(f)\n"
        "        def inner(*args, **kwargs):\n"
        "            return jsonify({name: f(*args, **kwargs)})\n"
        "        return inner\n"
        "    return decorator\n"
        f"@app.get('/orders')\n{decorated}\ndef orders():\n    return {returned}\n"
    )
    return judged(folder, {"app.py": program}, PATHS, SCHEMAS)


KEPT = Judged([], [], 1)


@pytest.mark.parametrize(
    "inside",
    [
        "return {'result': f(*args, **kwargs)}",
        "return {'result': f(*args, **kwargs)}, 200",
        "found = f(*args, **kwargs); return jsonify(result=found)",
        "found = {}; found['result'] = f(); return found",
    ],
)
def test_a_wrapper_puts_what_a_view_returns_into_an_envelope(inside: str, tmp_path: Path) -> None:
    assert said_of(tmp_path, inside, returned="['a']") == KEPT
    assert said_of(tmp_path, inside, returned="[1]").findings == ["GET /orders type: result[]"]


@pytest.mark.parametrize(
    "inside",
    [
        "return f(*args, **kwargs)",
        "found = f(*args, **kwargs); return found",
        "answer = make_response(f(*args, **kwargs)); answer.headers['x'] = 'y'; return answer",
        "return current_app.ensure_sync(f)(*args, **kwargs)",
        "return (jsonify(error='no'), 401) if not request.headers.get('x') else f(*args, **kwargs)",
    ],
)
def test_a_wrapper_that_hands_on_what_a_view_returns(inside: str, tmp_path: Path) -> None:
    assert said_of(tmp_path, inside, returned="{'result': ['a']}") == KEPT
    wrong = said_of(tmp_path, inside, returned="{'result': [1]}")
    assert wrong.findings == ["GET /orders type: result[]"]


def test_decorators_are_applied_from_the_innermost_to_the_outermost(tmp_path: Path) -> None:
    inside = "return f(*args, **kwargs)"
    decorated = "@around\n@keyed('result')"
    assert said_of(tmp_path, inside, decorated=decorated, returned="['a']") == KEPT
    other = said_of(tmp_path, inside, decorated="@keyed('results')\n@around", returned="['a']")
    assert other.findings == [
        "GET /orders extra-field: results (warning)",
        "GET /orders missing-field: result",
    ]


def test_what_a_wrapper_changes_counts(tmp_path: Path) -> None:
    inside = "found = f(*args, **kwargs); found['result'] = ['a']; return found"
    assert said_of(tmp_path, inside, returned="{}") == KEPT


def test_what_a_library_makes_of_it_is_undetermined(tmp_path: Path) -> None:
    said = said_of(tmp_path, "return scrambled(f(*args, **kwargs))", returned="[1]")
    assert (said.findings, said.verified) == ([], 0)
    assert said.undetermined == ["GET /orders"]
