"""Starlette: lists of routes from everywhere, applications below each other, what handlers send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes

STARLETTE = "Starlette"


def test_lists_of_routes_are_followed_across_files(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from starlette.applications import Starlette
            from starlette.routing import Mount, Route
            from shop import PREFIX, health, make_routes, shop_routes
            routes = [Route("/first", health), *shop_routes]
            routes.append(Route("/appended", health))
            routes += [Route(PREFIX + "/added", health)]
            if True:
                routes.extend([Route("/sometimes", health)])
            app = Starlette(True, [*routes, *make_routes("made")])
            app.add_route("/call", health, methods=["PUT", "PATCH"])
            app.router.add_route("/router", health)
            app.routes.append(Route("/late", health))
            @app.route("/decorated", methods=["POST"])
            async def decorated(request): ...
            """,
        "shop.py": """
            from starlette.routing import Mount, Route
            PREFIX = "/shop"
            def health(request): ...
            shop_routes = [Mount(PREFIX, routes=[Route("/deep/{path:path}", health)])]
            def make_routes(name):
                found = []
                found.append(Route(f"/{name}", health))
                return found
            """,
    }
    assert routes(tmp_path, STARLETTE, files) == [
        "GET /appended",
        "PATCH /call",
        "PUT /call",
        "POST /decorated",
        "GET /first",
        "GET /late",
        "GET /made",
        "GET /router",
        "GET /shop/added",
        "GET /shop/deep/{path*}",
        "GET /sometimes",
    ]


def test_applications_below_each_other(tmp_path: Path) -> None:
    source = """
        from starlette.applications import Starlette
        from starlette.routing import Host, Mount, Route, Router, WebSocketRoute
        from starlette.staticfiles import StaticFiles
        def own(request): ...
        app = Starlette(routes=[
            Mount("/sub", app=Starlette(routes=[Route("/a", own)])),
            Mount("/router", Router([Route("/b", own)])),
            Host("api.example.org", app=Router(routes=[Route("/hosted", own)])),
            Mount("/static", StaticFiles(directory="x")),
            WebSocketRoute("/socket", own),
        ])
        app.mount("/mounted", Router(routes=[Route("/c", own)]))
        app.host("other.example.org", Router(routes=[Route("/d", own)]))
        """
    assert routes(tmp_path, STARLETTE, {"app.py": source}) == [
        "GET /d",
        "GET /hosted",
        "GET /mounted/c",
        "GET /router/b",
        "GET /sub/a",
    ]


def test_endpoints_of_every_form(tmp_path: Path) -> None:
    source = """
        from functools import partial
        from starlette.applications import Starlette
        from starlette.authentication import requires
        from starlette.endpoints import HTTPEndpoint
        from starlette.responses import JSONResponse
        from starlette.routing import Route
        class Base(HTTPEndpoint):
            async def get(self, request): return JSONResponse({"a": 1})
        class Orders(Base):
            async def post(self, request): return JSONResponse({"b": 1}, status_code=201)
        class Service:
            def __init__(self, store): self.store = store
            async def list(self, request): return JSONResponse([])
            def routes(self): return [Route("/bound", self.list)]
        class Asgi:
            async def __call__(self, scope, receive, send): ...
        @requires("admin")
        async def guarded(request): return JSONResponse({"c": True})
        def configured(limit, request): return JSONResponse({"limit": 1})
        class OwnRoute(Route): ...
        app = Starlette(routes=[
            *Service(None).routes(),
            Route("/class", Orders),
            Route("/asgi", Asgi()),
            Route("/guarded", guarded),
            Route("/lambda", lambda request: JSONResponse({"d": "x"})),
            Route("/partial", partial(configured, 5)),
            OwnRoute("/own", endpoint=guarded),
        ])
        """
    assert handled(tmp_path, STARLETTE, source) == [
        "* /asgi",
        "  and other parameters",
        "  200 application/json unknown: the handler of the route could not be found",
        "GET /bound",
        "  and other parameters",
        "  200 application/json [nothing]",
        "GET /class",
        "  and other parameters",
        "  200 application/json {a: integer[1]}",
        "POST /class",
        "  and other parameters",
        "  201 application/json {b: integer[1]}",
        "GET /guarded",
        "  and other parameters",
        "  200 application/json {c: boolean[True]}",
        "GET /lambda",
        "  and other parameters",
        "  200 application/json {d: string['x']}",
        "GET /own",
        "  and other parameters",
        "  200 application/json {c: boolean[True]}",
        "GET /partial",
        "  and other parameters",
        "  200 application/json {limit: integer[1]}",
    ]


def test_bodies_are_known_by_the_one_model_that_validates_them(tmp_path: Path) -> None:
    source = """
        import httpx, json
        from pydantic import BaseModel
        from starlette.applications import Starlette
        from starlette.responses import Response
        from starlette.routing import Route
        class Order(BaseModel):
            id: int
        class Other(BaseModel):
            name: str
        async def spread(request):
            data = await request.json()
            order = Order(**data)
            return Response(status_code=204)
        async def validated(request):
            order = Order.model_validate_json(await request.body())
            return Response(status_code=204)
        async def loaded(request):
            order = Order.parse_obj(json.loads(await request.body()))
            return Response(status_code=204)
        async def several(request):
            data = await request.json()
            order = Order(**data) if "id" in data else Other(**data)
            return Response(status_code=204)
        async def form(request):
            form = await request.form()
            return Response(status_code=204)
        async def unrelated(request):
            found = await httpx.get("http://x")
            order = Order(**found.json())
            return Response(status_code=204)
        app = Starlette(routes=[
            Route("/a", spread, methods=["POST"]),
            Route("/b", validated, methods=["PUT"]),
            Route("/c", loaded, methods=["POST"]),
            Route("/d", several, methods=["POST"]),
            Route("/e", form, methods=["POST"]),
            Route("/f", unrelated, methods=["POST"]),
        ])
        """
    several = "unknown: the handler validates the request with several models"
    itself = "unknown: the handler reads the request itself"
    assert handled(tmp_path, STARLETTE, source) == [
        "POST /a",
        "  and other parameters",
        "  takes application/json {id: integer}",
        "  204",
        "PUT /b",
        "  and other parameters",
        "  takes application/json {id: integer}",
        "  204",
        "POST /c",
        "  and other parameters",
        "  takes application/json {id: integer}",
        "  204",
        "POST /d",
        "  and other parameters",
        f"  takes application/json {several}",
        "  204",
        "POST /e",
        "  and other parameters",
        f"  takes application/x-www-form-urlencoded {itself}",
        "  204",
        "POST /f",
        "  and other parameters",
        "  204",
    ]


def test_what_handlers_send(tmp_path: Path) -> None:
    source = """
        from starlette import status
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
        from starlette.routing import Route
        class Problem(JSONResponse):
            media_type = "application/problem+json"
        def problem(title, code=400):
            return Problem({"title": title}, status_code=code)
        async def a(request):
            if "x" not in request.query_params:
                return problem("missing")
            return JSONResponse({"x": "y"}, status.HTTP_202_ACCEPTED)
        async def b(request): raise HTTPException(404)
        async def c(request): return RedirectResponse("/a", status_code=303)
        async def d(request): return StreamingResponse(rows(), media_type="application/json")
        async def e(request): return {"made": "by a decorator"}
        async def f(request): ...
        async def g(request): return Response(b"", media_type="text/csv")
        app = Starlette(routes=[
            Route("/a", a), Route("/b", b), Route("/c", c), Route("/d", d),
            Route("/e", e), Route("/f", f), Route("/g", g),
        ])
        """
    no_response = "unknown: the handler returns no response that can be seen"
    lines = handled(tmp_path, STARLETTE, source)
    assert [line for line in lines if line != "  and other parameters"] == [
        "GET /a",
        "  query x?: anything",
        "  202 application/json {x: string['y']}",
        "  400 application/problem+json {title: string['missing']}",
        "GET /b",
        "  404",
        "GET /c",
        "  303",
        "GET /d",
        "  200 application/json unknown: it is streamed",
        "GET /e",
        f"  200 application/json {no_response}",
        "GET /f",
        f"  200 application/json {no_response}",
        "GET /g",
        "  200 text/csv unknown: it is not sent as JSON",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        import os
        from starlette.applications import Starlette
        from starlette.routing import Mount, Route
        from library import asgi_app, more_routes
        def own(request): ...
        routes = [Route("/known", own), Route(os.environ["WHERE"], own), *more_routes()]
        app = Starlette(routes=[
            *routes,
            Mount("/library", app=asgi_app),
            Mount(os.environ["BELOW"], routes=[Route("/x", own)]),
        ])
        for name in names():
            app.add_route(f"/loop/{name}", own)
        """
    assert routes(tmp_path, STARLETTE, {"app.py": source}) == [
        "GET / (its path is not constant)",
        "GET /known",
        "* /library/{rest*} hidden (the application mounted here could not be read)",
        "GET /loop/{} (its path is not constant)",
        "* /{rest*} hidden (a route that is listed here could not be read)",
        "* /{rest*} hidden (the path that its routes are mounted at could not be read)",
    ]


def test_methods_among_unpacked_options(tmp_path: Path) -> None:
    source = """
        from starlette.applications import Starlette
        from starlette.routing import Route
        from settings import OPTIONS
        def show(request): ...
        app = Starlette(routes=[Route("/listed", show, **OPTIONS)])
        app.add_route("/added", show, **OPTIONS)
        app.add_route("/known", show, **{"methods": ["PUT"]})
        """
    assert routes(tmp_path, "Starlette", {"app.py": source}) == [
        "* /added (its methods are not constant)",
        "PUT /known",
        "* /listed (its methods are not constant)",
    ]
