"""aiohttp's server: where routes are added, what handlers take, what they send."""

from __future__ import annotations

from pathlib import Path

from contract_scan.api import extract
from contract_scan.ir.schema import Reference
from tests.parsers.source.python.project import handled, routes

AIOHTTP = "aiohttp"


def test_routes_added_in_every_way(tmp_path: Path) -> None:
    files = {
        "main.py": """
            from aiohttp import web
            from orders import routes as order_routes, setup_routes, admin
            def create_app() -> web.Application:
                app = web.Application()
                app.add_routes([web.get("/first", first), web.static("/static", "x")])
                app.add_routes(order_routes)
                setup_routes(app)
                app.add_subapp("/admin/", admin)
                resource = app.router.add_resource("/resource")
                resource.add_route("PUT", first)
                app.router.add_routes([web.route("*", "/any", first)])
                return app
            async def first(request): ...
            """,
        "orders.py": """
            import aiohttp.web
            from aiohttp.web import Application, RouteTableDef, View, view
            routes = RouteTableDef()
            admin = Application()
            @routes.get(r"/orders/{id:\\d{1,9}}")
            async def order(request): ...
            @routes.route("PATCH", "/orders/{tail:.*}")
            async def rest(request): ...
            @routes.view("/viewed")
            class Orders(View):
                async def get(self): ...
                async def post(self): ...
            def setup_routes(app):
                app.router.add_post("/post", order)
                app.router.add_view("/class", Orders)
                app.router.add_route("DELETE", "/routed", order)
            class Handlers:
                async def stats(self, request): ...
            handlers = Handlers()
            admin.router.add_get("/stats", handlers.stats)
            admin.add_routes([view("/admin-view", Orders)])
            """,
    }
    assert routes(tmp_path, AIOHTTP, files) == [
        "GET /admin/admin-view",
        "POST /admin/admin-view",
        "GET /admin/stats",
        "* /any",
        "GET /class",
        "POST /class",
        "GET /first",
        "GET /orders/{id}",
        "PATCH /orders/{tail*}",
        "POST /post",
        "PUT /resource",
        "DELETE /routed",
        "GET /viewed",
        "POST /viewed",
    ]


def test_routes_that_a_loop_adds_again_below_a_prefix(tmp_path: Path) -> None:
    source = """
        from aiohttp import web
        class Server:
            def __init__(self):
                self.app = web.Application()
                self.routes = web.RouteTableDef()
                @self.routes.get("/jobs")
                async def jobs(request): ...
                @self.routes.post("/jobs/{id}")
                async def start(request): ...
            def add_routes(self):
                again = web.RouteTableDef()
                for route in self.routes:
                    if isinstance(route, web.RouteDef):
                        put = again.route(route.method, "/api" + route.path)(route.handler)
                again.get("/own")(self.own)
                self.app.add_routes(again)
                self.app.add_routes(self.routes)
            async def own(self, request): ...
        """
    assert routes(tmp_path, AIOHTTP, {"app.py": source}) == [
        "GET /api/jobs",
        "POST /api/jobs/{id}",
        "GET /jobs",
        "POST /jobs/{id}",
        "GET /own",
    ]


def test_an_application_that_is_handed_over_is_known_by_its_type(tmp_path: Path) -> None:
    source = """
        from aiohttp import web
        async def handler(request): ...
        async def register(app: web.Application):
            app.add_routes([web.get("/plugin", handler)])
        """
    assert routes(tmp_path, AIOHTTP, {"plugin.py": source}) == ["GET /plugin"]


def test_clients_are_no_routes(tmp_path: Path) -> None:
    source = """
        import aiohttp
        from aiohttp import web
        async def load(session: aiohttp.ClientSession):
            async with session.get("/orders") as response:
                return await response.json()
        """
    assert routes(tmp_path, AIOHTTP, {"client.py": source}) == []


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        import os
        from aiohttp import web
        from library import their_routes, their_app
        async def handler(request): ...
        app, sub, lost = web.Application(), web.Application(), web.RouteTableDef()
        app.add_routes([web.get(os.environ["WHERE"], handler), *their_routes])
        app.add_subapp(os.environ["BELOW"], sub)
        app.add_subapp("/theirs", their_app)
        app.router.add_route(METHOD, "/method", handler)
        sub.router.add_get("/below", handler)
        @lost.get("/lost")
        async def never(request): ...
        table = web.RouteTableDef()
        for path in paths(): table.get(path)(handler)
        app.add_routes(table)
        """
    assert routes(tmp_path, AIOHTTP, {"app.py": source}) == [
        "GET / (its path is not constant)",
        "* /method (its method is not constant)",
        "* /theirs/{rest*} hidden (what is added here could not be read)",
        "GET /{computed}/below (a prefix of the router is not constant)",
        "GET /{computed}/lost (no application that can be seen includes this router)",
        "* /{rest*} hidden (what is added here could not be read)",
        "* /{rest*} hidden (what is added here could not be read)",
    ]


def test_what_handlers_send(tmp_path: Path) -> None:
    source = """
        import json
        from http import HTTPStatus
        from aiohttp import web
        routes = web.RouteTableDef()
        def found(order): return web.json_response({"order": order})
        @routes.get("/a")
        async def a(request):
            if "x" not in request.query:
                return web.json_response({"error": "x"}, status=HTTPStatus.BAD_REQUEST)
            return found({"id": 1})
        @routes.post("/b")
        async def b(request):
            raise web.HTTPCreated(text=json.dumps({"id": 1}), content_type="application/json")
        @routes.delete("/c")
        async def c(request):
            if request.get("x"): raise web.HTTPNotFound()
            return web.HTTPNoContent()
        @routes.get("/d")
        async def d(request): return web.Response(text="plain")
        @routes.get("/e")
        async def e(request):
            return web.Response(body=json.dumps([1]), content_type="application/json", status=203)
        @routes.get("/f")
        async def f(request): return web.FileResponse("x.bin")
        @routes.get("/g")
        async def g(request): return {"made": "by a middleware"}
        @routes.get("/h")
        async def h(request): raise web.HTTPFound("/a")
        @routes.get("/i")
        async def i(request): return web.json_response(text=json.dumps({"y": True}))
        @routes.get("/j")
        async def j(request): return web.Response(text="")
        app = web.Application()
        app.add_routes(routes)
        """
    lines = handled(tmp_path, AIOHTTP, source)
    assert [line for line in lines if line != "  and other parameters"] == [
        "GET /a",
        "  query x?: anything",
        "  200 application/json {order: {id: integer[1]}}",
        "  400 application/json {error: string['x']}",
        "POST /b",
        "  201 application/json {id: integer[1]}",
        "DELETE /c",
        "  204",
        "  404",
        "GET /d",
        "  200 text/plain unknown: its text is not read",
        "GET /e",
        "  203 application/json [integer[1]]",
        "GET /f",
        "  200 application/octet-stream unknown: it is not sent as JSON",
        "GET /g",
        "  200 application/json unknown: the handler returns no response that can be seen",
        "GET /h",
        "GET /i",
        "  200 application/json {y: boolean[True]}",
        "GET /j",
        "  200",
    ]


def test_what_handlers_take_and_apispec_declares(tmp_path: Path) -> None:
    source = """
        from aiohttp import web
        from aiohttp_apispec import (
            json_schema, match_info_schema, querystring_schema, response_schema,
        )
        from marshmallow import Schema, fields
        from pydantic import BaseModel
        routes = web.RouteTableDef()
        class Order(BaseModel):
            id: int
        class Paging(Schema):
            limit = fields.Int()
        class Path(Schema):
            order_id = fields.Int(required=True)
        class Out(Schema):
            id = fields.Int(required=True)
        @routes.post("/a")
        async def a(request):
            order = Order(**await request.json())
            return web.Response(status=204)
        @routes.put("/b/{order_id}")
        @match_info_schema(Path())
        @querystring_schema(Paging())
        @json_schema(Out)
        @response_schema(Out(), 201)
        async def b(request):
            return web.json_response(library.load(), status=201)
        app = web.Application()
        app.add_routes(routes)
        """
    assert handled(tmp_path, AIOHTTP, source) == [
        "POST /a",
        "  takes application/json {id: integer}",
        "  204",
        "PUT /b/{order_id}",
        "  path order_id: integer",
        "  query limit?: integer",
        "  takes application/json {id: integer}",
        "  201 application/json {id: integer}",
    ]


def test_a_documented_response_counts_where_the_handler_shows_none(tmp_path: Path) -> None:
    source = """
from aiohttp import web
from aiohttp_apispec import response_schema
from marshmallow import Schema, fields

class Order(Schema):
    id = fields.Int(required=True)

@response_schema(Order, 200)
async def order(request):
    await helper(request)

app = web.Application()
app.router.add_get("/order", order)
"""
    (tmp_path / "app.py").write_text(source)
    (operation,) = extract(tmp_path, cache=False).endpoints
    (response,) = operation.responses
    assert response.status == "200"
    assert [type(body.schema) for body in response.bodies] == [Reference]
