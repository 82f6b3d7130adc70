"""Pyramid: routes of configurators, views by decorators and calls, what their renderers send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes


def test_routes_and_what_includes_them(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": """
            from pyramid.config import Configurator
            from shop import late
            def main(global_config, **settings):
                with Configurator(settings=settings) as config:
                    config.include("pyramid_jinja2")
                    config.include(".orders", route_prefix="/api/v1")
                    config.include("shop.lines:add", route_prefix="api")
                    late.routes(config)
                    config.add_route("home", "/")
                    config.add_route("docs", "https://docs.example/{page}")
                    config.add_static_view("static", "shop:static")
                    config.scan()
                return config.make_wsgi_app()
            """,
        "shop/orders.py": """
            def includeme(config):
                config.add_route("orders", "/orders")
                config.add_route("order", "/orders/{id:\\\\d+}", request_method=("GET", "PUT"))
                config.include("shop.deep", route_prefix="deep")
            """,
        "shop/deep.py": """
            def includeme(config):
                config.add_route("rest", "/files/*path")
                config.add_route("old", "old/:name")
            """,
        "shop/lines.py": """
            def add(config):
                with config.route_prefix_context("inner"):
                    config.add_route("lines", "/lines")
                config.add_route("line", pattern="/lines/{id}")
            """,
        "shop/late.py": """
            def routes(config):
                config.add_route(name="late", pattern="/late")
                config.add_route("unseen", "/unseen")
                config.add_route("tree", "/tree/*traverse")
                config.add_route("computed", make())
            """,
        "shop/views.py": """
            from functools import partial
            from pyramid.view import view_config, view_defaults
            json_view = partial(view_config, renderer="json")
            @view_config(route_name="home", renderer="shop:templates/home.jinja2")
            def home(request): return {}
            @json_view(route_name="orders", request_method="GET")
            def orders(request): return []
            @view_defaults(route_name="order", renderer="json")
            class Orders:
                def __init__(self, request): self.request = request
                @view_config(request_method="GET")
                def read(self): return {}
                @view_config(request_method="DELETE")
                def delete(self): return {}
                @view_config(request_method="PUT")
                @view_config(route_name="late", request_method=("PUT", "PATCH"))
                def write(self): return {}
            @view_config(route_name="rest", renderer="json")
            @view_config(route_name="old", renderer="json")
            def rest(request): return {}
            @view_config(route_name="lines", attr="show", renderer="json")
            class Lines:
                def show(self): return {}
            @view_config(route_name="tree", renderer="json")
            @view_config(route_name="computed", request_method=methods(), renderer="json")
            def tree(request): return {}
            @view_config(route_name="nowhere", renderer="json")
            def nowhere(request): return {}
            @view_config(context="shop.Folder", renderer="json")
            def folder(request): return {}
            @view_config(context=Exception, renderer="json")
            def failed(request): return {}
            """,
        "shop/more.py": """
            def includeme(config):
                config.add_view("shop.views.rest", route_name="line", renderer="json")
            """,
    }
    assert routes(tmp_path, "Pyramid", files) == [
        "* /",
        "* /api/inner/lines",
        "* /api/lines/{id}",
        "* /api/v1/deep/files/{path*}",
        "* /api/v1/deep/old/{name}",
        "GET /api/v1/orders",
        "GET /api/v1/orders/{id}",
        "PUT /api/v1/orders/{id}",
        "PATCH /late",
        "PUT /late",
        "* /tree/{traverse*} (its path is found by traversal)",
        "* /unseen hidden",
        "* /{computed}/{rest*} (no route `nowhere` is seen)",
        "* /{computed}/{rest*} hidden (its path is found by traversal)",
        "* /{rest*} (its pattern is not constant)",
    ]


def test_decorators_of_the_project(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from pyramid.config import Configurator
            from pyramid.view import view_config
            class api_view(view_config):
                def __init__(self, **settings):
                    settings.setdefault("renderer", "json")
                    super().__init__(**settings)
            def add_api_view(config, view, **settings):
                settings.setdefault("renderer", "json")
                config.add_view(view=view, **settings)
            def api(versions, **settings):
                def callback(context, name, view):
                    add_api_view(context.config, view, **settings)
                def wrapper(wrapped):
                    return wrapped
                return wrapper
            READS = {"route_name": "orders", "request_method": "GET"}
            @api(["v1"], **READS)
            def orders(request): return {"n": 1}
            @api_view(route_name="orders", request_method="POST")
            def create(request): return {"n": 2}
            def main():
                config = Configurator()
                config.add_route("orders", "/orders")
            """,
    }
    source = files["app.py"]
    assert handled(tmp_path, "Pyramid", source) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json {n: integer[1]}",
        "POST /orders",
        "  and other parameters",
        "  200 application/json {n: integer[2]}",
    ]


def test_what_views_send(tmp_path: Path) -> None:
    source = """
        import json
        from pyramid.config import Configurator
        from pyramid.httpexceptions import (
            HTTPBadRequest, HTTPCreated, HTTPFound, HTTPNoContent, HTTPNotFound, exception_response,
        )
        from pyramid.renderers import JSON
        from pyramid.response import FileResponse, Response
        from pyramid.view import view_config
        class Order:
            def __json__(self, request): return {"id": 1}
        @view_config(route_name="orders", request_method="GET", renderer="json")
        def orders(request):
            if request.params.get("bad"):
                raise HTTPBadRequest("bad")
            return {"orders": [Order()]}
        @view_config(route_name="orders", request_method="POST", renderer="json")
        def create(request):
            data = request.json_body
            request.response.status_code = 201
            return {"id": data["id"], "made": True}
        @view_config(route_name="orders", request_method="PUT")
        def replace(request):
            if request.body:
                return HTTPCreated(json_body={"id": 2})
            return Response(json={"id": 3}, status=202)
        @view_config(route_name="orders", request_method="PATCH", renderer="json")
        def change(request):
            try:
                return Response(json.dumps({"id": 4}), content_type="application/json")
            except KeyError:
                raise exception_response(409)
        @view_config(route_name="orders", request_method="DELETE", renderer="json")
        def delete(request):
            if request.gone:
                raise HTTPNotFound
            return HTTPNoContent()
        @view_config(route_name="other", request_method="GET", renderer="fine")
        def fine(request): return {"id": 5}
        @view_config(route_name="other", request_method="POST", renderer="own")
        def own(request): return {"id": 6}
        @view_config(route_name="other", request_method="PUT", renderer="page.jinja2")
        def page(request):
            if request.done:
                return HTTPFound(location="/")
            return {}
        @view_config(route_name="other", request_method="PATCH")
        def file(request): return FileResponse("x.pdf")
        @view_config(route_name="other", request_method="DELETE", renderer="string")
        def text(request):
            request.response.status = find_status()
            return "done"
        @view_config(route_name="act", match_param="action=start", renderer="json")
        def start(request):
            response = request.response
            response.status_int = 202
            return response
        def main():
            config = Configurator()
            config.add_renderer("fine", JSON(indent=2))
            config.add_renderer("own", "app.OwnRenderer")
            config.add_route("orders", "/orders")
            config.add_route("other", "/other")
            config.add_route("act", "/act/{action}")
        """
    assert handled(tmp_path, "Pyramid", source) == [
        "* /act/start",
        "  and other parameters",
        "  202 application/json unknown: the view fills its response in",
        "DELETE /orders",
        "  and other parameters",
        "  204",
        "  404",
        "GET /orders",
        "  query bad?: anything",
        "  and other parameters",
        "  200 application/json {orders: [{id: integer[1]}]}",
        "  400",
        "PATCH /orders",
        "  and other parameters",
        "  200 application/json {id: integer[4]}",
        "  409",
        "POST /orders",
        "  and other parameters",
        "  takes application/json {id: anything}~",
        "  201 application/json {id: unknown: parameter `request` has no declared type, "
        "made: boolean[True]}",
        "PUT /orders",
        "  and other parameters",
        "  takes application/json unknown: the handler reads the request itself",
        "  201 application/json {id: integer[2]}",
        "  202 application/json {id: integer[3]}",
        "DELETE /other",
        "  and other parameters",
        "GET /other",
        "  and other parameters",
        "  200 application/json {id: integer[5]}",
        "PATCH /other",
        "  and other parameters",
        "  200 application/octet-stream unknown: it is a file",
        "POST /other",
        "  and other parameters",
        "  200 application/json unknown: the renderer `own` of the project writes it",
        "PUT /other",
        "  and other parameters",
        "  200 text/html unknown: it is a page",
        "  302",
    ]


def test_bodies_that_the_contract_has_been_held_against(tmp_path: Path) -> None:
    source = """
        from pyramid.config import Configurator
        from pyramid.view import view_config
        @view_config(route_name="orders", request_method="POST", renderer="json", openapi=True)
        def create(request):
            body = request.openapi_validated.body
            return {"made": bool(body["order"]["title"])}
        def main(settings):
            config = Configurator()
            config.include("pyramid_openapi3")
            config.add_route("orders", "/orders")
            config.scan()
        """
    assert handled(tmp_path, "Pyramid", source) == [
        "POST /orders",
        "  and other parameters",
        "  takes application/json {order: {title: anything}~}~",
        "  200 application/json {made: boolean}",
    ]


def test_views_that_differ_in_what_else_they_ask_are_one_operation(tmp_path: Path) -> None:
    source = """
        from pyramid.config import Configurator
        from pyramid.view import view_config
        @view_config(route_name="x", request_method="GET", accept="a/b", renderer="json")
        def one(request): return {"a": 1}
        @view_config(route_name="x", request_method="GET", request_param="p", renderer="json")
        def two(request): return {"b": 1}
        config = Configurator()
        config.add_route("x", "/x")
        """
    assert handled(tmp_path, "Pyramid", source) == [
        "GET /x",
        "  and other parameters",
        "  200 application/json ({a: integer[1]} | {b: integer[1]})",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from pyramid.config import Configurator
            def main():
                config = Configurator()
                config.include(find(), route_prefix="/x")
                config.include("more", route_prefix=prefix())
            """,
        "more.py": """
            from pyramid.view import view_config
            def includeme(config):
                config.add_route("a", "/a")
            @view_config(route_name="a", renderer="json")
            @view_config(route_name="b", renderer="json")
            @view_config(route_name="c", renderer="json")
            def a(request): return {}
            """,
        "other.py": """
            def includeme(config):
                config.add_route("b", "/b")
            """,
    }
    assert routes(tmp_path, "Pyramid", files) == [
        "* /{computed}/a (its prefix is not constant)",
        "* /{computed}/b (its prefix is not constant)",
        "* /{computed}/{rest*} (no route `c` is seen)",
    ]
