"""JSON Schemas that a build makes classes of: jsonschema2pojo as a plugin of Maven or Gradle.

What it is told: https://github.com/joelittlejohn/jsonschema2pojo, `Jsonschema2PojoMojo` and
`JsonSchemaExtension`. A file or a folder of schemas becomes classes of one package, and of packages
below it for folders in the folder; Gradle's plugin takes `src/main/resources/json` unless it is
told something else. Its classes have the names that the schemas have, so that another class of such
a name in the same module is something else: an entity, say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import join, normpath

from msgspec import Struct

from contract_scan.parsers.generators_of_builds import (
    gradle_variables,
    maven_runs_of,
    plugin_pattern,
)
from contract_scan.parsers.maven_projects import expand, maven_properties
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import FileFacts
from contract_scan.parsers.source.java.resolution.build import (
    SCHEMA_GENERATOR,
    build_texts,
    module_of,
    modules,
    used_modules,
)

_PLUGIN = plugin_pattern("jsonschema2pojo")
_GRADLE_BLOCK = re.compile(r"\bjsonSchema2Pojo\s*\{([^{}]*+(?>(?:\{[^{}]*+\}[^{}]*+)*))\}")
_GRADLE_SOURCE = re.compile(r"^[ \t]*(?:source|sourceFiles)\b([^\n]{1,300})", re.MULTILINE)
_GRADLE_PACKAGE = re.compile(r"\btargetPackage\b[^\n\"']{0,30}[\"']([\w.]{1,200})[\"']")
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,300})[\"']")
_VARIABLE = re.compile(r"\$\{([^${}]{1,100})\}|\$(\w{1,60})")
_RESOURCES = "src/main/resources"
_GRADLE_DEFAULT = f"{_RESOURCES}/json"
_PARTS_ONLY = ("include", "exclude")
"""Settings by which a part of a folder becomes classes, which is not looked into."""


class SchemaClasses(Struct, frozen=True):
    """One run of the generator."""

    place: str
    """The schema, or the folder of schemas, relative to the root."""
    package: str

    def is_own(self, package: str) -> bool:
        """Whether classes of a package may be those that it makes."""
        return package == self.package or package.startswith(f"{self.package}.")


def schemas_with_classes(program: Program, file: FileFacts | None) -> tuple[str, ...]:
    """The schemas, or folders of them, of which the build makes classes for the module of a file,
    or for one that it uses, in other packages than the file's: types of the file do not stand for
    them. Without a file: all that any module sees. Relative to the root."""
    runs = _runs(program)
    if file is None:
        return tuple(sorted({run.place for each in runs.values() for run in each}))
    if not runs:
        return ()
    module = module_of(program, file.path)
    seen = [run for each in (module, *used_modules(program, module)) for run in runs.get(each, ())]
    own = {run.place for run in seen if run.is_own(file.package)}
    return tuple(sorted({run.place for run in seen} - own))


@memoised
def _runs(program: Program) -> dict[str, list[SchemaClasses]]:
    found = {module: list(_runs_of(program, module)) for module in modules(program)}
    return {module: runs for module, runs in found.items() if runs}


def _runs_of(program: Program, module: str) -> Iterator[SchemaClasses]:
    around = [
        content.decode("utf-8", "replace") if SCHEMA_GENERATOR.search(content) else ""
        for content in build_texts(program, module)
    ]
    if not around or not around[0]:
        return
    for place, package in (*_of_maven(program, module, around), *_of_gradle(around[0])):
        if place and package and "$" not in place + package and "://" not in place:
            yield SchemaClasses(normpath(join(module, place)), package)


def _of_maven(program: Program, module: str, around: list[str]) -> Iterator[tuple[str, str]]:
    """What the project tells the plugin, over what the projects around it do."""
    runs = [list(maven_runs_of(_PLUGIN, text)) for text in around]
    if not runs[0]:
        return
    values = maven_properties(join(module, "pom.xml"), program.files.read)
    inherited = {k: v for each in reversed(runs[1:]) for run in each for k, v in run.items()}
    for own in runs[0]:
        run = {name: expand(text, values) for name, text in {**inherited, **own}.items()}
        if not any(name in run for name in _PARTS_ONLY):
            written = run.get("sourceDirectory") or run.get("sourcePath", "")
            yield written, run.get("targetPackage", "")


def _of_gradle(text: str) -> Iterator[tuple[str, str]]:
    if "jsonSchema2Pojo" not in text:
        return
    variables = gradle_variables(text)
    for block in _GRADLE_BLOCK.findall(text):
        packages = _GRADLE_PACKAGE.findall(block)
        sources = _GRADLE_SOURCE.findall(block)
        written = [place for rest in sources for place in _QUOTED.findall(rest)]
        for place in written if sources else [_GRADLE_DEFAULT]:
            for package in packages[-1:]:
                yield _of_variables(place, variables), package


def _of_variables(text: str, variables: dict[str, str]) -> str:
    """A place with variables in it: those that nothing is known of are the folder of the build, or
    that of its resources."""

    def value(found: re.Match[str]) -> str:
        name = str(found[1] or found[2])
        if name in variables:
            return _VARIABLE.sub("", variables[name])
        return _RESOURCES if "resources" in name.lower() else "."

    return _VARIABLE.sub(value, text).lstrip("/")
