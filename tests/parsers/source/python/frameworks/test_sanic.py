"""Sanic: blueprints, groups and versions, what handlers take, what they send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, operations, project, routes

SANIC = "Sanic"


def test_blueprints_and_groups_across_files(tmp_path: Path) -> None:
    files = {
        "server.py": """
            from sanic import Blueprint, Sanic
            from orders import orders, replaced
            from users import group
            def create_app():
                app = Sanic("shop")
                app.blueprint(orders)
                app.blueprint(replaced, url_prefix="/instead")
                app.blueprint(group)
                app.add_route(health, "/health", methods=["GET", "HEAD"])
                app.static("/static", "x")
                return app
            async def health(request): ...
            """,
        "orders.py": """
            from sanic import Blueprint
            from sanic.views import HTTPMethodView
            orders = Blueprint("orders", url_prefix="/orders")
            replaced = Blueprint("replaced", url_prefix="/never")
            @orders.get("/<order_id:int>")
            async def order(request, order_id): ...
            @orders.route("/<rest:path>", methods=["PUT", "PATCH"])
            async def rest(request, rest): ...
            @replaced.delete("/x")
            async def x(request): ...
            class Items(HTTPMethodView, attach=orders, uri="/items"):
                async def get(self, request): ...
                async def post(self, request): ...
            class Lines(HTTPMethodView):
                async def get(self, request): ...
            orders.add_route(Lines.as_view(), "/lines")
            @orders.websocket("/socket")
            async def socket(request, ws): ...
            """,
        "users.py": """
            from sanic import Blueprint
            users = Blueprint("users", url_prefix="/users")
            admin = Blueprint("admin", url_prefix="admin")
            inner = Blueprint.group(admin, url_prefix="/inner")
            group = Blueprint.group(users, inner, url_prefix="/api")
            @users.get("/me")
            async def me(request): ...
            @admin.get("/stats")
            async def stats(request): ...
            """,
    }
    assert routes(tmp_path, SANIC, files) == [
        "GET /api/inner/admin/stats",
        "GET /api/users/me",
        "GET /health",
        "HEAD /health",
        "DELETE /instead/x",
        "GET /orders/items",
        "POST /orders/items",
        "GET /orders/lines",
        "GET /orders/{order_id}",
        "PATCH /orders/{rest*}",
        "PUT /orders/{rest*}",
    ]


def test_a_function_that_is_given_the_application_is_asked_by_every_library(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from sanic import Sanic
            from more import add
            app = Sanic("x")
            add(app)
            """,
        "more.py": """
            from sanic.response import json
            def add(app):
                @app.get("/more")
                async def more(request): return json({})
            """,
    }
    program = project(tmp_path, files)
    assert operations(program, "FastAPI") == []
    assert [o.path for o in operations(program, "Sanic")] == ["/more"]


def test_versions_of_every_level(tmp_path: Path) -> None:
    source = """
        from sanic import Blueprint, Sanic
        app = Sanic("shop")
        plain = Blueprint("plain", url_prefix="/plain", version=1)
        grouped = Blueprint("grouped", url_prefix="/grouped")
        own = Blueprint("own", url_prefix="/own", version="v3")
        group = Blueprint.group(grouped, own, version=2, version_prefix="/api/v")
        app.blueprint(plain)
        app.blueprint(group)
        @app.get("/route", version=1.1)
        async def a(request): ...
        @plain.get("/x")
        async def b(request): ...
        @plain.get("/y", version=5)
        async def c(request): ...
        @grouped.get("/x")
        async def d(request): ...
        @own.get("/x")
        async def e(request): ...
        """
    assert routes(tmp_path, SANIC, {"server.py": source}) == [
        "GET /api/v2/grouped/x",
        "GET /api/v3/own/x",
        "GET /v1.1/route",
        "GET /v1/plain/x",
        "GET /v5/plain/y",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        import os
        from sanic import Blueprint, Sanic
        from library import their_blueprint
        app = Sanic("shop")
        found, lost = Blueprint("found", url_prefix=os.environ["PREFIX"]), Blueprint("lost")
        versioned = Blueprint("versioned", version=os.environ["VERSION"])
        app.blueprint(found)
        app.blueprint(versioned)
        app.blueprint(their_blueprint)
        @app.get(os.environ["WHERE"])
        async def a(request): ...
        @found.get("/found")
        async def b(request): ...
        @lost.get("/lost")
        async def c(request): ...
        @versioned.get("/versioned")
        async def d(request): ...
        @app.route("/any", methods=METHODS)
        async def e(request): ...
        """
    assert routes(tmp_path, SANIC, {"server.py": source}) == [
        "GET / (its path is not constant)",
        "* /any (its methods are not constant)",
        "GET /versioned (the version of the route is not constant)",
        "GET /{computed}/found (a prefix of the blueprint is not constant)",
        "GET /{computed}/lost (no application that can be seen includes this router)",
        "* /{rest*} hidden (the blueprint that is registered here could not be read)",
    ]


def test_what_handlers_take_and_send(tmp_path: Path) -> None:
    source = """
        from pydantic import BaseModel
        from sanic import HTTPResponse, Sanic, json, response
        from sanic.exceptions import NotFound
        from sanic.response import empty, redirect, text
        from sanic_ext import validate
        app = Sanic("shop")
        class Order(BaseModel):
            id: int
        class Filters(BaseModel):
            limit: int = 10
        @app.get("/a/<at:ymd>")
        async def a(request, at):
            if at.year < 2000: return json({"error": "x"}, status=404)
            return response.json({"id": 1}, 202)
        @app.post("/b")
        async def b(request):
            order = Order(**request.json)
            return json(order.model_dump(), status=201)
        @app.delete("/c")
        async def c(request): return empty()
        @app.get("/d")
        async def d(request): return text("plain")
        @app.get("/e")
        async def e(request): return redirect("/d")
        @app.get("/f")
        async def f(request): raise NotFound()
        @app.post("/g")
        @validate(json=Order, query=Filters)
        async def g(request, body, query): return HTTPResponse(status=204)
        @app.get("/h")
        async def h(request): return {"made": "by a middleware"}
        @app.get("/i")
        async def i(request): return text("", 202)
        """
    lines = handled(tmp_path, SANIC, source)
    assert [line for line in lines if line != "  and other parameters"] == [
        "GET /a/{at}",
        "  path at: string:date",
        "  202 application/json {id: integer[1]}",
        "  404 application/json {error: string['x']}",
        "POST /b",
        "  takes application/json {id: integer}",
        "  201 application/json {id: integer}",
        "DELETE /c",
        "  204",
        "GET /d",
        "  200 text/plain unknown: it is not sent as JSON",
        "GET /e",
        "  302",
        "GET /f",
        "  404",
        "POST /g",
        "  query limit?: integer",
        "  takes application/json {id: integer}",
        "  204",
        "GET /h",
        "  200 application/json unknown: the handler returns no response that can be seen",
        "GET /i",
        "  202",
    ]


def test_methods_among_unpacked_options(tmp_path: Path) -> None:
    source = """
        from sanic import Sanic
        from settings import OPTIONS
        app = Sanic("shop")
        def show(request): ...
        app.add_route(show, "/added", **OPTIONS)
        app.add_route(show, "/known", **{"methods": ["PUT"]})
        @app.route("/decorated", **OPTIONS)
        def decorated(request): ...
        """
    assert routes(tmp_path, "Sanic", {"app.py": source}) == [
        "* /added (its methods are not constant)",
        "* /decorated (its methods are not constant)",
        "PUT /known",
    ]


def test_blueprints_that_instances_make_of_their_methods(tmp_path: Path) -> None:
    """Each instance has the prefix that it was made with, and the handlers of its class."""
    files = {
        "base.py": """
            from collections.abc import Callable
            from dataclasses import dataclass
            from inspect import getmembers, ismethod
            from typing import cast
            from sanic import Blueprint
            from sanic.models.handler_types import RouteHandler
            Answer = tuple[str, list[str], RouteHandler]
            Factory = Callable[..., Answer]
            @dataclass(kw_only=True)
            class Reflected:
                name: str
                url_prefix: str
                def blueprint(self) -> Blueprint:
                    bp = Blueprint(name=self.name, url_prefix=self.url_prefix)
                    members = getmembers(self, ismethod)
                    for name, method in members:
                        if name != "blueprint" and not name.startswith("_"):
                            factory = cast(Factory, method)
                            url, verbs, handler = factory()
                            bp.add_route(handler=handler, uri=url, methods=verbs, name=name)
                    return bp
            """,
        "shop.py": """
            from dataclasses import dataclass
            from base import Answer, Reflected
            @dataclass(kw_only=True)
            class Orders(Reflected):
                limit: int
                def all(self) -> Answer:
                    async def _all(request): ...
                    return "/orders", ["GET"], _all
                def add(self) -> Answer:
                    async def _add(request): ...
                    return "/orders", ["POST", "PUT"], _add
                def _hidden(self) -> Answer:
                    async def _never(request): ...
                    return "/never", ["GET"], _never
            @dataclass(kw_only=True)
            class Users(Reflected):
                def one(self):
                    async def _one(request, name): ...
                    return "/users/<name>", ["GET"], _one
            """,
        "main.py": """
            from sanic import Sanic
            from shop import Orders, Users
            def register(app):
                prefix = "/api"
                old = Orders(name="old", url_prefix=f"{prefix}/old", limit=2)
                orders = Orders(name="orders", url_prefix=prefix, limit=2)
                users = Users(name="users", url_prefix=prefix)
                app.blueprint([old.blueprint(), orders.blueprint(), users.blueprint()])
                return app
            app = register(Sanic("shop"))
            """,
    }
    assert sorted(routes(tmp_path, SANIC, files)) == [
        "GET /api/old/orders",
        "GET /api/orders",
        "GET /api/users/{name}",
        "POST /api/old/orders",
        "POST /api/orders",
        "PUT /api/old/orders",
        "PUT /api/orders",
    ]
