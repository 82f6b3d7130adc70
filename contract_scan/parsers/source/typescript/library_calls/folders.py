"""Folders of the project that a program lists, and files that it loads by computed names.

fs.readdirSync(__dirname).forEach((file) => app.use(require("./" + file)))
"""

from __future__ import annotations

import posixpath

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Import,
    Name,
    OperationExpr,
    Text,
)
from contract_scan.parsers.source.language import CallModel

MAX_FILES = 300
"""How many files of a folder are told one by one."""
_MAX_DEPTH = 8
_JOINING = frozenset({"join", "resolve"})
_PATH = ("path", "path.default", "node:path", "node:path.default")


def path_of(program: Program, expr: Expr | None, scope: Scope, depth: int = 0) -> str | None:
    """The root-relative path of what stands in the project, of an expression that is made of the
    folder of the file: `path.join(__dirname, "routes", file)`. None for anything else."""
    if expr is None or depth > _MAX_DEPTH:
        return None
    match expr:
        case Name(id="__dirname"):
            return posixpath.dirname(scope.file.path)
        case Attribute(value=Attribute(name="meta"), name="dirname"):
            return posixpath.dirname(scope.file.path)
        case Text(parts=(first, *rest)) | OperationExpr(operator="+", operands=(first, *rest)):
            begin = path_of(program, first, scope, depth + 1)
            texts = [program.text(part, scope) for part in rest]
            if begin is None or None in texts:
                return None
            return _path_in_root(begin + "".join(text or "" for text in texts))
        case Name(id=id) if any(entry.local == id for entry in scope.file.imports):
            return None  # of which file the folder would be, is not told
        case _:
            return _path_of_value(program, program.evaluate(expr, scope), scope, depth + 1)


def _path_of_value(program: Program, value: Value, within: Scope, depth: int) -> str | None:
    match value:
        case LibrarySymbol(name="__dirname"):
            return posixpath.dirname(within.file.path)
        case Template(parts=(first, *rest)):
            begin = _path_of_value(program, first, within, depth)
            texts = [program.evaluator.text(part) for part in rest]
            if begin is None or None in texts:
                return None
            return _path_in_root(begin + "".join(text or "" for text in texts))
        case LibraryResult(name=name, site=site, scope=scope):
            module, _, called = name.rpartition(".")
            if called not in _JOINING or module not in _PATH or not site.args:
                return None
            begins, *others = (argument.value for argument in site.args)
            begin = path_of(program, begins, scope, depth)
            texts = [program.text(part, scope) for part in others]
            if begin is None or None in texts:
                return None
            return _path_in_root(posixpath.join(begin, *(text or "" for text in texts)))
        case _:
            return None


def _path_in_root(path: str) -> str | None:
    """A path without `..`; None for one that leads out of the root."""
    clean = posixpath.normpath(path).lstrip("/")
    return None if clean.startswith("..") else clean.removeprefix("./")


def listed_names(site: CallSite) -> Value | None:
    """`fs.readdirSync(folder)`: the names of the files and folders with code in it."""
    folder = path_of(site.program, site.argument(0), site.scope)
    if folder is None:
        return None
    prefix = "" if folder in ("", ".") else folder + "/"
    names: dict[str, None] = {}
    for path in site.program.files.source("typescript"):
        if path.startswith(prefix):
            names[path[len(prefix) :].partition("/")[0]] = None
    if not names or len(names) > MAX_FILES:
        return None
    return Items(tuple(Constant(name) for name in sorted(names)))


def joined_path(site: CallSite) -> Value | None:
    """`path.join(__dirname, "routes")` as a call that `path_of` follows; another is just a text."""
    if not isinstance(site.call, Call) or not site.call.args:
        return None
    made = LibraryResult(site.name, site.call, site.scope)
    return None if _path_of_value(site.program, made, site.scope, 0) is None else made


def required_module(site: CallSite) -> Value | None:
    """``require(`./routes/${name}`)``, `require(path.join(__dirname, file))`, where it is known
    which file that is."""
    module = site.program.text(site.argument(0), site.scope)
    if module is None:
        path = path_of(site.program, site.argument(0), site.scope)
        if path is None:
            return None
        own = posixpath.dirname(site.scope.file.path) or "."
        module = "./" + posixpath.relpath(path or ".", own)
    if not module.startswith("."):
        return None
    entry = Import(module=module, name="", modifiers=("require",), span=site.call.span)
    found = site.program.names.modules.resolve_import(site.scope.file, entry)
    return site.program.evaluator.found_value(found, module, site.call.span, site.scope)


def _of_fs(*names: str) -> tuple[str, ...]:
    modules = ("fs", "fs.default", "node:fs", "node:fs.default", "fs-extra", "fs-extra.default")
    plain = tuple(f"{module}.{name}" for module in modules for name in names)
    promised = tuple(f"{module}.promises.readdir" for module in modules)
    return (*plain, *promised, "fs/promises.readdir", "node:fs/promises.readdir")


CALL_MODELS: dict[str, CallModel] = {
    **dict.fromkeys(_of_fs("readdirSync"), listed_names),
    **{f"{module}.{name}": joined_path for module in _PATH for name in _JOINING},
    "require": required_module,
    "import": required_module,
}
"""Key: qualified name."""
