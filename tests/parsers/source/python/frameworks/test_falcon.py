"""Falcon: resources and their responders, what they take, what they write into the response."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes

FALCON = "Falcon"


def test_resources_added_in_every_way(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import falcon
            import falcon.asgi
            from api import init as init_api
            from resources import Base, Orders
            PREFIX = "/v1"
            def create_app():
                app = falcon.App()
                orders = Orders()
                app.add_route(PREFIX + "/orders", orders)
                app.add_route(PREFIX + "/orders/{order_id:int}", orders, suffix="item")
                app.add_route("/files/{rest:path}", Base())
                init_api(app)
                for path, options in [("/a", {}), ("/b", {"suffix": "item"})]:
                    app.add_route(f"/more{path}", orders, **options)
                return app
            class Own(falcon.API):
                def __init__(self):
                    super().__init__()
                    self.add_route("/own", Base())
            """,
        "api/__init__.py": """
            def init(application):
                from . import status
                application.add_route("/status", status)
            """,
        "api/status.py": "def on_get(req, resp): ...\n",
        "resources.py": """
            class Base:
                def on_get(self, req, resp, **kwargs): ...
            class Orders(Base):
                async def on_post(self, req, resp): ...
                def on_get_item(self, req, resp, order_id): ...
                def on_delete_item(self, req, resp, order_id): ...
            """,
    }
    assert routes(tmp_path, FALCON, files) == [
        "GET /files/{rest*}",
        "GET /more/a",
        "POST /more/a",
        "DELETE /more/b",
        "GET /more/b",
        "GET /own",
        "GET /status",
        "GET /v1/orders",
        "POST /v1/orders",
        "DELETE /v1/orders/{order_id}",
        "GET /v1/orders/{order_id}",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        import os
        import falcon
        from library import their_resource
        class Order:
            def on_get(self, req, resp): ...
        def options(): ...
        app = falcon.App()
        app.add_route(os.environ["WHERE"], Order())
        app.add_route("/theirs", their_resource)
        app.add_sink(lambda req, resp: None, "/sunk")
        app.add_route("/several", Order(), **options())
        """
    assert routes(tmp_path, FALCON, {"app.py": source}) == [
        "GET / (its path is not constant)",
        "GET /several (the suffix of its responders is not constant)",
        "* /sunk/{rest*} hidden (a sink answers everything below its prefix)",
        "* /theirs",
    ]


def test_what_responders_write(tmp_path: Path) -> None:
    source = """
        import json
        from http import HTTPStatus
        import falcon
        class A:
            def on_get(self, req, resp):
                if req.params:
                    resp.status = falcon.HTTP_404
                    resp.media = {"error": "x"}
                    return
                resp.media = {"id": 1}
            def on_post(self, req, resp):
                resp.status = HTTPStatus.CREATED
                resp.text = json.dumps({"made": True})
            def on_put(self, req, resp):
                if not req.params:
                    raise falcon.HTTPBadRequest()
                resp.status = 202
                resp.body = "done"
            def on_delete(self, req, resp):
                resp.status = falcon.HTTP_NO_CONTENT
        class B:
            def on_get(self, req, resp):
                resp.content_type = falcon.MEDIA_TEXT
                resp.text = "plain"
            def on_post(self, req, resp):
                self.fill(resp)
            def on_put(self, req, resp): raise falcon.HTTPNotFound()
            def on_patch(self, req, resp):
                try:
                    found = [1]
                except ValueError:
                    resp.status = "409 Conflict"
                else:
                    resp.media = found
        app = falcon.App()
        app.add_route("/a/{when:dt}", A())
        app.add_route("/b", B())
        """
    lines = handled(tmp_path, FALCON, source)
    assert [line for line in lines if line != "  and other parameters"] == [
        "DELETE /a/{when}",
        "  path when: string:date-time",
        "  204",
        "GET /a/{when}",
        "  path when: string:date-time",
        "  200 application/json {id: integer[1]}",
        "  404 application/json {error: string['x']}",
        "POST /a/{when}",
        "  path when: string:date-time",
        "  201 application/json {made: boolean[True]}",
        "PUT /a/{when}",
        "  path when: string:date-time",
        "  202 application/json unknown: its text is not read",
        "  400",
        "GET /b",
        "  200 text/plain unknown: it is not sent as JSON",
        "PATCH /b",
        "  200 application/json [integer[1]]",
        "  409",
        "POST /b",
        "  200 application/json unknown: another function is given the response",
        "PUT /b",
        "  404",
    ]


def test_bodies_and_middlewares(tmp_path: Path) -> None:
    source = """
        import falcon
        from pydantic import BaseModel
        class Order(BaseModel):
            id: int
        class Timed:
            def process_response(self, req, resp, resource, req_succeeded):
                resp.set_header("x", "y")
        class Wrapped:
            def process_response(self, req, resp, resource, req_succeeded):
                if req_succeeded:
                    resp.media = {"data": resp.media}
        class Orders:
            def on_post(self, req, resp):
                order = Order(**req.media)
                resp.media = order.model_dump()
            def on_put(self, req, resp):
                data = req.get_media()
                resp.status = falcon.HTTP_204
        plain, wrapped = falcon.App(middleware=[Timed()]), falcon.App(middleware=Wrapped())
        plain.add_route("/plain", Orders())
        wrapped.add_route("/wrapped", Orders())
        """
    itself = "unknown: the handler reads the request itself"
    changed = "unknown: the middleware `Wrapped` may change what is sent"
    assert handled(tmp_path, FALCON, source) == [
        "POST /plain",
        "  and other parameters",
        "  takes application/json {id: integer}",
        "  200 application/json {id: integer}",
        "PUT /plain",
        "  and other parameters",
        f"  takes application/json {itself}",
        "  204",
        "POST /wrapped",
        "  and other parameters",
        "  takes application/json {id: integer}",
        f"  200 application/json {changed}",
        "PUT /wrapped",
        "  and other parameters",
        f"  takes application/json {itself}",
        "  204",
    ]
