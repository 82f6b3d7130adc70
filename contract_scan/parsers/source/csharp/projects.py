"""Which project a C# file belongs to, and what its project files say.

A project is a folder with a `.csproj`; `Directory.Build.props` files above it speak for it too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from msgspec import Struct

if TYPE_CHECKING:
    from contract_scan.parsers.source.language import Files
    from contract_scan.parsers.source.link.program import Program

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_NULLABLE = re.compile(rb"<Nullable>\s*(\w+)\s*</Nullable>", re.IGNORECASE)
_USING = re.compile(rb"<Using\s[^>]*?\bInclude\s*=\s*\"([\w.]+)\"([^>]*)>", re.IGNORECASE)
_MEMORY = "csharp.projects"


class Project(Struct, frozen=True, kw_only=True):
    """What the project files above a folder say."""

    folder: str
    """Root-relative folder of the project file; empty for the root or where there is none."""
    nullable: bool | None
    """Whether nullable reference types are switched on (`enable` or `annotations`); None: the
    project files that are seen do not say."""
    usings: tuple[str, ...] = ()
    """Namespaces that `<Using Include="…"/>` imports into every file."""


def project_of(program: Program, path: str) -> Project:
    """The project that a file is compiled with."""
    return _projects(program).of(path)


class _Projects:
    def __init__(self, files: Files) -> None:
        self._files = files
        self._own: dict[str, list[str]] = {}
        for path in files.ending(".csproj"):
            self._own.setdefault(_parent(path), []).append(path)
        self._properties = frozenset(files.named("Directory.Build.props"))
        self._known: dict[str, Project] = {}

    def of(self, path: str) -> Project:
        folder = _parent(path)
        while folder and folder not in self._own:
            folder = _parent(folder)
        if folder not in self._known:
            self._known[folder] = self._read(folder)
        return self._known[folder]

    def _read(self, folder: str) -> Project:
        nullable: bool | None = None
        usings: list[str] = []
        for path in self._sources(folder):
            text = _COMMENT.sub(b"", self._files.read(path) or b"")
            setting = _NULLABLE.search(text)
            if setting is not None:
                nullable = setting.group(1).lower() in (b"enable", b"annotations")
            for using, rest in _USING.findall(text):
                if b"Alias" not in rest and b"Static" not in rest:
                    usings.append(using.decode())
        return Project(folder=folder, nullable=nullable, usings=tuple(usings))

    def _sources(self, folder: str) -> list[str]:
        """The nearest `Directory.Build.props`, then the project file, which has the last word."""
        sources = []
        above = folder
        while True:
            candidate = f"{above}/Directory.Build.props" if above else "Directory.Build.props"
            if candidate in self._properties:
                sources.append(candidate)
                break
            if not above:
                break
            above = _parent(above)
        return [*sources, *self._own.get(folder, ())]


def _projects(program: Program) -> _Projects:
    known = program.memory.get(_MEMORY)
    if known is None:
        known = program.memory[_MEMORY] = _Projects(program.files)
    return cast("_Projects", known)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
