"""What is known of each id: a few words, the code, the tests, or why it cannot apply."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
TABLE: Final = Path(__file__).with_name("ids.toml")
KINDS: Final = ("REQ", "TECH", "WIRE", "SVC", "INT", "SEC", "TEST")
PACKAGE: Final = "contract_scan"

_MARKER: Final = "pytest.mark.requirement"


@dataclass(frozen=True)
class Symbol:
    """A function, a method, a class or a constant of the package."""

    module: str
    """Below the package, with dots."""
    name: str
    """Of a method with its class: `Class.method`."""

    @property
    def file(self) -> Path:
        """Relative to the root."""
        path = Path(PACKAGE, *self.module.split("."))
        return path.with_suffix(".py") if (ROOT / path).with_suffix(".py").exists() else path

    def find(self, tree: ast.Module) -> ast.stmt | None:
        """Its definition."""
        body: list[ast.stmt] = tree.body
        found: ast.stmt | None = None
        for part in self.name.split("."):
            found = next((node for node in body if part in _names(node)), None)
            body = found.body if isinstance(found, ast.ClassDef) else []
        return found


@dataclass(frozen=True)
class Requirement:
    """One id."""

    id: str
    words: str
    symbols: tuple[Symbol, ...]
    tests: tuple[str, ...]
    """`tests/test_it.py::test_it`, sorted."""

    @property
    def kind(self) -> str:
        """REQ, TECH, …"""
        return self.id.partition("-")[0]


@dataclass(frozen=True)
class Table:
    """All ids, and what is left out with its reason."""

    requirements: tuple[Requirement, ...]
    inapplicable: Mapping[str, str]
    """Id -> why it cannot apply."""
    not_replaced: Mapping[str, str]
    """Id -> why no test can fail when its code is replaced."""


def read_table() -> Table:
    """The table with the tests that name its ids. Raises KeyError for an id that rests on none."""
    text = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    rows: dict[str, list[str]] = {id: row for kind in KINDS for id, row in text[kind].items()}
    tests = marked_tests()
    requirements = (
        Requirement(id, row[0], tuple(_symbols(row, rows)), tests.get(id, ()))
        for id, row in rows.items()
    )
    return Table(tuple(requirements), text["inapplicable"], text["not_replaced"])


def _symbols(row: list[str], rows: Mapping[str, list[str]]) -> Iterator[Symbol]:
    for entry in row[1:]:
        module, colon, name = entry.partition(":")
        if colon:
            yield Symbol(module, name)
        else:
            yield from _symbols(rows[entry], rows)


@cache
def marked_tests() -> Mapping[str, tuple[str, ...]]:
    """Id -> the tests whose marker names it. Nothing is imported: the files are parsed."""
    found: dict[str, set[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        raw = file.read_bytes()
        if _MARKER.encode() not in raw:
            continue
        for node in ast.parse(raw).body:
            if isinstance(node, ast.FunctionDef):
                name = f"{file.relative_to(ROOT).as_posix()}::{node.name}"
                for identifier in _marks(node):
                    found.setdefault(identifier, set()).add(name)
    return {identifier: tuple(sorted(names)) for identifier, names in found.items()}


def _marks(test: ast.FunctionDef) -> Iterator[str]:
    """The ids of a test, also those of one of its parameters."""
    for decorator in test.decorator_list:
        for call in ast.walk(decorator):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == _MARKER:
                constants = (node for word in call.args for node in ast.walk(word))
                yield from (str(node.value) for node in constants if isinstance(node, ast.Constant))


def _names(node: ast.stmt) -> tuple[str, ...]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return (node.name,)
        case ast.AnnAssign(target=ast.Name(id=name)):
            return (name,)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return (name,)
    return ()
