"""Routes that are declared in loops over tables that are written out."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.parsers.source.python.project import routes

VIEWS = """
    def f(request=None): return {}
    def g(request=None): return {}
"""
ROUTERS = """
    from fastapi import APIRouter, FastAPI
    a, b = APIRouter(), APIRouter()
    @a.get("/x")
    def x(): return 1
    @b.get("/y")
    def y(): return 2
    app = FastAPI()
"""


@pytest.mark.parametrize(
    "loop",
    [
        'for router, prefix in [(a, "/a"), (b, "/b")]:\n'
        "        app.include_router(router, prefix=prefix)",
        'TABLE = ((a, "/a"), (b, "/b"))\n'
        "    for row in TABLE:\n"
        "        app.include_router(row[0], prefix=row[1])",
        'TABLE = {"a": a, "b": b}\n'
        "    for name, router in TABLE.items():\n"
        '        app.include_router(router, prefix=f"/{name}")',
        'for row in [{"router": a, "at": "/a"}, {"router": b, "at": "/b"}]:\n'
        '        app.include_router(row["router"], prefix=row["at"])',
    ],
)
def test_routers_with_their_prefixes(tmp_path: Path, loop: str) -> None:
    source = ROUTERS + "    " + loop + "\n"
    assert routes(tmp_path, "FastAPI", {"app.py": source}) == ["GET /a/x", "GET /b/y"]


def test_prefixes_that_are_not_written_out(tmp_path: Path) -> None:
    source = ROUTERS + (
        "    import settings\n"
        "    for router, prefix in settings.TABLE + [(a, '/a'), (b, '/b')]:\n"
        "        app.include_router(router, prefix=prefix)\n"
    )
    why = "(no application that can be seen includes this router)"
    assert routes(tmp_path, "FastAPI", {"app.py": source}) == [
        f"GET /{{computed}}/x {why}",
        f"GET /{{computed}}/y {why}",
        "* /{rest*} hidden (the router that is included here could not be read)",
    ]


@pytest.mark.parametrize(
    ("framework", "source"),
    [
        (
            "Flask",
            """
            from flask import Flask
            app = Flask(__name__)
            for rule, view, methods in [("/f", f, ["GET"]), ("/g", g, ["POST"])]:
                app.add_url_rule(rule, view_func=view, methods=methods)
            """,
        ),
        (
            "aiohttp",
            """
            from aiohttp import web
            app = web.Application()
            for route in [("GET", "/f", f), ("POST", "/g", g)]:
                app.router.add_route(route[0], route[1], route[2])
            """,
        ),
        (
            "Flask",
            """
            from flask import Flask
            app = Flask(__name__)
            public = [["/f", f, ["GET"]]]
            internal = [["/g", g, ["POST"]]]
            for route in public + internal:
                app.add_url_rule(route[0], view_func=route[1], methods=route[2])
            """,
        ),
    ],
)
def test_rows_that_are_routes(tmp_path: Path, framework: str, source: str) -> None:
    whole = textwrap.dedent(VIEWS) + textwrap.dedent(source)
    assert routes(tmp_path, framework, {"app.py": whole}) == ["GET /f", "POST /g"]


def test_a_rule_that_is_one_of_several_stands_for_no_path_of_its_own(tmp_path: Path) -> None:
    source = """
    import os
    from flask import Flask
    from flask_restful import Api
    from resources import resource_of
    app = Flask(__name__)
    api = Api(app)
    rule = "/api/orders" if os.environ.get("ORDERS") else "/api/customers"
    api.add_resource(resource_of(rule), rule)
    """
    why = "(its rule is not constant)"
    assert routes(tmp_path, "Flask-RESTful", {"app.py": source}) == [f"* /api {why}"]
