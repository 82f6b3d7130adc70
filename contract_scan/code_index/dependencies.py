"""Which files of the project a file needs, and which libraries it imports.

TypeScript and Python say it by imports. In Java and C# types of the same package or namespace need
none, so there every type that a file names counts as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from contract_scan.code_index.records import Dependency
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ClassValue,
    FunctionValue,
    ModuleValue,
)
from contract_scan.parsers.source.discovery.discover import is_inside
from contract_scan.parsers.source.facts.nodes import FileFacts, Import, NamedType

_BY_TYPES = frozenset({"java", "csharp"})


def dependencies_of(
    program: Program, file: FileFacts
) -> tuple[tuple[Dependency, ...], tuple[str, ...]]:
    """The files that a file needs, each with the first line that says so, and its libraries."""
    needed: dict[str, int] = {}
    libraries: set[str] = set()
    for entry in _imports(file):
        path = _imported_file(program, file, entry)
        if path is None:
            libraries.add(_library(file, entry))
        else:
            _add(needed, path, entry.span.line)
    if file.language in _BY_TYPES:
        for path, line in _named_types(program, file):
            _add(needed, path, line)
    needed.pop(file.path, None)
    found = (Dependency(path=path, line=line) for path, line in needed.items() if is_inside(path))
    return tuple(sorted(found)), tuple(sorted(filter(None, libraries)))


def _add(needed: dict[str, int], path: str, line: int) -> None:
    needed[path] = min(line, needed.get(path, line))


def _imports(file: FileFacts) -> Iterator[Import]:
    yield from file.imports
    for export in file.exports:
        if export.module:
            name = "*" if export.exported == "*" else export.name
            yield Import(module=export.module, name=name, span=export.span)


def _imported_file(program: Program, file: FileFacts, entry: Import) -> str | None:
    path = program.language.find_module(program.files, file.path, entry)
    if file.language != "python" or entry.name in ("", "*"):
        return path
    module = entry.module if entry.module.endswith(".") else f"{entry.module}."
    inner = Import(module=f"{module}{entry.name}", span=entry.span)
    submodule = program.language.find_module(program.files, file.path, inner)
    if submodule is None or submodule == path:
        return path
    if path is None or isinstance(program.names.resolve_import(file, entry), ModuleValue):
        return submodule
    return path


def _library(file: FileFacts, entry: Import) -> str:
    """The name of a library as its users know it."""
    module = entry.module
    if not module or module.startswith("."):
        return ""
    if file.language == "typescript":
        parts = module.split("/")
        return "/".join(parts[:2]) if module.startswith("@") else parts[0]
    if file.language == "python":
        return module.partition(".")[0]
    return ".".join(module.split(".")[: 2 if file.language == "csharp" else 3])


def _named_types(program: Program, file: FileFacts) -> Iterator[tuple[str, int]]:
    """The files of the types that a file names."""
    scope = program.module_scope(file)
    known: dict[str, str | None] = {}
    for named in _types_in(file):
        if named.name not in known:
            found = program.names.lookup_type(named.name, scope)
            match found:
                case ClassValue(symbol=symbol):
                    known[named.name] = symbol.file.path
                case AliasSymbol(file=target):
                    known[named.name] = target.path
                case FunctionValue(scope=inside):
                    known[named.name] = inside.file.path
                case _:
                    known[named.name] = None
        path = known[named.name]
        if path is not None:
            yield path, named.span.line


def _types_in(file: FileFacts) -> Iterator[NamedType]:
    pending: list[Any] = [file.classes, file.functions, file.aliases, file.statements]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple | list):
            pending.extend(node)
        elif isinstance(node, msgspec.Struct):
            if isinstance(node, NamedType):
                yield node
            pending.extend(getattr(node, name) for name in node.__struct_fields__)
