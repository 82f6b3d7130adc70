"""Which file a Java import or an unimported name means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from contract_scan.parsers.source.analysis.domain.file_distance import distance
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import FileFacts, Import
from contract_scan.parsers.source.language import Files, TypeHeaders

DEFINITIONS = rb"\b(?:class|interface|enum|record)\s+([\w$\x80-\xff]+)"
"""Definitions of types; `@interface` ends in the word `interface`."""
TYPE_HEADERS = TypeHeaders(
    (re.compile(rb"\b(?:class|interface|enum|record)\s+([^{;]*)"),),
    frozenset({b"class", b"interface", b"enum", b"record"}),
)
_PACKAGE = re.compile(rb"^[^\S\n]*package\s+([\w.$\x80-\xff]+)\s*;", re.MULTILINE)
_MAX_NESTING = 4
"""How many types an imported type may lie in."""


def find_module(files: Files, path: str, entry: Import) -> str | None:
    """The file that defines the imported type (or, for static imports, holds the member's type).

    None for libraries and for `import a.b.*`, whose files are found by name (`implicit`).
    """
    is_static = "static" in entry.modifiers
    if entry.name in ("", "*"):
        # `import static a.b.C.*`, or `import a.b.C.*` for the types nested in C.
        return _declaring_file(files, path, entry.module, 1 + is_static)
    if is_static:
        return _declaring_file(files, path, entry.module, _MAX_NESTING)
    return _declaring_file(files, path, f"{entry.module}.{entry.name}", _MAX_NESTING)


def _declaring_file(files: Files, path: str, qualified: str, levels: int) -> str | None:
    """The file of the type called `qualified`, or of one of the types around it."""
    for _ in range(levels):
        package, _, name = qualified.rpartition(".")
        if not name:
            return None
        found = _file_of(files, path, package, name)
        if found is not None:
            return found
        qualified = package
        if not qualified.rpartition(".")[2][:1].isupper():
            return None  # what is left is a package
    return None


def _file_of(files: Files, path: str, package: str, name: str) -> str | None:
    """The file of a top-level type: `a/b/C.java`, else a `C.java` that says `package a.b;`."""
    candidates = [p for p in files.files_named(f"{name}.java") if p.endswith(".java")]
    folder = f"{package.replace('.', '/')}/{name}.java" if package else f"{name}.java"
    exact = [p for p in candidates if p == folder or p.endswith(f"/{folder}")]
    if not exact:
        exact = [p for p in candidates if _package_of(files, p) == package]
    return min(exact, key=lambda p: distance(path, p)) if exact else None


def _package_of(files: Files, path: str) -> str:
    found = files.find(path, _PACKAGE)
    return found[0].decode("utf-8", "replace") if found else ""


def implicit(program: Program, file: FileFacts, name: str) -> Iterable[str]:
    """Files in which an unimported type may be declared: the same package before star imports.

    A qualified name (`a.b.C`) means the type of that package.
    """
    if "." in name:
        package, _, simple = name.rpartition(".")
        return _in_packages(program, file, simple, (package,))
    stars = (e.module for e in file.imports if e.name == "*" and "static" not in e.modifiers)
    found = _in_packages(program, file, name, (file.package, *stars))
    return (path for path in found if path != file.path)


def _in_packages(
    program: Program, file: FileFacts, name: str, packages: tuple[str, ...]
) -> Iterator[str]:
    defining = program.files_defining(name)
    if not defining:
        return
    ordered = sorted(defining, key=lambda path: distance(file.path, path))
    for package in packages:
        for path in ordered:
            if program.facts(path).package == package:
                yield path
