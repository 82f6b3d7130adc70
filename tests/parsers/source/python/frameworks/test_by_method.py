"""Handlers that answer several methods and ask which one it is: each method by its own ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import operations, project

BODY = """
        if request.method == "POST":
            if request.bad:
                {raised}
            return {made}
        elif request.method in ("PUT", "PATCH"):
            return {changed}
        return {read}
"""

FLASK = """
    from flask import Flask, abort, request
    app = Flask(__name__)
    @app.route("/x", methods=["GET", "POST", "PUT"])
    def handler():
""" + BODY.format(
    raised="abort(409)", made='{"a": 1}, 201', changed='{"b": 1}, 202', read='{"c": 1}'
)

FLASK_NAMED = FLASK.replace("def handler():\n", "def handler():\n        verb = request.method\n")
FLASK_NAMED = FLASK_NAMED.replace("if request.method", "if verb")

QUART = FLASK.replace("flask", "quart").replace("Flask", "Quart").replace("def h", "async def h")

BOTTLE = """
    from bottle import HTTPError, HTTPResponse, request, route
    @route("/x", method=["GET", "POST", "PUT"])
    def handler():
""" + BODY.format(
    raised="raise HTTPError(409)",
    made="HTTPResponse(status=201, body={})",
    changed="HTTPResponse(status=202, body={})",
    read="{}",
)

SANIC = """
    from sanic import Sanic, json
    from sanic.exceptions import SanicException
    app = Sanic("x")
    @app.route("/x", methods=["GET", "POST", "PUT"])
    async def handler(request):
""" + BODY.format(
    raised='raise SanicException("no", status_code=409)',
    made="json({}, status=201)",
    changed="json({}, status=202)",
    read="json({})",
)

STARLETTE = (
    """
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.responses import JSONResponse
    from starlette.routing import Route
    async def handler(request):
"""
    + BODY.format(
        raised="raise HTTPException(409)",
        made="JSONResponse({}, status_code=201)",
        changed="JSONResponse({}, status_code=202)",
        read="JSONResponse({})",
    )
    + """
    app = Starlette(routes=[Route("/x", handler, methods=["GET", "POST", "PUT"])])
"""
)

DJANGO = (
    """
    from django.http import Http404, JsonResponse
    from django.urls import path
    from django.views.decorators.http import require_http_methods
    @require_http_methods(["GET", "POST", "PUT"])
    def handler(request):
"""
    + BODY.format(
        raised="raise Http404",
        made="JsonResponse({}, status=201)",
        changed="JsonResponse({}, status=202)",
        read="JsonResponse({})",
    )
    + """
    urlpatterns = [path("x", handler)]
"""
)


@pytest.mark.parametrize(
    ("framework", "source", "error"),
    [
        ("Flask", FLASK, "409"),
        ("Flask", FLASK_NAMED, "409"),
        ("Quart", QUART, "409"),
        ("Bottle", BOTTLE, "409"),
        ("Sanic", SANIC, "409"),
        ("Starlette", STARLETTE, "409"),
        ("Django", DJANGO, "404"),
    ],
)
def test_each_method_sends_what_it_reaches(
    tmp_path: Path, framework: str, source: str, error: str
) -> None:
    found = operations(project(tmp_path, {"urls.py": source}), framework)
    statuses = {o.method: [r.status for r in o.responses] for o in found}
    assert statuses == {"GET": ["200"], "POST": ["201", error], "PUT": ["202"]}


def test_a_handler_that_does_not_ask_sends_all_for_all(tmp_path: Path) -> None:
    source = FLASK.replace("request.method", "request.kind")
    found = operations(project(tmp_path, {"app.py": source}), "Flask")
    statuses = {o.method: [r.status for r in o.responses] for o in found}
    every = ["200", "201", "202", "409"]
    assert statuses == {"GET": every, "POST": every, "PUT": every}


DJANGO_OF_ANY_METHOD = """
    import json
    from django.http import Http404, HttpResponse, HttpResponseNotAllowed, JsonResponse
    from django.urls import path
    def one(request):
        if request.method != "GET":
            return HttpResponse("no", status=405)
        return HttpResponse(json.dumps({"a": 1}), content_type="application/json")
    def several(request):
        method = request.method
        if method == "GET":
            return JsonResponse({"a": 1})
        elif method.upper() in ("POST", "PUT"):
            return HttpResponse(status=202)
        return HttpResponseNotAllowed(["GET"])
    def rest(request):
        if request.method == "POST":
            raise Http404
        return JsonResponse({})
    def none(request):
        return JsonResponse({})
    urlpatterns = [
        path("one", one), path("several", several), path("rest", rest), path("none", none)
    ]
"""


def test_views_without_a_list_of_methods_answer_those_that_they_tell_apart(tmp_path: Path) -> None:
    program = project(tmp_path, {"urls.py": DJANGO_OF_ANY_METHOD})
    assert [
        (o.method, o.path, [r.status for r in o.responses], o.excluded_from_docs)
        for o in operations(program, "Django")
    ] == [
        ("*", "/none", ["200"], False),
        ("GET", "/one", ["200"], False),
        ("*", "/rest", ["200"], True),
        ("POST", "/rest", ["404"], False),
        ("GET", "/several", ["200"], False),
        ("POST", "/several", ["202"], False),
        ("PUT", "/several", ["202"], False),
    ]
