"""Flask and its libraries: rules under blueprints, views, what decorators declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import handled, operations, project, routes, shape


def test_methods_among_unpacked_options(tmp_path: Path) -> None:
    source = """
        from flask import Blueprint, Flask
        from settings import OPTIONS, METHODS
        app = Flask(__name__)
        def show(): ...
        KNOWN = {"methods": ["PUT", "POST"], "strict_slashes": False}
        app.add_url_rule("/known", view_func=show, **KNOWN)
        app.add_url_rule("/plain", view_func=show, **{"strict_slashes": False})
        app.add_url_rule("/unknown", view_func=show, **OPTIONS)
        app.add_url_rule("/given", view_func=show, methods=["DELETE"], **OPTIONS)
        app.add_url_rule("/named", view_func=show, methods=METHODS)
        @app.route("/decorated", **OPTIONS)
        def decorated(): ...
        orders = Blueprint("orders", __name__, **{"url_prefix": "/orders"})
        items = Blueprint("items", __name__)
        @orders.get("/x")
        @items.get("/x")
        def x(): ...
        app.register_blueprint(orders)
        app.register_blueprint(items, **OPTIONS)
        """
    assert routes(tmp_path, "Flask", {"app.py": source}) == [
        "* /decorated (its methods are not constant)",
        "DELETE /given",
        "POST /known",
        "PUT /known",
        "* /named (its methods are not constant)",
        "GET /orders/x",
        "GET /plain",
        "* /unknown (its methods are not constant)",
        "GET /{computed}/x (a prefix of the router is not constant)",
    ]


def test_blueprints_across_files_with_prefixes_that_replace(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": """
            from flask import Flask
            from shop.extensions import register

            def create_app():
                app = Flask(__name__)
                from shop import orders
                app.register_blueprint(orders.bp, url_prefix="/api/orders")
                register(app)
                return app
            """,
        "shop/extensions.py": """
            from shop.items import bp, parent
            def register(app):
                app.register_blueprint(bp)
                parent.register_blueprint(bp, url_prefix="nested")
                app.register_blueprint(parent)
            """,
        "shop/orders.py": """
            from flask import Blueprint
            bp = Blueprint("orders", __name__, url_prefix="/ignored")
            @bp.route("/")
            def orders(): ...
            @bp.route("/<int:order_id>", methods=["GET", "DELETE"])
            def order(order_id): ...
            @bp.post("/<path:rest>/notes")
            def notes(rest): ...
            """,
        "shop/items.py": """
            from flask import Blueprint
            bp = Blueprint("items", __name__, url_prefix="/items/")
            parent = Blueprint("parent", __name__, url_prefix="/parent")
            @bp.get("list")
            def items(): ...
            """,
    }
    assert routes(tmp_path, "Flask", files) == [
        "GET /api/orders/",
        "DELETE /api/orders/{order_id}",
        "GET /api/orders/{order_id}",
        "POST /api/orders/{rest*}/notes",
        "GET /items/list",
        "GET /parent/nested/list",
    ]


def test_class_based_views_and_url_rules(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from flask import Flask
            from flask.views import MethodView, View
            from auth import login_required
            app = Flask(__name__)
            class Base(MethodView):
                def get(self): ...
            class Orders(Base):
                def post(self): ...
            class Items(MethodView):
                methods = ["GET"]
                def get(self): ...
                def put(self): ...
            class Page(View):
                methods = ["GET", "POST"]
                def dispatch_request(self): ...
            def plain(): ...
            app.add_url_rule("/orders", view_func=Orders.as_view("orders"))
            app.add_url_rule("/items", "items", login_required(Items.as_view("items")))
            app.add_url_rule("/page", view_func=Page.as_view("page"))
            app.add_url_rule("/plain", view_func=plain, methods=["PATCH"])
            """,
    }
    assert routes(tmp_path, "Flask", files) == [
        "GET /items",
        "GET /orders",
        "POST /orders",
        "GET /page",
        "POST /page",
        "PATCH /plain",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from flask import Flask, Blueprint
            app = Flask(__name__)
            lost = Blueprint("lost", __name__)
            odd = Blueprint("odd", __name__, url_prefix=make())
            app.register_blueprint(odd)
            @lost.route("/lost")
            def a(): ...
            @odd.route("/odd")
            def b(): ...
            @app.route("/m", methods=METHODS)
            def c(): ...
            """,
    }
    assert routes(tmp_path, "Flask", files) == [
        "* /m (its methods are not constant)",
        "GET /{computed}/lost (no application that can be seen includes this router)",
        "GET /{computed}/odd (a prefix of the router is not constant)",
    ]


def test_rules_that_a_function_makes_are_shown_as_far_as_they_are_known(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import settings
            from flask import Flask
            from flask_restful import Api, Resource
            def scoped(rule):
                if settings.SCOPED:
                    return f"/<org>{rule}"
                return rule
            class OwnApi(Api):
                def add_scoped(self, resource, *urls, **kwargs):
                    return self.add_resource(resource, *[scoped(url) for url in urls], **kwargs)
            class Orders(Resource):
                def get(self): ...
            app = Flask(__name__)
            api = OwnApi(app)
            api.add_scoped(Orders, "/orders", "/all")
            """,
    }
    assert routes(tmp_path, "Flask-RESTful", files) == [
        "GET /all (its rule is not constant)",
        "GET /orders (its rule is not constant)",
    ]


def test_what_views_return(tmp_path: Path) -> None:
    source = """
        import json
        from http import HTTPStatus
        from flask import Flask, Response, jsonify, make_response, redirect, request
        from flask import render_template
        from orders import Order
        app = Flask(__name__)
        @app.get("/a/<int:id>")
        def a(id):
            if not id:
                return jsonify(error="missing"), 404
            return jsonify({"id": id, "names": ["x"]})
        @app.post("/b")
        def b():
            data = request.get_json()
            return {"ok": True}, HTTPStatus.CREATED, {"X-A": "b"}
        @app.get("/c")
        def c(): return make_response(jsonify([1]), 202)
        @app.get("/d")
        def d(): return redirect("/a")
        @app.delete("/e")
        def e(): return "", 204
        @app.get("/f")
        def f():
            response = jsonify({"late": 1})
            response.status_code = 206
            return response
        @app.get("/g")
        def g(): return Response(json.dumps({"a": 1}), status=203, mimetype="application/json")
        @app.get("/h")
        def h(): return Order(1).to_dict()
        @app.get("/i")
        def i(): return render_template("none.html"), 404
        """
    orders = """
        class Order:
            def __init__(self, id: int):
                self.id = id
            def to_dict(self):
                return {"id": self.id, "total": 1.5}
        """
    assert handled(tmp_path, "Flask", source, orders=orders) == [
        "GET /a/{id}",
        "  path id: integer",
        "  200 application/json {id: integer, names: [string['x']]}",
        "  404 application/json {error: string['missing']}",
        "POST /b",
        "  takes application/json unknown: the view reads the request itself",
        "  201 application/json {ok: boolean[True]}",
        "GET /c",
        "  202 application/json [integer[1]]",
        "GET /d",
        "  302",
        "DELETE /e",
        "  204",
        "GET /f",
        "  206 application/json {late: integer[1]}",
        "GET /g",
        "  203 application/json {a: integer[1]}",
        "GET /h",
        "  200 application/json {id: integer[1], total: number[1.5]}",
        "GET /i",
        "  and other parameters",
        "  404 text/html unknown: it is a page",
    ]


SCHEMAS = """
    from marshmallow import Schema, fields, post_dump, pre_load
    class OrderSchema(Schema):
        id = fields.Int(dump_only=True)
        name = fields.Str(required=True, data_key="orderName")
        secret = fields.Str(load_only=True)
    class QuerySchema(Schema):
        page = fields.Int(load_default=1)
        tag = fields.Str(required=True)
    class Wrapped(OrderSchema):
        @pre_load
        def unwrap(self, data, **kwargs):
            return data["order"]
        @post_dump
        def wrap(self, data, **kwargs):
            data["extra"] = len(data["orderName"])
            return {"order": data}
        @post_dump(pass_many=True)
        def wrap_many(self, data, many, **kwargs):
            return {"all": data, "count": len(data)}
    """


def test_apispec_decorators(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        from flask_apispec import MethodResource, marshal_with, use_kwargs
        from webargs import fields
        from schemas import OrderSchema, Wrapped
        app = Flask(__name__)
        wrapped = Wrapped()
        @app.route("/orders")
        @use_kwargs({"tag": fields.Str(), "limit": fields.Int(required=True)}, location="query")
        @marshal_with(OrderSchema(many=True, only=("id",)))
        def orders(tag, limit): ...
        @app.route("/orders", methods=["POST"])
        @use_kwargs(wrapped)
        @marshal_with(wrapped, code=201)
        def make(): return make_order(), 201
        @marshal_with(OrderSchema(exclude=["id"]))
        class Order(MethodResource):
            def get(self, id): ...
        app.add_url_rule("/orders/<id>", view_func=Order.as_view("order"))
        """
    found = handled(tmp_path, "flask-apispec", source, schemas=SCHEMAS)
    assert found == [
        "GET /orders",
        "  query tag?: string",
        "  query limit: integer",
        "  200 application/json [{id= (read): integer}]",
        "POST /orders",
        "  takes application/json {order: {orderName: string, secret= (write): string}}",
        "  201 application/json {all: {order: {id: integer, orderName: string, extra: integer}}, "
        "count: integer}",
        "GET /orders/{id}",
        "  path id: string",
        "  and other parameters",
        "  200 application/json {orderName: string}",
    ]


def test_what_the_parser_of_webargs_takes_from_the_body(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        from webargs import fields
        from webargs.flaskparser import parser
        app = Flask(__name__)
        @app.post("/orders")
        def order():
            page = parser.parse({"page": fields.Int()}, location="query")
            taken = parser.parse({"title": fields.Str(required=True), "count": fields.Int()})
            return {"made": bool(taken and page)}
        """
    assert handled(tmp_path, "Flask", source) == [
        "POST /orders",
        "  and other parameters",
        "  takes application/json {title: string, count=: integer}",
        "  200 application/json {made: boolean}",
    ]


def test_decorators_of_the_project_may_read_more_than_is_declared(tmp_path: Path) -> None:
    source = """
        from flask import Flask, request
        from webargs import fields
        from webargs.flaskparser import use_kwargs
        app = Flask(__name__)
        def signed_in(token=True):
            def decorator(view):
                def wrapper(*args, **kwargs):
                    check(request.args.get("access_token"))
                    return view(*args, **kwargs)
                return wrapper
            return decorator
        @app.get("/one")
        @signed_in()
        @use_kwargs({"tag": fields.Str()}, location="query")
        def one(tag): return {"id": 1}
        @app.get("/two")
        @use_kwargs({"tag": fields.Str()}, location="query")
        def two(tag): return {"id": 1}
        """
    found = handled(tmp_path, "flask-apispec", source)
    assert found == [
        "GET /one",
        "  query tag?: string",
        "  query access_token?: anything",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
        "GET /two",
        "  query tag?: string",
        "  200 application/json {id: integer[1]}",
    ]


def test_a_body_of_which_nothing_is_required_may_be_left_out(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        from webargs import fields
        from webargs.flaskparser import use_kwargs
        app = Flask(__name__)
        @app.post("/one")
        @use_kwargs({"tag": fields.Str()}, location="json")
        def one(tag): return {"id": 1}
        @app.post("/two")
        @use_kwargs({"tag": fields.Str(), "limit": fields.Int(required=True)}, location="json")
        def two(tag, limit): return {"id": 1}
        @app.post("/three")
        @use_kwargs(made_elsewhere(), location="json")
        def three(**given): return {"id": 1}
        """
    found = operations(project(tmp_path, {"app.py": source}), "flask-apispec")
    assert [(o.path, body.required) for o in found for body in o.request] == [
        ("/one", False),
        ("/three", None),
        ("/two", True),
    ]


def test_what_is_declared_as_a_tuple_is_a_body_with_a_status(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        app = Flask(__name__)
        Answer = tuple[dict[str, int], int] | tuple[dict[str, int], int, dict]
        def accepted() -> Answer: ...
        @app.get("/one")
        def one():
            if maybe():
                return {"id": 1}
            return accepted()
        """
    assert handled(tmp_path, "Flask", source) == [
        "GET /one",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
    ]


def test_locations_that_the_project_adds_to_its_parser(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        from marshmallow import Schema, fields
        from webargs.flaskparser import use_kwargs
        app = Flask(__name__)
        class Wanted(Schema):
            id = fields.Int(required=True)
        @app.get("/one/<id>")
        @use_kwargs(Wanted, location="path_and_query")
        def one(id):
            return {"id": 1}
        @app.post("/one/<id>")
        @use_kwargs(Wanted, location="path_and_json")
        def two(id):
            return {"id": 1}
        """
    assert handled(tmp_path, "flask-apispec", source) == [
        "GET /one/{id}",
        "  path id: string",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
        "POST /one/{id}",
        "  path id: string",
        "  and other parameters",
        "  takes application/json unknown: "
        "where the project's own location takes it from is not read",
        "  200 application/json {id: integer[1]}",
    ]


def test_smorest(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        from flask.views import MethodView
        from flask_smorest import Api, Blueprint
        from schemas import OrderSchema, QuerySchema
        app = Flask(__name__)
        api = Api(app)
        blp = Blueprint("orders", __name__, url_prefix="/orders")
        @blp.route("/")
        class Orders(MethodView):
            @blp.arguments(QuerySchema, location="query")
            @blp.response(200, OrderSchema(many=True))
            def get(self, args): ...
            @blp.arguments(OrderSchema)
            @blp.response(201, OrderSchema)
            @blp.alt_response(409, schema=QuerySchema)
            def post(self, data): ...
        @blp.route("/<int:id>", methods=["DELETE"])
        @blp.response(204)
        def remove(id): ...
        api.register_blueprint(blp)
        """
    assert handled(tmp_path, "flask-smorest", source, schemas=SCHEMAS) == [
        "GET /orders/",
        "  query page?: integer",
        "  query tag: string",
        "  200 application/json [{id= (read): integer, orderName: string}]",
        "POST /orders/",
        "  takes application/json {orderName: string, secret= (write): string}",
        "  201 application/json {id= (read): integer, orderName: string}",
        "  409 application/json {page=: integer, tag: string}",
        "DELETE /orders/{id}",
        "  path id: integer",
        "  and other parameters",
        "  204",
    ]


def test_restx(tmp_path: Path) -> None:
    source = """
        from flask import Blueprint, Flask
        from flask_restx import Api, Namespace, Resource, fields, reqparse
        bp = Blueprint("api", __name__, url_prefix="/api")
        api = Api(bp, prefix="/v1")
        ns = Namespace("orders", path="/orders")
        other = api.namespace("other")
        api.add_namespace(ns)
        app = Flask(__name__)
        app.register_blueprint(bp)
        item = ns.model("Item", {"sku": fields.String(required=True)})
        order = ns.model("Order", {
            "id": fields.Integer(readonly=True),
            "items": fields.List(fields.Nested(item)),
            "state": fields.String(enum=["open", "done"]),
        })
        named = ns.inherit("Named", order, {"name": fields.String})
        parser = reqparse.RequestParser()
        parser.add_argument("page", type=int, required=True)
        parser.add_argument("tags", action="append", location="args")
        @ns.route("/", "/all")
        class Orders(Resource):
            @ns.expect(parser)
            @ns.marshal_list_with(order, envelope="data")
            def get(self): ...
            @ns.expect(order)
            @ns.marshal_with(named, code=201)
            def post(self): return make(), 201
        @other.route("/<int:id>")
        class Other(Resource):
            def get(self, id): return {"id": 1}
        """
    order = "id= (read): integer, items=: [{sku: string}], state=: string['open', 'done']"
    assert handled(tmp_path, "Flask-RESTX", source) == [
        *(
            line
            for path in ("/", "/all")
            for line in [
                f"GET /api/v1/orders{path}",
                "  query page: integer",
                "  query tags?: [string]",
                f"  200 application/json {{data: [{{{order}}}]}}",
                f"POST /api/v1/orders{path}",
                f"  takes application/json {{{order}}}",
                f"  201 application/json {{{order}, name=: string}}",
            ]
        ),
        "GET /api/v1/other/{id}",
        "  path id: integer",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
    ]


def test_restful(tmp_path: Path) -> None:
    source = """
        from flask import Flask
        from flask_restful import Api, Resource, fields, marshal_with
        app = Flask(__name__)
        api = Api(app, prefix="/api")
        resource_fields = {"id": fields.Integer, "owner": {"name": fields.String}}
        class Orders(Resource):
            @marshal_with(resource_fields)
            def get(self): ...
            def delete(self): return "", 204
        api.add_resource(Orders, "/orders", "/orders/<string:id>")
        """
    shape = "{id=: integer, owner=: {name=: string}}"
    assert handled(tmp_path, "Flask-RESTful", source) == [
        "DELETE /api/orders",
        "  204",
        "GET /api/orders",
        "  and other parameters",
        f"  200 application/json {shape}",
        "DELETE /api/orders/{id}",
        "  path id: string",
        "  204",
        "GET /api/orders/{id}",
        "  path id: string",
        "  and other parameters",
        f"  200 application/json {shape}",
    ]


def test_what_a_view_returns_below_a_declared_output(tmp_path: Path) -> None:
    source = """
        from apiflask import APIFlask
        from flask import jsonify
        from schemas import OrderSchema
        app = APIFlask(__name__)
        @app.get("/empty")
        @app.output(OrderSchema)
        def empty(): return "", 204
        @app.get("/own")
        @app.output(OrderSchema)
        def own(): return jsonify({"other": "x"})
        @app.get("/either/<int:n>")
        @app.output(OrderSchema, status_code=202)
        def either(n):
            if n > 2:
                return load(n), 203
            return load(n)
        """
    order = "{id= (read): integer, orderName: string}"
    assert handled(tmp_path, "APIFlask", source, schemas=SCHEMAS) == [
        "GET /either/{n}",
        "  path n: integer",
        "  and other parameters",
        f"  202 application/json {order}",
        f"  203 application/json {order}",
        "GET /empty",
        "  and other parameters",
        "  204",
        "GET /own",
        "  and other parameters",
        "  200 application/json {other: string['x']}",
    ]


def test_all_values_of_a_query_parameter_are_read(tmp_path: Path) -> None:
    source = """
        from flask import Flask, request
        app = Flask(__name__)
        @app.get("/waits")
        def waits():
            queues = request.args.getlist("queue")
            return {"waits": len(queues)}
        """
    assert handled(tmp_path, "Flask", source) == [
        "GET /waits",
        "  query queue?: anything",
        "  200 application/json {waits: integer}",
    ]


def test_apiflask(tmp_path: Path) -> None:
    source = """
        from apiflask import APIFlask
        from schemas import OrderSchema, QuerySchema
        app = APIFlask(__name__)
        @app.post("/orders")
        @app.input(OrderSchema)
        @app.input(QuerySchema, location="query")
        @app.output(OrderSchema, status_code=201)
        def make(): ...
        """
    assert handled(tmp_path, "APIFlask", source, schemas=SCHEMAS) == [
        "POST /orders",
        "  query page?: integer",
        "  query tag: string",
        "  takes application/json {orderName: string, secret= (write): string}",
        "  201 application/json {id= (read): integer, orderName: string}",
    ]


def test_a_body_that_is_held_against_a_json_schema(tmp_path: Path) -> None:
    source = """
        import flask, jsonschema
        from schemas import ALIAS

        app = flask.Flask(__name__)

        @app.route("/aliases", methods=["PUT"])
        def put_alias():
            try:
                jsonschema.validate(flask.request.json, ALIAS)
            except jsonschema.ValidationError as error:
                raise ValueError(error)
            return flask.jsonify(flask.request.json.get("name"))

        @app.route("/names", methods=["PUT"])
        def put_name():
            return flask.jsonify({"name": flask.request.json["name"]})
        """
    schemas = """
        ALIAS = {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
        }
        """
    lines = handled(tmp_path, "Flask", source, schemas=schemas)
    assert [line.strip() for line in lines if "takes" in line] == [
        "takes application/json {name: string, size-: integer}",
        "takes application/json {name: anything}~",
    ]


@pytest.mark.parametrize(
    ("returned", "statuses"),
    [
        ("somewhere()", []),
        ("library.answer()", []),
        ("somewhere(), 202", ["202"]),
        ("library.answer(), 202", ["202"]),
        ('{"a": somewhere()}', ["200"]),
        ('"text"', ["200"]),
    ],
)
def test_what_is_returned_may_be_a_response_where_nothing_is_known_of_it(
    tmp_path: Path, returned: str, statuses: list[str]
) -> None:
    source = f"""
import library
from flask import Flask
app = Flask(__name__)
@app.get("/")
def show():
    return {returned}
"""
    [operation] = operations(project(tmp_path, {"app.py": source}), "Flask")
    known = operation.statuses_complete
    assert [each.status for each in operation.responses if known] == statuses


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("resource_class_args=(Service(),)", "{id: integer[1]}"),
        ("resource_class_args=[Service()]", "{id: integer[1]}"),
        ('resource_class_kwargs={"service": Service()}', "{id: integer[1]}"),
        ("resource_class_args=args", "{id: integer[1]}"),
        ("resource_class_args=(unknown,)", None),
        ("resource_class_args=(*args,)", None),
        ("endpoint='x'", None),
    ],
)
def test_objects_that_views_are_made_with(tmp_path: Path, given: str, sent: str | None) -> None:
    source = f"""
from flask import Flask
from flask_restful import Api, Resource
class Service:
    def find(self):
        return {{"id": 1}}
class View(Resource):
    def __init__(self, service):
        self._service = service
    def get(self):
        return self._service.find()
api = Api(Flask(__name__))
def load(unknown):
    args = (Service(),)
    api.add_resource(View, "/", {given})
"""
    program = project(tmp_path, {"app.py": source})
    [operation] = operations(program, "Flask-RESTful")
    [response] = operation.responses
    expected = shape(program, response.bodies[0].schema)
    assert expected == sent if sent is not None else expected.startswith("unknown: ")
