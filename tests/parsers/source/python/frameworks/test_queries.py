"""Query parameters that handlers take from the request by themselves, without declaring them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import operations, project

READS = """
        needed = int({query}["needed"])
        asked = {query}.get("asked", "20")
        if asked:
            return {query}["sometimes"]
        if "tested" in {query}:
            print({query}["tested"])
        print({request})
"""

AIOHTTP = """
    from aiohttp import web
    async def handler(request):
{reads}
    app = web.Application()
    app.router.add_get("/x", handler)
""".format(reads=READS.format(query="request.query", request="request"))

BOTTLE = """
    from bottle import request, route
    @route("/x")
    def handler():
{reads}
""".format(reads=READS.format(query="request.query", request="request"))

DJANGO = """
    from django.urls import path
    from django.views.decorators.http import require_GET
    @require_GET
    def handler(request):
{reads}
    urlpatterns = [path("x", handler)]
""".format(reads=READS.format(query="request.GET", request="request"))

DRF = """
    from django.urls import path
    from rest_framework.views import APIView
    class Handler(APIView):
        def get(self, request):
{reads}
    urlpatterns = [path("x", Handler.as_view())]
""".format(
    reads=READS.replace("\n    ", "\n        ").format(
        query="self.request.query_params", request="request"
    )
)

FLASK = """
    from flask import Flask, request
    app = Flask(__name__)
    @app.get("/x")
    def handler():
{reads}
""".format(reads=READS.format(query="request.args", request="request"))

PYRAMID = """
    from pyramid.config import Configurator
    from pyramid.view import view_config
    @view_config(route_name="x", request_method="GET", renderer="json")
    def handler(request):
{reads}
    def main():
        config = Configurator()
        config.add_route("x", "/x")
""".format(reads=READS.format(query="request.params", request="request"))

QUART = FLASK.replace("flask", "quart").replace("Flask", "Quart").replace("def h", "async def h")

ROBYN = """
    from robyn import Robyn
    app = Robyn(__file__)
    @app.get("/x")
    def handler(request):
{reads}
""".format(reads=READS.format(query="request.query_params", request="request"))

SANIC = """
    from sanic import Sanic
    app = Sanic("x")
    @app.get("/x")
    async def handler(request):
{reads}
""".format(reads=READS.format(query="request.args", request="request"))

STARLETTE = """
    from starlette.applications import Starlette
    from starlette.routing import Route
    async def handler(req):
{reads}
    app = Starlette(routes=[Route("/x", handler)])
""".format(reads=READS.format(query="req.query_params", request="req"))


@pytest.mark.parametrize(
    ("library", "source"),
    [
        ("aiohttp", AIOHTTP),
        ("Bottle", BOTTLE),
        ("Django", DJANGO),
        ("Django REST framework", DRF),
        ("Flask", FLASK),
        ("Pyramid", PYRAMID),
        ("Quart", QUART),
        ("Robyn", ROBYN),
        ("Sanic", SANIC),
        ("Starlette", STARLETTE),
    ],
)
def test_what_is_read_by_index_is_needed(tmp_path: Path, library: str, source: str) -> None:
    assert queries(tmp_path, library, source) == {
        "needed": True,
        "asked": False,
        "sometimes": False,
        "tested": False,
    }


def test_what_methods_of_tornado_ask_for(tmp_path: Path) -> None:
    source = """
        import tornado.web
        class Handler(tornado.web.RequestHandler):
            def get(self):
                needed = self.get_query_argument("needed")
                also = self.get_argument("also")
                given = self.get_argument("given", "1")
                if given:
                    return self.get_argument("sometimes")
                other.get_argument("of something else")
        app = tornado.web.Application([("/x", Handler)])
        """
    assert queries(tmp_path, "Tornado", source) == {
        "needed": True,
        "also": True,
        "given": False,
        "sometimes": False,
    }


def test_an_argument_of_a_tornado_body_is_no_query(tmp_path: Path) -> None:
    source = """
        import tornado.web
        class Handler(tornado.web.RequestHandler):
            def post(self):
                self.write({"a": self.get_argument("a"), "b": self.get_query_argument("b")})
        app = tornado.web.Application([("/x", Handler)])
        """
    assert queries(tmp_path, "Tornado", source) == {"b": True}


def test_what_methods_of_falcon_ask_for(tmp_path: Path) -> None:
    source = """
        import falcon
        class Resource:
            def on_get(self, req, resp):
                req.get_param("asked")
                req.get_param_as_int("needed", required=True)
                if req.media:
                    req.get_param("sometimes", required=True)
        app = falcon.App()
        app.add_route("/x", Resource())
        """
    assert queries(tmp_path, "Falcon", source) == {
        "asked": False,
        "needed": True,
        "sometimes": False,
    }


def test_functions_that_read_the_request_are_gone_into(tmp_path: Path) -> None:
    source = """
        from flask import Flask, request
        app = Flask(__name__)
        def paging():
            return int(request.args["page"]), request.args.get("size")
        @app.get("/x")
        def handler():
            return find(*paging())
        """
    assert queries(tmp_path, "Flask", source) == {"page": True, "size": False}


def test_a_test_on_a_query_that_one_of_several_ways_gives_guards_what_it_reads(
    tmp_path: Path,
) -> None:
    source = """
        from flask import Flask, request
        app = Flask(__name__)
        def parameters():
            if is_public():
                given = request.args.copy()
                if "area" in given:
                    given["area"] = given["area"].strip()
            else:
                given = request.args
            return given
        @app.get("/x")
        def handler():
            given = parameters()
            if "ids" in given:
                find(given["ids"])
            return find(given["page"])
        """
    assert queries(tmp_path, "Flask", source) == {"area": False, "ids": False, "page": True}


def test_what_is_first_read_under_another_test_is_read_in_some_cases_only(tmp_path: Path) -> None:
    source = """
        from flask import Flask, request
        app = Flask(__name__)
        @app.get("/x")
        def handler():
            if is_public():
                return find(request.args["area"])
            return find(request.args["page"])
        """
    assert queries(tmp_path, "Flask", source) == {"area": False, "page": True}


def test_what_is_not_the_query_of_the_request_is_not_read(tmp_path: Path) -> None:
    source = """
        import json
        from flask import Flask, request
        app = Flask(__name__)
        def of(command): return command.args["command"]
        @app.put("/x")
        def handler():
            data = json.loads(request.data)
            return {"a": data["body"], "b": of(data), "c": request.headers["header"]}
        """
    assert queries(tmp_path, "Flask", source) == {}


def test_what_another_method_reads_is_not_read(tmp_path: Path) -> None:
    source = """
        from flask import Flask, request
        app = Flask(__name__)
        def parameters():
            if request.method == "POST":
                given = request.get_json()
            else:
                given = request.args
                print(given.get("draft"))
            return given
        @app.get("/x")
        def find():
            return parameters()["page"]
        @app.route("/y", methods=["PUT"])
        def change():
            if request.method != "PUT":
                return request.args["not here"]
            return request.args["here"]
        @app.post("/z")
        def make():
            print(request.args["area"])
            return parameters()["total"]
        """
    assert queries(tmp_path, "Flask", source) == {
        "draft": False,
        "page": True,
        "here": True,
        "area": True,
    }


def test_a_view_of_several_methods_reads_something_else_for_each(tmp_path: Path) -> None:
    source = """
        from django.urls import path
        def handler(request):
            return request.GET["one"] if request.method == "GET" else request.GET["other"]
        urlpatterns = [path("x", handler)]
        """
    assert queries(tmp_path, "Django", source) == {"one": True, "other": True}


def queries(root: Path, library: str, source: str) -> dict[str, bool | None]:
    """The query parameters of all operations, and whether each is needed."""
    return {
        parameter.name: parameter.required
        for operation in operations(project(root, {"app.py": source}), library)
        for parameter in operation.parameters
        if parameter.location == "query"
    }
