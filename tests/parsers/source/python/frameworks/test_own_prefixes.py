"""Prefixes that are asked of the router or blueprint that was made with them."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import routes


def test_prefix_of_a_blueprint_is_used_again(tmp_path: Path) -> None:
    files = {
        "orders.py": """
            from flask import Blueprint
            orders = Blueprint("orders", __name__, url_prefix="/orders")
            items = Blueprint("items", __name__)
            @orders.get("/<slug>")
            def order(slug): ...
            @items.get("/items")
            def all_items(): ...
            """,
        "app.py": """
            from flask import Flask
            from orders import items, orders
            app = Flask(__name__)
            app.register_blueprint(orders, url_prefix=f"/api{orders.url_prefix}")
            app.register_blueprint(items, url_prefix=items.url_prefix or "/none")
            """,
    }
    assert routes(tmp_path, "Flask", files) == ["GET /api/orders/{slug}", "GET /none/items"]


def test_prefix_of_a_router_is_used_again(tmp_path: Path) -> None:
    files = {
        "orders.py": """
            from fastapi import APIRouter
            router = APIRouter(prefix="/orders")
            @router.get("/{slug}")
            def order(slug: str): ...
            """,
        "app.py": """
            import orders
            from fastapi import FastAPI
            app = FastAPI()
            app.include_router(orders.router, prefix="/api" + orders.router.prefix)
            """,
    }
    assert routes(tmp_path, "FastAPI", files) == ["GET /api/orders/orders/{slug}"]
