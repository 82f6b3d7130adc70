"""Which project a C# file belongs to, and what its project files say.

A project is a folder with a `.csproj`; `Directory.Build.props` files above it speak for it too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import cast

from msgspec import Struct

from contract_scan.ir.operation import Application
from contract_scan.ir.origin import Origin, Span
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.discovery.discover import is_inside
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.language import Files

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_NULLABLE = re.compile(rb"<Nullable>\s*(\w+)\s*</Nullable>", re.IGNORECASE)
_IMPLICIT_USINGS = re.compile(rb"<ImplicitUsings>\s*(\w+)\s*</ImplicitUsings>", re.IGNORECASE)
_FURTHER_FILES = re.compile(rb"<Import\s[^<>]*?\bProject\s*=", re.IGNORECASE)
_ASSEMBLY = re.compile(rb"<AssemblyName>\s*([\w.-]+)\s*</AssemblyName>")
_MOST_ABOVE = 8
_USING = re.compile(rb"<Using\s(?>[^<>]*?\bInclude\s*=\s*\")([\w.]+)\"([^<>]*+)>", re.IGNORECASE)
_REFERENCE = re.compile(rb"<ProjectReference\s[^<>]*?\bInclude\s*=\s*\"([^\"\n]+)\"", re.IGNORECASE)
_PACKAGE = (
    rb"<Package(?:Reference|Version)\s(?>[^<>]*?\b(?:Include|Update)\s*=\s*\"%s(?:\.[\w.]+)?\")"
    rb"[^<>]*?\bVersion\s*=\s*\"[\[(]?(\d+)"
)
_STARTS = re.compile(
    rb"Sdk\s*=\s*\"Microsoft\.NET\.Sdk\.(?:Web|Worker)|<OutputType>\s*(?:Win)?Exe\b"
    rb"|<AzureFunctionsVersion>|<UseIISExpress>",
    re.IGNORECASE,
)
"""What the file of a project holds that is a program, and no library."""
_MAKES_SERVER = (b"WebApplication.Create", b"WebHost.Create", b".ConfigureWebHost")
_RUNS_SERVER = (b".Run(", b".RunAsync(", b".Start(", b".StartAsync(")
_PACKAGE_REFERENCE = re.compile(rb'<PackageReference\s[^>]{0,200}?Include="(\w+)')
_TARGET = re.compile(rb"<TargetFrameworks?>([^<]+)</TargetFrameworks?>")
_NEWTONSOFT_MVC = re.compile(rb"Microsoft\.AspNetCore\.Mvc\.NewtonsoftJson\"")


class Project(Struct, frozen=True, kw_only=True):
    """What the project files above a folder say."""

    folder: str
    """Root-relative folder of the project file; empty for the root or where there is none."""
    nullable: bool | None
    """Whether nullable reference types are switched on (`enable` or `annotations`); None: the
    project files that are seen do not say."""
    name: str = ""
    """What it is built as; empty where there is no project file."""
    implicit_usings: bool | None = None
    """Whether namespaces of .NET are imported into every file; None: the project files that are
    seen do not tell."""
    usings: tuple[str, ...] = ()
    """Namespaces that `<Using Include="…"/>` imports into every file."""
    packages: frozenset[str] = frozenset()
    """Packages that `<PackageReference Include="…"/>` names, by their beginnings: `Payroll` of
    `Payroll.Core`."""


def project_of(program: Program, path: str) -> Project:
    """The project that a file is compiled with."""
    return _projects(program).project_of(path)


def sees(program: Program, path: str, other: str) -> bool:
    """Whether a file is compiled with the types of another: they are of one project, or the one
    project references the other, directly or through others."""
    return _projects(program).sees(path, other)


def referenced_projects(program: Program) -> dict[str, Origin]:
    """Folders outside the scanned one whose projects are a part of those in it: the ones that
    their project files reference, and the ones that those reference. Each with the place inside
    that leads there."""
    return _projects(program).referenced_projects()


def application_of(program: Program, path: str) -> Application | None:
    """The program that a file is built into: its project, where that starts one; for a library the
    only program whose project references it, itself where nothing references it, or where it makes
    and runs a server that is a part of several. None where it is a part of several otherwise, or
    no project file is seen."""
    projects = _projects(program)
    found = projects.application_of(path)
    if found is None and projects.project_of(path).folder in _running_servers(program):
        return projects.own_application(path)
    return found


@memoised
def _running_servers(program: Program) -> frozenset[str]:
    """Folders of the projects that hold a file which makes a server and runs it."""
    made = program.files_containing(*_MAKES_SERVER)
    run = set(program.files_containing(*_RUNS_SERVER))
    return frozenset(project_of(program, path).folder for path in made if path in run)


def before_version(program: Program, package: str, major: int) -> bool:
    """Whether every version of a library that project files name is older than a major one."""
    key = f"csharp.packages.{package}"
    if key not in program.memory:
        pattern = re.compile(_PACKAGE % re.escape(package.encode()), re.IGNORECASE)
        files = (
            *program.files.ending(".csproj"),
            *program.files.files_named("Directory.Packages.props"),
        )
        named = [number for path in files for number in program.files.find(path, pattern)]
        program.memory[key] = frozenset(int(number) for number in named)
    known = cast("frozenset[int]", program.memory[key])
    return bool(known) and max(known) < major


def is_before_core_3(program: Program) -> bool:
    """Whether every web framework that project files name is older than ASP.NET Core 3, which
    brought System.Text.Json to controllers."""
    return _setting(
        program, "targets", _TARGET, lambda found: bool(found) and all(map(_is_old, found))
    )


def may_use_newtonsoft(program: Program) -> bool:
    """Whether a project file names what lets Newtonsoft.Json write for controllers, or none is
    seen."""
    if not program.files.ending(".csproj"):
        return True
    return is_before_core_3(program) or _setting(program, "newtonsoft", _NEWTONSOFT_MVC, bool)


def is_library(program: Program) -> bool:
    """Whether no project is one of a web application, and no code speaks of a serializer."""
    if not program.files.ending(".csproj"):
        return False
    return not (_setting(program, "web", _WEB, bool) or program.any_file_contains(*_SERIALIZERS))


def _setting(
    program: Program, name: str, pattern: re.Pattern[bytes], judge: Callable[[list[bytes]], bool]
) -> bool:
    key = f"csharp.projects.{name}"
    if key not in program.memory:
        files = (
            *program.files.ending(".csproj"),
            *program.files.files_named("Directory.Build.props"),
            *program.files.files_named("Directory.Packages.props"),
        )
        program.memory[key] = judge(
            [f for path in files for f in program.files.find(path, pattern)]
        )
    return cast("bool", program.memory[key])


def _is_old(target: bytes) -> bool:
    names = [name.strip() for name in target.split(b";")]
    return all(name.startswith((b"netcoreapp1", b"netcoreapp2", b"netstandard")) for name in names)


_WEB = re.compile(rb"(Microsoft\.NET\.Sdk\.Web|Microsoft\.AspNet|System\.Web)")
_SERIALIZERS = (
    b"System.Text.Json",
    b"Newtonsoft.Json",
    b"AspNetCore",
    b"System.Web",
    b"JsonProperty",
)


class _Projects:
    def __init__(self, files: Files) -> None:
        self._files = files
        self._own: dict[str, list[str]] = {}
        for path in files.ending(".csproj"):
            self._own.setdefault(_parent(path), []).append(path)
        self._properties = frozenset(files.files_named("Directory.Build.props"))
        self._known: dict[str, Project] = {}
        self._referenced: dict[str, Origin] | None = None
        self._applications: dict[str, Application | None] = {}
        self._referencing: dict[str, set[str]] | None = None
        self._seen: dict[str, set[str]] = {}

    def project_of(self, path: str) -> Project:
        # The project file may lie above the scanned folder.
        folder = next((one for one in _candidate_folders(_parent(path)) if one in self._own), "")
        if folder not in self._known:
            self._known[folder] = self._read_project(folder)
        return self._known[folder]

    def sees(self, path: str, other: str) -> bool:
        folder = self.project_of(path).folder
        if folder not in self._seen:
            self._seen[folder] = {folder}
            pending = [folder]
            while pending:
                for _, _, further in self._references(pending.pop()):
                    if further not in self._seen[folder]:
                        self._seen[folder].add(further)
                        pending.append(further)
        return self.project_of(other).folder in self._seen[folder]

    def application_of(self, path: str) -> Application | None:
        folder = self.project_of(path).folder
        if folder not in self._own:
            return None
        if folder not in self._applications:
            self._applications[folder] = self._application(folder)
        return self._applications[folder]

    def own_application(self, path: str) -> Application | None:
        """The program that the project of a file is by itself; None without a project file."""
        folder = self.project_of(path).folder
        return self._program_of(folder) if folder in self._own else None

    def _application(self, folder: str) -> Application | None:
        users = self._users(folder)
        started_by = [folder] if self._starts(folder) else list(filter(self._starts, users))
        if not users:
            started_by = [folder]
        if len(started_by) != 1:
            return None
        return self._program_of(started_by[0])

    def _program_of(self, folder: str) -> Application:
        return Application(Origin(self._own[folder][0], Span(1, 1, 1, 1)))

    def _starts(self, folder: str) -> bool:
        text = b"".join(self._files.read(path) or b"" for path in self._own[folder])
        return _STARTS.search(_COMMENT.sub(b"", text)) is not None

    def _users(self, folder: str) -> list[str]:
        """The projects that reference one, directly or through others, those of tests left out."""
        if self._referencing is None:
            self._referencing = {}
            for own, files in self._own.items():
                if not any(map(is_test, files)):
                    for _, _, other in self._references(own):
                        self._referencing.setdefault(other, set()).add(own)
        found: dict[str, None] = {}
        pending = [folder]
        while pending:
            for user in sorted(self._referencing.get(pending.pop(), ())):
                if user not in found and user != folder:
                    found[user] = None
                    pending.append(user)
        return list(found)

    def referenced_projects(self) -> dict[str, Origin]:
        if self._referenced is None:
            self._referenced = self._follow()
        return self._referenced

    def _follow(self) -> dict[str, Origin]:
        found: dict[str, Origin] = {}
        for folder in sorted(filter(is_inside, self._own)):
            for path, span, other in self._references(folder):
                pending = [other]
                while pending:
                    there = pending.pop()
                    if there not in found and not is_inside(there):
                        found[there] = Origin(path, span)
                        pending.extend(further for _, _, further in self._references(there))
        return found

    def _references(self, folder: str) -> Iterator[tuple[str, Span, str]]:
        """What the project files of a folder reference: the file, the place there, the folder."""
        for path in self._own.get(folder, ()):
            text = self._files.read(path) or b""
            comments = [match.span() for match in _COMMENT.finditer(text)]
            for match in _REFERENCE.finditer(text):
                if any(start < match.start() < end for start, end in comments):
                    continue
                written = match.group(1).decode("utf-8", "replace").replace("\\", "/")
                other = posixpath.normpath(posixpath.join(folder, posixpath.dirname(written)))
                if other in self._own:
                    line = text.count(b"\n", 0, match.start()) + 1
                    column = match.start() - text.rfind(b"\n", 0, match.start())
                    width = len(match.group().decode("utf-8", "replace"))
                    yield path, Span(line, column, line, column + width), other

    def _read_project(self, folder: str) -> Project:
        nullable: bool | None = None
        implicit: bool | None = None
        may_be_elsewhere = False
        usings: list[str] = []
        packages: set[str] = set()
        own = self._own.get(folder, ())
        name = posixpath.basename(own[0]).removesuffix(".csproj") if own else ""
        for path in self._sources(folder):
            text = _COMMENT.sub(b"", self._files.read(path) or b"")
            named = _ASSEMBLY.search(text)
            name = named.group(1).decode() if named is not None else name
            setting = _NULLABLE.search(text)
            if setting is not None:
                nullable = setting.group(1).lower() in (b"enable", b"annotations")
            switch = _IMPLICIT_USINGS.search(text)
            if switch is not None:
                implicit = switch.group(1).lower() in (b"enable", b"true")
            may_be_elsewhere = may_be_elsewhere or _FURTHER_FILES.search(text) is not None
            packages.update(package.decode() for package in _PACKAGE_REFERENCE.findall(text))
            for using, rest in _USING.findall(text):
                if b"Alias" not in rest and b"Static" not in rest:
                    usings.append(using.decode())
        if implicit is None and own and not may_be_elsewhere:
            implicit = False
        return Project(
            folder=folder,
            nullable=nullable,
            name=name,
            implicit_usings=implicit,
            usings=tuple(usings),
            packages=frozenset(packages),
        )

    def _sources(self, folder: str) -> list[str]:
        """The nearest `Directory.Build.props`, then the project file, which has the last word."""
        sources = []
        for above in _candidate_folders(folder):
            candidate = f"{above}/Directory.Build.props" if above else "Directory.Build.props"
            if candidate in self._properties:
                sources.append(candidate)
                break
        return [*sources, *self._own.get(folder, ())]


@memoised
def _projects(program: Program) -> _Projects:
    return _Projects(program.files)


def _candidate_folders(folder: str) -> Iterator[str]:
    """A folder and those above it, also outside the scanned folder."""
    yield folder
    while folder and not folder.endswith(".."):
        folder = _parent(folder)
        yield folder
    for _ in range(_MOST_ABOVE):
        folder = f"{folder}/.." if folder else ".."
        yield folder


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
