"""Contracts that stand beside the code that calls an API, not beside the code that serves it.

A front end keeps the `openapi.json` that its client is generated from. Its folder has no route, or
routes of its own; those of the contract are elsewhere in the repository, as their paths show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation

_PARAMETER = re.compile(r"\{[^{}]*\}")


def is_served_by(documents: Iterable[ContractDocument], routes: Iterable[Operation]) -> bool:
    """Whether at least half of the contracted operations are among routes of some code, whatever
    prefix they have there."""
    given = tuple(documents)
    contracted = sum(len(document.operations) for document in given)
    return bool(contracted) and 2 * count_served(given, routes) >= contracted


def count_served(documents: Iterable[ContractDocument], routes: Iterable[Operation]) -> int:
    """How many of the contracted operations are among routes of some code, whatever prefix they
    have there."""
    ends: dict[str, set[str]] = {}
    for route in routes:
        ends.setdefault(route.method, set()).update(_ends(route.path))
    of_any_method = ends.get("*", set())
    return sum(
        _without_parameter_names(operation.path)
        in ends.get(operation.method, set()) | of_any_method
        for document in documents
        for operation in document.operations
    )


def _without_parameter_names(path: str) -> str:
    return _PARAMETER.sub("{}", path).strip("/")


def _ends(path: str) -> list[str]:
    """`a/b/c`, `b/c`, `c`: a path, and what is left of it without a prefix."""
    parts = _without_parameter_names(path).split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]
