"""Folders of the project that a program lists, and files that it loads by computed names.

fs.readdirSync(__dirname).forEach((file) => app.use(require("./" + file)))
globSync("**/routes.js", { cwd: __dirname }).forEach((file) => server.route(require("./" + file)))
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import groupby

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    LibrarySymbol,
    ModuleValue,
    Record,
    RecordEntry,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Expr,
    Import,
)
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.typescript.library_calls.paths import (
    ROOT,
    path_from_start,
    path_in_root,
    path_of,
    path_of_value,
    working_folder,
)

MAX_FILES = 300
"""How many files of a folder are told one by one."""


def listed_names(site: CallSite) -> Value | None:
    """`fs.readdirSync(folder)`: the names of the files and folders with code in it."""
    folder = path_of(site.program, site.argument(0), site.scope)
    if folder is None:
        folder = path_from_start(site.program, site.argument(0), site.scope)
    if folder is None:
        return None
    options = site.value(1)
    is_deep = _option(options, "recursive")
    names = dict.fromkeys(
        path if is_deep else path.partition("/")[0] for path in _paths_below(site.program, folder)
    )
    if not names or len(names) > MAX_FILES:
        return None
    listed: tuple[Value, ...] = tuple(Constant(name) for name in sorted(names))
    if _option(options, "withFileTypes"):
        origin = Origin(site.scope.file.path, site.call.span)
        rest = Reason("result-from-library", name=site.name, provider="a library")
        listed = tuple(Record((RecordEntry("name", name, origin),), rest) for name in listed)
    return Items(listed)


def _option(options: Value | None, name: str) -> Value | None:
    """What an object of options says; None for `false` as for nothing."""
    entries = options.entries if isinstance(options, Record) else ()
    found = next((entry.value for entry in entries if entry.name == name), None)
    return None if isinstance(found, Constant) and not found.value else found


def _paths_below(program: Program, folder: str) -> Iterator[str]:
    """The files with code below a folder, relative to it."""
    prefix = "" if folder in ("", ".") else folder + "/"
    for path in program.files.source("typescript"):
        if path.startswith(prefix):
            yield path[len(prefix) :]


# ------------------------------------------------------------------------------------------- globs


_Pattern = tuple[str, bool]
"""A pattern of paths, and whether it is absolute: below the root of the scan."""


def matched_paths(site: CallSite) -> Value | None:
    """`globSync("**/*.js", { cwd: __dirname })`: the files that fit, absolute or relative to `cwd`
    as their pattern is."""
    patterns = _patterns(site.program, site.argument(0), site.scope)
    options = site.value(1)
    cwd, ignore = _option(options, "cwd"), _option(options, "ignore")
    folder = working_folder(site.program, site.scope)
    if cwd is not None:
        folder = path_of_value(site.program, cwd, site.scope)
    ignored = [] if ignore is None else _patterns_of_value(site.program, ignore, site.scope)
    if patterns is None or ignored is None or folder is None:
        return None
    left_out = [segments for pattern in ignored for segments in _segments(pattern, folder)]
    found: dict[_Pattern, None] = {}
    for pattern in patterns:
        is_absolute = pattern[1] or _option(options, "absolute") is not None
        for path, name in _matching_files(site.program, [pattern], folder):
            if not any(_fits(segments, path.split("/")) for segments in left_out):
                shown = name if is_absolute else posixpath.relpath(name, folder or ".")
                found[shown, is_absolute] = None
    if not found or len(found) > MAX_FILES:
        return None
    return Items(tuple(_path_value(path, absolute) for path, absolute in sorted(found)))


def _matching_files(
    program: Program, patterns: Sequence[_Pattern], folder: str
) -> Iterator[tuple[str, str]]:
    """(file, its name as it fits) of what fits one of the patterns: a file of TypeScript may fit by
    the name of what it is compiled to."""
    wanted = [segments for pattern in patterns for segments in _segments(pattern, folder)]
    for path in program.files.source("typescript"):
        for name in _as_written(path):
            if any(_fits(segments, name.split("/")) for segments in wanted):
                yield path, name
                break


def _path_value(path: str, is_absolute: bool) -> Value:
    return Template((LibrarySymbol(ROOT), Constant(path))) if is_absolute else Constant(path)


def _patterns(program: Program, expr: Expr | None, scope: Scope) -> list[_Pattern] | None:
    whole = path_of(program, expr, scope)
    if whole is not None:
        return [(whole, True)]
    return _patterns_of_value(program, program.evaluate(expr, scope), scope) if expr else None


def _patterns_of_value(program: Program, value: Value, scope: Scope) -> list[_Pattern] | None:
    """The patterns of a text, or of a list of texts; None where one of them is undetermined."""
    found: list[_Pattern] = []
    for item in value.values if isinstance(value, Items) else (value,):
        path = path_of_value(program, item, scope)
        text = program.evaluator.text(item) if path is None else path
        if text is None or text.startswith("/") or _EXTENDED.search(text):
            return None
        found.append((text, path is not None))
    return found


_EXTENDED = re.compile(r"[!?+*@]\(|^!")
"""What only some libraries read in patterns: alternatives with a mark before them, negations."""
_BRACES = re.compile(r"\{([^{}]*)\}")
_MAX_ALTERNATIVES = 50


def _segments(pattern: _Pattern, folder: str) -> list[list[str]]:
    """The segments of a pattern from the root on, one list for each alternative of its braces."""
    text, is_absolute = pattern
    pending, found = [text], list[list[str]]()
    while pending and len(found) + len(pending) < _MAX_ALTERNATIVES:
        text = pending.pop()
        braces = _BRACES.search(text)
        if braces is None:
            path = path_in_root(text if is_absolute else posixpath.join(folder, text))
            found.append((path or "").split("/"))
            continue
        before, after = text[: braces.start()], text[braces.end() :]
        pending.extend(before + choice + after for choice in braces[1].split(","))
    return found


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Whether the segments of a path fit those of a pattern: `**` stands for any of them."""
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(path) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(path) and fnmatchcase(path[at], part)}
        if not reached:
            return False
    return len(path) in reached


def _as_written(path: str) -> tuple[str, ...]:
    """The name of a file, and that of what it is compiled to."""
    stem, suffix = posixpath.splitext(path)
    compiled = {".ts": ".js", ".mts": ".mjs", ".cts": ".cjs"}.get(suffix)
    return (path,) if compiled is None else (path, stem + compiled)


# ------------------------------------------------------------------------------- modules by folder


def modules_of_folder(site: CallSite) -> Value | None:
    """`requireAll(__dirname + "/routes")`: the modules of a folder and of those in it, by name."""
    expr = site.argument(1 if site.name.startswith("require-directory") else 0)
    own = posixpath.dirname(site.scope.file.path)
    given = site.program.evaluate(expr, site.scope) if expr is not None else Constant(".")
    if isinstance(given, Record) and {entry.name for entry in given.entries} > {"dirname"}:
        return None  # what else is said chooses among the files, or changes what they give
    folder = path_of(site.program, expr, site.scope)
    if folder is None and isinstance(given, Record):
        folder = path_of_value(site.program, given.entries[0].value, site.scope)
    text = site.program.evaluator.text(given) if folder is None else None
    if text is not None:
        folder = path_in_root(posixpath.join(own, text))
    if folder is None:
        return None
    paths = sorted(_paths_below(site.program, folder))
    return _tree(site, folder, paths) if 0 < len(paths) <= MAX_FILES else None


def _tree(site: CallSite, folder: str, paths: Sequence[str]) -> Record:
    """The modules of files, paths relative to the folder, by the names of files and folders."""
    entries: list[RecordEntry] = []
    for name, group in groupby(paths, key=lambda path: path.partition("/")[0]):
        within = posixpath.join(folder, name)
        value: Value | None
        if name in (inside := list(group)):
            value = None if within == site.scope.file.path else _module(site, within)
        else:
            value = _tree(site, within, [path[len(name) + 1 :] for path in inside])
        if value is not None:
            entries.append(RecordEntry(posixpath.splitext(name)[0], value, Origin(within)))
    return Record(tuple(entries))


def imported_modules(site: CallSite) -> Value | None:
    """`import.meta.glob("./routes/*.ts", { eager: true })`: the modules by their paths."""
    options, own = site.value(1), posixpath.dirname(site.scope.file.path)
    if _option(options, "eager") is None or _option(options, "import") is not None:
        return None
    patterns = _patterns(site.program, site.argument(0), site.scope)
    found = dict(_matching_files(site.program, patterns or [], own))
    if not found or len(found) > MAX_FILES:
        return None
    return Record(
        tuple(
            RecordEntry(f"./{posixpath.relpath(path, own or '.')}", module, Origin(path))
            for path in sorted(found)
            if (module := _module(site, path)) is not None
        )
    )


def required_module(site: CallSite) -> Value | None:
    """``require(`./routes/${name}`)``, `import(path.join(__dirname, file))`, where it is known
    which file that is."""
    module = site.program.text(site.argument(0), site.scope)
    if module is not None:
        return _imported_module(site, module) if module.startswith(".") else None
    path = path_of(site.program, site.argument(0), site.scope)
    return _module(site, path) if path is not None else None


def _module(site: CallSite, path: str) -> Value | None:
    """What requiring or importing a file of the scan gives."""
    own = posixpath.dirname(site.scope.file.path) or "."
    return _imported_module(site, "./" + posixpath.relpath(path or ".", own))


def _imported_module(site: CallSite, module: str) -> Value | None:
    entry = Import(module=module, name="", modifiers=("require",), span=site.call.span)
    if site.name == "import":  # all that the module exports, also where it is made for `require`
        path = site.program.language.find_module(site.program.files, site.scope.file.path, entry)
        return ModuleValue(path) if path is not None else None
    found = site.program.names.modules.resolve_import(site.scope.file, entry)
    return site.program.evaluator.found_value(found, module, site.call.span, site.scope)


_FS = ("fs", "fs.default", "node:fs", "node:fs.default", "fs-extra", "fs-extra.default")
_FS_PROMISES = (*(f"{module}.promises" for module in _FS), "fs/promises", "node:fs/promises")
_GLOB_FUNCTIONS = {
    "glob": ("", "default", "sync", "globSync", "glob", "default.sync", "default.globSync"),
    "fast-glob": ("", "default", "sync", "globSync", "glob", "default.sync", "default.glob"),
    "tinyglobby": ("glob", "globSync"),
    "globby": ("", "default", "globby", "globbySync", "sync"),
}
_LISTINGS = (
    *(f"{module}.{name}" for module in _FS for name in ("readdir", "readdirSync")),
    *(f"{module}.readdir" for module in _FS_PROMISES),
)
_GLOBS = (
    *(f"{module}.{name}".rstrip(".") for module, ns in _GLOB_FUNCTIONS.items() for name in ns),
    *(f"{module}.{name}" for module in _FS for name in ("glob", "globSync")),
    *(f"{module}.glob" for module in _FS_PROMISES),
)

CALL_MODELS: dict[str, CallModel] = {
    **dict.fromkeys(_LISTINGS, listed_names),
    **dict.fromkeys(_GLOBS, matched_paths),
    **dict.fromkeys(("require-all", "require-dir", "require-directory"), modules_of_folder),
    "require": required_module,
    "import": required_module,
    "import.meta.glob": imported_modules,
}
"""Key: qualified name."""
