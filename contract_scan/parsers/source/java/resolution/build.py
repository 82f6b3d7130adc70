"""The modules of a Java build, and which of them work together.

One repository may hold many services. What one of them configures says nothing of the others, so
everything that is looked up "somewhere in the project" is looked up in the modules that belong to
the place it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from posixpath import normpath, relpath
from typing import TypeVar, cast

from contract_scan.ir.operation import Application
from contract_scan.ir.origin import Origin, Span
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.java.resolution.gradle import is_named, projects_named

_BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts")
_WORD = re.compile(rb"[\w.-]+")
_PARENT = re.compile(rb"<parent>[^<]*+(?>(?:<(?!/?parent>)[^<]*+)*)</parent>")
_ARTIFACT = re.compile(rb"<artifactId>\s*([\w.-]{1,200})\s*</artifactId>")
_GROUP = re.compile(rb"<groupId>\s*([\w.-]{1,200})\s*</groupId>")
_GENERATOR_INPUT = re.compile(rb"\binput(?:Spec|File)\b")
SCHEMA_GENERATOR = re.compile(rb"\bjson[sS]chema2[pP]ojo\b")
"""How builds name jsonschema2pojo."""
_PARENT_OF_OTHERS = re.compile(rb"<packaging>\s*pom\s*</packaging>")
_MAINS = (b" void main(String", b"@QuarkusMain", b"@SpringBootApplication")
_PACKED = re.compile(
    rb"<packaging>\s*war\s*</packaging>|<artifactId>\s*(?:quarkus|spring-boot)-maven-plugin\b"
    rb"|\bid\s*+\(?+\s*+[\"'](?:io\.quarkus|org\.springframework\.boot|application|war)[\"']"
)
_SHORTEST_NAME = 3
"""A module's name must be this long to be told from other words in a build file."""


def module_of(program: Program, path: str) -> str:
    """The folder of the module that a file belongs to, relative to the root (`..` above it)."""
    known = cast("dict[str, str]", program.memory.setdefault("java.module", {}))
    folder, _, name = path.rpartition("/")
    key = folder if name.endswith(".java") else path
    if key not in known:
        known[key] = _module_of(program, path)
    return known[key]


def _module_of(program: Program, path: str) -> str:
    root = program.files.root.absolute().as_posix()
    whole = normpath(f"{root}/{path}")
    position = whole.rfind("/src/main/")
    if position < 0 and "/src/" in f"/{path}":
        position = whole.rfind("/src/")
    if position >= 0:
        # The root itself may lie inside a module, as `src/main/java` does.
        module = relpath(whole[:position] or "/", root)
        return "" if module == "." else module
    is_settings = not path.endswith(".java")
    return path.rpartition("/")[0] if is_settings or path.startswith("../") else ""


def module_of_web_xml(program: Program, path: str) -> str:
    """The folder of the module whose `web.xml` it is. Outside of `src` (`WebContent/WEB-INF`) it is
    that of the nearest build file above it, else the root."""
    if "/src/" in f"/{path}":
        return module_of(program, path)
    builds = (build for name in _BUILD_FILES for build in program.files.files_named(name))
    modules = {build.rpartition("/")[0] for build in builds}
    folder = path.rpartition("/")[0]
    while folder and folder not in modules:
        folder = folder.rpartition("/")[0]
    return folder


T = TypeVar("T")


def once_for_module(find: Callable[[Program, str], T]) -> Callable[[Program, str], T]:
    """A function of a program and a file that is run once for each module, with its first file."""

    @wraps(find)
    def cached_result(program: Program, near: str) -> T:
        key = (find, module_of(program, near))
        if key not in program.memory:
            program.memory[key] = find(program, near)
        return cast("T", program.memory[key])

    return cached_result


@memoised
def related_modules(program: Program, module: str) -> frozenset[str]:
    """The module itself, those that use it, and those that it uses, by their build files."""
    uses = _uses(program)
    return frozenset({module, *_reachable(module, uses), *users(program, module)})


@memoised
def used_modules(program: Program, module: str) -> frozenset[str]:
    """The modules that the module uses, directly or through others."""
    return _reachable(module, _uses(program))


@memoised
def users(program: Program, module: str) -> frozenset[str]:
    """The modules that use the module, directly or through others."""
    return _reachable(module, _used_by(program))


def application_of(program: Program, path: str) -> Application | None:
    """The program that a file is built into: its module, where that starts one; for a library the
    only program whose module uses it, itself where no module does. None where it is a part of
    several, or no build file is seen."""
    return _application(program, module_of(program, path))


@memoised
def _application(program: Program, module: str) -> Application | None:
    file = _build_file(program, module)
    if not file:
        return None
    starting = _starting_modules(program)
    using = {user for user in users(program, module) if not is_test(f"{user}/{_BUILD_FILES[0]}")}
    started_by = {module} if module in starting else using & starting
    if not using:
        started_by = {module}
    if len(started_by) != 1:
        return None
    place = _build_file(program, started_by.pop())
    return Application(Origin(place, Span(1, 1, 1, 1))) if place else None


@memoised
def _starting_modules(program: Program) -> frozenset[str]:
    """The modules that are programs: with a `main` method, or packed as one by their build."""
    by_code = {module_of(program, path) for path in program.files_containing(*_MAINS)}
    by_build = {
        module
        for module in modules(program)
        if _PACKED.search(_build_text(program, module)) is not None
    }
    return frozenset(by_code | by_build)


def _build_file(program: Program, module: str) -> str:
    prefix = f"{module}/" if module else ""
    paths = (f"{prefix}{name}" for name in _BUILD_FILES)
    return next((path for path in paths if program.files.read(path) is not None), "")


@memoised
def _used_by(program: Program) -> dict[str, frozenset[str]]:
    uses = _uses(program)
    return {name: frozenset(other for other, used in uses.items() if name in used) for name in uses}


def _reachable(start: str, edges: dict[str, frozenset[str]]) -> frozenset[str]:
    found: set[str] = set()
    pending = [start]
    while pending:
        for following in edges.get(pending.pop(), ()):
            if following not in found and following != start:
                found.add(following)
                pending.append(following)
    return frozenset(found)


def build_texts(program: Program, module: str) -> list[bytes]:
    """The build files of a module and of the folders around it."""
    folders = [module]
    while folders[-1] and not folders[-1].endswith(".."):
        folders.append(folders[-1].rpartition("/")[0])
    if module.endswith(".."):
        folders.append(f"{module}/..")
    texts = (_build_text(program, folder) for folder in folders)
    return [text for text in texts if text]


@memoised
def modules(program: Program) -> frozenset[str]:
    """The modules that have source files, or whose build makes them of a contract."""
    of_sources = {module_of(program, path) for path in program.files.source("java")}
    folders = {
        path.rpartition("/")[0]
        for name in _BUILD_FILES
        for path in program.files.ending(name)
        if path.rpartition("/")[2] == name
    }
    return frozenset(of_sources | {each for each in folders if _generates(program, each)})


def _generates(program: Program, folder: str) -> bool:
    text = _build_text(program, folder)
    # What a parent configures, its modules run.
    generates = _GENERATOR_INPUT.search(text) or SCHEMA_GENERATOR.search(text)
    return generates is not None and _PARENT_OF_OTHERS.search(text) is None


@memoised
def _uses(program: Program) -> dict[str, frozenset[str]]:
    """Module -> modules that its build file names, as dependencies or artifacts."""
    every = modules(program)
    return {module: _named_in(program, module, every) for module in every}


def _named_in(program: Program, module: str, others: frozenset[str]) -> frozenset[str]:
    text = _build_text(program, module)
    words = frozenset(_WORD.findall(text))
    projects = projects_named(text)
    return frozenset(
        other
        for other in others
        if other != module and _names(program, other, text, words, projects)
    )


def _names(
    program: Program, module: str, text: bytes, words: frozenset[bytes], projects: frozenset[str]
) -> bool:
    """Whether a build file names a module: by group and artifact (Maven), by the path of its
    project, else by its folder (Gradle)."""
    own = _build_text(program, module)
    artifact = _ARTIFACT.search(_PARENT.sub(b"", own))
    if artifact is not None:
        group = _GROUP.search(own)
        return artifact.group(1) in words and group is not None and group.group(1) in words
    named = is_named(program, projects, module)
    if named is not None:
        return named
    name = module.rpartition("/")[2].encode()
    if len(name) < _SHORTEST_NAME:
        return False
    ends = (b"'", b'"', b")")
    return any(start + name + end in text for start in (b":", b".") for end in ends)


@memoised
def _build_text(program: Program, folder: str) -> bytes:
    prefix = f"{folder}/" if folder else ""
    texts = (program.files.read(f"{prefix}{name}") or b"" for name in _BUILD_FILES)
    return b"\n".join(texts)
