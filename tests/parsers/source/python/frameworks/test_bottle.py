"""Bottle: routes, applications, what views return."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes


def test_routes_of_applications(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import bottle
            from bottle import Bottle, route, get, post
            from orders import api
            import merged
            @route("/hello")
            def hello(): return {}
            @route(["/a", "/b"], method=["GET", "PUT"])
            def both(): return {}
            @get("/items/<item_id:int>/<rest:path>")
            def item(item_id, rest): return {}
            @bottle.post("/items/<name:re:[a-z]+>")
            def create(name): return {}
            def late(): return {}
            bottle.route("/late", "DELETE", late)
            root = bottle.default_app()
            root.mount("/api/", api)
            root.merge(merged.app)
            PATH = open("x").read()
            @root.patch(PATH)
            def unclear(): return {}
            @root.route("/verbs", method=PATH)
            def verbs(): return {}
            """,
        "orders.py": """
            from bottle import Bottle
            api = Bottle()
            @api.get("/orders")
            def orders(): return {}
            @api.route("/orders", method="POST")
            def create(): return {}
            """,
        "merged.py": """
            from bottle import Bottle
            app = Bottle()
            app.route("/merged", callback=lambda: {})
            put = app.put
            @put("/alias")
            def alias(): return {}
            """,
        "other.py": """
            from bottle import Bottle
            from requests import get
            lost = get("/not/a/route")
            alone = Bottle()
            @alone.get("/of/its/own")
            def own(): return {}
            """,
    }
    assert routes(tmp_path, "Bottle", files) == [
        "PATCH / (its path is not constant)",
        "GET /a",
        "PUT /a",
        "PUT /alias",
        "GET /api/orders",
        "POST /api/orders",
        "GET /b",
        "PUT /b",
        "GET /hello",
        "GET /items/{item_id}/{rest*}",
        "POST /items/{name}",
        "DELETE /late",
        "GET /merged",
        "GET /of/its/own",
        "* /verbs (its methods are not constant)",
    ]


def test_what_views_return(tmp_path: Path) -> None:
    source = """
        import json
        from bottle import HTTPResponse, abort, request, response, route, template
        from pydantic import BaseModel
        class Order(BaseModel):
            id: int
        @route("/orders", method="POST")
        def create():
            order = Order(**request.json)
            if not order:
                response.status = 400
                return {"error": "no"}
            response.status = 201
            return order.model_dump()
        @route("/orders/<order_id:int>")
        def one(order_id):
            if order_id < 0:
                abort(404)
            if order_id == 1:
                return HTTPResponse(status=409, body=json.dumps({"error": "no"}))
            response.content_type = "application/json"
            return json.dumps({"id": 1})
        @route("/page")
        def page():
            return template("page")
        @route("/either")
        def either():
            if request.query.x:
                response.status = 202
            return {"e": "x"}
        """
    assert handled(tmp_path, "Bottle", source) == [
        "GET /either",
        "  and other parameters",
        "POST /orders",
        "  takes application/json {id: integer}",
        "  201 application/json {id: integer}",
        "  400 application/json {error: string['no']}",
        "GET /orders/{order_id}",
        "  path order_id: integer",
        "  200 application/json {id: integer[1]}",
        "  404",
        "  409 application/json {error: string['no']}",
        "GET /page",
        "  200 text/html unknown: it is a page",
    ]


def test_methods_among_unpacked_options(tmp_path: Path) -> None:
    source = """
        from bottle import Bottle
        from settings import OPTIONS
        app = Bottle()
        @app.route("/decorated", **OPTIONS)
        def decorated(): ...
        app.route("/known", callback=decorated, **{"method": "PUT"})
        """
    assert routes(tmp_path, "Bottle", {"app.py": source}) == [
        "* /decorated (its methods are not constant)",
        "PUT /known",
    ]
