"""Contracts beside those that a build generates the code's own interface from.

A repository publishes more documents than it serves: the one of a gateway in front of several
services, those of versions that a function answers, bundles of both. Where a build generates server
stubs from some of the documents that were found, these are what the code serves. Another one of
which nothing has a route then promises nothing of this code; nor do those operations of a bundle
that have none while most of it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from contract_scan.counted import counted
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import UNREACHABLE_ROUTE, Operation
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.pairing.other_services import (
    FOREIGN,
    MOSTLY_WITHOUT_ROUTES,
    is_end,
    is_telling,
)
from contract_scan.scanners.pairing.paired import OtherServices, PossibleOperation
from contract_scan.scanners.pairing.paths import Segments

_PARTS = ("contract-part-without-routes", "operation-of-contract-without-routes")
_OF_GATEWAY = ("operation-of-function", "operation-of-gateway")


def take_operations_of_others(
    possible: list[PossibleOperation],
    documents: Mapping[str, tuple[ContractDocument, Sequence[Operation]]],
    paired: Mapping[str, int],
    generated: Mapping[str, str],
    routes: Sequence[Operation],
    normalise: Callable[[str], Segments],
) -> list[OtherServices]:
    """Takes the operations that are not this code's out of those whose routes are undetermined.

    `paired` counts for each document the telling operations that have a route; `generated` has the
    build that generates server stubs from a document. Nothing is taken while the paths of some
    routes are undetermined, or where most of what is generated has no route: the code's routes are
    not read then. A path at which a route ends may be that route's, below a prefix.
    """
    interface = _interface(documents, paired, generated)
    unread = any(route.unresolved not in ("", UNREACHABLE_ROUTE) for route in routes)
    if not interface or unread:
        return []
    served = [normalise(route.path) for route in routes]
    near = {
        each.document.path
        for each in possible
        if each.reason.code not in _OF_GATEWAY
        and is_telling(each.contract)
        and is_end(normalise(each.contract.path), served)
    }
    taken: dict[str, list[Operation]] = {}
    for each in list(possible):
        path = each.document.path
        if (
            path not in generated
            and each.route is None
            and (
                each.reason.code in _OF_GATEWAY
                or (path not in near and _is_without_routes(each.reason))
            )
        ):
            possible.remove(each)
            taken.setdefault(path, []).append(each.contract)
    return [
        OtherServices(
            documents[path][0],
            tuple(operations),
            Reason(
                "contract-beside-generated",
                build=generated[interface],
                path=interface,
                operations=counted(len(operations), "operation"),
            ),
        )
        for path, operations in taken.items()
    ]


def _interface(
    documents: Mapping[str, tuple[ContractDocument, Sequence[Operation]]],
    paired: Mapping[str, int],
    generated: Mapping[str, str],
) -> str:
    """The generated document that most routes of the code are of; empty where less than half of
    what is generated has a route."""
    own = [path for path in generated if path in documents]
    total = sum(len(documents[path][1]) for path in own)
    if not total or 2 * sum(paired.get(path, 0) for path in own) < total:
        return ""
    return max(own, key=lambda path: paired.get(path, 0))


def _is_without_routes(reason: Reason) -> bool:
    return reason in (FOREIGN, MOSTLY_WITHOUT_ROUTES) or reason.code in _PARTS
