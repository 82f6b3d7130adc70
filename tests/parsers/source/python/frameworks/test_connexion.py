"""Connexion: documents that make routes."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import described, handled, operations, project, routes

SPEC = """
openapi: 3.0.3
servers: [{url: https://shop.example/v1}]
paths:
  /orders:
    x-openapi-router-controller: api.orders
    get: {operationId: search}
    post: {operationId: create, x-openapi-router-controller: api.more}
  /orders/{id}:
    parameters: [{name: id, in: path}]
    get: {operationId: api.orders.Orders.one}
    delete: {operationId: api.orders.not_there}
    put: {operationId: library.put}
    patch: {summary: no name}
  /elsewhere: {$ref: other.yaml}
"""
APP = """
import connexion
app = connexion.FlaskApp(__name__, specification_dir="../openapi/")
app.add_api("shop.yaml"{more})
"""
ORDERS = """
from connexion import NoContent, problem
class Orders:
    @staticmethod
    def one(id):
        if not id:
            return problem(404, "no", "no")
        return {"id": 1}
def search(limit=10): return [{"id": 1}], 200, {"x-next": "1"}
"""
MORE = """
from connexion import NoContent
def text() -> str: ...
def create(body):
    if not body:
        return {"error": "no"}, 400
    if body["late"]:
        return None, 202
    if body["text"]:
        return text(), 203
    return NoContent, 201
"""


def files(app: str) -> dict[str, str]:
    return {
        "src/app.py": app,
        "openapi/shop.yaml": SPEC,
        "src/api/__init__.py": "",
        "src/api/orders.py": ORDERS,
        "src/api/more.py": MORE,
    }


def test_operations_and_their_functions(tmp_path: Path) -> None:
    program = project(tmp_path, files(APP.replace("{more}", "")))
    found = operations(program, "Connexion")
    assert [(o.method, o.path, o.handler, o.unresolved) for o in found] == [
        ("*", "/v1/elsewhere", "", "its description stands in another file"),
        ("GET", "/v1/orders", "api.orders.search", ""),
        ("POST", "/v1/orders", "api.more.create", ""),
        ("GET", "/v1/orders/{id}", "api.orders.Orders.one", ""),
        ("PATCH", "/v1/orders/{id}", "", "the document names no function for it"),
        ("PUT", "/v1/orders/{id}", "library.put", "its function `library.put` could not be found"),
    ]
    told = [line for operation in found[1:4] for line in described(program, operation)]
    assert told == [
        "GET /v1/orders",
        "  and other parameters",
        "  200 */* [{id: integer[1]}]",
        "POST /v1/orders",
        "  and other parameters",
        "  takes application/json unknown: "
        "Connexion validates the request against the document and hands it on as a dict",
        "  201",
        "  202",
        "  203 application/json unknown: it is text",
        "  400 */* {error: string['no']}",
        "GET /v1/orders/{id}",
        "  and other parameters",
        "  200 */* {id: integer[1]}",
        "  404 application/problem+json "
        "{type: string~, title: string~, detail: string~, status: integer}",
    ]
    assert found[3].statuses_complete


def test_resolvers_and_base_paths(tmp_path: Path) -> None:
    app = """
        from connexion import AsyncApp
        from connexion.resolver import RelativeResolver, RestyResolver
        import mine
        app = AsyncApp(__name__)
        app.add_api("one.yaml", base_path="/one", resolver=RelativeResolver("controller"))
        app.add_api("rest.yaml", base_path="/rest", resolver=RestyResolver("controller"))
        app.add_api("one.yaml", base_path="/own", resolver=mine.Resolver())
        app.add_api("one.yaml", base_path=mine.BASE)
        """
    found = {
        "app.py": app,
        "one.yaml": "paths:\n  /orders:\n    get: {operationId: list_orders}\n"
        "    put: {operationId: not_there}\n",
        "rest.yaml": "paths:\n  /orders/:\n    get: {}\n    post: {}\n"
        "  /orders/{id}:\n    get: {}\n    delete: {}\n",
        "controller/__init__.py": "from controller.orders import *\n",
        "controller/orders.py": "def list_orders(): return []\ndef search(): return []\n"
        "def post(): return {}\ndef get(id): return {}\n",
    }
    assert routes(tmp_path, "Connexion", found) == [
        "GET /one/orders",
        "GET /own/orders (how its function is found is undetermined)",
        "PUT /own/orders (how its function is found is undetermined)",
        "GET /rest/orders/",
        "POST /rest/orders/",
        "GET /rest/orders/{id}",
        "GET /{computed}/orders (its base path is not constant)",
        "PUT /{computed}/orders (its base path is not constant)",
    ]


def test_documents_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    source = """
        import connexion
        app = connexion.App(__name__)
        app.add_api("not-there.yaml")
        app.add_api("broken.yaml")
        """
    (tmp_path / "broken.yaml").write_text("paths: [}")
    assert handled(tmp_path, "Connexion", source) == [
        "* /{path*}",
        "  and other parameters",
        "* /{path*}",
        "  and other parameters",
    ]


MERGED = {
    "shop/views.py": "def orders(): return []\ndef one(id): return {}\n",
    "shop/swagger/api.yml": "swagger: '2.0'\nbasePath: /v1\npaths:\n"
    "  /orders:\n    get: {operationId: shop.views.orders}\n",
    "shop/swagger/new.yml": "swagger: '2.0'\npaths:\n"
    "  /orders/{id}:\n    get: {operationId: shop.views.one}\n",
    "shop/swagger/parts.yml": "swagger: '2.0'\nparameters: {}\n",
    "other/api.yml": "swagger: '2.0'\npaths:\n  /x:\n    get: {operationId: gone.views.x}\n",
}


def test_documents_that_are_merged_or_parsed_first(tmp_path: Path) -> None:
    app = """
        from os import path
        import connexion
        from builder import SpecBuilder
        HERE = path.dirname(__file__)
        NEW = path.join(HERE, "swagger", "new.yml")
        spec = SpecBuilder().add(path.join(HERE, "swagger/api.yml")).add("swagger/parts.yml")
        app = connexion.App(__name__)
        app.add_api(spec)
        parser = SpecBuilder(NEW)
        app.add_api(parser.specification, base_path="/v2")
        """
    assert routes(tmp_path, "Connexion", {"shop/app.py": app, **MERGED}) == [
        "GET /v1/orders",
        "GET /v2/orders/{id}",
    ]


def test_documents_whose_operations_name_functions_of_the_code_in_full(tmp_path: Path) -> None:
    app = """
        import connexion
        from settings import documents
        app = connexion.App(__name__)
        for document in documents:
            app.add_api(document)
        """
    assert routes(tmp_path, "Connexion", {"shop/app.py": app, **MERGED}) == [
        "GET /orders/{id}",
        "GET /v1/orders",
    ]


SERVICE = """
swagger: "2.0"
basePath: /
paths:
  /rules:
    get: {{operationId: list_rules, x-swagger-router-controller: {name}.handlers}}
"""


def test_services_of_one_base_class_whose_operations_have_the_same_names(tmp_path: Path) -> None:
    app = """
        from pathlib import Path
        import connexion
        class Service:
            def __init__(self):
                self.application = None
            def start(self, folder, document):
                self.application = connexion.FlaskApp(__name__, specification_dir=folder)
                self.application.add_api(Path(document))
        """
    found = {
        "service.py": app,
        "shop/api.yaml": SERVICE.format(name="shop"),
        "shop/handlers.py": "def list_rules(): return [1]\n",
        "stock/api.yaml": SERVICE.format(name="stock"),
        "stock/handlers.py": "def list_rules(): return ['one']\n",
    }
    program = project(tmp_path, found)
    told = [(o.handler, described(program, o)[-1]) for o in operations(program, "Connexion")]
    assert told == [
        ("shop.handlers.list_rules", "  200 */* [integer[1]]"),
        ("stock.handlers.list_rules", "  200 */* [string['one']]"),
    ]


def test_models_that_a_generator_writes(tmp_path: Path) -> None:
    spec = """
        openapi: 3.0.3
        paths:
          /orders:
            post: {operationId: api.create}
            put: {operationId: api.replace}
        """
    models = """
        from datetime import datetime
        from typing import List
        class Model(object): ...
        class Line(Model):
            def __init__(self, text=None):
                self.openapi_types = {"text": str}
                self.attribute_map = {"text": "text"}
                self._text = text
        class Order(Model):
            def __init__(self, order_id: int = None, lines: List[Line] = None, made=None):
                self.swagger_types = {"order_id": int, "lines": List[Line], "made": datetime}
                self.attribute_map = {"order_id": "orderId", "lines": "lines", "made": "made"}
                self._order_id = order_id
            @classmethod
            def from_dict(cls, dikt): ...
        """
    api = """
        import connexion
        from models import Order
        def create(body):
            if connexion.request.is_json:
                body = Order.from_dict(connexion.request.get_json())
            return Order(order_id=1), 201
        def replace(body):
            return body
        """
    program = project(
        tmp_path,
        {"src/app.py": APP.format(more=""), "openapi/shop.yaml": spec}
        | {"src/models.py": models, "src/api.py": api},
    )
    order = "{orderId~=: integer, lines~=: [{text~=: string}], made~=: string:date-time}"
    [create, replace] = operations(program, "Connexion")
    assert described(program, create) == [
        "POST /orders",
        "  and other parameters",
        f"  takes application/json {order}",
        f"  201 */* {order}",
    ]
    assert described(program, replace)[1:3] == [
        "  and other parameters",
        "  takes application/json unknown: "
        "Connexion validates the request against the document and hands it on as a dict",
    ]


def test_parameters_that_functions_are_given_by_their_names(tmp_path: Path) -> None:
    spec = """
        swagger: "2.0"
        parameters:
          page: {name: page-number, in: query, type: integer, default: 1}
        paths:
          /orders:
            parameters:
              - $ref: "#/parameters/page"
              - {name: kind, in: query, type: string}
            get:
              operationId: api.search
              parameters:
                - {name: sortBy, in: query, type: string}
                - {name: owner, in: query, type: string}
                - {name: kind, in: query, type: string, required: true}
                - {name: unused, in: query, type: string}
                - {name: token, in: header, type: string}
            delete: {operationId: api.remove}
        """
    api = """
        from functools import wraps
        from flask import request
        def owned(function):
            @wraps(function)
            def inner(*args, **kwargs):
                kwargs["owner"] = "me"
                return function(*args, **kwargs)
            return inner
        @owned
        def search(kind, sort_by, owner, pagenumber): return request.args["more"]
        def remove(kind=None, **rest): return []
        """
    app = "import connexion\napp = connexion.App(__name__)\napp.add_api('shop.yaml')\n"
    program = project(tmp_path, {"app.py": app, "shop.yaml": spec, "api.py": api})
    [remove, search] = operations(program, "Connexion")
    assert [line for line in described(program, search) if "query" in line] == [
        "  query page-number?: anything",
        "  query kind: anything",
        "  query sortBy: anything",
        "  query owner~: anything",
        "  query more: anything",
    ]
    assert [line for line in described(program, remove) if "query" in line] == [
        "  query page-number?: anything",
        "  query kind?: anything",
    ]


def test_path_items_in_files_of_their_own_and_an_application_that_adds_its_document(
    tmp_path: Path,
) -> None:
    app = """
        import prance
        from connexion.apps.flask_app import FlaskApp
        class Shop(FlaskApp):
            def __init__(self, document):
                super().__init__(__name__)
                self.add_api(prance.ResolvingParser(document).specification)
        """
    found = {
        "app.py": app,
        "openapi/shop.yaml": "paths:\n  /orders: {$ref: paths/orders.yaml}\n"
        "  /orders/{id}: {$ref: 'paths/all.yaml#/orders~1one'}\n"
        "  /health:\n    get: {operationId: api.health}\n",
        "openapi/paths/orders.yaml": "get:\n  operationId: api.search\n"
        "  parameters:\n    - $ref: ../parameters.yaml#/Limit\n",
        "openapi/paths/all.yaml": "orders/one:\n  get: {operationId: api.one}\n",
        "openapi/parameters.yaml": "Limit: {name: limit, in: query, required: true}\n",
        "api.py": "def health(): return {}\ndef search(limit): return []\ndef one(id): return {}\n",
    }
    assert routes(tmp_path, "Connexion", found) == [
        "GET /health",
        "GET /orders",
        "GET /orders/{id}",
    ]
    [_, search, _] = operations(project(tmp_path, found), "Connexion")
    assert [(p.name, p.required) for p in search.parameters] == [("limit", True)]
