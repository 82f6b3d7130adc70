"""Names of other modules that fixes need."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from contract_scan.fixes.python_child.source import Edit, Source


def add_import(source: Source, module: str, name: str) -> list[Edit] | None:
    """What brings a name of a module into a file; nothing where it is there. None where the file
    has another thing so called, or no place for it."""
    known = imported_names(source).get(name)
    if known is not None:
        same = known.startswith(f"{module}.") and known.endswith(f".{name}")
        return [] if same else None
    last: ast.stmt | None = None
    extended: ast.ImportFrom | None = None
    for statement in source.tree.body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if statement.name == name:
                return None
            break  # what is imported further below comes too late
        if isinstance(statement, ast.Import | ast.ImportFrom):
            last = statement
        if isinstance(statement, ast.ImportFrom) and _module(statement) == module:
            extended = statement
    if extended is not None and extended.names[-1].name != "*":
        alias = extended.names[-1]
        line = alias.end_lineno or alias.lineno
        column = source.column(line, alias.end_col_offset or 0)
        return [((line, column, line, column), f", {name}")]
    if last is None:
        return None
    edit = source.line_after(last.end_lineno or last.lineno, f"from {module} import {name}")
    return None if edit is None else [edit]


def imported_names(source: Source) -> dict[str, str]:
    """The names that the module binds by imports → their origins."""
    return {
        bound: origin for statement in source.tree.body for bound, origin in _bound_names(statement)
    }


def _bound_names(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    if isinstance(statement, ast.ImportFrom):
        module = _module(statement)
        for alias in statement.names:
            yield alias.asname or alias.name, f"{module}.{alias.name}"
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0], alias.name


def _module(statement: ast.ImportFrom) -> str:
    return "." * statement.level + (statement.module or "")


def dotted_name(node: cst.BaseExpression) -> str:
    """`a.b.c` of names and attributes; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join([node.value, *reversed(parts)])
