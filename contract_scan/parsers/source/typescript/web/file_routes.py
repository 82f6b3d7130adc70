"""Routes that are files: which files, and the paths that their names stand for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from contract_scan.ir.origin import NO_SPAN, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    Record,
    Value,
)
from contract_scan.parsers.source.language import Files
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.paths import Template, clean

SUFFIXES = (".ts", ".js", ".tsx", ".jsx", ".mts", ".mjs")
MAX_PLUGINS = 5
"""How many functions of plugins are looked through for the options they are given."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

_PART = re.compile(r"\[(?P<rest>\.\.\.)?(?P<name>[^\[\]]+)\]")
_OPTIONAL = re.compile(r"\[\[(?P<rest>\.\.\.)?(?P<name>[^\[\]]+)\]\]")


def with_stem(files: Files, stem: str) -> list[str]:
    """Files called so with a suffix of the language."""
    return [path for suffix in SUFFIXES for path in files.files_named(stem + suffix)]


def bracket_paths(segments: list[str], prefix: str = "") -> tuple[Template, ...]:
    """The paths of `users/[id]`, `[...slug]` and `[[optional]]`: with and without what is
    optional."""
    variants: list[tuple[str, ...]] = [(prefix,)]
    for segment in segments:
        optional = _OPTIONAL.fullmatch(segment)
        written = _PART.sub(_parameter, segment if optional is None else segment[1:-1])
        added = [(*variant, written) for variant in variants]
        variants = [*variants, *added] if optional is not None else added
    found = dict.fromkeys(clean("/".join(variant)) for variant in variants)
    return tuple(Template(path, parameters(path)) for path in found)


def _parameter(match: re.Match[str]) -> str:
    name = match["name"].split("=")[0]  # SvelteKit: `[id=integer]`, a matcher
    return f"{{{name}*}}" if match["rest"] else f"{{{name}}}"


def parameters(path: str) -> tuple[str, ...]:
    """Names of the parameters of a path template."""
    return tuple(name.rstrip("*") for name in re.findall(r"\{([^{}]+)\}", path))


def project_folder(files: Files, path: str, folder: str) -> tuple[str, list[str]] | None:
    """(project folder, segments below) of a file in the routing folder of a project: `app`, or
    `src/app`. Of several folders of that name the first one counts that a project has; where no
    project is part of the scan, the first."""
    parts = path.split("/")
    found = [i for i, part in enumerate(parts[:-1]) if part == folder]
    if not found:
        if files.root.name != folder or path.startswith("../"):
            return None
        return "", parts[:-1]
    for index in found:
        above = parts[:index]
        if above and above[-1] == "src":
            above = above[:-1]
        if files.has(posixpath.join("/".join(above), "package.json")):
            return "/".join(above), parts[index + 1 : -1]
    first = found[0]
    above = parts[:first]
    if above and above[-1] == "src":
        above = above[:-1]
    return "/".join(above), parts[first + 1 : -1]


def depends_on(files: Files, folder: str, package: str) -> bool | None:
    """Whether the project in a folder names a package; None where no project file is seen."""
    content = files.read(posixpath.join(folder, "package.json"))
    return None if content is None else b'"%s"' % package.encode() in content


def imports(program: Program, path: str, package: str) -> bool:
    """Whether a file imports something of a package."""
    return any(
        entry.module == package or entry.module.startswith(package + "/")
        for entry in program.facts(path).imports
    )


def exported_values(
    program: Program, path: str, names: tuple[str, ...]
) -> Iterator[tuple[str, Value]]:
    """The values that a file exports under some names, re-exports included."""
    file = program.facts(path)
    written = {export.exported for export in file.exports}
    for function in file.functions:
        if "default" in function.modifiers:
            written.add("default")
        elif "export" in function.modifiers:
            written.add(function.name)
    scope = program.module_scope(file)
    for name in names:
        if name not in written and "*" not in written:
            continue
        found = program.names.modules.resolve_export(path, name)
        if found is not None:
            yield name, program.evaluator.found_value(found, name, NO_SPAN, scope)


def export_origin(program: Program, path: str, name: str, value: Value) -> Origin:
    """Where a file exports something: the function itself if it stands in the file."""
    file = program.facts(path)
    if isinstance(value, FunctionValue) and value.scope.file.path == path:
        span = value.function.name_span
        if span != NO_SPAN and value.function.name == name:
            return Origin(path, span, "", name)
    for export in file.exports:
        if export.exported == name and export.span != NO_SPAN:
            return Origin(path, export.span, "", name)
    if isinstance(value, FunctionValue | LibraryResult) and value.scope.file.path == path:
        span = value.function.span if isinstance(value, FunctionValue) else value.site.span
        return Origin(path, span, "", name)
    return Origin(path, file.exports[0].span if file.exports else NO_SPAN, "", name)


def prefix_setting(
    program: Program, folder: str, stem: str, keys: tuple[str, ...]
) -> tuple[str, Reason]:
    """(prefix of all paths, why it is undetermined) that a project's configuration file says
    under some keys; nothing where it does not say one."""
    for suffix in SUFFIXES:
        path = posixpath.join(folder, stem + suffix)
        if keys[-1].encode() not in (program.files.read(path) or b""):
            continue
        for _, value in exported_values(program, path, ("default",)):
            found: Value | None = _options(program, value, keys[0])
            for key in keys:
                entry = walker.entries(found).get(key) if found is not None else None
                found = entry.value if entry is not None else None
            if found is None:
                return "", NO_REASON
            text = program.evaluator.text(found)
            if text is not None:
                return text, NO_REASON
        return "{computed}", Reason("setting-in-file-not-constant", keys=keys[-1], path=path)
    return "", NO_REASON


def _options(program: Program, value: Value, key: str, depth: int = 0) -> Value:
    """The options themselves, behind the functions of plugins and of phases."""
    if isinstance(value, FunctionValue):
        return program.evaluator.apply(value, (), value.scope)
    if isinstance(value, LibraryResult) and depth < MAX_PLUGINS:
        for argument in value.site.args:
            inner = program.evaluate(argument.value, value.scope)
            found = _options(program, inner, key, depth + 1)
            if isinstance(found, Record) and key in walker.entries(found):
                return found
    return value
