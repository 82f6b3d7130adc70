"""What a class is, told from its bases, also where they stand in other files of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from contract_scan.fixes.python_child.source import Source

_MOST_CLASSES = 20
_LARGEST = 1_000_000
CONSULTED: set[Path] = set()
"""Every file that classes were followed into, or looked for in."""


class Lineage:
    """A class and its bases, as far as the project declares them."""

    def __init__(self, name: str, source: Source) -> None:
        self.declared: list[ast.ClassDef] = []
        self.foreign: set[str] = set()
        """Bases that stand in no file of the project, by their whole names."""
        self._root = source.root
        self._follow(name, source.tree, source.path)

    @property
    def is_pydantic(self) -> bool:
        """Whether it is a model of pydantic."""
        return any(
            name.split(".")[0] in ("pydantic", "sqlmodel", "ninja", "beanie")
            and name.split(".")[-1] in ("BaseModel", "SQLModel", "Schema", "Document", "RootModel")
            for name in self.foreign
        )

    def is_enabled(self, *settings: str) -> bool:
        """Whether one of the classes enables one of the settings."""
        return any(
            _is_on(node, settings) for declared in self.declared for node in ast.walk(declared)
        )

    def mentions(self, word: str) -> bool:
        """Whether one of the classes names something."""
        return any(word in ast.unparse(declared) for declared in self.declared)

    def _follow(self, name: str, tree: ast.Module, path: Path) -> None:
        waiting = [(name, tree, path)]
        while waiting and len(self.declared) < _MOST_CLASSES:
            name, tree, path = waiting.pop()
            declared = _class(tree, name)
            if declared is None:
                origin = _imports_of(tree).get(name.split(".")[0])
                whole = name if origin is None else ".".join([origin, *name.split(".")[1:]])
                found = self._module(whole, path)
                if found is None:
                    self.foreign.add(whole.lstrip("."))
                else:
                    waiting.append((whole.rpartition(".")[2], *found))
                continue
            if declared in self.declared:
                continue
            self.declared.append(declared)
            waiting += [(base, tree, path) for base in _bases(declared)]

    def _module(self, whole: str, path: Path) -> tuple[ast.Module, Path] | None:
        """The file of the module that a name stands in."""
        module = whole.rpartition(".")[0]
        stripped = module.lstrip(".")
        parts = stripped.split(".") if stripped else []
        dots = len(module) - len(stripped)
        folders: list[Path] = []
        if dots:
            folders = [path.parents[dots - 1]] if dots <= len(path.parents) else []
        elif parts:
            folders = [each for each in path.parents if each.is_relative_to(self._root)]
        for folder in folders:
            for file in (
                folder.joinpath(*parts, "__init__.py"),
                folder.joinpath(*parts).with_suffix(".py") if parts else None,
            ):
                tree = _parse_file(file) if file is not None and file != path else None
                if tree is not None and file is not None:
                    name = whole.rpartition(".")[2]
                    if _class(tree, name) is not None or name in _imports_of(tree):
                        return tree, file
        return None


@cache
def _parse_file(file: Path) -> ast.Module | None:
    CONSULTED.add(file)
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return None
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


def _class(tree: ast.Module, name: str) -> ast.ClassDef | None:
    return next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name), None)


def _bases(declared: ast.ClassDef) -> Iterator[str]:
    for base in declared.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(named, ast.Name | ast.Attribute):
            yield ast.unparse(named)


def _imports_of(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            separator = "" if module.endswith(".") else "."
            found |= {(a.asname or a.name): f"{module}{separator}{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.asname or a.name.split(".")[0]: a.name for a in node.names}
    return found


def _is_on(node: ast.AST, settings: tuple[str, ...]) -> bool:
    match node:
        case ast.keyword(arg=str(name), value=ast.Constant(value=True)):
            return name in settings
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=True)):
            return name in settings
        case ast.Dict():
            return any(
                isinstance(key, ast.Constant)
                and key.value in settings
                and isinstance(value, ast.Constant)
                and value.value is True
                for key, value in zip(node.keys, node.values, strict=True)
            )
    return False
