"""What pairing the operations of contracts with routes gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Application, Operation
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.pairing.base_path_offset import DocumentMount
from contract_scan.scanners.pairing.dynamic_prefix import UndeterminedPrefix


class OperationPair(Struct, frozen=True):
    """A contracted operation and the routes that implement it."""

    document: ContractDocument
    contract: Operation
    routes: tuple[Operation, ...]


class MissingOperation(Struct, frozen=True):
    """A contracted operation without a route."""

    document: ContractDocument
    contract: Operation
    other_methods: tuple[Operation, ...] = ()
    """Routes of the same path with other methods."""


class PossibleOperation(Struct, frozen=True):
    """A contracted operation of which is undetermined whether it has a route."""

    document: ContractDocument
    contract: Operation
    reason: Reason
    route: Operation | None = None


class OtherServices(Struct, frozen=True):
    """Operations of a document that promise nothing of this code, all of it or some."""

    document: ContractDocument
    operations: tuple[Operation, ...]
    reason: Reason
    """What says so, for all of them."""


class UndocumentedRoute(Struct, frozen=True):
    """A route that no contract mentions."""

    route: Operation
    path: str
    """Its path as a contract would write it: below the base path where the code mounts it."""
    folds_case: bool
    """Whether the router answers it in any letter case."""


class OtherApplication(Struct, frozen=True):
    """An application that is not what the contracts describe, but another program beside it."""

    application: Application
    routes: tuple[Operation, ...]
    """Its routes, which are not compared."""


class CopiedRoute(Struct, frozen=True):
    """A route that no contract mentions under its own path, and that a loop registers again under
    others."""

    route: Operation
    loop: Operation
    """What stands for the copies."""


def copied_routes(
    undocumented: Iterable[UndocumentedRoute], loops: Sequence[Operation]
) -> tuple[CopiedRoute, ...]:
    """The routes that a loop of their application registers again."""
    by_application = {loop.application: loop for loop in reversed(loops)}
    return tuple(
        CopiedRoute(entry.route, by_application[entry.route.application])
        for entry in undocumented
        if entry.route.application in by_application
    )


class OperationPairing(Struct, frozen=True):
    """Everything that pairing a unit's operations gave."""

    pairs: tuple[OperationPair, ...] = ()
    missing: tuple[MissingOperation, ...] = ()
    possible: tuple[PossibleOperation, ...] = ()
    undocumented: tuple[UndocumentedRoute, ...] = ()
    mountings: tuple[tuple[ContractDocument, DocumentMount], ...] = ()
    undetermined: tuple[UndeterminedPrefix, ...] = ()
    unplaced: tuple[UndeterminedPrefix, ...] = ()
    """Documents with operations that are paired by their names alone."""
    others: tuple[OtherApplication, ...] = ()
    copied: tuple[CopiedRoute, ...] = ()
    other_services: tuple[OtherServices, ...] = ()
