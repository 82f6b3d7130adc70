"""Paths of routes of which a part is undetermined."""

from __future__ import annotations

import re

from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, DYNAMIC_SEGMENT, Operation

_NAME = DYNAMIC_SEGMENT.strip("{}")
_BEGINNING = re.compile(r"/*(?:\{(?:computed)?\}/*)+")
_HOLE = "{}"


def with_undetermined_parts(operation: Operation) -> Operation:
    """The operation with each part of its path that is not told as a parameter of one name, which
    is none that the code reads. Where the path begins with such parts, they are one prefix, and
    what is written behind them is a segment of its own: nothing says that a word is split."""
    if not operation.unresolved or "{" not in operation.path:
        return operation
    beginning = _BEGINNING.match(operation.path)
    path = operation.path
    if beginning is not None:
        rest = path[beginning.end() :]
        path = f"{DYNAMIC_PREFIX}/{rest}" if rest else DYNAMIC_PREFIX
    path = path.replace(_HOLE, DYNAMIC_SEGMENT)
    parameters = tuple(
        p for p in operation.parameters if p.location != "path" or p.name not in ("", _NAME)
    )
    if path == operation.path and len(parameters) == len(operation.parameters):
        return operation
    return replace(operation, path=path, parameters=parameters)
