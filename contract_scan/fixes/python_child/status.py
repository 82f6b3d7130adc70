"""The status that a route of FastAPI answers with."""

from __future__ import annotations

from typing import Any

import libcst as cst

from contract_scan.fixes.python_child.imports import dotted, imported
from contract_scan.fixes.python_child.names import with_argument
from contract_scan.fixes.python_child.source import Edit, Source

_ROUTES = ("get", "post", "put", "patch", "delete", "api_route")

Found = tuple[str, bool, list[Edit]]


def set_status(change: dict[str, Any], source: Source) -> Found | None:
    """`status_code` of the decorator."""
    node = source.around(change["span"], (cst.FunctionDef,))
    origins = imported(source).values()
    if not isinstance(node, cst.FunctionDef):
        return None
    if not any(origin.split(".")[0] == "fastapi" for origin in origins):
        return None
    wanted = change["wanted"]
    if wanted in ("204", "205") and not _sends_nothing(node, source):
        return None
    routes = [
        decorator.decorator
        for decorator in node.decorators
        if isinstance(decorator.decorator, cst.Call)
        and dotted(decorator.decorator.func).rpartition(".")[2] in _ROUTES
    ]
    if len(routes) != 1:
        return None
    title = f"answer with status {wanted}"
    for argument in routes[0].args:
        if argument.keyword is not None and argument.keyword.value == "status_code":
            if change["found"] not in source.code(argument.value):
                return None
            return title, True, [source.replace(argument.value, wanted)]
        if argument.star:
            return None
    added = with_argument(routes[0], "status_code", wanted, source)
    return None if added is None else (title, True, added)


def _sends_nothing(node: cst.FunctionDef, source: Source) -> bool:
    returned = node.returns.annotation if node.returns is not None else None
    if returned is None or source.code(returned) != "None":
        return False
    return "response_model" not in "".join(source.code(d) for d in node.decorators)
