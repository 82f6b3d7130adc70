"""Names of other modules that fixes need."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from contract_scan.fixes.python_child.source import Edit, Source


def add_import(source: Source, module: str, name: str) -> list[Edit] | None:
    """What brings a name of a module into a file; nothing where it is there. None where the file
    has another thing so called, or no place for it."""
    last: cst.SimpleStatementLine | None = None
    extended: cst.ImportFrom | None = None
    for line, statement in _imports(source):
        last = line
        for bound, origin in _bound(statement):
            if bound == name:
                same = origin == f"{module}.{name}" or origin.startswith(f"{module}.")
                return [] if same and origin.endswith(f".{name}") else None
        if isinstance(statement, cst.ImportFrom) and _module(statement) == module:
            extended = statement
    if extended is not None and not isinstance(extended.names, cst.ImportStar):
        return [
            source.after(
                extended.names[-1].name
                if extended.names[-1].asname is None
                else extended.names[-1],
                f", {name}",
            )
        ]
    if last is None:
        return None
    edit = source.line_below(last, f"from {module} import {name}")
    return None if edit is None else [edit]


def imported(source: Source) -> dict[str, str]:
    """The names that the module binds by imports, with what they stand for."""
    return {
        bound: origin for _, statement in _imports(source) for bound, origin in _bound(statement)
    }


def _imports(
    source: Source,
) -> Iterator[tuple[cst.SimpleStatementLine, cst.Import | cst.ImportFrom]]:
    for line in source.module.body:
        if isinstance(line, cst.SimpleStatementLine):
            for statement in line.body:
                if isinstance(statement, cst.Import | cst.ImportFrom):
                    yield line, statement


def _bound(statement: cst.Import | cst.ImportFrom) -> Iterator[tuple[str, str]]:
    if isinstance(statement.names, cst.ImportStar):
        return
    module = _module(statement) if isinstance(statement, cst.ImportFrom) else ""
    for alias in statement.names:
        whole = dotted(alias.name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            bound = alias.asname.name.value
        else:
            bound = whole if isinstance(statement, cst.ImportFrom) else whole.split(".")[0]
        yield bound, f"{module}.{whole}" if module else whole


def _module(statement: cst.ImportFrom) -> str:
    dots = "." * len(statement.relative)
    return dots + (dotted(statement.module) if statement.module is not None else "")


def dotted(node: cst.BaseExpression) -> str:
    """`a.b.c` of names and attributes; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join([node.value, *reversed(parts)])
