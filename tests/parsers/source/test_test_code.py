"""Which files are test code."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.languages import SUFFIXES


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/api.py", True),
        ("src/app/test_orders.py", True),
        ("src/app/orders_test.py", True),
        ("src/test/java/OrderTest.java", True),
        ("src/main/java/OrderController.java", False),
        ("Shop.Api.Tests/OrdersController.cs", True),
        ("Shop.Api/OrdersControllerTests.cs", True),
        ("Shop.Api/Contests.cs", False),
        ("messages/java/types/OrderTestCase.java", True),
        ("messages/java/types/TestCase.java", False),
        ("src/orders.spec.ts", True),
        ("src/orders.controller.ts", False),
        ("src/latest.py", False),
        ("app/contest/api.py", False),
    ],
)
def test_test_code_is_known_by_the_customs_of_its_language(path: str, test: bool) -> None:
    assert is_test(path) is test


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("lab/src/main/java/com/lab/tests/TestController.java", False),
        ("lab/src/main/java/com/lab/BloodTest.java", False),
        ("tests/sample/src/main/java/com/lab/Sample.java", True),
        ("app/api/tests/[id]/route.ts", False),
        ("test/e2e/app/api/orders/route.ts", True),
        ("pages/api/tests/index.ts", False),
        ("pages/api/__tests__/helper.ts", True),
        ("pages/api/tests/index.test.ts", True),
        ("src/routes/tests/+server.ts", False),
        ("server/api/tests/[id].get.ts", False),
        ("server/api/tests/users.ts", True),
        ("app/tests/index.ts", True),
    ],
)
def test_what_builds_and_libraries_ship_is_no_test_code(path: str, test: bool) -> None:
    assert is_test(path) is test


def kept(root: Path, *paths: str, **texts: str) -> list[str]:
    """Those of the files in a folder that are no test code; `texts` gives files by what they hold,
    the others are empty."""
    for path in (*paths, *texts.values()):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    for text, path in texts.items():
        (root / path).write_text(f"<Project>{TEXTS[text]}</Project>", encoding="utf-8")
    tree = SourceTree(root, SUFFIXES)
    return sorted(path for path in tree.paths() if path in paths and not tree.is_test(path))


TEXTS = {
    "web": '<PackageReference Include="Dapper" />',
    "sdk": '<PackageReference Include="Microsoft.NET.Test.Sdk" />',
    "xunit": '<PackageReference Include="xunit.v3" Version="1.0" />',
}


def test_a_project_that_is_no_test_project_compiles_whatever_its_folders_are_called(
    tmp_path: Path,
) -> None:
    files = ["Lab/Tests/TestsController.cs", "Lab/Models/Test.cs", "Lab.Tests/OrderTests.cs"]
    assert kept(tmp_path / "a", *files, web="Lab/Lab.csproj", sdk="Lab.Tests/L.csproj") == [
        "Lab/Models/Test.cs",
        "Lab/Tests/TestsController.cs",
    ]
    # A project that holds its own tests, one that is called so, and none at all.
    assert kept(tmp_path / "b", *files, xunit="Lab/Lab.csproj") == []
    assert kept(tmp_path / "c", "Tests/A.cs", web="Lab.Tests.csproj") == []
    assert kept(tmp_path / "d", "tests/Lab/A.cs", web="tests/Lab/Lab.csproj") == []
    assert kept(tmp_path / "e", *files) == []


def test_the_project_around_the_scanned_folder_counts_too(tmp_path: Path) -> None:
    (tmp_path / "Lab/Features/Tests").mkdir(parents=True)
    (tmp_path / "Lab/Lab.csproj").write_text("<Project/>", encoding="utf-8")
    (tmp_path / "Lab/Features/Tests/A.cs").touch()
    tree = SourceTree(tmp_path / "Lab/Features", SUFFIXES, beyond=["../Lab.csproj"])
    assert tree.source("csharp") == ("Tests/A.cs",)


def test_an_application_of_django_may_be_called_tests(tmp_path: Path) -> None:
    application = ["tests/apps.py", "tests/migrations/0001.py", "tests/views.py"]
    assert kept(tmp_path / "a", *application) == application
    assert kept(tmp_path / "b", *application, "tests/test_views.py") == []
    assert kept(tmp_path / "c", "tests/views.py", "tests/urls.py") == []


def test_a_module_called_tests_is_test_code_where_it_imports_what_tests_are_written_with(
    tmp_path: Path,
) -> None:
    modules = {
        "orders/tests.py": "from django.test import TestCase\n",
        "api/tests.py": "import os\nfrom rest_framework.test import APIClient\n",
        "plain/tests.py": "import unittest\n",
        "late/tests.py": "def check():\n    import pytest\n",
        "routers/tests.py": "from fastapi import APIRouter\nrouter = APIRouter()\n",
        "orders/views.py": "from django.test import Client\n",
    }
    for path, text in modules.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    tree = SourceTree(tmp_path, SUFFIXES)
    assert sorted(p for p in tree.paths() if not tree.is_test(p)) == [
        "orders/views.py",
        "routers/tests.py",
    ]


def test_a_module_that_is_called_like_a_test_is_code_where_code_imports_it(tmp_path: Path) -> None:
    one_test = "def test_nothing():\n    pass\n"
    texts = {
        "app.py": "from shop import (\n    other,\n    test_routes,\n)\n",
        "serve.py": 'uvicorn.run("load_test:app")\nlazily = "shop.test_lazy"\n',
        "shop/test_routes.py": one_test,
        "shop/test_lazy.py": one_test,
        "load_test.py": one_test,
        "shop/test_unused.py": one_test,
        "shop/test_of_tests.py": "from shop import test_unused\n" + one_test,
        "tests/test_routes.py": one_test,
        "src/app.ts": "import { a } from './routes.test';\nconst x = require('./y.spec.js');\n",
        "src/routes.test.ts": "",
        "src/y.spec.js": "",
        "src/z.spec.ts": "import './w.test';\n",
        "src/w.test.ts": "",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    tree = SourceTree(tmp_path, SUFFIXES)
    assert sorted(path for path in tree.paths() if not tree.is_test(path)) == [
        *("app.py", "load_test.py", "serve.py", "shop/test_lazy.py", "shop/test_routes.py"),
        *("src/app.ts", "src/routes.test.ts", "src/y.spec.js"),
    ]


def test_a_python_package_with_routes_may_be_called_tests(tmp_path: Path) -> None:
    package = ["app/tests/router.py", "app/tests/schemas.py", "app/tests/sql/helpers.py"]
    assert kept(tmp_path / "a", *package) == package
    assert kept(tmp_path / "b", *package, "app/tests/sql/test_helpers.py") == []
    assert kept(tmp_path / "c", "app/tests/base.py", "app/tests/models.py") == []


def test_files_that_are_called_after_their_folder_are_a_module(tmp_path: Path) -> None:
    module = ["src/tests/dto/create-test.dto.ts", "src/tests/tests.controller.ts"]
    spec = "src/tests/tests.controller.spec.ts"
    assert kept(tmp_path / "a", *module, spec) == module
    assert kept(tmp_path / "b", "src/tests/app.controller.ts") == []
    beside = ["package.json", "test/test.controller.ts"]
    assert kept(tmp_path / "c", *beside) == ["package.json"]


def test_a_source_folder_that_is_shipped_is_scanned_alone(tmp_path: Path) -> None:
    root = tmp_path / "src/main/java"
    assert kept(root, "com/lab/tests/TestController.java") == ["com/lab/tests/TestController.java"]


def test_a_python_file_that_is_called_like_a_test_and_has_none_is_product(tmp_path: Path) -> None:
    files = {
        "runs/start_test.py": "@router.put('/start')\ndef start_test(): ...\n",
        "runs/test_events.py": "class TestEventKind: ...\n",
        "runs/end_test.py": "def test_end(): ...\n",
        "runs/test_flow.py": "from fastapi.testclient import TestClient\n",
        "runs/conftest.py": "from app import database\n",
        "tests/other_test.py": "def helper(): ...\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    tree = SourceTree(tmp_path, SUFFIXES)
    assert [p for p in sorted(tree.paths()) if not tree.is_test(p)] == ["runs/start_test.py"]
