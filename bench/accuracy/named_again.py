"""Where a class says the names of its fields a second time: the lists of Django's `class Meta`.

There the name on the wire stands. A declaration that is renamed alone makes a program that does not
start, which is no drift.
"""

from __future__ import annotations

import ast


def named_again(text: str, line: int, name: str) -> list[tuple[int, int, int]]:
    """(row, start, end) of each string in the `Meta` of the innermost class around a line that is
    the name of the field, without its quotes. Rows count from 0."""
    found: list[tuple[int, int, int]] = []
    around = _class_around(text, line)
    metas = [] if around is None else [c for c in _classes(around) if c.name == "Meta"]
    for node in (inner for meta in metas for inner in ast.walk(meta)):
        if not isinstance(node, ast.Constant) or node.value != name or node.end_col_offset is None:
            continue
        if node.end_col_offset - node.col_offset == len(name) + 2:
            found.append((node.lineno - 1, node.col_offset + 1, node.end_col_offset - 1))
    return found


def _class_around(text: str, line: int) -> ast.ClassDef | None:
    try:
        pending: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError):
        return None
    innermost: ast.ClassDef | None = None
    while pending:
        for node in _classes(pending.pop()):
            if node.lineno <= line <= (node.end_lineno or node.lineno):
                innermost = node
                pending.append(node)
    return innermost


def _classes(node: ast.AST) -> list[ast.ClassDef]:
    return [inner for inner in getattr(node, "body", ()) if isinstance(inner, ast.ClassDef)]
