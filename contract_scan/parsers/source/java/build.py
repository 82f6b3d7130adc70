"""The modules of a Java build, and which of them work together.

One repository may hold many services. What one of them configures says nothing of the others, so
everything that is looked up "somewhere in the project" is looked up in the modules that belong to
the place it is asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_SOURCE_FOLDERS = ("/src/main/", "/src/")
_BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts")
_SHORTEST_NAME = 3
"""A module's name must be this long to be told from other words in a build file."""


def module_of(path: str) -> str:
    """The folder of the module that a file belongs to."""
    rooted = f"/{path}"
    for folder in _SOURCE_FOLDERS:
        position = rooted.find(folder)
        if position >= 0:
            return rooted[1:position]
    return path.rpartition("/")[0]


def related(program: Program, module: str) -> frozenset[str]:
    """The module itself, those that use it, and those that it uses, by their build files."""
    known = cast("dict[str, frozenset[str]]", program.memory.setdefault("java.related", {}))
    if module not in known:
        uses = _uses(program)
        found = {module}
        found.update(uses.get(module, ()))
        found.update(other for other, used in uses.items() if module in used)
        known[module] = frozenset(found)
    return known[module]


def users(program: Program, module: str) -> frozenset[str]:
    """The modules whose build files name the module."""
    return frozenset(other for other, used in _uses(program).items() if module in used)


def build_texts(program: Program, module: str) -> list[bytes]:
    """The build files of a module and of the folders around it."""
    folders = [module]
    while folders[-1] and not folders[-1].endswith(".."):
        folders.append(folders[-1].rpartition("/")[0])
    texts = (_build_text(program, folder) for folder in folders)
    return [text for text in texts if text]


def _modules(program: Program) -> frozenset[str]:
    known = cast("frozenset[str] | None", program.memory.get("java.modules"))
    if known is None:
        known = frozenset(module_of(path) for path in program.files.source("java"))
        program.memory["java.modules"] = known
    return known


def _uses(program: Program) -> dict[str, frozenset[str]]:
    """Module -> modules that its build file names, as dependencies or artifacts."""
    known = cast("dict[str, frozenset[str]] | None", program.memory.get("java.uses"))
    if known is None:
        modules = _modules(program)
        known = {module: _named_in(program, module, modules) for module in modules}
        program.memory["java.uses"] = known
    return known


def _named_in(program: Program, module: str, modules: frozenset[str]) -> frozenset[str]:
    words = frozenset(re.findall(rb"[\w.-]+", _build_text(program, module)))
    found = set()
    for other in modules:
        name = other.rpartition("/")[2]
        if other != module and len(name) >= _SHORTEST_NAME and name.encode() in words:
            found.add(other)
    return frozenset(found)


def _build_text(program: Program, folder: str) -> bytes:
    prefix = f"{folder}/" if folder else ""
    return b"\n".join(program.files.read(f"{prefix}{name}") or b"" for name in _BUILD_FILES)
