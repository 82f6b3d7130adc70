"""What builds of Gradle call their projects: a name need not be that of the folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import join, normpath

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program

_GRADLE_FILES = ("build.gradle", "build.gradle.kts")
_SETTINGS = ("settings.gradle", "settings.gradle.kts")
_COMMENT = re.compile(r"/\*.{0,5000}?\*/|(?<![:\w\"'])//[^\n]*", re.DOTALL)
_INCLUDE = re.compile(
    r"\binclude\b\s*+(?:\(\s*+)?((?>(?:[\"'][\w.:/-]{1,200}+[\"']\s*+(?:,\s*+)?)+))"
)
_QUOTED = re.compile(r"[\"']([^\"']{1,200})[\"']")
_FOLDER = re.compile(
    r"\bproject\s*\(\s*[\"']([\w.:/-]{1,200})[\"']\s*\)\s*\.\s*projectDir\s*=\s*([^\n]{1,300})"
)
_RENAMED = re.compile(
    r"\bproject\s*\(\s*[\"']([\w.:/-]{1,200})[\"']\s*\)\s*\.\s*name\s*=\s*[\"']([\w.-]{1,200})[\"']"
)
_TABLE = re.compile(r"[\"']([\w./-]{1,200}\.properties)[\"']")
_ROW = re.compile(r"^[ \t]*([\w.:-]{1,200})[ \t]*[=:][ \t]*([\w./-]{1,300})[ \t]*$", re.MULTILINE)
_NAMED = re.compile(rb"[\"'](:[\w.:/-]{1,200})[\"']|\b(projects(?:\.\w{1,60}){1,10})")
_COORDINATES = re.compile(rb"[\"']([\w.-]{1,200}:[\w.-]{1,200})(?::[^\"'\n]{0,200})?[\"']")
_GROUP = re.compile(rb"\bgroup\b\s*+(?:=\s*+)?[\"']([\w.-]{1,200})[\"']")
_ROOT_NAME = re.compile(r"\brootProject\s*\.\s*name\s*=\s*[\"']([\w.-]{1,200})[\"']")
_WORD_START = re.compile(r"(?<![-_])[-_]++(\w)")


class _Project(Struct, frozen=True):
    path: str
    """`:libs:common`; empty for the root project."""
    name: str
    root: str
    """The folder of the settings that include it."""


def projects_named(text: bytes) -> frozenset[str]:
    """The projects that a build file names: by path, by accessor, or by group and name."""
    found = (word for pair in _NAMED.findall(text) for word in pair if word)
    return frozenset(word.decode() for word in (*found, *_COORDINATES.findall(text)))


def is_named(program: Program, named: frozenset[str], module: str) -> bool | None:
    """Whether the project of a folder is among those named; None where no settings say what it is
    called."""
    names = _projects(program).get(module)
    return None if names is None else not named.isdisjoint(names)


def _names(program: Program, project: _Project, module: str) -> Iterator[str]:
    if project.path:
        yield project.path
        yield _accessor(project.path)
    # Builds that are included are named like libraries.
    for folder in dict.fromkeys((module, project.root)):
        for name in _GRADLE_FILES:
            path = join(folder, name)
            for group in program.files.find(path, _GROUP)[:1]:
                yield f"{group.decode()}:{project.name}"


def _accessor(path: str) -> str:
    """`projects.libs.orderModel` for `:libs:order-model`."""
    words = _WORD_START.sub(lambda found: str(found[1]).upper(), path)
    return f"projects{words.replace(':', '.')}"


@memoised
def _projects(program: Program) -> dict[str, frozenset[str]]:
    """Folder -> what build files call its project, by all settings of the repository."""
    found: dict[str, frozenset[str]] = {}
    for name in _SETTINGS:
        for file in program.files.ending(name):
            if file.rpartition("/")[2] == name:
                for folder, project in _of_settings(program, file):
                    names = frozenset(_names(program, project, folder))
                    found[folder] = found.get(folder, frozenset()) | names
    return found


def _of_settings(program: Program, file: str) -> Iterator[tuple[str, _Project]]:
    text = (program.files.read(file) or b"").decode("utf-8", "replace")
    text = _COMMENT.sub("", text)
    root = file.rpartition("/")[0]
    folders = {
        path: path[1:].replace(":", "/")
        for group in _INCLUDE.findall(text)
        for path in (_absolute(written) for written in _QUOTED.findall(group))
    }
    for written, rest in _FOLDER.findall(text):
        quoted = _QUOTED.findall(rest)
        if quoted and "$" not in quoted[-1]:
            folders[_absolute(written)] = quoted[-1]
    for written, name in _RENAMED.findall(text):
        path = _absolute(written)
        if path in folders:
            folders[f"{path.rpartition(':')[0]}:{name}"] = folders.pop(path)
    for table in _TABLE.findall(text):
        # Loops over such a table include the projects.
        rows = (program.files.read(normpath(join(root, table))) or b"").decode("utf-8", "replace")
        for name, folder in _ROW.findall(rows):
            if _has_build(program, normpath(join(root, folder))):
                folders.setdefault(_absolute(name), folder)
    for path, folder in folders.items():
        yield _relative(root, folder), _Project(path, path.rpartition(":")[2], root)
    for name in _ROOT_NAME.findall(text)[:1]:
        yield root, _Project("", name, root)


def _absolute(path: str) -> str:
    return path if path.startswith(":") else f":{path}"


def _relative(root: str, folder: str) -> str:
    whole = normpath(join(root, folder.lstrip("/")))
    return "" if whole == "." else whole


def _has_build(program: Program, folder: str) -> bool:
    return any(program.files.read(f"{folder}/{name}") is not None for name in _GRADLE_FILES)
