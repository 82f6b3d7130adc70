"""Flask-Classful: rules that classes of views are registered with."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes


def test_rules_of_classes(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from flask import Blueprint, Flask
            from views import AdminView, OrderLinesView, PlainThings, TreeView
            app = Flask(__name__)
            api = Blueprint("api", __name__, url_prefix="/api")
            OrderLinesView.register(api)
            for view in (PlainThings, TreeView):
                view.register(app, route_prefix="/v1/", trailing_slash=False)
            def start():
                AdminView.register(app, route_base="/admin/<tenant>")
            app.register_blueprint(api)
            """,
        "views.py": """
            from flask_classful import FlaskView, method, route
            class Base(FlaskView):
                def shared(self): return {}
                def _hidden(self): return {}
                def before_request(self, name): ...
                @classmethod
                def made(cls): return cls()
                @property
                def kind(self): return 1
            class OrderLinesView(Base):
                excluded_methods = ["helper"]
                def index(self): return []
                def get(self, id: int): return {}
                def post(self): return {}
                def put(self, id, number, note=None): return {}
                def by_date(self, day): return []
                @method("POST")
                @method("PUT")
                def start_all(self): return {}
                @route("/deep/<path:rest>", methods=["GET", "PATCH"])
                @route("/other")
                def deep(self, rest): return {}
                def helper(self): return 1
            class PlainThings(FlaskView):
                method_dashified = True
                default_methods = ["GET", "POST"]
                def do_it(self): return {}
            class TreeView(FlaskView):
                route_base = "/"
                inspect_args = False
                def index(self): return {}
                def get(self, id): return {}
            class AdminView(FlaskView):
                base_args = ["session"]
                special_methods = {"list": ["GET"], "make": ["POST"]}
                def list(self, tenant, session): return {}
                def make(self, tenant): return {}
                def get(self, tenant, id): return {}
            """,
    }
    assert routes(tmp_path, "Flask-Classful", files) == [
        "GET /admin/{tenant}/",
        "POST /admin/{tenant}/",
        "GET /admin/{tenant}/get/{id}/",
        "GET /api/order-lines/",
        "POST /api/order-lines/",
        "GET /api/order-lines/by_date/{day}/",
        "GET /api/order-lines/deep/{rest*}",
        "PATCH /api/order-lines/deep/{rest*}",
        "GET /api/order-lines/other",
        "GET /api/order-lines/shared/",
        "POST /api/order-lines/start_all/",
        "PUT /api/order-lines/start_all/",
        "GET /api/order-lines/{id}/",
        "PUT /api/order-lines/{id}/{number}/",
        "GET /v1",
        "GET /v1",
        "GET /v1/plain-things/do-it",
        "POST /v1/plain-things/do-it",
    ]


def test_what_classes_send(tmp_path: Path) -> None:
    source = """
        from flask import Flask, abort, jsonify
        from flask_classful import FlaskView
        class OrdersView(FlaskView):
            def get(self, id: int):
                if not id:
                    abort(404)
                return jsonify(id=id)
            def post(self):
                return {"made": True}, 201
        class WrittenView(FlaskView):
            representations = {"application/json": write}
            def index(self): return {"id": 1}
        class AfterView(FlaskView):
            def index(self): return {"id": 1}
            def after_request(self, name, response): return response
        app = Flask(__name__)
        OrdersView.register(app)
        WrittenView.register(app)
        AfterView.register(app)
        """
    assert handled(tmp_path, "Flask-Classful", source) == [
        "GET /after/",
        "  and other parameters",
        "  200 application/json unknown: `after_request` of the class may change it",
        "POST /orders/",
        "  and other parameters",
        "  201 application/json {made: boolean[True]}",
        "GET /orders/{id}/",
        "  path id: integer",
        "  and other parameters",
        "  200 application/json {id: integer}",
        "  404",
        "GET /written/",
        "  and other parameters",
        "  200 application/json unknown: the representations of the class write it",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from flask import Flask
            from flask_classful import FlaskView, route
            class OrdersView(FlaskView):
                @route("/all", methods=allowed())
                def all(self): return {}
                @route(found())
                def found(self): return {}
            class OtherView(FlaskView):
                def index(self): return {}
            app = Flask(__name__)
            OrdersView.register(app)
            OtherView.register(app, route_base=base())
            """
    }
    assert routes(tmp_path, "Flask-Classful", files) == [
        "* /orders/all (its methods are not constant)",
        "GET /orders/{} (its rule is not constant)",
        "GET /{}/ (its rule is not constant)",
    ]
