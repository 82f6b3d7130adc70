"""Quart: blueprints and views as Flask has them, and what Quart-Schema declares."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes

QUART = "Quart"


def test_blueprints_nested_and_class_based_views(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from quart import Quart
            from orders import blueprint
            def create_app():
                app = Quart(__name__)
                app.register_blueprint(blueprint, url_prefix="/v1")
                @app.websocket("/socket")
                async def socket(): ...
                return app
            app = create_app()
            @app.get("/health")
            async def health(): ...
            """,
        "orders.py": """
            from quart import Blueprint
            from quart.views import MethodView
            blueprint = Blueprint("orders", __name__)
            inner = Blueprint("inner", __name__, url_prefix="/inner")
            blueprint.register_blueprint(inner)
            @inner.route("/<uuid:order_id>", methods=["PUT", "PATCH"])
            async def change(order_id): ...
            class Items(MethodView):
                async def get(self): ...
            blueprint.add_url_rule("/items", view_func=Items.as_view("items"))
            """,
    }
    assert routes(tmp_path, QUART, files) == [
        "GET /health",
        "PATCH /v1/inner/{order_id}",
        "PUT /v1/inner/{order_id}",
        "GET /v1/items",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        import os
        from quart import Blueprint, Quart
        app = Quart(__name__)
        lost = Blueprint("lost", __name__)
        @app.get(os.environ["WHERE"])
        async def a(): ...
        @lost.get("/lost")
        async def b(): ...
        """
    assert routes(tmp_path, QUART, {"app.py": source}) == [
        "GET / (its rule is not constant)",
        "GET /{computed}/lost (no application that can be seen includes this router)",
    ]


def test_what_views_take_and_return(tmp_path: Path) -> None:
    source = """
        from pydantic import BaseModel
        from quart import Quart, jsonify, make_response, request
        app = Quart(__name__)
        class Order(BaseModel):
            id: int
        @app.get("/a/<int:id>")
        async def a(id): return {"id": 1}, 202
        @app.post("/b")
        async def b():
            data = await request.get_json()
            return jsonify(ok=True)
        @app.get("/c")
        async def c(): return await make_response(jsonify([1]), 203)
        """
    assert handled(tmp_path, QUART, source) == [
        "GET /a/{id}",
        "  path id: integer",
        "  202 application/json {id: integer[1]}",
        "POST /b",
        "  takes application/json unknown: the view reads the request itself",
        "  200 application/json {ok: boolean[True]}",
        "GET /c",
        "  203 application/json [integer[1]]",
    ]


SCHEMA = """
    from dataclasses import dataclass
    from quart import Quart
    from quart_schema import (
        DataSource, QuartSchema, document_response, validate, validate_headers,
        validate_querystring, validate_request, validate_response,
    )
    app = Quart(__name__)
    QuartSchema(app, {options})
    @dataclass
    class Item:
        unit_price: float
    @dataclass
    class Order:
        order_id: int
        items: list[Item]
    @dataclass
    class Filters:
        page_size: int = 10
    @dataclass
    class Headers:
        x_token: str
    @app.post("/a")
    @validate_request(Order)
    @validate_headers(Headers)
    @validate_response(Order, 201)
    @document_response(Item, 409)
    async def a(data): return load(), 201
    @app.get("/b")
    @validate_querystring(Filters)
    async def b(query_args): return {{"total_count": 1}}
    @app.put("/c")
    @validate(request=Item, request_source=DataSource.FORM, responses={{200: (Item, Headers)}})
    async def c(data): return Item(1.0)
    """


def test_quart_schema(tmp_path: Path) -> None:
    order = "{order_id: integer, items: [{unit_price: number}]}"
    assert handled(tmp_path, QUART, SCHEMA.format(options="")) == [
        "POST /a",
        "  header x-token: string",
        f"  takes application/json {order}",
        f"  201 application/json {order}",
        "  409 application/json {unit_price: number}",
        "GET /b",
        "  query page_size?: integer",
        "  200 application/json {total_count: integer[1]}",
        "PUT /c",
        "  takes application/x-www-form-urlencoded {unit_price: number}",
        "  200 application/json {unit_price: number}",
    ]


def test_quart_schema_converts_names(tmp_path: Path) -> None:
    order = "{orderId: integer, items: [{unitPrice: number}]}"
    assert handled(tmp_path, QUART, SCHEMA.format(options="convert_casing=True")) == [
        "POST /a",
        "  header x-token: string",
        f"  takes application/json {order}",
        f"  201 application/json {order}",
        "  409 application/json {unitPrice: number}",
        "GET /b",
        "  query pageSize?: integer",
        "  200 application/json unknown: its names may be converted",
        "PUT /c",
        "  takes application/x-www-form-urlencoded {unitPrice: number}",
        "  200 application/json {unitPrice: number}",
    ]
