"""Flask: what rules tell of the parameters of their views, and settings that rules are made of."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes


def test_views_of_several_rules_send_what_their_parameters_lead_to(tmp_path: Path) -> None:
    source = """
        from flask import Flask, abort, jsonify
        from flask.views import MethodView
        app = Flask(__name__)
        class Orders(MethodView):
            def get(self, order_id):
                if order_id is None:
                    return jsonify([{"id": 1}])
                if order_id > 9:
                    abort(404)
                return jsonify({"id": order_id, "note": "x"})
        view = Orders.as_view("orders")
        app.add_url_rule("/orders", defaults={"order_id": None}, view_func=view)
        app.add_url_rule("/orders/<int:order_id>", view_func=view)
        @app.get("/pages", defaults={"page": 1})
        @app.get("/pages/<int:page>")
        def pages(page):
            return {"page": page}
        @app.route("/files")
        @app.route("/files/<name>")
        def files(name=None):
            if name:
                return {"name": name}
            return {"names": []}
        """
    assert handled(tmp_path, "Flask", source) == [
        "GET /files",
        "  200 application/json {names: [nothing]}",
        "GET /files/{name}",
        "  path name: string",
        "  200 application/json {name: string}",
        "GET /orders",
        "  200 application/json [{id: integer[1]}]",
        "GET /orders/{order_id}",
        "  path order_id: integer",
        "  200 application/json {id: integer, note: string['x']}",
        "  404",
        "GET /pages",
        "  200 application/json {page: integer}",
        "GET /pages/{page}",
        "  path page: integer",
        "  200 application/json {page: integer}",
    ]


def test_what_a_view_has_by_itself_counts_for_nothing_where_a_decorator_hands_it_more(
    tmp_path: Path,
) -> None:
    source = """
        from flask import Flask
        from webargs import fields
        from webargs.flaskparser import use_kwargs
        app = Flask(__name__)
        @app.get("/pages")
        @use_kwargs({"page": fields.Int()}, location="query")
        def pages(page=None):
            if page is None:
                return [{"id": 1}]
            return {"data": [{"id": 1}]}
        """
    assert handled(tmp_path, "flask-apispec", source) == [
        "GET /pages",
        "  query page?: integer",
        "  200 application/json ([{id: integer[1]}] | {data: [{id: integer[1]}]})",
    ]


def test_prefixes_from_the_configuration_of_the_application(tmp_path: Path) -> None:
    files = {
        "settings.py": """
            import os
            class Config:
                PREFIX = os.environ.get("PREFIX", "/api")
                OWN = "/base"
                FREE = os.environ["FREE"]
            class Testing(Config):
                OWN = "/test"
            """,
        "app.py": """
            from flask import Blueprint, Flask
            from settings import Config
            a = Blueprint("a", __name__)
            b = Blueprint("b", __name__)
            c = Blueprint("c", __name__)
            d = Blueprint("d", __name__)
            @a.get("/a")
            def of_a(): return {}
            @b.get("/b")
            def of_b(): return {}
            @c.get("/c")
            def of_c(): return {}
            @d.get("/d")
            def of_d(): return {}
            def create(config=Config):
                app = Flask(__name__)
                app.config.from_object(config)
                app.config.from_object("settings.Testing")
                app.register_blueprint(a, url_prefix=app.config["PREFIX"])
                app.register_blueprint(b, url_prefix=app.config.get("PREFIX") + "/v1")
                app.register_blueprint(c, url_prefix=app.config["OWN"])
                app.register_blueprint(d, url_prefix=app.config["FREE"])
                return app
            """,
    }
    assert routes(tmp_path, "Flask", files) == [
        "GET /api/a",
        "GET /api/v1/b",
        "GET /{computed}/c (a prefix of the router is not constant)",
        "GET /{computed}/d (a prefix of the router is not constant)",
    ]


def test_behind_an_abort_nothing_that_led_to_it_is_left(tmp_path: Path) -> None:
    source = """
        from flask import Flask, abort, request
        from flask_restx import Api
        app = Flask(__name__)
        api = Api(app)
        class Order:
            def to_dict(self): return {"id": 1}
        def found():
            order = None
            for each in request.args:
                order = Order()
            return order
        @app.get("/a")
        def a():
            order = found()
            if order is None:
                abort(404)
            return {"order": order}
        @app.get("/b")
        def b():
            order = found()
            if not order:
                api.abort(410, "gone")
            return {"order": order}
        @app.get("/c")
        def c():
            order = found()
            if order is None:
                transaction.abort()
            return {"order": order}
        """
    assert handled(tmp_path, "Flask", source) == [
        "GET /a",
        "  and other parameters",
        "  200 application/json {order: {id: integer[1]}}",
        "  404",
        "GET /b",
        "  and other parameters",
        "  200 application/json {order: {id: integer[1]}}",
        "  410",
        "GET /c",
        "  and other parameters",
        "  200 application/json {order: {id: integer[1]}?}",
    ]


def test_what_or_abort_ends_is_there_afterwards(tmp_path: Path) -> None:
    source = """
        from dataclasses import asdict, dataclass
        from flask import Flask, abort, jsonify
        app = Flask(__name__)
        @dataclass
        class Order:
            id: int
        def find(id: int) -> Order | None: ...
        @app.get("/orders/<int:id>")
        def read(id):
            order = find(id) or abort(404)
            return jsonify(asdict(order))
        """
    assert handled(tmp_path, "Flask", source) == [
        "GET /orders/{id}",
        "  path id: integer",
        "  200 application/json {id: integer}",
    ]
