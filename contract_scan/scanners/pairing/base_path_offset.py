"""Where the code mounts what the contract describes: the constant distance between their paths."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.scanners.pairing.paths import (
    PARAMETER,
    Segments,
    ends_in_version,
    segments,
)
from contract_scan.scanners.pairing.routes import Route


class Offset(Struct, frozen=True):
    """How paths of a contract become paths of the code: take `removed` off, put `added` before."""

    added: Segments = ()
    removed: Segments = ()

    def apply(self, path: Segments) -> Segments | None:
        """The path in the code; None where the contract's path does not begin with `removed`."""
        if path[: len(self.removed)] != self.removed:
            return None
        return self.added + path[len(self.removed) :]


class DocumentMount(Struct, frozen=True):
    """Where the routes of one document are."""

    prefixes: tuple[Segments, ...]
    """The base paths to try, the best first; nothing (`()`) is always among them."""
    offset: Offset | None = None
    """A distance that the document does not declare: worth one finding."""
    declared_missing: Segments = ()
    """A base path that the document declares and no matched route has: worth one finding."""
    servers: tuple[Segments, ...] = ()
    """Those of `prefixes` that stand for servers of the document, which describes the routes below
    each of them."""


def find_mounting(
    contract: Sequence[tuple[str, Segments]],
    base_paths: Iterable[str],
    routes: Mapping[Segments, frozenset[str]],
    base_path_optional: bool = False,
) -> DocumentMount:
    """Find where the code mounts a document's operations.

    `contract` lists (method, path) of the document; `routes` the methods of each path in the code.
    """
    declared = tuple(dict.fromkeys(base for base in map(segments, base_paths) if base))
    below = _below_each_other(declared)
    hits = {
        prefix: {
            index
            for index, (method, path) in enumerate(contract)
            if answers(routes, method, prefix + path)
        }
        for prefix in ((), *declared, *below)
    }
    order = tuple(sorted(hits, key=lambda prefix: (-len(hits[prefix]), prefix == ())))
    matched = set().union(*hits.values())
    offset, votes = _vote(contract, routes)
    # A gateway takes off what stands before the version: `/shop/v2` is `/v2` here.
    is_declared = offset is not None and any(
        ends_in_version(base) and _is_end_of(base, offset) for base in declared
    )
    if offset is not None and _is_convincing(
        votes, 0 if is_declared and votes == len(hits[()]) else len(matched), len(contract)
    ):
        return DocumentMount(order, offset)
    only_bare = bool(declared) and bool(hits[()]) and not any(hits[base] for base in declared)
    servers = ((), *below) if only_bare else declared
    if only_bare and not base_path_optional:
        return DocumentMount(order, None, declared[0], servers)
    return DocumentMount(order, servers=servers)


def _below_each_other(declared: Sequence[Segments]) -> tuple[Segments, ...]:
    """What stands between two base paths of a document: where a gateway takes `/shop` off, its
    server at `/shop/tenants/{}` is `/tenants/{}` here."""
    found = {
        other[len(base) :]: None
        for base in declared
        for other in declared
        if len(other) > len(base) and other[: len(base)] == base
    }
    return tuple(path for path in found if path not in declared)


def _is_end_of(base: Segments, offset: Offset) -> bool:
    return bool(offset.added) and not offset.removed and base[-len(offset.added) :] == offset.added


class MountedDocument(Struct, frozen=True):
    """A document of several, and where the code seems to mount it."""

    contract: Sequence[tuple[str, Segments]]
    """(method, path) of its operations."""
    base_paths: tuple[Segments, ...]
    """The base paths that it declares."""
    mounting: DocumentMount


def contested_offsets(
    documents: Mapping[str, MountedDocument], routes: Mapping[Segments, frozenset[str]]
) -> frozenset[str]:
    """The documents whose undeclared distance leads to routes that another document, of another
    base path, claims with as much right: they say the same of different interfaces.

    A document that declares where its routes are has the most right to them; then the one whose
    base path has more words in common with where they are.
    """
    claims: dict[tuple[str, Segments], dict[str, tuple[bool, int]]] = defaultdict(dict)
    for name, document in documents.items():
        offset = document.mounting.offset
        for method, path in document.contract:
            for base in document.mounting.prefixes:
                if answers(routes, method, base + path):
                    claims[method, base + path][name] = (True, 0)
            moved = None if offset is None else offset.apply(path)
            if offset is not None and moved is not None and answers(routes, method, moved):
                right = (False, _words_in_common(offset, document.base_paths))
                claims[method, moved].setdefault(name, right)
    return frozenset(
        name
        for each in claims.values()
        for name, (declared, words) in each.items()
        if not declared
        and any(
            right >= (declared, words)
            for other, right in each.items()
            if documents[other].base_paths != documents[name].base_paths
        )
    )


def _words_in_common(offset: Offset, base_paths: Iterable[Segments]) -> int:
    added = {part for part in offset.added if part != PARAMETER}
    return max((len(added.intersection(base)) for base in base_paths), default=0)


def mounted_paths(path: Segments, mounting: DocumentMount) -> list[Segments]:
    """Every path the code may have for a path of the contract, the likeliest first."""
    paths = [prefix + path for prefix in mounting.prefixes]
    if mounting.offset is not None and (moved := mounting.offset.apply(path)) is not None:
        paths.insert(0, moved)
    return list(dict.fromkeys(paths))


def at_all_servers(
    operation: Operation,
    path: Segments,
    mounting: DocumentMount,
    routes: Mapping[Segments, Iterable[Route]],
) -> Iterator[Operation]:
    """The routes of an operation below every server of its document, which describes them all; of
    those below several, the routes below one are compared."""
    for server in mounting.servers if len(mounting.servers) > 1 else ():
        for route in routes.get(server + path, ()):
            if route.operation.method == operation.method:
                yield route.operation


def answers(routes: Mapping[Segments, frozenset[str]], method: str, path: Segments) -> bool:
    """Whether a route has the path and the method."""
    methods = routes.get(path)
    return methods is not None and (method in methods or "*" in methods)


def _is_convincing(votes: int, matched: int, total: int) -> bool:
    # One constant distance must explain most of the document, and more than no distance does.
    return votes > matched and 2 * votes >= total


def _vote(
    contract: Sequence[tuple[str, Segments]], routes: Mapping[Segments, frozenset[str]]
) -> tuple[Offset | None, int]:
    """The distance with the most operations behind it."""
    tails: dict[Segments, list[Segments]] = defaultdict(list)
    for route in routes:
        for cut in range(1, len(route)):
            tails[route[cut:]].append(route)
    ballots: Counter[Offset] = Counter()
    for method, path in contract:
        if not any(part != PARAMETER for part in path):
            continue
        for offset in _possible(method, path, routes, tails):
            ballots[offset] += 1
    if not ballots:
        return None, 0
    best = min(ballots, key=lambda offset: (-ballots[offset], len(offset.added), offset.added))
    votes = sum(
        1
        for method, path in contract
        if (moved := best.apply(path)) is not None and answers(routes, method, moved)
    )
    return best, votes


def _possible(
    method: str,
    path: Segments,
    routes: Mapping[Segments, frozenset[str]],
    tails: Mapping[Segments, list[Segments]],
) -> set[Offset]:
    found = set()
    for route in tails.get(path, ()):
        if answers(routes, method, route):
            found.add(Offset(added=route[: len(route) - len(path)]))
    for cut in range(1, len(path)):
        rest = path[cut:]
        if answers(routes, method, rest) and any(part != PARAMETER for part in rest):
            found.add(Offset(removed=path[:cut]))
    return found
