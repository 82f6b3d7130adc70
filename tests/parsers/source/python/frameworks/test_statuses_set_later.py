"""Statuses that are set on a response after it is made, in branches and in other functions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.parsers.source.python.project import operations, project

HELPERS = """
    def mark(response):
        response.status_code = 207
    def answer():
        return MADE
    def answer_with(code):
        response = MADE
        response.status_code = code
        return response
"""
BODIES = {
    "plain": """
        response = answer()
        response.headers["x"] = "y"
        return response
""",
    "always": """
        response = MADE
        response.status_code = 207
        return response
""",
    "sometimes": """
        response = MADE
        if flag():
            response.status_code = 207
        return response
""",
    "replaced": """
        response = MADE
        if flag():
            response.status_code = 207
        response.status_code = 202
        return response
""",
    "of_another": """
        response = answer()
        response.status_code = 207
        return response
""",
    "in_another": """
        response = MADE
        mark(response)
        return response
""",
    "by_argument": """
        return answer_with(207)
""",
}
SENT = {
    "/plain": "200",
    "/always": "207",
    "/sometimes": "200 207",
    "/replaced": "202",
    "/of_another": "207",
    "/in_another": "207",
    "/by_argument": "207",
}


class Library(NamedTuple):
    """How a module of a library is written. In `handler` and `item`, `{name}` is that of one of the
    handlers; `foot` has `{items}` where the items of all stand."""

    head: str
    handler: str
    made: str
    member: str = "status_code"
    item: str = ""
    foot: str = ""


LIBRARIES = {
    "Flask": Library(
        "from flask import Flask, jsonify\n    app = Flask(__name__)",
        '@app.get("/{name}")\n    def {name}():',
        "jsonify(ok=True)",
    ),
    "FastAPI": Library(
        "from fastapi import FastAPI\n    from fastapi.responses import JSONResponse\n"
        "    app = FastAPI()",
        '@app.get("/{name}")\n    def {name}():',
        'JSONResponse({"ok": True})',
    ),
    "Starlette": Library(
        "from starlette.applications import Starlette\n    from starlette.routing import Route\n"
        "    from starlette.responses import JSONResponse",
        "async def {name}(request):",
        'JSONResponse({"ok": True})',
        item="Route('/{name}', {name}),",
        foot="app = Starlette(routes=[{items}])",
    ),
    "aiohttp": Library(
        "from aiohttp import web\n    routes = web.RouteTableDef()\n    app = web.Application()\n"
        "    app.add_routes(routes)",
        '@routes.get("/{name}")\n    async def {name}(request):',
        'web.json_response({"ok": True})',
        "set_status",
    ),
    "Sanic": Library(
        'from sanic import Sanic, json\n    app = Sanic("x")',
        '@app.get("/{name}")\n    async def {name}(request):',
        'json({"ok": True})',
        "status",
    ),
    "Pyramid": Library(
        "from pyramid.config import Configurator\n    from pyramid.response import Response\n"
        "    from pyramid.view import view_config",
        "@view_config(route_name='{name}')\n    def {name}(request):",
        'Response(json_body={"ok": True})',
        "status_int",
        item="\n        config.add_route('{name}', '/{name}')",
        foot="def main():\n        config = Configurator(){items}\n        config.scan()",
    ),
    "Django": Library(
        "from django.http import JsonResponse\n    from django.urls import path",
        "def {name}(request):",
        'JsonResponse({"ok": True})',
        item="path('{name}', {name}),",
        foot="urlpatterns = [{items}]",
    ),
}


def module_of(library: Library) -> str:
    """A module with a handler for each body."""
    handlers = "".join(
        f"    {library.handler.replace('{name}', name)}{body}" for name, body in BODIES.items()
    )
    items = "".join(library.item.replace("{name}", name) for name in BODIES)
    foot = library.foot.replace("{items}", items)
    text = f"    {library.head}\n{HELPERS}{handlers}    {foot}\n".replace("MADE", library.made)
    if library.member.startswith("set_"):
        return re.sub(r"response\.status_code = (\w+)", rf"response.{library.member}(\1)", text)
    return text.replace("response.status_code", f"response.{library.member}")


@pytest.mark.parametrize("name", LIBRARIES)
def test_statuses_set_on_a_response(name: str, tmp_path: Path) -> None:
    files = {"settings.py": 'ROOT_URLCONF = "app"\n', "app.py": module_of(LIBRARIES[name])}
    assert {
        operation.path: " ".join(response.status for response in operation.responses)
        for operation in operations(project(tmp_path, files), name)
    } == SENT


def test_statuses_that_other_functions_set_in_falcon(tmp_path: Path) -> None:
    source = """
        import falcon
        def mark(resp):
            resp.status = falcon.HTTP_207
        def before(req, resp, resource, params):
            resp.status = falcon.HTTP_202
        class Marked:
            def on_get(self, req, resp):
                resp.media = {"ok": True}
                mark(resp)
            def on_put(self, req, resp):
                mark(resp)
                resp.status = falcon.HTTP_200
                resp.media = {"ok": True}
            def on_post(self, req, resp):
                self._flag(resp, req.params)
                resp.media = {"ok": True}
            def _flag(self, resp, params):
                if params:
                    resp.status = 207
            @falcon.before(before)
            def on_patch(self, req, resp):
                resp.media = {"ok": True}
        app = falcon.App()
        app.add_route("/marked", Marked())
        """
    found = operations(project(tmp_path, {"app.py": source}), "Falcon")
    assert {one.method: " ".join(r.status for r in one.responses) for one in found} == {
        "GET": "207",
        "PUT": "200",
        "POST": "200 207",
        "PATCH": "202",
    }


def test_statuses_that_prepare_sets_in_tornado(tmp_path: Path) -> None:
    source = """
        import tornado.web
        class Accepting(tornado.web.RequestHandler):
            def prepare(self):
                if self.request.path:
                    self.set_header("x", "y")
                self.set_status(202)
            def get(self):
                self.write({"ok": True})
            def post(self):
                self.set_status(201)
                self.write({"ok": True})
        app = tornado.web.Application([("/x", Accepting)])
        """
    found = operations(project(tmp_path, {"app.py": source}), "Tornado")
    assert {one.method: " ".join(r.status for r in one.responses) for one in found} == {
        "GET": "202",
        "POST": "201",
    }
