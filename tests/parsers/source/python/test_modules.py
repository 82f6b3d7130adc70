"""Which file a Python import means."""

from __future__ import annotations

import re
from pathlib import Path

from contract_scan.parsers.source.facts.nodes import Import
from contract_scan.parsers.source.python.resolution.modules import find_module
from tests.parsers.source.python.project import project, shape


class Sources:
    """Files of a scan that exist as paths only."""

    def __init__(self, *paths: str, root: str = "/repo") -> None:
        self.root = Path(root)
        self._paths = tuple(sorted(paths))

    def has(self, path: str) -> bool:
        return path in self._paths

    def read(self, path: str) -> bytes | None:
        return b"" if path in self._paths else None

    def find(self, path: str, pattern: re.Pattern[bytes]) -> list[bytes]:
        return pattern.findall(self.read(path) or b"")

    def lines(self, path: str, first: int, last: int) -> list[bytes]:
        return (self.read(path) or b"").split(b"\n")[first - 1 : last]

    def files_named(self, name: str) -> tuple[str, ...]:
        return tuple(p for p in self._paths if p.rpartition("/")[2] == name)

    def ending(self, suffix: str) -> tuple[str, ...]:
        return tuple(p for p in self._paths if p.endswith(suffix))

    def source(self, language: str) -> tuple[str, ...]:
        return self._paths


PACKAGE = Sources(
    "app/__init__.py",
    "app/main.py",
    "app/api/__init__.py",
    "app/api/orders.py",
    "app/plain/users.py",
    "main.py",
)


def found(files: Sources, path: str, module: str, name: str = "") -> str | None:
    return find_module(files, path, Import(module=module, name=name))


def test_relative_imports() -> None:
    assert found(PACKAGE, "app/main.py", ".api", "orders") == "app/api/__init__.py"
    assert found(PACKAGE, "app/main.py", ".api.orders", "router") == "app/api/orders.py"
    assert found(PACKAGE, "app/api/orders.py", ".", "users") == "app/api/__init__.py"
    assert found(PACKAGE, "app/api/orders.py", "..", "x") == "app/__init__.py"
    assert found(PACKAGE, "app/api/orders.py", "..main", "x") == "app/main.py"
    assert found(PACKAGE, "app/api/orders.py", ".....x", "y") is None


def test_folder_without_init_gives_the_submodule() -> None:
    assert found(PACKAGE, "app/main.py", ".plain", "users") == "app/plain/users.py"
    assert found(PACKAGE, "main.py", "app.plain", "users") == "app/plain/users.py"
    assert found(PACKAGE, "main.py", "app.plain", "nothing") is None
    assert found(PACKAGE, "main.py", "app.plain", "*") is None


def test_absolute_imports_from_the_root() -> None:
    assert found(PACKAGE, "app/api/orders.py", "app.main", "app") == "app/main.py"
    assert found(PACKAGE, "app/api/orders.py", "app") == "app/__init__.py"
    assert found(PACKAGE, "app/api/orders.py", "main", "x") == "main.py"


def test_libraries() -> None:
    assert found(PACKAGE, "main.py", "fastapi", "APIRouter") is None
    assert found(PACKAGE, "main.py", "json") is None
    clash = Sources("app/__init__.py", "app/celery/__init__.py", "app/tasks.py")
    assert found(clash, "app/tasks.py", "celery", "Celery") is None
    assert found(clash, "app/tasks.py", "app.celery", "x") == "app/celery/__init__.py"


def test_source_folder() -> None:
    files = Sources("src/shop/__init__.py", "src/shop/models.py", "tests/test_shop.py")
    assert found(files, "tests/test_shop.py", "shop.models", "Order") == "src/shop/models.py"


def test_each_service_of_a_repository_has_its_own_root() -> None:
    files = Sources(
        "services/a/app/models.py",
        "services/a/app/api.py",
        "services/b/app/models.py",
        "services/b/app/api.py",
        "libs/common/events.py",
        "scripts/seed.py",
    )
    assert found(files, "services/b/app/api.py", "app.models", "X") == "services/b/app/models.py"
    assert found(files, "services/a/app/api.py", "common.events", "X") == "libs/common/events.py"
    assert found(files, "scripts/seed.py", "app.models", "X") is None


def test_scripts_run_from_inside_their_package() -> None:
    files = Sources("app/__init__.py", "app/main.py", "app/models.py")
    assert found(files, "app/main.py", "models", "Order") == "app/models.py"


def test_scanned_folder_inside_the_package_that_is_named() -> None:
    files = Sources("api/orders.py", "models.py", root="/repo/src/shop/app")
    assert found(files, "api/orders.py", "app.models", "Order") == "models.py"
    assert found(files, "api/orders.py", "shop.app.models", "Order") == "models.py"
    assert found(files, "api/orders.py", "other.models", "Order") is None


def test_package_hides_a_module_of_its_name() -> None:
    files = Sources("a.py", "x.py", "x/__init__.py")
    assert found(files, "a.py", "x", "y") == "x/__init__.py"


def test_modules_around_the_scanned_folder_are_found() -> None:
    paths = ("../__init__.py", "../models.py", "__init__.py", "orders.py")
    files = Sources(*paths, root="/repo/shop/api")
    assert found(files, "orders.py", "..models", "Order") == "../models.py"
    assert found(files, "orders.py", "shop.models", "Order") == "../models.py"
    assert found(files, "../models.py", ".api.orders") == "orders.py"


def test_a_name_that_a_star_import_gives_before_the_file_gives_it_anew(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/base.py": "SETTINGS = {'a': 1}\nOTHER = 1\n",
        "shop/local.py": """
            from shop.base import *
            mine = SETTINGS.copy()
            SETTINGS = {**mine, "b": 2}
            OTHER = 2
            """,
        "app.py": """
            from shop.local import OTHER, SETTINGS
            def sent():
                return {"settings": SETTINGS, "other": OTHER}
            """,
    }
    program = project(tmp_path, files)
    found = program.names.lookup("sent", program.module_scope(program.facts("app.py")))
    [result] = program.function_exits(found)  # type: ignore[arg-type]
    assert result.value is not None
    assert shape(program, program.infer(result.value, result.scope)) == (
        "{settings: {a: integer[1], b: integer[2]}, other: integer[2]}"
    )
