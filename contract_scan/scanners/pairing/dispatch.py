"""Contracts whose operations are answered as a whole: by a route for every path, or by a library
that is given the contract and finds the function for an operation by its name.

Where not one operation has a route of its own, that many missing ones are less likely than this.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from contract_scan.ir.document import CodeModel, ContractDocument
from contract_scan.ir.operation import Operation, with_answers
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.scanners.pairing.paths import has_catch_all, literal_count
from contract_scan.scanners.pairing.routes import Route

MAX_NAMES: Final = 20
"""Names of operations that are looked for in the code: they are all there, or hardly any."""
_SUFFIXES: Final = ("yaml", "yml", "json")
_FILES: Final = tuple(f"{stem}.{end}" for stem in ("openapi", "swagger") for end in _SUFFIXES)
"""What files of contracts are called in most projects: the one that is named here may be a copy."""


def fallbacks(routes: Sequence[Route]) -> list[Route]:
    """Routes for every path of the server, less those that refuse whatever they get."""
    return [
        route
        for route in routes
        if has_catch_all(route.path)
        and not literal_count(route.path)
        and not _refuses(route.operation)
    ]


def answered_as_a_whole(method: str, routes: Sequence[Route]) -> tuple[Operation, Reason] | None:
    """The route for every path that may answer an operation of a contract without any route, and
    the reason to give. `routes` are `fallbacks`."""
    for route in routes:
        if route.accepts_method(method):
            return route.operation, Reason("one-route-answers-contract", route=route.label)
    return None


def dispatched_by_name(
    document: ContractDocument, operations: Sequence[Operation], code: CodeModel
) -> Reason:
    """Why the operations of a document may be answered by functions of their names; empty where
    nothing says so: no file names a contract's file, or less than half of the names are there."""
    names = [operation.operation_id for operation in operations if operation.operation_id]
    asked = names[:MAX_NAMES]
    if 2 * len(names) < len(operations) or not asked:
        return NO_REASON
    files = dict.fromkeys((PurePosixPath(document.path).name, *_FILES))
    loading = next((path for name in files for path in code.with_quoted_name(name)), "")
    if not loading:
        return NO_REASON
    there = sum(bool(code.with_word(name)) for name in asked)
    return Reason("routed-by-contract-file", path=loading) if 2 * there >= len(asked) else NO_REASON


def _refuses(operation: Operation) -> bool:
    """Whether a route only says that there is nothing."""
    answering = with_answers(operation)
    statuses = {response.status for response in answering.responses}
    return (
        bool(statuses) and answering.statuses_complete and all(s.startswith("4") for s in statuses)
    )
