"""Which method of several classes an object has, and where `super()` leads."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.parsers.source.analysis.names.classes import linear_order
from tests.parsers.source.python.project import operations, project

VIEWS = """
from flask import Flask
from flask_restful import Api, Resource
from somelib import Other, Resource as Third
app = Flask(__name__)
api = Api(app)
class Empty:
    def helper(self): ...
class Counted(Resource):
    code = 201
    def put(self):
        return "", self.code
class Accepted(Counted):
    code = 202
class Handing:
    def put(self):
        return super().put()
class Top:
    def put(self):
        return "", 206
class Below(Top):
    pass
"""


@pytest.mark.parametrize(
    ("view", "statuses"),
    [
        ("class View(Counted): pass", ["201"]),
        # The next class of the object's, with what its own class sets.
        ("class View(Empty, Accepted):\n    def put(self): return super().put()", ["202"]),
        ("class View(Handing, Accepted): pass", ["202"]),
        ("class View(Handing, Empty, Counted): pass", ["201"]),
        # The whole branch of a base before the next base.
        ("class View(Below, Counted): pass", ["206"]),
        # A base that both have comes after both.
        ("class Left(Counted): pass\nclass View(Left, Accepted): pass", ["202"]),
        # What the library's class has is not known.
        ("class View(Other, Counted):\n    def put(self): return super().put()", []),
        ("class Mixed(Other): pass\nclass View(Handing, Mixed, Counted): pass", []),
        ("class View(Handing, Other): pass", []),
    ],
)
def test_the_next_class_in_order_answers(tmp_path: Path, view: str, statuses: list[str]) -> None:
    source = VIEWS + view + '\napi.add_resource(View, "/view")\n'
    program = project(tmp_path, {"app.py": dedent(source)})
    [operation] = operations(program, "Flask-RESTful")
    known = operation.statuses_complete
    assert [each.status for each in operation.responses if known] == statuses


@pytest.mark.parametrize(
    ("bases", "order"),
    [
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"]}, "abcd"),
        ({"a": ["b", "c"], "b": ["d"], "c": []}, "abdc"),
        ({"a": ["b", "c"], "b": [], "c": ["b"]}, None),
        ({"a": ["b"], "b": ["a"]}, None),
    ],
)
def test_linear_order(bases: dict[str, list[str]], order: str | None) -> None:
    assert linear_order("a", bases) == (None if order is None else list(order))
