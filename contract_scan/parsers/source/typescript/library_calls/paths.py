"""Paths of the project that a program makes of the folder of a file.

path.join(__dirname, "routes", name)
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    LibraryResult,
    LibrarySymbol,
    Record,
    RecordEntry,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    OperationExpr,
    Text,
)
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.typescript.resolution.projects import Projects

_MAX_DEPTH = 8
_JOINING = frozenset({"join", "resolve"})
_MODULES = ("path", "path.default", "node:path", "node:path.default")
_URL = ("url", "url.default", "node:url", "node:url.default")
_SAME_PATH = frozenset({"fileURLToPath", "pathToFileURL"})
ROOT = "<root>"
"""The folder of the scan, where an absolute path begins."""


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
        case (
            Name(id="__filename") | Attribute(value=Attribute(name="meta"), name="filename" | "url")
        ):
            return scope.file.path
        case Call(callee=Attribute(value=Name(id="process"), name="cwd")):
            return working_folder(program, scope)
        case Attribute(value=inner, name="href" | "pathname"):
            return path_of(program, inner, scope, depth + 1)
        case Text(parts=(first, *rest)) | OperationExpr(operator="+", operands=(first, *rest)):
            begin = path_of(program, first, scope, depth + 1)
            texts = [program.text(part, scope) for part in rest]
            if begin is None or None in texts:
                return None
            return path_in_root(begin + "".join(text or "" for text in texts))
        case Name(id=id) if any(entry.local == id for entry in scope.file.imports):
            return None  # of which file the folder would be, is not told
        case _:
            return path_of_value(program, program.evaluate(expr, scope), scope, depth + 1)


def path_of_value(program: Program, value: Value, within: Scope, depth: int = 0) -> str | None:
    """The same of a value."""
    match value:
        case LibrarySymbol(name="__dirname"):
            return posixpath.dirname(within.file.path)
        case LibrarySymbol(name=name) if name == ROOT:
            return ""
        case Template(parts=(first, *rest)):
            begin = path_of_value(program, first, within, depth)
            texts = [program.evaluator.text(part) for part in rest]
            if begin is None or None in texts:
                return None
            return path_in_root(begin + "".join(text or "" for text in texts))
        case LibraryResult(name=name, site=site, scope=scope):
            module, _, called = name.rpartition(".")
            if not site.args:
                return None
            begins, *others = (argument.value for argument in site.args)
            if called in _SAME_PATH and module in _URL:
                return path_of(program, begins, scope, depth)
            if called == "dirname" and module in _MODULES:
                begin = path_of(program, begins, scope, depth)
                return posixpath.dirname(begin) if begin is not None else None
            if name == "URL" and len(others) == 1:
                begin, text = path_of(program, others[0], scope, depth), program.text(begins, scope)
                if begin is None or text is None:
                    return None
                return path_in_root(posixpath.join(posixpath.dirname(begin), text))
            if called not in _JOINING or module not in _MODULES:
                return None
            begin = path_of(program, begins, scope, depth)
            if begin is None and called == "resolve":
                begin = path_from_start(program, begins, scope)
            texts = [program.text(part, scope) for part in others]
            if begin is None or None in texts:
                return None
            return path_in_root(posixpath.join(begin, *(text or "" for text in texts)))
        case _:
            return None


def working_folder(program: Program, scope: Scope) -> str | None:
    """The folder that a program is started in: that of its package."""
    return Projects.for_files(program.files).package_folder(posixpath.dirname(scope.file.path))


def path_from_start(program: Program, expr: Expr | None, scope: Scope) -> str | None:
    """The path that a relative one means, which begins in the folder that a program is started
    in."""
    return _from_start(program, program.text(expr, scope), scope)


def path_from_start_of_value(program: Program, value: Value, scope: Scope) -> str | None:
    """The same of a value."""
    return _from_start(program, program.evaluator.text(value), scope)


def _from_start(program: Program, text: str | None, scope: Scope) -> str | None:
    start = working_folder(program, scope)
    if text is None or start is None or text.startswith("/"):
        return None
    return path_in_root(posixpath.join(start, text))


def path_in_root(path: str) -> str | None:
    """A path without `..`; None for one that leads out of the root."""
    clean = posixpath.normpath(path).lstrip("/")
    return None if clean.startswith("..") else clean.removeprefix("./")


def joined_path(site: CallSite) -> Value | None:
    """`path.join(__dirname, "routes")` as a call that `path_of` follows; of texts alone their path;
    another is just a text."""
    if not isinstance(site.call, Call) or not site.call.args:
        return None
    made = LibraryResult(site.name, site.call, site.scope)
    if path_of_value(site.program, made, site.scope) is not None:
        return made
    texts = [site.program.text(argument.value, site.scope) for argument in site.call.args]
    if site.name.endswith("resolve") or None in texts:
        return None
    path = posixpath.normpath(posixpath.join(*(text or "" for text in texts)))
    return Constant(path, site.call.span, site.scope.file.path)


def _of_path(work: Callable[..., str]) -> CallModel:
    def call(site: CallSite) -> Value | None:
        path = path_of(site.program, first := site.argument(0), site.scope)
        text = site.program.text(first, site.scope) if path is None else path
        suffix = site.argument(1)
        end = site.program.text(suffix, site.scope) if suffix is not None else ""
        if text is None or end is None:
            return None
        return Constant(work(text, end), site.call.span, site.scope.file.path)

    return call


def _basename(path: str, suffix: str) -> str:
    name = posixpath.basename(path)
    return name.removesuffix(suffix) if name != suffix else name


def _extension(path: str, suffix: str) -> str:
    del suffix
    return posixpath.splitext(path)[1]


def _parsed_path(site: CallSite) -> Value | None:
    """`path.parse(file)`."""
    path = path_of(site.program, first := site.argument(0), site.scope)
    text = site.program.text(first, site.scope) if path is None else path
    if text is None:
        return None
    base = posixpath.basename(text)
    name, extension = posixpath.splitext(base)
    parts = {"base": base, "name": name, "ext": extension}
    at = Origin(site.scope.file.path, site.call.span)
    entries = (RecordEntry(key, Constant(part), at) for key, part in parts.items())
    return Record(
        tuple(entries), Reason("result-from-library", name=site.name, provider="a library")
    )


def _relative(site: CallSite) -> Value | None:
    """`path.relative(__dirname, file)`."""
    begin, path = (path_of(site.program, site.argument(at), site.scope) for at in (0, 1))
    if begin is None or path is None:
        return None
    return Constant(posixpath.relpath(path or ".", begin or "."), site.call.span)


_FUNCTIONS: dict[str, CallModel] = {
    **dict.fromkeys(_JOINING, joined_path),
    "basename": _of_path(_basename),
    "extname": _of_path(_extension),
    "parse": _parsed_path,
    "relative": _relative,
}
CALL_MODELS: dict[str, CallModel] = {
    f"{module}.{name}": model for module in _MODULES for name, model in _FUNCTIONS.items()
}
"""Key: qualified name."""
