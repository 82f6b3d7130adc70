"""Which files are routes of Remix and React Router, and the paths that their names stand for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Call,
    Cast,
    Expr,
    LiteralExpr,
    Name,
    Spread,
)
from contract_scan.parsers.source.language import Files

SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs")
_FOLDER = "app/routes/"
_PACKAGES = (b'"@remix-run/', b'"@react-router/')
_PART = re.compile(r"(?>(?:\[[^\[\]/]*+\]|[^./])+)")
"""What stands between dots and slashes, but for dots in brackets."""


def route_files(files: Files) -> Iterator[str]:
    """Files below `app/routes` of a project."""
    for path in files.source("typescript"):
        if f"/{path}".find(f"/{_FOLDER}") >= 0 and not path.endswith(".d.ts"):
            yield path


def project_of(path: str) -> tuple[str, str] | None:
    """(project folder, path below `app/routes`) of a file."""
    at = f"/{path}".find(f"/{_FOLDER}")
    if at < 0:
        return None
    return path[: max(at - 1, 0)].rstrip("/") if at else "", path[at + len(_FOLDER) :]


def is_project(files: Files, folder: str) -> bool | None:
    """Whether the project in a folder uses Remix; None where no project file is seen."""
    content = files.read(posixpath.join(folder, "package.json"))
    return None if content is None else any(name in content for name in _PACKAGES)


def pattern_of(name: str) -> str | None:
    """The path of a file below `app/routes`, as Express writes it; None for a file that is no
    route."""
    stem = posixpath.splitext(name)[0]
    if stem.endswith((".test", ".spec", ".server", ".client")) and "/" not in stem:
        return None
    parts = stem.split("/")
    if len(parts) > 1 and parts[-1] in ("route", "_route"):
        parts = parts[:-1]
    text = "/".join(part.removesuffix("+") for part in parts)
    segments: list[str] = []
    for raw in _PART.findall(text):
        segment = _segment(raw)
        if segment is not None:
            segments.append(segment)
    return "/" + "/".join(segments)


def _segment(raw: str) -> str | None:
    """One part of a path: `$id`, `$`, `(optional)`, `_layout`, `users_`, `[escaped]`."""
    if raw in ("", "index", "_index", "route", "_route"):
        return None
    optional = raw.startswith("(") and raw.endswith(")")
    if optional:
        raw = raw[1:-1]
    if raw.startswith("_"):
        return None  # a layout without a path
    if raw == "$":
        return ":splat+"
    if raw.startswith("$"):
        return f":{re.sub(r'[^A-Za-z0-9_]', '_', raw[1:].removesuffix('_'))}" + "?" * optional
    text = re.sub(r"\[([^\[\]]*+)\]", r"\1", raw)
    text = text if "[" in raw else text.removesuffix("_")
    return f"{{{text}}}" if optional else text


def configured_routes(program: Program, path: str) -> Iterator[tuple[str, str]]:
    """(pattern, file) of each route that `app/routes.ts` lists: `route("users/:id", "./user.ts")`,
    `index`, `layout`, `prefix`."""
    file = program.facts(path)
    folder = posixpath.dirname(path)
    for export in file.exports:
        if export.exported == "default" and export.value is not None:
            for pattern, module in _listed_routes(export.value, "", 0):
                yield pattern, posixpath.normpath(posixpath.join(folder, module))


def _listed_routes(expr: Expr, prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    while isinstance(expr, Cast | Spread):
        expr = expr.value
    if depth > 30:
        return
    if isinstance(expr, ArrayLiteral):
        for item in expr.items:
            yield from _listed_routes(item, prefix, depth + 1)
        return
    if not isinstance(expr, Call) or not isinstance(expr.callee, Name):
        return
    texts = [_text(argument.value) for argument in expr.args]
    rest = [argument.value for argument in expr.args]
    match expr.callee.id:
        case "route" if len(texts) > 1 and texts[1] is not None:
            own = f"{prefix}/{texts[0] or ''}"
            yield own, texts[1]
            for child in rest[2:]:
                yield from _listed_routes(child, own, depth + 1)
        case "index" if texts and texts[0] is not None:
            yield prefix or "/", texts[0]
        case "layout":
            for child in rest[1:]:
                yield from _listed_routes(child, prefix, depth + 1)
        case "prefix" if len(rest) > 1 and texts[0] is not None:
            yield from _listed_routes(rest[1], f"{prefix}/{texts[0]}", depth + 1)


def _text(expr: Expr) -> str | None:
    value = expr.value if isinstance(expr, LiteralExpr) else None
    return value if isinstance(value, str) else None
