"""Which file a Python import means.

Nobody says where the import path starts, so every folder is a plausible root; the ones that hold
the whole dotted name are ranked as a reader would: the folders around the importing file first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from posixpath import dirname, join, split

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import FileFacts, Import
from contract_scan.parsers.source.language import Files

_LIBRARIES = frozenset(
    [
        "aio_pika",
        "aiohttp",
        "aiokafka",
        "aioredis",
        "apispec",
        "attr",
        "attrs",
        "aws_lambda_powertools",
        "azure",
        "boto3",
        "bottle",
        "botocore",
        "celery",
        "cherrypy",
        "confluent_kafka",
        "connexion",
        "dataclasses_json",
        "django",
        "drf_spectacular",
        "drf_yasg",
        "fastapi",
        "falcon",
        "faststream",
        "flask",
        "flask_apispec",
        "flask_login",
        "flask_marshmallow",
        "flask_restful",
        "flask_restx",
        "flask_smorest",
        "flask_sqlalchemy",
        "google",
        "graphene",
        "httpx",
        "kafka",
        "kombu",
        "litestar",
        "marshmallow",
        "marshmallow_sqlalchemy",
        "mongoengine",
        "msgspec",
        "mypy_extensions",
        "nats",
        "ninja",
        "pika",
        "pydantic",
        "pydantic_settings",
        "pymongo",
        "pyramid",
        "pytest",
        "quart",
        "redis",
        "requests",
        "rest_framework",
        "rest_framework_nested",
        "robyn",
        "sanic",
        "socketio",
        "sqlalchemy",
        "sqlmodel",
        "starlette",
        "strawberry",
        "tornado",
        "tortoise",
        "typing_extensions",
        "webargs",
    ]
)
"""Libraries whose name a folder of a project may bear by chance (`app/celery/`): such a folder is
meant only where it lies at a root around the importing file."""


class _Modules:
    """The modules and packages among the source files of one scan."""

    def __init__(self, files: Files) -> None:
        self.root_parts = tuple(part for part in files.root.resolve().parts if part != "/")
        self._file_of: dict[str, str] = {}
        self.above: list[str] = []
        """Folders above the scanned one, nearest first, as far up as sources are known."""
        self.folders: set[str] = set()
        self.packages: set[str] = set()
        self._parents: dict[str, set[str]] = {}
        for path in files.source("python"):
            folder, file_name = split(path)
            if file_name == "__init__.py":
                self._file_of[folder] = path
                self.packages.add(folder)
            else:
                # A package hides a module of the same name.
                self._file_of.setdefault(path[:-3], path)
                self._note_parent(path[:-3])
            while folder not in self.folders:
                self.folders.add(folder)
                self._note_parent(folder)
                folder = dirname(folder)

        highest = max((folder.count("..") for folder in self.folders), default=0)
        if highest:
            self.above = ["/".join([".."] * ups) for ups in range(1, highest + 2)]

    def _note_parent(self, module: str) -> None:
        if module:
            name = module.rpartition("/")[2]
            self._parents.setdefault(name, set()).add(dirname(module))

    def normalise(self, path: str) -> str:
        """A path without going up and down again into the scanned folder."""
        parts = path.split("/")
        ups = 0
        while ups < len(parts) and parts[ups] == "..":
            ups += 1
        if not ups:
            return path
        own, rest = self.root_parts[-ups:], parts[ups:]
        shared = 0
        while shared < min(len(own), len(rest)) and own[shared] == rest[shared]:
            shared += 1
        return "/".join([".."] * (ups - shared) + rest[shared:])

    def file(self, module: str) -> str | None:
        """The file of a module or package by its path without suffix."""
        return self._file_of.get(module)

    def parents(self, name: str) -> set[str]:
        """Folders that hold a module, package or folder of that name."""
        return self._parents.get(name, set())


_REMEMBERED = 4
_known: list[tuple[Files, _Modules]] = []


def _modules(files: Files) -> _Modules:
    """The modules of a scan, remembered for the latest few scans."""
    for known, modules in _known:
        if known is files:
            return modules
    modules = _Modules(files)
    _known.insert(0, (files, modules))
    del _known[_REMEMBERED:]
    return modules


def find_module(files: Files, path: str, entry: Import) -> str | None:
    """The file that an import in the file `path` means; None where it is a library's.

    For `from package import name` that is the package's own file where it has one (which may define
    `name`), else the file of the submodule.
    """
    modules = _modules(files)
    dots = len(entry.module) - len(entry.module.lstrip("."))
    rest = entry.module[dots:].split(".") if entry.module[dots:] else []
    name = entry.name if entry.name != "*" else ""
    if dots:
        folder = dirname(path)
        for _ in range(dots - 1):
            folder = _parent(folder)
        found = _file_at(modules, folder, rest, name)
        if found is None and folder.startswith(".."):
            return _below_own_name(modules, rest, name)
        return found
    if not rest or rest[0] in sys.stdlib_module_names or not is_module_name(files, rest[0]):
        return None
    return _absolute(modules, path, rest, name)


def is_module_name(files: Files, name: str) -> bool:
    """Whether a module, a package or a folder of the sources, or one around them, has the name."""
    modules = _modules(files)
    return name in modules.root_parts or bool(modules.parents(name))


def _file_at(modules: _Modules, root: str, parts: Iterable[str], name: str) -> str | None:
    """The file of `parts` below a root; the file of the submodule `name` of a plain folder."""
    target = modules.normalise(join(root, *parts))
    found = modules.file(target)
    if found is None and name:
        return modules.file(join(target, name))
    return found


def _parent(folder: str) -> str:
    """The folder above; above the scanned folder lie `..`, `../..` and so on."""
    if not folder or folder.endswith(".."):
        return join(folder, "..")
    return dirname(folder)


def _absolute(modules: _Modules, path: str, parts: list[str], name: str) -> str | None:
    around = list(_ancestors(dirname(path)))
    around += modules.above
    plain = [folder for folder in around if folder not in modules.packages]
    for root in plain:
        found = _file_at(modules, root, parts, name)
        if found is not None:
            return found
    found = _below_own_name(modules, parts, name)
    if found is not None or parts[0] in _LIBRARIES:
        return found
    elsewhere: list[tuple[int, int, str]] = []
    for root in modules.parents(parts[0]):
        found = _file_at(modules, root, parts, name)
        if found is not None:
            elsewhere.append((-_common(root, path), root.count("/"), found))
    elsewhere.sort()
    if len(elsewhere) > 1 and elsewhere[0][:2] == elsewhere[1][:2]:
        return None
    return elsewhere[0][2] if elsewhere else None


def _below_own_name(modules: _Modules, parts: list[str], name: str) -> str | None:
    """The scanned folder may itself be (inside) the package that is named."""
    for length in range(len(parts), 0, -1):
        if modules.root_parts[-length:] == tuple(parts[:length]):
            found = _file_at(modules, "", parts[length:], name)
            if found is not None:
                return found
    return None


def _ancestors(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""


def _common(folder: str, path: str) -> int:
    """How many leading folders two places share."""
    count = 0
    for left, right in zip(folder.split("/"), path.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


def shadowed_library(path: str) -> str:
    """The module of a library whose name a file bears; empty for most files."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    for start in range(len(parts) - 1, -1, -1):
        if parts[start] in _LIBRARIES:
            return ".".join(parts[start:])
    return ""


def implicit(program: Program, file: FileFacts, name: str) -> tuple[str, ...]:
    """Python has no names that are visible without an import."""
    del program, file, name
    return ()
