"""Statuses of the errors that handlers raise, library by library."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import operations, project

AIOHTTP = """
    from aiohttp import web
    async def handler(request):
        if request.a:
            raise web.HTTPNotFound
        if request.b:
            raise web.HTTPConflict(text="twice")
        if request.c:
            raise ValueError("no")
        try:
            raise web.HTTPGone()
        except web.HTTPGone:
            raise web.HTTPBadRequest()
        return web.json_response({})
    app = web.Application()
    app.router.add_get("/x", handler)
    """

DJANGO = """
    from django.core.exceptions import PermissionDenied, SuspiciousOperation
    from django.http import Http404, JsonResponse
    from django.shortcuts import get_object_or_404
    from django.urls import path
    from django.views import View
    class Handler(View):
        def get(self, request):
            if request.a:
                raise Http404("no")
            if request.b:
                raise PermissionDenied
            if request.c:
                raise SuspiciousOperation()
            return JsonResponse({})
    urlpatterns = [path("x", Handler.as_view())]
    """

DJANGO_LOOKS_UP = """
    from django.http import JsonResponse
    from django.shortcuts import get_object_or_404
    from django.urls import path
    from django.views.decorators.http import require_GET
    @require_GET
    def handler(request):
        order = get_object_or_404(Order, pk=1)
        return JsonResponse({})
    urlpatterns = [path("x", handler)]
    """

REST = """
    from django.http import Http404
    from django.urls import path
    from rest_framework import exceptions
    from rest_framework.exceptions import APIException, NotAuthenticated, NotFound, ValidationError
    from rest_framework.response import Response
    from rest_framework.views import APIView
    class Taken(APIException):
        status_code = 409
    class Broken(APIException):
        def __init__(self, code):
            self.status_code = code
    class Handler(APIView):
        def get(self, request):
            if request.a:
                raise NotFound()
            if request.b:
                raise ValidationError({"a": "b"})
            if request.c:
                raise Taken()
            if request.d:
                raise exceptions.Throttled(wait=3)
            if request.e:
                raise NotAuthenticated()
            if request.f:
                raise Broken(418)
            return Response({})
    urlpatterns = [path("x", Handler.as_view())]
    """

FALCON = """
    import falcon
    class Handler:
        def on_get(self, req, resp):
            if req.a:
                raise falcon.HTTPNotFound(title="no")
            if req.b:
                raise falcon.HTTPInvalidParam("no", "b")
            if req.c:
                raise falcon.HTTPError(falcon.HTTP_409)
            if req.d:
                raise falcon.HTTPError("422 Unprocessable")
            resp.media = {}
    app = falcon.App()
    app.add_route("/x", Handler())
    """

SANIC = """
    from sanic import Sanic, json
    from sanic.exceptions import Forbidden, NotFound, SanicException
    class Taken(SanicException):
        status_code = 409
    app = Sanic("x")
    @app.get("/x")
    async def handler(request):
        if request.a:
            raise NotFound("no")
        if request.b:
            raise Forbidden("no", status_code=451)
        if request.c:
            raise SanicException("no", status_code=418)
        if request.d:
            raise Taken()
        if request.e:
            raise SanicException("no")
        return json({})
    """

LITESTAR = """
    from litestar import Litestar, get
    from litestar.exceptions import HTTPException, NotFoundException, ValidationException
    class Taken(HTTPException):
        status_code = 409
    @get("/x")
    async def handler(a: int) -> None:
        if a == 1:
            raise NotFoundException(detail="no")
        if a == 2:
            raise ValidationException("no")
        if a == 3:
            raise HTTPException(status_code=418, detail="no")
        if a == 4:
            raise Taken()
    app = Litestar([handler])
    """

TORNADO = """
    from tornado.web import Application, HTTPError, RequestHandler
    class Handler(RequestHandler):
        def get(self):
            if self.a:
                raise HTTPError(404, "no")
            if self.b:
                raise HTTPError(status_code=409)
            if self.c:
                self.send_error(403)
                return
            if self.d:
                raise HTTPError()
            self.write({})
    app = Application([("/x", Handler)])
    """

BOTTLE = """
    from bottle import HTTPError, abort, route
    @route("/x")
    def handler():
        if a:
            abort(404, "no")
        if b:
            raise HTTPError(409, "no")
        if c:
            return HTTPError(410, "no")
        return {}
    """

QUART = """
    from quart import Quart, abort
    from werkzeug.exceptions import Conflict
    app = Quart(__name__)
    @app.get("/x")
    async def handler():
        if a:
            abort(404)
        if b:
            raise Conflict()
        return {}
    """

NINJA = """
    from django.shortcuts import get_object_or_404
    from ninja import NinjaAPI
    from ninja.errors import HttpError
    api = NinjaAPI()
    @api.get("/x")
    def handler(request, a: int):
        order = get_object_or_404(Order, pk=a)
        if a:
            raise HttpError(409, "no")
        return {}
    """


FASTAPI = """
    from fastapi import FastAPI, HTTPException, status
    app = FastAPI()
    @app.get("/x")
    def handler(a: int):
        if a == 1:
            raise HTTPException(status.HTTP_404_NOT_FOUND)
        if a == 2:
            raise HTTPException(status_code=409, detail="no")
        return {}
    """

STARLETTE = """
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.responses import JSONResponse
    from starlette.routing import Route
    async def handler(request):
        if request.a:
            raise HTTPException(404)
        return JSONResponse({})
    app = Starlette(routes=[Route("/x", handler)])
    """

FLASK = QUART.replace("quart", "flask").replace("Quart", "Flask").replace("async ", "")


def errors(root: Path, framework: str, source: str) -> list[str]:
    """The statuses of errors of the one operation of a program."""
    [operation] = operations(project(root, {"urls.py": source}), framework)
    return [r.status for r in operation.responses if r.status[0] in "45"]


@pytest.mark.parametrize(
    ("framework", "source", "expected"),
    [
        ("aiohttp", AIOHTTP, ["400", "404", "409"]),
        ("Django", DJANGO, ["400", "403", "404"]),
        ("Django", DJANGO_LOOKS_UP, ["404"]),
        ("Django REST framework", REST, ["400", "404", "409", "429"]),
        ("Falcon", FALCON, ["400", "404", "409", "422"]),
        ("Sanic", SANIC, ["404", "409", "418", "451", "500"]),
        ("Litestar", LITESTAR, ["400", "404", "409", "418"]),
        ("Tornado", TORNADO, ["403", "404", "409", "500"]),
        ("Bottle", BOTTLE, ["404", "409", "410"]),
        ("Quart", QUART, ["404", "409"]),
        ("Django Ninja", NINJA, ["404", "409"]),
        ("FastAPI", FASTAPI, ["404", "409"]),
        ("Starlette", STARLETTE, ["404"]),
        ("Flask", FLASK, ["404", "409"]),
    ],
)
def test_statuses_of_raised_errors(
    tmp_path: Path, framework: str, source: str, expected: list[str]
) -> None:
    assert errors(tmp_path, framework, source) == expected


@pytest.mark.parametrize(
    ("framework", "source", "handling"),
    [
        (
            "aiohttp",
            AIOHTTP,
            """
            @web.middleware
            async def errors(request, handler):
                try:
                    return await handler(request)
                except web.HTTPException as error:
                    return web.json_response({}, status=418)
            """,
        ),
        (
            "Django REST framework",
            REST.replace("NotFound()", "NotFound"),
            """
            REST_FRAMEWORK = {"EXCEPTION_HANDLER": "shop.errors.answer"}
            """,
        ),
        (
            "Falcon",
            FALCON,
            """
            app.add_error_handler(falcon.HTTPError, answer)
            """,
        ),
        (
            "Litestar",
            LITESTAR,
            """
            from litestar.exceptions import HTTPException
            answers = {"exception_handlers": {HTTPException: answer}}
            """,
        ),
    ],
)
def test_where_the_project_answers_errors_itself_no_status_is_told(
    tmp_path: Path, framework: str, source: str, handling: str
) -> None:
    files = {"urls.py": source, "answers.py": handling}
    [operation] = operations(project(tmp_path, files), framework)
    assert [r.status for r in operation.responses if r.status[0] in "45"] == []
