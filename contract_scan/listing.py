"""What a scan would read: files, contracts, and which of them govern what; and what is in use.

Nothing is compared here. `contract-scan check --show-files` and `contract-scan init` draw it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.api import open_code
from contract_scan.cache import Place
from contract_scan.config import Config
from contract_scan.ir.document import ContractDocument, NotAnalysed
from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Operation
from contract_scan.parsers.archives import ARCHIVED
from contract_scan.parsers.contracts.discover import candidates, discover_contracts, set_aside
from contract_scan.parsers.source.discovery.discover import SourceTree, is_inside
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.project_model import is_below


class ListedFile(Struct, frozen=True, order=True):
    """A file, and what is to be said of it."""

    path: str
    """Root-relative."""
    said: str
    """Its language, or why it is left out."""


class UsedLibrary(Struct, frozen=True, order=True):
    """A library that declares routes or sends and receives events."""

    name: str
    endpoints: int
    events: int


class ListedService(Struct, frozen=True, kw_only=True):
    """Folders of code and the contracts that govern them."""

    service: str
    folders: tuple[str, ...]
    """Root-relative; empty for the root."""
    excluded: tuple[str, ...] = ()
    documents: tuple[ContractDocument, ...]
    used: tuple[UsedLibrary, ...] = ()


class Listing(Struct, frozen=True, kw_only=True):
    """Everything that a scan would look at, and what it would leave out."""

    parts: tuple[ListedService, ...]
    read: tuple[ListedFile, ...]
    left_out: tuple[ListedFile, ...]
    problems: tuple[NotAnalysed, ...]
    """What cannot be read of contracts."""
    used: tuple[UsedLibrary, ...] = ()
    """The libraries in use anywhere."""


def listing(
    root: Path,
    *,
    contracts: Sequence[Path] = (),
    config: Config | None = None,
    cache: Place = True,
    used: bool = False,
) -> Listing:
    """What a scan of `root` would read. Arguments as for `scan`; with `used` the code is looked
    into for the libraries in use.

    Raises UsageError for a root that is no folder.
    """
    config = config or Config()
    with open_code(root, config=config, cache=cache) as code:
        tree = code.reader.files
        assignment, problems = code.assignment(contracts, by_routes=used)
        operations, events = (code.code.operations, code.code.events) if used else ((), ())
        governed = assignment.by_serving_code() if used else assignment.governed
        names = {service.folder: service.name for service in assignment.services}
        parts = tuple(
            ListedService(
                service=names.get(each.source) or tree.root.name,
                folders=(each.source, *each.also),
                excluded=each.excluded,
                documents=each.documents,
                used=_used_libraries(operations, events, (each.source, *each.also), each.excluded),
            )
            for each in governed
        )
        left_out = dict.fromkeys(_of_interest(tree.excluded), "excluded")
        left_out |= code.reader.texts.skip_reasons
        sources = _sources(tree.paths())
        left_out |= {path: "test code" for path in sources if tree.is_test(path)}
        left_out |= {path: ARCHIVED for path in sources if tree.is_left_in_archive(path)}
        if not (contracts or config.contracts or _names_contracts(config)):
            known = {document.path for part in parts for document in part.documents}
            known |= {problem.path for problem in problems}
            left_out |= _set_aside_contracts(tree.root, tree.paths(), known)
        return Listing(
            parts=parts,
            read=tuple(_files_read(tree, left_out)),
            left_out=tuple(sorted(ListedFile(path, why) for path, why in left_out.items())),
            problems=problems,
            used=_used_libraries(operations, events, ("",), ()),
        )


def _names_contracts(config: Config) -> bool:
    return any(service.contracts for service in config.services)


def _files_read(tree: SourceTree, left_out: Collection[str]) -> Iterator[ListedFile]:
    for path in _sources(tree.paths()):
        if path not in left_out:
            yield ListedFile(path, SUFFIXES[path[path.rfind(".") :]])


def _sources(paths: Iterable[str]) -> list[str]:
    return sorted(p for p in paths if "." in p and p[p.rfind(".") :] in SUFFIXES)


def _of_interest(paths: Iterable[str]) -> list[str]:
    """Files that would be read as code or looked at as contracts."""
    given = list(paths)
    return sorted({*_sources(given), *candidates(given)})


def _set_aside_contracts(root: Path, paths: Iterable[str], known: set[str]) -> dict[str, str]:
    """Contracts that were found and are not held against the code, with the reason."""
    given = list(paths)
    found = (path.relative_to(root).as_posix() for path in discover_contracts(root, given))
    repeated = {
        path: "another contract repeats it, or is a newer version of it"
        for path in found
        if path not in known
    }
    return set_aside(root, given) | repeated


def _used_libraries(
    operations: Sequence[Operation],
    events: Sequence[EventUse],
    folders: Sequence[str],
    excluded: Sequence[str],
) -> tuple[UsedLibrary, ...]:
    """The libraries in use in some folders, by name."""

    def is_listed(item: Operation | EventUse) -> bool:
        path = item.origin.path
        return (
            is_inside(path)
            and any(is_below(path, folder) for folder in folders)
            and not any(is_below(path, folder) for folder in excluded)
        )

    routes = Counter(o.framework for o in operations if is_listed(o))
    uses = Counter(e.framework for e in events if is_listed(e))
    return tuple(
        UsedLibrary(name, routes[name], uses[name]) for name in sorted({*routes, *uses}) if name
    )
