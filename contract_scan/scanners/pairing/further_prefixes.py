"""Parts of one contract that the code serves below prefixes of their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from contract_scan.ir.operation import Operation
from contract_scan.scanners.pairing.paths import Segments, literal_count
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
