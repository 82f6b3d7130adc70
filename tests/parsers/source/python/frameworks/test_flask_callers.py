"""Flask: rules that a function is given, and blueprints of modules that are loaded by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import handled, routes


def test_rules_that_a_function_is_given_are_those_of_its_callers(tmp_path: Path) -> None:
    app = """
        from flask import Flask, jsonify
        from flask.views import MethodView
        app = Flask(__name__)
        class Item(MethodView):
            def get(self, id): return jsonify({"id": id})
        class Group(MethodView):
            def get(self): return jsonify([])
            def post(self): return "", 201
        def register_api(app, name):
            app.add_url_rule(f"/{name}/<id>", view_func=Item.as_view(f"{name}-item"))
            app.add_url_rule(f"/{name}", view_func=Group.as_view(f"{name}-group"))
        register_api(app, "users")
        register_api(app, "posts")
        """
    assert sorted(routes(tmp_path, "Flask", {"app.py": app})) == [
        "GET /posts",
        "GET /posts/{id}",
        "GET /users",
        "GET /users/{id}",
        "POST /posts",
        "POST /users",
    ]


def test_rules_that_a_method_of_the_server_is_given(tmp_path: Path) -> None:
    app = """
        from flask import Flask, jsonify
        class Server:
            def __init__(self):
                self.app = Flask(__name__)
                self.add("/users", self.users)
                self.add("/posts", self.posts, methods=("POST",))
            def add(self, path, view, methods=("GET",)):
                self.app.add_url_rule(path, view_func=view, methods=methods)
            def users(self): return jsonify([])
            def posts(self): return "", 201
        Server().app.run()
        """
    assert sorted(routes(tmp_path, "Flask", {"app.py": app})) == ["GET /users", "POST /posts"]


def test_an_application_that_another_method_than_the_constructor_makes(tmp_path: Path) -> None:
    app = """
        from flask import Flask, jsonify
        class Base:
            def __init__(self):
                self.app = None
                self.client = None
            def start(self):
                self.app = Flask(__name__)
                self.client = Client()
        class Server(Base):
            def add_routes(self):
                self.app.add_url_rule("/users", view_func=self.users)
                self.client.add_url_rule("/not-a-route", view_func=self.users)
            def users(self): return jsonify([])
        """
    assert routes(tmp_path, "Flask", {"app.py": app}) == ["GET /users"]


@pytest.mark.parametrize(
    "loads",
    [
        """
        for _, name, _ in pkgutil.iter_modules(views.__path__):
            app.register_blueprint(importlib.import_module(f"app.views.{name}").bp)
        """,
        """
        for _, name, _ in pkgutil.iter_modules(views.__path__, "app.views."):
            module = importlib.import_module(name)
            app.register_blueprint(module.bp)
        """,
        """
        for file in os.listdir(os.path.join(os.path.dirname(__file__), "views")):
            module = importlib.import_module("app.views." + file.replace(".py", ""))
            app.register_blueprint(module.bp)
        """,
        """
        for name in ("users", "posts"):
            module = importlib.import_module(f".views.{name}", __package__)
            app.register_blueprint(module.bp)
        """,
    ],
)
def test_blueprints_of_modules_that_are_loaded_by_name(tmp_path: Path, loads: str) -> None:
    view = """
        from flask import Blueprint, jsonify
        bp = Blueprint("NAME", __name__, url_prefix="/NAME")
        @bp.get("/all")
        def every(): return jsonify([])
        """
    app = f"""
        import importlib, os, pkgutil
        from flask import Flask
        from . import views
        app = Flask(__name__)
        {loads}
        """
    files = {
        "app/__init__.py": app,
        "app/views/__init__.py": "",
        "app/views/users.py": view.replace("NAME", "users"),
        "app/views/posts.py": view.replace("NAME", "posts"),
    }
    assert sorted(routes(tmp_path, "Flask", files)) == ["GET /posts/all", "GET /users/all"]


def test_arguments_that_are_spread_stand_for_no_one_argument(tmp_path: Path) -> None:
    app = """
        from flask import Flask, jsonify
        app = Flask(__name__)
        class Info:
            def __init__(self): self._info = {}
            def get(self, key, *args): return self._info.get(key, *args)
        @app.get("/info")
        def info(): return jsonify({"valid": Info().get("valid")})
        """
    responses = handled(tmp_path, "Flask", app)
    assert not any("[" in line for line in responses if "valid" in line)
