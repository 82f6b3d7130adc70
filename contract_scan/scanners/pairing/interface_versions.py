"""Documents and routes of several versions of one interface, which share paths.

Versions may stand in the base path of a document (`/shop/v2`), which a gateway takes off, or in
none of the paths, where a header or a parameter of the query picks the handler.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.pairing.paths import Segments, ends_in_version, segments
from contract_scan.scanners.pairing.routes import Route
from contract_scan.scanners.pairing.versions import Version, share, versions_in


class InterfaceVersions:
    """Which version of an interface each of several documents describes."""

    def __init__(self, documents: Iterable[ContractDocument]) -> None:
        self._of_document: dict[str, tuple[Segments, Version]] = {}
        """The base path without its version, and the version, by the path of the document."""
        self._with_stem: dict[Segments, set[Version]] = defaultdict(set)
        for document in documents:
            found = {_stem_and_version(path) for path in document.base_paths}
            stated = found.pop() if len(found) == 1 else None
            if stated is not None:
                self._of_document[document.path] = stated
                self._with_stem[stated[0]].add(stated[1])

    def served_as(self, document: ContractDocument, routes: Sequence[Route]) -> list[Route]:
        """Of several routes that answer one operation those of the version that the document
        describes; all of them where none states that version."""
        spoken = [
            versions_in_texts(route.operation.versions) if route.operation.versions else None
            for route in routes
        ]
        if len(routes) < 2 or not any(spoken):
            return list(routes)
        own = self._described_versions(document)
        fitting = [
            route
            for route, stated in zip(routes, spoken, strict=True)
            if stated is not None and share(own, stated)
        ]
        return fitting or list(routes)

    def _described_versions(self, document: ContractDocument) -> frozenset[Version]:
        stated = self._of_document.get(document.path)
        if stated is not None:
            return frozenset({stated[1]})
        return versions_in(PurePosixPath(document.path).name) or versions_in_texts(
            (document.interface_version,)
        )

    def why_of_other(self, document: ContractDocument, routes: Sequence[Route]) -> Reason | None:
        """Why routes may not be meant for a document: they stand in the folder of another version
        of the interface, of which another document speaks."""
        found = [self._other_version(document, route.operation) for route in routes]
        version = found[0] if found and None not in found else None
        if version is None:
            return None
        written = ".".join(map(str, version))
        return Reason("route-of-other-version", routes=routes[0].label, written=written)

    def _other_version(self, document: ContractDocument, route: Operation) -> Version | None:
        """The version of a route, where it stands in a folder of another version than the document
        describes, and a document with the same base path but for the version describes that
        one."""
        stated = self._of_document.get(document.path)
        if stated is None or len(self._with_stem[stated[0]]) < 2:
            return None
        said = versions_in(PurePosixPath(route.origin.path).parent.as_posix())
        others = self._with_stem[stated[0]] - {stated[1]}
        if len(said) != 1 or share(said, {stated[1]}):
            return None
        version = next(iter(said))
        return version if share(said, others) else None


def versions_in_texts(texts: Iterable[str]) -> frozenset[Version]:
    """The versions that plain texts state: `1.0`, `v2`."""
    return frozenset(version for text in texts for version in versions_in(text))


def _stem_and_version(base_path: str) -> tuple[Segments, Version] | None:
    parts = segments(base_path)
    if not ends_in_version(parts):
        return None
    stated = versions_in(parts[-1])
    return (parts[:-1], next(iter(stated))) if len(stated) == 1 else None
