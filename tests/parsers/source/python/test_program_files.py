"""A folder of a larger repository is read with the files around it that run together with it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.api import open_code
from contract_scan.parsers.source.python.resolution.program_files import program_files

MARK = "# a mark\n"
AROUND = {
    "pyproject.toml": "",
    "shop/orders/api.py": """\
        from fastapi import APIRouter
        router = APIRouter()
        @router.get("/orders")
        def orders() -> dict[str, str]: ...
        """,
    "shop/other.py": "import json\n",
}


def _outside(folder: Path, files: dict[str, str]) -> tuple[list[str], list[str]]:
    """The files around `shop/orders` that may run together with it, and the routes in it."""
    for path, text in {**AROUND, **files}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(MARK + dedent(text), encoding="utf-8")
    with open_code(folder / "shop" / "orders", cache=False) as opened:
        (program,) = opened.code.programs
        found = [path for path in program_files(program, b"a mark") if path.startswith("../")]
        routes = [f"{each.method} {each.path}" for each in opened.code.operations]
        return found, routes


MOUNT = "from fastapi import FastAPI\n{}\napp = FastAPI()\napp.include_router({}, prefix='/v1')\n"


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": MOUNT.format("from shop.orders.api import router", "router")},
        {"main.py": MOUNT.format("from shop.orders import (  # :)\n    api,\n)", "api.router")},
        {
            "shop/__init__.py": "from .orders.api import router as orders_router\n",
            "main.py": MOUNT.format("import shop", "shop.orders_router"),
        },
        {
            "main.py": MOUNT.format(
                "import importlib\norders = importlib.import_module('shop.orders.api')",
                "orders.router",
            )
        },
    ],
)
def test_what_mounts_a_router_is_read_however_it_loads_it(
    files: dict[str, str], tmp_path: Path
) -> None:
    found, routes = _outside(tmp_path, files)
    assert set(found) >= {f"../../{path}".replace("../../shop/", "../") for path in files}
    assert routes == ["GET /v1/orders"]


def test_what_the_files_of_the_folder_load_is_read(tmp_path: Path) -> None:
    called = (
        "from shop.mounting import mounted\nfrom shop.orders.api import router\nmounted(router)\n"
    )
    mounting = """\
        from fastapi import FastAPI
        def mounted(router):
            app = FastAPI()
            app.include_router(router, prefix="/v2")
            return app
        """
    found, routes = _outside(tmp_path, {"shop/mounting.py": mounting, "run.py": called})
    assert found == ["../../run.py", "../mounting.py"]
    assert routes == ["GET /v2/orders"]


def test_programs_beside_it_are_not_read(tmp_path: Path) -> None:
    beside = {
        "shop/payments/api.py": "from fastapi import FastAPI\napp = FastAPI()\n",
        "main.py": "import shop.payments.api\nprint('api', 'orders')\n",
    }
    found, routes = _outside(tmp_path, beside)
    assert found == []
    assert routes == ["GET /orders"]
