"""Contracts that were found in the tree and may be those of services that the code calls, and parts
of contracts whose code may be elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from contract_scan.counted import counted
from contract_scan.ir.document import CalledService, ContractDocument
from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.pairing.base_path_offset import DocumentMount, mounted_paths
from contract_scan.scanners.pairing.paired import (
    MissingOperation,
    OperationPair,
    OtherServices,
    PossibleOperation,
)
from contract_scan.scanners.pairing.paths import (
    Segments,
    ends_in_version,
    literal_count,
    segments,
)

FOREIGN = Reason("contract-without-routes")
UNREAD = Reason("contract-maybe-other-service")
MOSTLY_WITHOUT_ROUTES = Reason("contract-mostly-without-routes")
_COMMON_ROUTE = Reason("route-of-every-service")
_COMMON = frozenset(
    {
        "health", "healthz", "healthcheck", "health-check", "ping", "status", "version", "metrics",
        "ready", "readyz", "live", "livez", "info",
    }
)  # fmt: skip
"""Paths that every other service answers as well."""
Missing: TypeAlias = list[tuple[MissingOperation, list[Segments]]]
"""What a document misses, each with the paths at which it was looked for."""
TOO_MANY = 10
"""How many operations of a contract that was found, or below one of its prefixes, are more likely
unread than all missing."""


def is_telling(operation: Operation) -> bool:
    """Whether a route for an operation says that its contract is the code's: not for the root, nor
    for what every service answers."""
    words = segments(operation.path.casefold())
    own = [word for word in words if word != "api" and not ends_in_version((word,))]
    return len(own) > 1 or not _COMMON.issuperset(own)


def telling_operations(
    operations: Sequence[Operation], routes: Sequence[Operation]
) -> Sequence[Operation]:
    """The operations by which a contract is known to be the code's: all of them where what every
    service answers is most of what the contract or the code has."""
    telling = [operation for operation in operations if is_telling(operation)]
    of_code = sum(map(is_telling, routes))
    is_mostly_common = min(2 * len(telling) - len(operations), 2 * of_code - len(routes)) <= 0
    return operations if is_mostly_common else telling


def without_common_routes(
    pairs: Iterable[OperationPair],
    documents: Mapping[str, tuple[ContractDocument, Sequence[Operation]]],
    foreign: Collection[str],
    routes: Sequence[Operation],
) -> tuple[list[OperationPair], list[PossibleOperation]]:
    """The pairs without those of documents that are not the code's, and these: the code answers
    what every service answers."""
    remaining: list[OperationPair] = []
    elsewhere: list[PossibleOperation] = []
    for pair in pairs:
        _, operations = documents[pair.document.path]
        is_ours = pair.document.path not in foreign
        if is_ours or telling_operations(operations, routes) is operations:
            remaining.append(pair)
        else:
            elsewhere.append(PossibleOperation(pair.document, pair.contract, _COMMON_ROUTE))
    return remaining, elsewhere


def not_ours(
    documents: Mapping[str, tuple[ContractDocument, Sequence[Operation]]],
    paired: Mapping[str, int],
    signs: Mapping[str, CalledService],
    routes: Sequence[Operation],
) -> dict[str, Reason]:
    """Documents of which nothing has a route, by path, with what that may mean: half of another one
    has (services keep the contracts of others that they call), there are too many operations to
    be all missing, in this one or in all together, or the code has other routes and the folder of
    the document says that it is called. `paired` counts for each path the telling operations that
    have a route."""
    half = any(
        2 * paired.get(path, 0) >= len(operations) for path, (_, operations) in documents.items()
    )
    together = 0 if any(paired.values()) else sum(len(each) for _, each in documents.values())
    serves = any(map(_is_served, routes))
    found: dict[str, Reason] = {}
    for path, (_, operations) in documents.items():
        if paired.get(path):
            continue
        folder = signs[path].folder if path in signs and serves else ""
        if half:
            found[path] = FOREIGN
        elif folder:
            found[path] = Reason("contract-in-folder-of-clients", folder=folder)
        elif max(len(operations), together) >= TOO_MANY:
            found[path] = UNREAD
    return found


def take_parts_elsewhere(
    missing: Missing,
    operations: Sequence[Operation],
    normalise: Callable[[str], Segments],
    mounting: DocumentMount,
    routes: tuple[Collection[Segments], Collection[Segments]],
) -> Iterator[PossibleOperation]:
    """Takes out of what a document misses the parts whose code may be elsewhere. `routes` are the
    paths of all routes, and of those that stand for no operation."""
    if len(missing) < TOO_MANY:
        return
    for prefix in _prefixes_without_routes(
        [normalise(each.path) for each in operations],
        [normalise(answer.contract.path) for answer, _ in missing],
        mounting,
        *routes,
    ):
        reason = MOSTLY_WITHOUT_ROUTES
        if prefix:
            reason = Reason("contract-part-without-routes", prefix=f"/{'/'.join(prefix)}")
        for each in list(missing):
            answer, _ = each
            path = normalise(answer.contract.path)
            if _is_below(path, prefix) and not answer.other_methods:
                missing.remove(each)
                yield PossibleOperation(answer.document, answer.contract, reason)


def take_listed_elsewhere(
    missing: Mapping[str, Missing],
    possible: Iterable[PossibleOperation],
    normalise: Callable[[str], Segments],
) -> list[PossibleOperation]:
    """Takes out of what documents miss the operations that another contract lists as well, of which
    it is undetermined whether it is the code's: a bundle for a gateway repeats those of several
    services, of which one document has many and another few."""
    listed = {
        (each.contract.method, normalise(each.contract.path)): each.document.path
        for each in possible
        if each.reason in (FOREIGN, UNREAD, MOSTLY_WITHOUT_ROUTES) and is_telling(each.contract)
    }
    found: list[PossibleOperation] = []
    for answers in missing.values():
        for each in list(answers):
            answer, _ = each
            key = answer.contract.method, normalise(answer.contract.path)
            if (other := listed.get(key)) and not answer.other_methods:
                answers.remove(each)
                reason = Reason("operation-of-contract-without-routes", path=other)
                found.append(PossibleOperation(answer.document, answer.contract, reason))
    return found


def is_end(tail: Segments, routes: Iterable[Segments]) -> bool:
    """Whether a route ends as a path does that has more than parameters."""
    return literal_count(tail) > 0 and any(route[-len(tail) :] == tail for route in routes)


def _prefixes_without_routes(
    contracted: Collection[Segments],
    missing: Collection[Segments],
    mounting: DocumentMount,
    routes: Collection[Segments],
    unused: Collection[Segments],
) -> list[Segments]:
    """The prefixes of a contract below which nothing has a route: too many operations to be all
    missing, while most of those elsewhere have one; the empty one where most of all have none.
    `contracted` are the paths of all operations, `missing` of those without a route, `unused` the
    routes that stand for no operation: where they end as those below the prefix do, the code calls
    the prefix otherwise."""
    if len(missing) >= TOO_MANY and 2 * len(missing) > len(contracted):
        return [()]
    below = Counter(path[:length] for path in missing for length in range(1, len(path) + 1))
    whole = set()
    for prefix, count in below.items():
        tails = [path[len(prefix) :] for path in missing if _is_below(path, prefix)]
        if (
            count >= TOO_MANY
            and count == sum(_is_below(path, prefix) for path in contracted)
            and not any(
                _is_below(r, own) for own in mounted_paths(prefix, mounting) for r in routes
            )
            and 2 * sum(is_end(tail, unused) for tail in tails) < count
        ):
            whole.add(prefix)
    return [prefix for prefix in whole if prefix[:-1] not in whole]


def _is_below(path: Segments, prefix: Segments) -> bool:
    """Whether a path begins with a prefix."""
    return path[: len(prefix)] == prefix


def called_contracts(
    documents: Mapping[str, tuple[ContractDocument, Sequence[Operation]]],
    paired: Mapping[str, int],
    signs: Mapping[str, CalledService],
    routes: Sequence[Operation],
    elsewhere: Sequence[Operation],
) -> dict[str, Reason]:
    """Documents of services that the code calls, by path, with what says so. `elsewhere` are the
    routes of the parts of the repository that other contracts govern.

    A client that a build generates says it where the code has no route for half of the document:
    a front end beside a service generates one of the service's own. Data classes and the name of a
    folder say it where the code has none at all, both together are as good as a client. In any
    case the code's own routes have to be read: those of half of another document, some below the
    folder of the build that generates the client, or some at all where the client is committed and
    the code has no route of the document. A part that has no routes at all, but clients that other
    parts use, counts with theirs.
    """
    own = [path for path in documents if path not in signs]
    read = any(2 * paired.get(path, 0) >= len(documents[path][1]) for path in own)
    serves = any(map(_is_served, routes))
    found: dict[str, Reason] = {}
    for path, sign in signs.items():
        if path not in documents:
            continue
        count = paired.get(path, 0)
        is_client = sign.product == "client"
        strong = is_client or bool(sign.product and sign.folder)
        if count and (not strong or 2 * count >= len(documents[path][1])):
            continue
        if sign.committed:
            has_own_routes = serves and not count
        else:
            has_own_routes = is_client and (
                _serves_beside(sign.build, path, routes)
                or (not serves and any(map(_is_served, elsewhere)))
            )
        if read or has_own_routes:
            found[path] = _reason(sign)
    return found


def other_services(document: ContractDocument, reason: Reason) -> OtherServices:
    """A document of a service that the code calls, with what says so."""
    operations = counted(len(document.operations), "operation")
    told = Reason("contract-of-called-service", reason=reason, operations=operations)
    return OtherServices(document, document.operations, told)


def take_at_other_servers(
    left: list[tuple[ContractDocument, Operation, list[Segments]]],
) -> list[OtherServices]:
    """Takes the operations that the contract itself puts at another host out of those without a
    route; gives them by document and host."""
    found: dict[tuple[str, str], tuple[ContractDocument, list[Operation]]] = {}
    for document, operation, _ in left:
        if operation.server:
            key = document.path, operation.server
            found.setdefault(key, (document, []))[1].append(operation)
    left[:] = [each for each in left if not each[1].server]
    return [
        OtherServices(
            document,
            tuple(there),
            Reason("at-other-server", host=host, operations=counted(len(there), "operation")),
        )
        for (_, host), (document, there) in found.items()
    ]


def _serves_beside(build: str, contract: str, routes: Sequence[Operation]) -> bool:
    """Whether the part of the code that has a build and a contract has routes as well."""
    folder = build.rpartition("/")[0]
    inside = f"{folder}/" if folder else ""
    return contract.startswith(inside) and any(
        _is_served(route) and route.origin.path.startswith(inside) for route in routes
    )


def _is_served(route: Operation) -> bool:
    return is_telling(route) and not route.unresolved


def _reason(sign: CalledService) -> Reason:
    if sign.committed:
        return Reason("is-generated-client", build=sign.build)
    if sign.product == "client":
        return Reason("build-generates-client", build=sign.build)
    if sign.product:
        return Reason("build-generates-data-classes", build=sign.build)
    return Reason("contract-in-folder", folder=sign.folder)
