"""What tsconfig.json, jsconfig.json and package.json files say about where modules are."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from contract_scan.parsers.source.language import Files

MAX_CONFIGURATION = 300_000
"""Bytes of a configuration file that are read."""
MAX_EXTENDS = 10

_CONFIGURATIONS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
_CONDITIONS = ("types", "source", "development", "import", "module", "node", "require", "default")
_COMMENT = re.compile(r'(?<!\\)"(?>(?:\\.|[^"\\\n]++)*)"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_COMMA = re.compile(r'(?<!\\)"(?>(?:\\.|[^"\\\n]++)*)"|,(?=\s*[}\]])')


def read_json(files: Files, path: str) -> dict[str, Any] | None:
    """A JSON object with comments and trailing commas, as TypeScript reads it; None if it is
    missing, too big or not an object."""
    content = files.read(path)
    if content is None or len(content) > MAX_CONFIGURATION:
        return None
    text = content.decode("utf-8-sig", "replace")
    text = _COMMENT.sub(_only_strings, text)
    text = _COMMA.sub(_only_strings, text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _only_strings(match: re.Match[str]) -> str:
    found = match.group()
    return found if found.startswith('"') else " "


_LOCAL = ("workspace:", "file:", "link:", "portal:")
"""Versions that stand for a package beside this one."""


class Paths(Struct, frozen=True):
    """Module mappings of one tsconfig, with the folders they are relative to."""

    patterns: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Pattern (`@app/*`) -> root-relative targets (`src/app/*`)."""
    base: str | None = None
    """`baseUrl`, root-relative."""


MAX_ABOVE = 8
"""How many folders above the scan's root are asked for a configuration."""


class Project(Struct, frozen=True):
    """One package.json."""

    folder: str
    content: dict[str, Any]

    @staticmethod
    def load(files: Files, path: str) -> Project | None:
        """The package.json at a path; None if there is none that can be read."""
        content = read_json(files, path)
        return None if content is None else Project(posixpath.dirname(path), content)

    def entries(self, subpath: str) -> Iterator[str]:
        """Files that a subpath (`.`, `./sub`) may stand for, the most telling first."""
        exports = self.content.get("exports")
        if isinstance(exports, dict):
            if not any(key.startswith(".") for key in exports):
                exports = {".": exports}
            yield from _mapped_targets(exports, subpath)
        elif isinstance(exports, str) and subpath == ".":
            yield exports
        if subpath == ".":
            for field in ("source", "types", "typings", "module", "main"):
                value = self.content.get(field)
                if isinstance(value, str):
                    yield value

    def depends_on(self, name: str) -> bool:
        """Whether it takes a package of that name from a registry: a project may be called as the
        library that it uses."""
        known = self.content.get("dependencies")
        version = known.get(name) if isinstance(known, dict) else None
        return isinstance(version, str) and not version.startswith(_LOCAL)

    def imports(self, name: str) -> Iterator[str]:
        """Files that `#name` stands for."""
        mapping = self.content.get("imports")
        if isinstance(mapping, dict):
            yield from _mapped_targets(mapping, name)


def _mapped_targets(mapping: dict[str, Any], name: str) -> Iterator[str]:
    for pattern, target in mapping.items():
        star = _star(pattern, name)
        if star is not None:
            for value in _conditional(target, 0):
                yield value.replace("*", star)


def _conditional(target: Any, depth: int) -> Iterator[str]:
    """The strings of `"./a.js"`, `{"import": "./a.js", "types": …}` or a list of such."""
    if isinstance(target, str):
        yield target
    elif isinstance(target, list) and depth < 5:
        for item in target:
            yield from _conditional(item, depth + 1)
    elif isinstance(target, dict) and depth < 5:
        for condition in _CONDITIONS:
            if condition in target:
                yield from _conditional(target[condition], depth + 1)


def _star(pattern: str, name: str) -> str | None:
    """What `*` stands for when a name fits a pattern (empty where it has no `*`)."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    fits = len(name) >= len(before) + len(after)
    if not fits or not name.startswith(before) or not name.endswith(after):
        return None
    return name[len(before) : len(name) - len(after)]


class Projects:
    """The configuration files of one scan, read when they are asked for."""

    _last: tuple[Files, Projects] | None = None

    def __init__(self, files: Files) -> None:
        self._files = files
        self.resolved: dict[tuple[str, str], str | None] = {}
        """(folder, module) -> file, as far as it was asked for."""
        self.auto_imported: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
        """(folder, configuration) -> name -> files, as far as it was asked for."""
        self._configured: dict[str, frozenset[str]] = {}
        """Name of a configuration file without its suffix -> folders that have one."""
        self._paths: dict[str, Paths | None] = {}
        self._nearest: dict[str, tuple[Paths | None, Project | None]] = {}
        self._packages: dict[str, Project] | None = None

    @classmethod
    def for_files(cls, files: Files) -> Projects:
        """The configuration of a scan; that of the last scan is cached."""
        if cls._last is None or cls._last[0] is not files:
            cls._last = (files, cls(files))
        return cls._last[1]

    def compiled_from(self, folder: str, built: str) -> str | None:
        """What a file below the `outDir` of a package's tsconfig.json is compiled from, below its
        `rootDir`; paths are relative to the package."""
        content = read_json(self._files, posixpath.join(folder, "tsconfig.json")) or {}
        options = content.get("compilerOptions")
        out, root = (
            options.get(name) if isinstance(options, dict) else None
            for name in ("outDir", "rootDir")
        )
        if not isinstance(out, str) or not isinstance(root, str):
            return None
        inside = posixpath.relpath(built, out)
        return None if inside.startswith("..") else posixpath.join(root, inside)

    def version(self, folder: str, package: str) -> str:
        """The version of a package that the nearest package.json asks for that names it; empty
        where none does."""
        _, project = self._nearest_project(folder)
        while project is not None:
            for section in ("dependencies", "devDependencies", "peerDependencies"):
                named = project.content.get(section)
                version = named.get(package) if isinstance(named, dict) else None
                if isinstance(version, str):
                    return version
            if project.folder.rpartition("/")[2] in ("", ".."):
                break
            _, project = self._nearest_project(_parent_folder(project.folder))
        return ""

    def package_folder(self, folder: str) -> str | None:
        """The folder of the package that a folder belongs to: of the nearest package.json."""
        _, project = self._nearest_project(folder)
        return project.folder if project is not None else None

    def is_configured(self, folder: str) -> bool:
        """Whether a tsconfig.json or package.json governs a folder."""
        paths, project = self._nearest_project(folder)
        return paths is not None or project is not None

    def mapped_paths(self, folder: str, name: str) -> Iterator[str]:
        """Root-relative paths that a bare module name may mean for a file in a folder."""
        paths, project = self._nearest_project(folder)
        if name.startswith("#") and project is not None:
            for entry in project.imports(name):
                yield posixpath.join(project.folder, entry)
        if paths is None:
            return
        for pattern, targets in sorted(paths.patterns, key=lambda item: -len(item[0])):
            star = _star(pattern, name)
            if star is not None:
                yield from (target.replace("*", star) for target in targets)
        if paths.base is not None:
            yield posixpath.join(paths.base, name)

    def nearest_folder_with(self, folder: str, configuration: str) -> str | None:
        """The nearest folder above a folder, or the folder itself, that has a configuration file
        called so (`nuxt.config`)."""
        if configuration not in self._configured:
            names = (configuration + suffix for suffix in (".ts", ".js", ".mjs", ".mts"))
            found = frozenset(
                posixpath.dirname(p) for n in names for p in self._files.files_named(n)
            )
            self._configured[configuration] = found
        projects = self._configured[configuration]
        if not projects:
            return None
        above = folder
        while above not in projects and above not in ("", ".."):
            above = posixpath.dirname(above)
        return above if above in projects else None

    def package(self, name: str) -> Project | None:
        """The package of that name, where it is part of the scan."""
        if self._packages is None:
            self._packages = {}
            for path in self._files.files_named("package.json"):
                project = Project.load(self._files, path)
                own = project.content.get("name") if project is not None else None
                if project is not None and isinstance(own, str) and not project.depends_on(own):
                    self._packages.setdefault(own, project)
        return self._packages.get(name)

    def _nearest_project(self, folder: str) -> tuple[Paths | None, Project | None]:
        """Mappings and package.json nearest to a folder, looking upwards."""
        known = self._nearest.get(folder)
        if known is not None:
            return known
        outer: tuple[Paths | None, Project | None] = (None, None)
        above = _parent_folder(folder)
        if above.count("..") <= MAX_ABOVE:
            outer = self._nearest_project(above)
        own = [self._read_paths(posixpath.join(folder, name), 0) for name in _CONFIGURATIONS]
        present = [paths for paths in own if paths is not None]
        telling = [paths for paths in present if paths.patterns or paths.base is not None]
        # A configuration without mappings of its own leaves those further out in force only if it
        # extends them, which reading it has done; but test and build configurations beside a
        # source folder often say nothing at all.
        paths = telling[0] if telling else outer[0] or (present[0] if present else None)
        project = Project.load(self._files, posixpath.join(folder, "package.json")) or outer[1]
        self._nearest[folder] = (paths, project)
        return self._nearest[folder]

    def _read_paths(self, path: str, depth: int) -> Paths | None:
        if path not in self._paths:
            self._paths[path] = None
            self._paths[path] = self._parse(path, depth)
        return self._paths[path]

    def _parse(self, path: str, depth: int) -> Paths | None:
        content = read_json(self._files, path)
        if content is None:
            return None
        folder = posixpath.dirname(path)
        inherited = Paths()
        for parent in self._parents(content, folder):
            if depth < MAX_EXTENDS:
                inherited = self._read_paths(parent, depth + 1) or inherited
        options = content.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        base = inherited.base
        if isinstance(options.get("baseUrl"), str):
            base = posixpath.normpath(posixpath.join(folder, options["baseUrl"]))
        patterns = inherited.patterns
        if isinstance(options.get("paths"), dict):
            start = base if isinstance(options.get("baseUrl"), str) or base else folder
            patterns = tuple(_patterns(options["paths"], start or folder))
        if not patterns and base is None and depth < MAX_EXTENDS:
            for reference in self._references(content, folder):
                found = self._read_paths(reference, depth + 1)
                if found is not None and (found.patterns or found.base is not None):
                    return found
        return Paths(patterns, base)

    def _parents(self, content: dict[str, Any], folder: str) -> Iterator[str]:
        extends = content.get("extends")
        for parent in extends if isinstance(extends, list) else [extends]:
            if isinstance(parent, str) and parent.startswith("."):
                path = posixpath.normpath(posixpath.join(folder, parent))
                yield path if path.endswith(".json") else path + ".json"

    def _references(self, content: dict[str, Any], folder: str) -> Iterator[str]:
        references = content.get("references")
        for reference in references if isinstance(references, list) else []:
            path = reference.get("path") if isinstance(reference, dict) else None
            if isinstance(path, str):
                path = posixpath.normpath(posixpath.join(folder, path))
                yield path if path.endswith(".json") else posixpath.join(path, "tsconfig.json")


def _parent_folder(folder: str) -> str:
    """The folder around one, that of the scan's root too."""
    if folder.rpartition("/")[2] in ("", ".."):
        return posixpath.join(folder, "..")
    return posixpath.dirname(folder)


def _patterns(paths: dict[str, Any], start: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern, targets in paths.items():
        if isinstance(targets, list):
            resolved = (
                posixpath.normpath(posixpath.join(start, target))
                for target in targets
                if isinstance(target, str)
            )
            yield pattern, tuple(resolved)
