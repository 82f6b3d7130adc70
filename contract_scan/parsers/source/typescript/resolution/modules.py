"""Which file an import means: relative paths, tsconfig paths, packages of the same repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from contract_scan.parsers.source.facts.nodes import Import
from contract_scan.parsers.source.language import Files
from contract_scan.parsers.source.typescript.resolution.projects import Project, Projects

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_WRITTEN_AS = {
    ".js": (".ts", ".tsx", ".d.ts", ".js"),
    ".jsx": (".tsx", ".jsx"),
    ".mjs": (".mts", ".mjs"),
    ".cjs": (".cts", ".cjs"),
}
_BUILT = ("dist/", "lib/", "build/", "out/", "es/", "esm/", "cjs/")


def find_module(files: Files, path: str, entry: Import) -> str | None:
    """The file that `entry`, written in the file `path`, leads to; None where it is a library."""
    folder = posixpath.dirname(path)
    known = Projects.for_files(files).resolved
    key = (folder, entry.module)
    if key not in known:
        known[key] = _find(files, folder, entry.module)
    return known[key]


def _find(files: Files, folder: str, name: str) -> str | None:
    if name.startswith((".", "/")):
        return None if name.startswith("/") else _file(files, posixpath.join(folder, name))
    if not name or name.startswith("node:"):
        return None
    projects = Projects.for_files(files)
    for target in projects.mapped_paths(folder, name):
        found = _file(files, target)
        if found is not None:
            return found
    found = _package(files, projects, name) or _by_convention(files, folder, name)
    if found is None and not projects.is_configured(folder):
        found = _below_root(files, name)
    return found


_ADDRESS = re.compile(r"https?://(?:deno\.land/x|esm\.sh(?:/v\d+)?|cdn\.skypack\.dev)/(?P<rest>.*)")
_REGISTRY = re.compile(r"(?:npm|jsr):/?")
_VERSION = re.compile(r"(?<=[^/])@[^/]*")
_ENTRY = re.compile(r"/(?:mod|index)\.[jt]s$")
_EXPORTED_WHOLE = re.compile(
    r"(@(?:nestjs|loopback)/[^/]+|class-transformer|class-validator|routing-controllers|rxjs|typeorm)/"
)
"""Packages whose inner files export by name what the package itself does, and no default."""


def package_name(module: str) -> str:
    """The name of the package that an import means: by an address, by a registry with a
    version (`npm:hono@4/jwt`), by a file of an import map's folder (`hono/mod.ts`), by an inner
    file of a package that exports the same (`@nestjs/common/decorators`)."""
    if module.startswith("."):
        return module
    address = _ADDRESS.fullmatch(module)
    if address is not None:
        module = _VERSION.sub("", address["rest"])
    elif _REGISTRY.match(module):
        module = _VERSION.sub("", _REGISTRY.sub("", module))
    whole = _EXPORTED_WHOLE.match(module)
    return _ENTRY.sub("", module) if whole is None else whole[1]


def _file(files: Files, target: str) -> str | None:
    """The source file that a path without or with a suffix stands for."""
    base = posixpath.normpath(target)
    if base.startswith("/"):
        return None
    if base.startswith("../"):
        base = _back_inside(files, base)
    base = "" if base == "." else base
    for candidate in _candidates(base):
        if files.has(candidate):
            return candidate
    main = Project.load(files, posixpath.join(base, "package.json"))
    if main is not None:
        for entry in main.entries("."):
            inner = posixpath.normpath(posixpath.join(base, entry))
            for candidate in _candidates(inner):
                if files.has(candidate):
                    return candidate
    return None


def _back_inside(files: Files, path: str) -> str:
    """A path that leaves the scan's root and comes back into it, without the way out: `../src/x`
    is `x` where the root is called `src`."""
    parts = path.split("/")
    out = parts.count("..")
    own, rest = files.root.parts[-out:], parts[out:]
    back = 0
    while back < min(len(own), len(rest)) and own[back] == rest[back]:
        back += 1
    return "/".join([".."] * (out - back) + rest[back:])


def _candidates(base: str) -> Iterator[str]:
    stem, suffix = posixpath.splitext(base)
    for written in _WRITTEN_AS.get(suffix, ()):
        yield stem + written
    if suffix in _SUFFIXES:
        yield base
    if base:
        for suffix in _SUFFIXES:
            yield base + suffix
    for suffix in _SUFFIXES:
        yield posixpath.join(base, "index" + suffix)


def _package(files: Files, projects: Projects, name: str) -> str | None:
    """A package of the same repository (npm, yarn and pnpm workspaces, Nx, Lerna)."""
    parts = name.split("/")
    length = 2 if name.startswith("@") else 1
    package, inside = "/".join(parts[:length]), "/".join(parts[length:])
    project = projects.package(package)
    if project is None:
        return None
    wanted = [*project.entries("./" + inside if inside else ".")]
    wanted += [inside, f"src/{inside}"] if inside else ["src/index", "index", "src/main"]
    for entry in wanted:
        for written in _as_source(projects, project.folder, entry):
            found = _file(files, posixpath.join(project.folder, written))
            if found is not None:
                return found
    return None


_CONVENTIONS = (
    ("$lib", "svelte.config", ("src/lib",)),
    ("~~", "nuxt.config", ("",)),
    ("@@", "nuxt.config", ("",)),
    ("~", "nuxt.config", ("", "app", "src")),
    ("@", "nuxt.config", ("", "app", "src")),
    ("#shared", "nuxt.config", ("shared",)),
    ("~~", "nitro.config", ("",)),
    ("@@", "nitro.config", ("",)),
    ("~", "nitro.config", ("", "server", "src")),
    ("@", "nitro.config", ("", "server", "src")),
)
"""(first part of a name, configuration file of the project, folders it may mean): mappings that
frameworks generate when they build, so that no configuration that people keep says them."""


def _by_convention(files: Files, folder: str, name: str) -> str | None:
    first, _, rest = name.partition("/")
    for prefix, configuration, targets in _CONVENTIONS:
        if first != prefix:
            continue
        above = Projects.for_files(files).nearest_folder_with(folder, configuration)
        for target in targets if above is not None else ():
            found = _file(files, posixpath.join(above or "", target, rest))
            if found is not None:
                return found
    return None


def _as_source(projects: Projects, folder: str, entry: str) -> Iterator[str]:
    """`dist/x.js` is built from what the compiler's options say, or from `src/x.ts`."""
    entry = entry.removeprefix("./")
    written = entry.removesuffix(".d.ts")
    compiled = projects.compiled_from(folder, written)
    if compiled is not None:
        yield compiled
    for built in _BUILT:
        if written.startswith(built):
            yield "src/" + written[len(built) :]
            if written.startswith(built + "src/"):
                yield written[len(built) :]
            break
    yield entry


def _below_root(files: Files, name: str) -> str | None:
    """Where no configuration is part of the scan (only `src` was given): `@/a/b`, `src/a/b` and
    `@a/b` can only mean files below the root, if there are such."""
    first, _, rest = name.partition("/")
    if not rest:
        return None
    if first in ("@", "~", "src", files.root.name):
        return _file(files, rest)
    if first.startswith(("@", "~", "#")):
        return _file(files, f"{first[1:]}/{rest}")
    return _file(files, name)
