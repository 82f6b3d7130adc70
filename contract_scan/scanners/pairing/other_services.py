"""Contracts that were found in the tree and may be those of services that the code calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation

FOREIGN = (
    "nothing in this contract has a route, while another contract's operations have: it may be "
    "that of a service that the code calls (configure each service with its contracts)"
)
UNREAD = (
    "not one operation of this contract has a route: they may be registered in a way that is not "
    "read, or the contract is another service's (name the contract to have them told as missing)"
)
_COMMON = frozenset(
    {
        "health", "healthz", "healthcheck", "health-check", "ping", "status", "version", "metrics",
        "ready", "readyz", "live", "livez", "info",
    }
)  # fmt: skip
"""Paths that every other service answers as well."""
TOO_MANY = 10
"""How many operations of a contract that was found are more likely unread than all missing."""


def is_telling(operation: Operation) -> bool:
    """Whether a route for an operation says that its contract is the code's: not for the root, nor
    for what every service answers."""
    return operation.path.strip("/").casefold() not in _COMMON | {""}


def not_ours(
    documents: Mapping[str, tuple[ContractDocument, Sequence[Operation]]],
    paired: Mapping[str, int],
) -> dict[str, str]:
    """Documents of which nothing has a route, by path, with what that may mean: half of another one
    has (services keep the contracts of others that they call), or there are too many operations to
    be all missing, in this one or in all together. `paired` counts for each path the telling
    operations that have a route."""
    half = any(
        2 * paired.get(path, 0) >= len(operations) for path, (_, operations) in documents.items()
    )
    together = 0 if any(paired.values()) else sum(len(each) for _, each in documents.values())
    return {
        path: FOREIGN if half else UNREAD
        for path, (_, operations) in documents.items()
        if not paired.get(path) and (half or max(len(operations), together) >= TOO_MANY)
    }
