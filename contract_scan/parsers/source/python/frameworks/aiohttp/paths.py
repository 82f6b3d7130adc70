"""Paths of aiohttp's routes."""

from __future__ import annotations


def template(path: str) -> tuple[str, dict[str, str]]:
    r"""`/orders/{id:\d+}/{rest:.*}` as a plain template, and the expression of each parameter."""
    found: list[str] = []
    expressions: dict[str, str] = {}
    position = 0
    while position < len(path):
        start = path.find("{", position)
        if start < 0:
            break
        end = _closing_brace(path, start)
        name, _, expression = path[start + 1 : end].partition(":")
        found.append(path[position:start])
        found.append(f"{{{name}*}}" if expression.startswith((".*", ".+")) else f"{{{name}}}")
        expressions[name] = expression
        position = end + 1
    found.append(path[position:])
    return "".join(found), expressions


def _closing_brace(path: str, start: int) -> int:
    """Where the brace at `start` closes; expressions may hold braces of their own."""
    depth = 0
    for position in range(start, len(path)):
        depth += {"{": 1, "}": -1}.get(path[position], 0)
        if depth == 0:
            return position
    return len(path)
