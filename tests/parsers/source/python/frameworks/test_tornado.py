"""Tornado: applications, handlers, and what handlers write."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes


def test_handlers_of_applications(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import tornado.web
            from tornado.web import Application, url, StaticFileHandler
            from handlers import Order, Orders, Health
            from more import ROUTES
            PREFIX = "/api"
            class Shop(tornado.web.Application):
                def __init__(self):
                    handlers = [
                        (r"/orders/?", Orders),
                        (r"/orders/(?P<order_id>[^/]+)$", Order, {"store": None}),
                        url(PREFIX + r"/orders/([0-9]+)/lines/(.*)", Order, name="lines"),
                        (r"/static/(.*)", StaticFileHandler, {"path": "static"}),
                    ]
                    super().__init__(handlers, debug=True)
            def make(kind):
                app = Application(ROUTES + [(r"/health", Health)])
                app.add_handlers(r"localhost", [(r"/late", Health), (f"/{kind}", Health)])
                app.add_handlers(r".*", [(r"/a|/b", Health)])
            """,
        "more.py": """
            import handlers
            ROUTES = [("/more", handlers.Orders)]
            """,
        "handlers.py": """
            from tornado.web import RequestHandler
            class Base(RequestHandler):
                def options(self): self.finish()
            class Orders(RequestHandler):
                def get(self): ...
                async def post(self): ...
            class Order(RequestHandler):
                def get(self, order_id, rest=None): ...
            class Health(RequestHandler):
                def get(self): ...
                def helper(self): ...
            """,
    }
    assert routes(tmp_path, "Tornado", files) == [
        "GET /api/orders/{order_id}/lines/{rest*}",
        "GET /a|/b (its path is the regular expression `/a|/b`)",
        "GET /health",
        "GET /late",
        "GET /more",
        "POST /more",
        "GET /orders",
        "POST /orders",
        "GET /orders/{order_id}",
        "GET /static/{arg1*} hidden",
        "GET /{} (its path is not constant)",
    ]


def test_what_handlers_write(tmp_path: Path) -> None:
    source = """
        import json
        from http import HTTPStatus
        import tornado.web
        from pydantic import BaseModel
        class Order(BaseModel):
            id: int
        class Base(tornado.web.RequestHandler):
            def respond(self, data, status=200):
                self.set_status(status)
                self.set_header("Content-Type", "application/json")
                self.finish(json.dumps({"data": data}))
        class Orders(Base):
            def get(self):
                if self.get_argument("x", None):
                    self.write({"empty": True})
                    return
                self.write({"id": 1})
            def post(self):
                order = Order.model_validate_json(self.request.body)
                if not order:
                    self.set_status(400)
                    self.write({"error": "no"})
                else:
                    self.set_status(HTTPStatus.CREATED)
                    self.write(order.model_dump_json())
            def put(self):
                if self.a: print()
                if self.b: print()
                if self.c: print()
                if self.d: print()
                if self.e: print()
                if self.f: print()
                if self.g: print()
                self.respond({"n": "x"}, 202)
            def patch(self):
                data = tornado.escape.json_decode(self.request.body)
                for line in data:
                    self.write(line)
            def delete(self):
                raise tornado.web.HTTPError(404) if self else None
        class Page(Base):
            def get(self):
                self.render("page.html")
            def post(self):
                self.redirect("/page", status=303)
            def put(self):
                self.write("done")
            def delete(self):
                if self.gone():
                    raise tornado.web.HTTPError(410)
                self.set_status(204)
        app = tornado.web.Application([("/orders", Orders), ("/page", Page)])
        """
    assert handled(tmp_path, "Tornado", source) == [
        "DELETE /orders",
        "  and other parameters",
        "GET /orders",
        "  query x?: anything",
        "  and other parameters",
        "  200 application/json ({empty: boolean[True]} | {id: integer[1]})",
        "PATCH /orders",
        "  and other parameters",
        "  takes application/json unknown: the handler reads the request itself",
        "  200 application/json unknown: the response is written in parts",
        "POST /orders",
        "  and other parameters",
        "  takes application/json {id: integer}",
        "  201 application/json {id: integer}",
        "  400 application/json {error: string['no']}",
        "PUT /orders",
        "  and other parameters",
        "  202 application/json {data: {n: string['x']}}",
        "DELETE /page",
        "  and other parameters",
        "  204",
        "  410",
        "GET /page",
        "  and other parameters",
        "  200 text/html unknown: it is a page",
        "POST /page",
        "  and other parameters",
        "  303",
        "PUT /page",
        "  and other parameters",
        "  200 text/html unknown: it is text",
    ]


def test_a_base_class_that_writes_in_its_own_way(tmp_path: Path) -> None:
    source = """
        import json
        from typing import Union
        from tornado.web import Application, RequestHandler
        class Quiet(RequestHandler):
            def write(self, chunk: Union[str, bytes, dict]) -> None:
                if self.settings.get("debug"):
                    self.sent.append(chunk)
                super(Quiet, self).write(chunk)
        class Wrapped(Quiet):
            def write(self, chunk: Union[str, bytes, dict]) -> None:
                super().write({"data": chunk})
        class Packed(RequestHandler):
            def write(self, chunk: Union[str, bytes, dict]) -> None:
                super().write(self.codec.pack(chunk))
        class Orders(Quiet):
            def get(self): self.write({"id": 1})
            def post(self): self.finish({"id": 1})
        class Lines(Wrapped):
            def get(self): self.write({"id": 1})
            def post(self): self.finish({"id": 1})
            def put(self): self.write_error(404, message="gone")
        class Packs(Packed):
            def get(self): self.write({"id": 1})
        app = Application([("/orders", Orders), ("/lines", Lines), ("/packs", Packs)])
        """
    assert handled(tmp_path, "Tornado", source) == [
        "GET /lines",
        "  and other parameters",
        "  200 application/json {data: {id: integer[1]}}",
        "POST /lines",
        "  and other parameters",
        "  200 application/json {data: {id: integer[1]}}",
        "PUT /lines",
        "  and other parameters",
        "  404",
        "GET /orders",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
        "POST /orders",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
        "GET /packs",
        "  and other parameters",
        "  200 application/json unknown: `codec` is not a member that can be seen",
    ]


def test_routes_that_a_loop_puts_a_prefix_before(tmp_path: Path) -> None:
    source = """
        import tornado.web
        class One(tornado.web.RequestHandler):
            def get(self): ...
        ROUTES = [("/one", One)]
        def below(prefix, handlers):
            for i, handler in enumerate(handlers):
                path, view = handler
                handlers[i] = (prefix + path, view)
            return handlers
        tornado.web.Application(below("/hub", ROUTES))
        tornado.web.Application([("/api" + path, view) for path, view in ROUTES])
        """
    assert routes(tmp_path, "Tornado", {"app.py": source}) == [
        "GET /api/one",
        "GET /hub/one",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import tornado.web
            from library import LibraryHandler
            class One(tornado.web.RequestHandler):
                def get(self): ...
            def make(handlers):
                tornado.web.Application(handlers)
                own = [("/theirs", LibraryHandler), ("/one", One)]
                every = handlers.more() + own
                tornado.web.Application(every)
            """,
    }
    assert routes(tmp_path, "Tornado", files) == [
        "GET /one",
        "* /theirs (its handler could not be found)",
        "* /{path*} hidden (its path is not constant)",
        "* /{path*} hidden (its path is not constant)",
    ]


def test_what_handlers_are_initialised_with(tmp_path: Path) -> None:
    source = """
        from dataclasses import asdict, dataclass
        from tornado.web import Application, RequestHandler
        @dataclass
        class Order:
            id: int
        class Store:
            def find(self) -> Order: ...
        class Orders(RequestHandler):
            def initialize(self, store: Store):
                self.store = store
            def get(self): self.write(asdict(self.store.find()))
        def make(store):
            return Application([("/orders", Orders, {"store": store})])
        make(Store()).listen(80)
        """
    assert handled(tmp_path, "Tornado", source) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json {id: integer}",
    ]


def test_keys_of_a_decoded_body_are_what_it_takes(tmp_path: Path) -> None:
    source = """
        import tornado.web
        class Orders(tornado.web.RequestHandler):
            def put(self):
                data = tornado.escape.json_decode(self.request.body)
                self.write({"id": int(data["id"])})
        app = tornado.web.Application([("/orders", Orders)])
        """
    assert handled(tmp_path, "Tornado", source) == [
        "PUT /orders",
        "  and other parameters",
        "  takes application/json {id: anything}~",
        "  200 application/json {id: integer}",
    ]
