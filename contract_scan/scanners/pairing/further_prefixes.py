"""Parts of one contract that the code serves below prefixes of their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from contract_scan.ir.operation import Operation
from contract_scan.scanners.pairing.paths import PARAMETER, Segments, literal_count
from contract_scan.scanners.pairing.routes import Route
from contract_scan.scanners.pairing.sibling_routes import MOUNTED_FROM


def below_further_prefixes(
    missing: Sequence[tuple[str, Segments]], routes: Iterable[Route]
) -> Sequence[Operation | None]:
    """For each method and path, all of one contract, the only route that ends in the whole of it.

    None unless so many paths of the contract are found below one prefix that it is hardly chance,
    and for paths of a single word.
    """
    by_tail: dict[Segments, list[Route]] = defaultdict(list)
    for route in routes:
        for start in range(1, len(route.path)):
            by_tail[route.path[start:]].append(route)
    found: list[tuple[Segments, Operation] | None] = []
    for method, path in missing:
        answers = [r for r in by_tail.get(path, ()) if r.accepts_method(method)]
        is_unique = literal_count(path) > 1 and len(answers) == 1
        prefix = answers[0].path[: -len(path)] if is_unique else ()
        found.append((prefix, answers[0].operation) if is_unique else None)
    prefixes = Counter(each[0] for each in found if each is not None)
    return [
        each[1] if each is not None and prefixes[each[0]] >= MOUNTED_FROM else None
        for each in found
    ]


# --------------------------------------------------------------------------- contracts of gateways


def behind_gateway(
    missing: Sequence[tuple[str, Segments]], routes: Mapping[Segments, Sequence[Route]]
) -> Sequence[Operation | None]:
    """For each method and path, all of one contract, the route that answers it without the first
    word of its path.

    None for all unless two words at least stand for services in folders of their own, as no service
    can do that has lost a prefix, and half of what is below each is found there.
    """
    below: dict[str, list[int]] = defaultdict(list)
    answers: list[dict[PurePosixPath, Operation]] = []
    for position, (method, path) in enumerate(missing):
        answers.append(
            {
                PurePosixPath(route.operation.origin.path).parent: route.operation
                for route in routes.get(path[1:], ())
                if route.accepts_method(method)
            }
        )
        if path and PARAMETER not in path[0]:
            below[path[0]].append(position)
    folders = {
        word: folder
        for word, positions in below.items()
        if (folder := _folder(word, [answers[position] for position in positions])) is not None
    }
    services = Counter(folders.values())
    found: list[Operation | None] = [None] * len(missing)
    for word, folder in folders.items():
        for position in below[word]:
            if services[folder] == 1:
                found[position] = answers[position].get(folder)
    distinct = sum(count == 1 for count in services.values())
    enough = distinct > 1 and sum(route is not None for route in found) >= MOUNTED_FROM
    return found if enough else [None] * len(missing)


def _folder(
    word: str, answers: Sequence[Mapping[PurePosixPath, Operation]]
) -> PurePosixPath | None:
    """The folder whose routes answer most of what is below a word, half of it at least; of several
    the one that is called like it."""
    counts = Counter(folder for each in answers for folder in each)
    best = max(counts, key=lambda folder: (counts[folder], word in folder.parts), default=None)
    return best if best is not None and 2 * counts[best] >= len(answers) else None
