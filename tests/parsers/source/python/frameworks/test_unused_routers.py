"""Routers that no application includes: which of them may be included out of sight."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import routes

ORDERS = """
    from fastapi import APIRouter
    router = APIRouter()
    @router.get("/orders")
    def orders(): ...
    """
APP = """
    from fastapi import FastAPI
    app = FastAPI()
    @app.get("/health")
    def health(): ...
    """
HEALTH = "GET /health"
NOBODY = "GET /{computed}/orders (nothing uses the router that it is added to)"
SOMEBODY = "GET /{computed}/orders (no application that can be seen includes this router)"


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"shop/api.py": "from shop import orders\n"},
        {"shop/api.py": "from shop.orders import router as orders_router\n"},
        {"shop/api.py": "def start():\n    from shop import orders\n"},
        {"shop/api.py": "from shop.models import orders\norders.clear()\n", "shop/models.py": ""},
    ],
    ids=["never named", "module imported", "router imported", "inside a function", "another"],
)
def test_router_that_nothing_uses_cannot_serve(tmp_path: Path, others: dict[str, str]) -> None:
    files = {"shop/__init__.py": "", "shop/app.py": APP, "shop/orders.py": ORDERS, **others}
    assert routes(tmp_path, "FastAPI", files) == [HEALTH, NOBODY]


@pytest.mark.parametrize(
    "others",
    [
        {"shop/api.py": "from shop import orders\nregister(orders.router)\n"},
        {"shop/api.py": "import shop.orders\nregister(shop.orders.router)\n"},
        {"shop/api.py": "from shop.orders import router as r\nregister(r)\n"},
        {"shop/api.py": "from shop.orders import *\n"},
        {
            "shop/api.py": "from shop.orders import router as r\n",
            "shop/main.py": "from shop.api import r\nregister(r)\n",
        },
        {
            "shop/api.py": "from shop import orders\n",
            "shop/main.py": "import shop.api\nregister(shop.api.orders.router)\n",
        },
        {"shop/api.py": "from shop import orders\n__all__ = ['orders']\n"},
        {"shop/api.py": "from shop import orders\nregister((\n"},
        {"shop/api.py": "serve('shop.orders')\n"},
        {"shop/api.py": "import importlib\nimportlib.import_module(name)\n"},
    ],
    ids=[
        "module used",
        "module used by its whole name",
        "router used",
        "all names",
        "handed on",
        "used where it is imported",
        "exported",
        "broken file",
        "named in a text",
        "loaded by a name that is made up",
    ],
)
def test_router_that_something_may_use_may_serve(tmp_path: Path, others: dict[str, str]) -> None:
    files = {"shop/__init__.py": "", "shop/app.py": APP, "shop/orders.py": ORDERS, **others}
    assert routes(tmp_path, "FastAPI", files) == [HEALTH, SOMEBODY]


def test_router_of_a_file_that_is_run_may_serve(tmp_path: Path) -> None:
    run = ORDERS + '    if __name__ == "__main__":\n        serve(router)\n'
    files = {"shop/app.py": APP, "shop/orders.py": run}
    assert routes(tmp_path, "FastAPI", files) == [HEALTH, SOMEBODY]
