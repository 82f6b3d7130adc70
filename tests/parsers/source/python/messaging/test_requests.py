"""What a handler reads of the object in its request, by its keys."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.parsers.source.python.project import handled

FLASK = """
    from flask import Flask, request, jsonify
    app = Flask(__name__)
    class Orders:
        def create(self):
            data = request.get_json()
            return {"id": data["number"]}
    orders = Orders()
"""


def taken(root: Path, body: str) -> list[str]:
    """The body that a view of Flask with these statements takes."""
    view = "@app.post('/a')\ndef view():\n" + textwrap.indent(textwrap.dedent(body), "    ")
    lines = handled(root, "Flask", textwrap.dedent(FLASK) + view)
    start = "  takes application/json "
    return [line.removeprefix(start) for line in lines if line.startswith(start)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # An index needs the key, `.get` does not, what is tested for may be absent.
        (
            """
            data = request.get_json(force=True) or {}
            a, b = data["a"], data.get("b")
            c = data["c"] if "c" in data else 1
            d = "d" in data and data["d"]
            if "e" in data:
                e = data["e"]
            if "f" not in data:
                return "", 400
            f = data["f"]
            """,
            "{a: anything, b-: anything, c-: anything, d-: anything, e-: anything, f: anything}~",
        ),
        ("x = request.json['customer']['id']", "{customer: {id: anything}~}~"),
        # What another method needs is not read.
        (
            """
            if request.method == "POST":
                print(request.json["a"])
            else:
                print(request.json["b"])
            """,
            "{a: anything}~",
        ),
        # What is filled in is there when it is read.
        (
            """
            data = request.json
            data.setdefault("a", 1)
            data["b"] = 2
            print(data["a"], data["b"], data["c"])
            """,
            "{a-: anything, c: anything}~",
        ),
        # What is asked for its kind may be of another.
        (
            """
            data = request.json
            text = data["text"]
            if isinstance(text, dict):
                text = text["en"] or text.get("de")
            print(data["order"]["id"], isinstance(data["order"], dict))
            """,
            "{text: anything, order: {id: anything}~}~",
        ),
        # A handler that goes on without a key does not need it; one that fails does.
        (
            """
            data = request.json
            try:
                a = data["a"]
            except KeyError:
                a = 1
            try:
                b = data["b"]
            except KeyError:
                return "", 400
            """,
            "{a-: anything, b: anything}~",
        ),
        # More may be read.
        (
            """
            data = request.json
            print(data["a"])
            library.store(data)
            """,
            "{a: anything, ... `store` is given the whole of it}~",
        ),
        (
            """
            data = request.json
            print(data["a"], data[key()])
            """,
            "{a: anything, ... a key is computed}~",
        ),
        (
            """
            data = request.json
            print(data["a"])
            for name, value in data.items(): print(name)
            """,
            "{a: anything, ... all of its keys are gone through}~",
        ),
        # In what the view calls.
        ("return orders.create()", "{number: anything}~"),
    ],
)
def test_keys_that_are_read(tmp_path: Path, body: str, expected: str) -> None:
    assert taken(tmp_path, body) == [expected]


@pytest.mark.parametrize(
    "body",
    [
        "data = request.json\nsave(data)",
        # A form may need other keys.
        "a = request.json['a'] if request.is_json else request.form['b']",
    ],
)
def test_bodies_of_which_nothing_can_be_told(tmp_path: Path, body: str) -> None:
    assert taken(tmp_path, body) == ["unknown: the view reads the request itself"]


def test_bodies_that_other_libraries_parse(tmp_path: Path) -> None:
    source = """
        import json
        from starlette.applications import Starlette
        from starlette.routing import Route
        async def parsed(request): print((await request.json())["a"])
        async def text(request): print(json.loads(await request.body())["b"])
        async def handed(request): store(await request.json())
        def store(data): print(data["c"], data.get("d"))
        app = Starlette(routes=[
            Route("/parsed", parsed, methods=["POST"]),
            Route("/text", text, methods=["POST"]),
            Route("/handed", handed, methods=["POST"]),
        ])
        """
    lines = handled(tmp_path, "Starlette", source)
    assert [line for line in lines if line.startswith("  takes")] == [
        "  takes application/json {c: anything, d-: anything}~",
        "  takes application/json {a: anything}~",
        "  takes application/json {b: anything}~",
    ]


def test_bodies_that_decorators_of_the_project_read(tmp_path: Path) -> None:
    source = """
        from functools import wraps
        from flask import Flask, request
        from pydantic import BaseModel
        app = Flask(__name__)
        class Order(BaseModel):
            id: int
        def validated(model):
            def decorator(f):
                @wraps(f)
                def wrapper(*args, **kwargs):
                    data = request.get_json(silent=True)
                    return f(*args, order=model.model_validate(data), **kwargs)
                return wrapper
            return decorator
        def logged(f):
            @wraps(f)
            def wrapper(*args, **kwargs): return f(*args, **kwargs)
            return wrapper
        @app.post("/a")
        @logged
        @validated(Order)
        def a(order): return {}
        @app.post("/b")
        @logged
        def b(): return {}
        """
    assert [line for line in handled(tmp_path, "Flask", source) if "takes" in line] == [
        "  takes application/json {id: integer}"
    ]


def test_bodies_of_views_of_rest_framework(tmp_path: Path) -> None:
    source = """
        from django.urls import path
        from rest_framework.response import Response
        from rest_framework.views import APIView
        class Orders(APIView):
            def post(self, request):
                return Response({"id": 1 if request.data["number"] else request.data.get("note")})
            def put(self, request):
                store(request.data, request.FILES)
                return Response(status=204)
        urlpatterns = [path("orders", Orders.as_view())]
        """
    lines = handled(tmp_path, "Django REST framework", source, settings="ROOT_URLCONF = 'app'")
    assert [line for line in lines if "takes" in line] == [
        "  takes application/json {number: anything, note-: anything}~",
        "  takes application/json unknown: the view reads the request itself",
    ]


def test_a_model_that_is_made_of_the_whole_may_read_more(tmp_path: Path) -> None:
    body = """
        data = request.get_json()
        print(data["a"])
        Orders(**data)
        """
    assert taken(tmp_path, body) == ["{a: anything, ... `Orders` is given the whole of it}~"]
