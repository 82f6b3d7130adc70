"""Which files are test code: it declares routes and models of its own that no contract promises.

Customs of names tell most of it. But tests may also be what a service is about (laboratory tests,
exams, A/B tests), and then a folder or class of that name is a part of the product. What is shipped
is known where the build or the library says so: Maven's and Gradle's `src/main`, the project file
that a C# file is compiled with, files that a library serves by their names, an application of
Django, files that are called after the folder (`tests/tests.controller.ts`), a Python file in no
folder of tests that has no test in it, a module that what is shipped imports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

_FOLDERS = frozenset({"test", "tests", "__tests__", "__mocks__", "spec", "e2e", "testing"})
_FILE = re.compile(
    r"^test_.*\.py$|_test\.py$|^conftest\.py$|\.(test|spec|e2e-spec|stories)\.[cm]?[jt]sx?$"
    r"|(Tests?|.TestCase)\.(cs|java)$|(IT|Spec)\.java$"
)
_PROJECT = re.compile(r"(^|[.\-_])(Unit|Integration|Functional|Acceptance)?Tests?$")
_SHIPPED = re.compile(r"(?:^|/)src/main/")
_SERVED = (
    (re.compile(r"(?:^|/)app/"), re.compile(r"^route\.[cm]?[jt]sx?$")),
    (re.compile(r"(?:^|/)pages/api/"), re.compile(r"\.[cm]?[jt]sx?$")),
    (re.compile(r"(?:^|/)routes/"), re.compile(r"^\+(?:server|page\.server)\.[jt]s$")),
    (
        re.compile(r"(?:^|/)server/(?:api|routes)/"),
        re.compile(r"\.(?:get|post|put|patch|delete)\.[jt]s$"),
    ),
)
"""Folders whose files are routes by their names alone, and these names (Next.js, SvelteKit,
Nitro)."""
_TEST_LIBRARY = re.compile(
    rb"Microsoft\.NET\.Test\.Sdk|\"(?:xunit|NUnit|MSTest|TUnit)\b|<IsTestProject>\s*true",
    re.IGNORECASE,
)
_PARTS = frozenset({"apps", "controllers", "endpoints", "router", "routers", "routes", "urls"})
_PARTS_OF_PACKAGES = _PARTS | {
    *("models", "schemas", "serializers", "services", "service", "views", "crud", "repository")
}
"""What the modules of an application are called; one of the first says that it has routes."""
_PARTS_OF_MODULES = (
    "controller|service|module|resolver|entity|dto|routes?|router|repository|model|schema"
)
_MOST_FOLDERS = 30
_IMPORTS_TESTING = re.compile(
    rb"^[ \t]*(?:from|import)[ \t]+(?:unittest|pytest|django\.test|rest_framework\.test)\b",
    re.MULTILINE,
)
"""What a `tests.py` of Django imports, and a module of routes does not."""
_TESTS_OF_PYTHON = re.compile(
    rb"^[ \t]*(?:async[ \t]+)?def[ \t]+test_|^class[ \t]+\w*(?:Test|TestCase)\b|^class[ \t]+Test"
    rb"|^[ \t]*(?:from|import)[^\n]*\b(?:test|testing|unittest|pytest|mock|TestClient)\b",
    re.MULTILINE,
)
"""What stands in a Python file of tests, and not in a module that is called like one because tests
are what the service is about (`start_test.py`)."""
_IMPORTED_TESTS = {
    ".py": re.compile(
        rb"^[ \t]*(?:from|import)[ \t](?:[^\n(]*\([^)]*\)|[^\n]*)"
        rb"|[\"'](?:(?:\w+\.)+(?:test_\w+|\w+_test)|(?:test_\w+|\w+_test):\w+)[\"']",
        re.MULTILINE,
    ),
    **dict.fromkeys(
        (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"),
        re.compile(
            rb"\b(?:from|import|require)[ \t]*+(?:\([ \t]*+)?[\"'](?=[^\"'\n]*+[\"'])"
            rb"[^\"'\n]*?\.(?:test|spec|e2e-spec|stories)\b[^\"'\n]*+[\"']"
        ),
    ),
}
"""Imports, and names of modules in texts (`"shop.test_routes"`, `"test_routes:app"`), that may mean
a module that is called like a test, by the ends of the files that they stand in."""
_TEST_MODULE = re.compile(
    rb"(?<![\w-])(?:test_\w+|\w+_test|[\w-]+\.(?:test|spec|e2e-spec|stories))\b"
)
_PYTHON_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests|conftest)\.py$")


def is_test(path: str) -> bool:
    """Whether a root-relative path is test code by the customs of the four languages."""
    shipped = _SHIPPED.search(path)
    if shipped is not None:  # whatever it is called
        return _outermost(path[: shipped.end()]) is not None
    if _FILE.search(path.rpartition("/")[2]) is not None:
        return True
    served = _served_folder(path)
    if served is None or "/__" in path:
        return _outermost(path) is not None
    return _outermost(served) is not None


def _served_folder(path: str) -> str | None:
    """The outermost folder that makes a file a route by its name; None where there is none."""
    name = path.rpartition("/")[2]
    folders = [folder.search(path) for folder, files in _SERVED if files.search(name)]
    return min((path[: found.end()] for found in folders if found), key=len, default=None)


def _outermost(path: str) -> str | None:
    """The outermost folder on the way to a file that is called as tests are."""
    end = path.find("/")
    start = 0
    while end >= 0:
        name = path[start:end]
        if name.lower() in _FOLDERS or _PROJECT.search(name):
            return path[:end]
        start, end = end + 1, path.find("/", end + 1)
    return None


def _folders_around(path: str) -> Iterator[str]:
    """The folders around a file, the nearest first, also those around the root."""
    folder = path.rpartition("/")[0]
    for _ in range(_MOST_FOLDERS):
        yield folder
        above, _, name = folder.rpartition("/")
        folder = f"{folder}/.." if name == ".." else above if name else ".."


class TestCode:
    """Test code of one tree of files, told by what stands around them too."""

    __test__ = False  # for pytest, which takes classes of such a name for tests

    def __init__(
        self,
        root: Path,
        paths: Collection[str],
        find: Callable[[str, re.Pattern[bytes]], list[bytes]],
    ) -> None:
        """`paths` are relative to `root`; `find` gives what a pattern finds in one of them."""
        self._shipped = _SHIPPED.search(f"{root.as_posix()}/") is not None
        self._paths = paths
        self._find = find
        self._projects: dict[str, list[str]] | None = None
        self._products: dict[str, bool] = {}
        self._below: dict[str, list[str]] | None = None
        self._imported: set[str] | None = None

    def holds(self, path: str) -> bool:
        """Whether a file is test code."""
        if path.rpartition("/")[2] == "tests.py" and self._find(path, _IMPORTS_TESTING):
            return True
        if not is_test(path):
            return False
        if self._shipped and not path.startswith("../"):
            return False
        if path.endswith(".cs"):
            return not self._is_compiled_into_product(path)
        folder = _outermost(path)
        name = path.rpartition("/")[2]
        if folder is None and name.endswith(".py") and name != "conftest.py":
            return bool(self._find(path, _TESTS_OF_PYTHON)) and not self._is_imported(path)
        if folder is None:
            return not self._is_imported(path)
        return _FILE.search(name) is not None or not self._is_product(folder)

    def _is_imported(self, path: str) -> bool:
        """Whether what is shipped imports a file in no folder of tests that is called like one."""
        module = path.rpartition("/")[2].rpartition(".")[0]
        return path.endswith(tuple(_IMPORTED_TESTS)) and module in self._imported_modules()

    def _imported_modules(self) -> set[str]:
        """The modules that are called like tests and that what is shipped imports."""
        if self._imported is None:
            texts = (
                text
                for path in self._paths
                for pattern in (_IMPORTED_TESTS.get(path[path.rfind(".") :]),)
                if pattern is not None and not is_test(path)
                for text in self._find(path, pattern)
            )
            found = (name for text in texts for name in _TEST_MODULE.findall(text))
            self._imported = {name.decode("utf-8", "replace") for name in found}
        return self._imported

    # ----------------------------------------------------------------------- C#

    def _is_compiled_into_product(self, path: str) -> bool:
        """Whether the nearest project file around a C# file is no test project: it compiles every
        file below its folder."""
        if self._projects is None:
            self._projects = {}
            for each in self._paths:
                if each.endswith(".csproj"):
                    self._projects.setdefault(each.rpartition("/")[0], []).append(each)
        folder = next((each for each in _folders_around(path) if each in self._projects), None)
        if folder is None:
            return False
        if folder not in self._products:
            self._products[folder] = not any(
                _outermost(each) is not None
                or _PROJECT.search(each.rpartition("/")[2].removesuffix(".csproj"))
                or self._find(each, _TEST_LIBRARY)
                for each in self._projects[folder]
            )
        return self._products[folder]

    # ----------------------------------------------------------------------- folders

    def _is_product(self, folder: str) -> bool:
        """Whether a folder that is called as tests are is a part of an application instead."""
        if folder not in self._products:
            below = self._files(folder)
            direct = [path for path in below if "/" not in path]
            self._products[folder] = self._is_package(folder, below, direct) or self._is_module(
                folder, direct
            )
        return self._products[folder]

    def _files(self, folder: str) -> list[str]:
        """What stands below a folder, relative to it."""
        if self._below is None:
            self._below = {}
            for path in self._paths:
                outermost = _outermost(path)
                if outermost is not None:
                    self._below.setdefault(outermost, []).append(path[len(outermost) + 1 :])
        return self._below.get(folder, [])

    def _is_package(self, folder: str, below: list[str], direct: list[str]) -> bool:
        """A Python package of an application: it has its routes and what else belongs to one, and
        no test among them. At the top, where tests stand as well, only an application of Django."""
        if any(_PYTHON_TEST.search(path) for path in below):
            return False
        names = {path[:-3] for path in direct if path.endswith(".py")}
        if "apps" in names and any(path.startswith("migrations/") for path in below):
            return True
        return "/" in folder and bool(names & _PARTS) and len(names & _PARTS_OF_PACKAGES) > 1

    def _is_module(self, folder: str, direct: list[str]) -> bool:
        """A folder of TypeScript or JavaScript whose files are called after it, away from the place
        of tests beside `package.json`."""
        above, _, name = folder.rpartition("/")
        if not above or f"{above}/package.json" in self._paths:
            return False
        stem = re.escape(name.lower().removesuffix("s"))
        own = re.compile(rf"{stem}s?\.(?:{_PARTS_OF_MODULES})\.[cm]?[jt]s")
        return any(own.fullmatch(path.lower()) for path in direct)
