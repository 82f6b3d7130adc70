"""Which contracts are held against which code, as configured or as places and routes tell.

A contract may stand beside the code that calls an API, not beside the code that serves it: a front
end keeps the `openapi.json` that its client is generated from. Its folder has no route, or routes
of its own; those of the contract are elsewhere in the repository, as their paths show.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from contract_scan.config import Config
from contract_scan.ir.document import CodeModel, ContractDocument, UsesOfContracts
from contract_scan.ir.operation import Operation
from contract_scan.ir.promise import Service
from contract_scan.parsers.contracts.contract_scope import HTTP, GovernedSource, assign_documents
from contract_scan.parsers.source.project_model import Code, is_below
from contract_scan.scanners.pairing.other_services import is_telling
from contract_scan.scanners.unit import Unit

ADOPTED_FROM = 3
"""Operations that a document must have to be given to other code than its place tells: with fewer,
`/health` and `/users` of a stranger look like them."""
_PARAMETER = re.compile(r"\{[^{}]*\}|(?<=/v)\d{1,9}(?:\.\d{1,9})?(?=/)")
"""A parameter, or the version that stands where `/v{version}/` has one."""


class Assignment:
    """Documents with the code that has to keep them."""

    def __init__(
        self,
        code: Code,
        config: Config,
        root: Path,
        files: Iterable[str],
        documents: Sequence[ContractDocument],
    ) -> None:
        """`files` are the root-relative paths of the repository."""
        self._code = code
        self._config = config
        self._root = root
        self.governed = self._by_place(documents, files)
        """Documents with folders, by their places alone."""

    @property
    def services(self) -> tuple[Service, ...]:
        """What the governed parts of the code are called."""
        return _services(self._config, [each.source for each in self.governed], self._root)

    def by_routes(self) -> Assignment:
        """The same after a look at the code: documents that are not served by the code that their
        place tells go to the service that has a contract of its own and serves them as well, such
        as the further documents of a service in `docs/`."""
        given = [each for each in self.governed if _has_routes(each)]
        if len(given) > 1 and not self._config.services:
            moves: dict[int, list[ContractDocument]] = {}
            for position, each in enumerate(self.governed):
                for document in self._homeless(each):
                    new = self._adopter(document, position)
                    if new is not None:
                        moves.setdefault(new, []).append(document)
            self.governed = _move_documents(self.governed, moves)
        return self

    def by_serving_code(self) -> list[GovernedSource]:
        """The documents with the folders whose code serves them, as `units` takes them: the root
        where it is not the code of their own place, such as a specification that stands with the
        pages of a front end."""
        kept: list[GovernedSource] = []
        moved: list[GovernedSource] = []
        for each in self.governed:
            (moved if self._is_served_from_around(each) else kept).append(each)
        if not moved:
            return kept
        documents = tuple(document for each in moved for document in each.documents)
        others = tuple(each.source for each in kept if _has_routes(each))
        return [*kept, GovernedSource(source="", documents=documents, excluded=others)]

    def units(self, *, discovered: bool, uses: UsesOfContracts | None = None) -> list[Unit]:
        """What is scanned together. `discovered`: the contracts were looked for in the tree;
        `uses`: what builds make of them."""
        frameworks = [f for p in self._code.programs for f in p.language.frameworks if f.is_read]
        names = {service.folder: service.name for service in self.services}
        documents = (one for each in self.governed for one in each.documents)
        openapi = tuple(document for document in documents if document.kind == "openapi")
        units = []
        for each in self.governed:
            part, around, neighbours = self._governed_code(each)
            units.append(
                Unit(
                    name=names[each.source],
                    documents=each.documents,
                    code=part,
                    sibling_code=around,
                    neighbours=neighbours,
                    looked_for=tuple(f.name for f in frameworks if f.operations is not None),
                    looked_for_events=tuple(f.name for f in frameworks if f.events is not None),
                    discovered=discovered,
                    uses=uses or UsesOfContracts(),
                    openapi=openapi,
                )
            )
        return units

    def _by_place(
        self, documents: Sequence[ContractDocument], files: Iterable[str]
    ) -> list[GovernedSource]:
        left = list(documents)
        governed: list[GovernedSource] = []
        for service in self._config.services:
            own_paths = {relative(path, self._root) for path in service.contracts}
            own = [_with_base_path(d, service.base_path) for d in left if d.path in own_paths]
            left = [d for d in left if d.path not in own_paths]
            source, *also = (relative(folder, self._root) for folder in service.sources)
            # Each apart: routes belong to one service, channels and models to whoever has them.
            for part in (
                [d for d in own if d.kind in HTTP],
                [d for d in own if d.kind not in HTTP],
            ):
                if part:
                    each = GovernedSource(source=source, also=tuple(also), documents=tuple(part))
                    governed.append(each)
        configured = [f for g in governed if _has_routes(g) for f in (g.source, *g.also) if f]
        governed += assign_documents(left, files)
        return [_without_others(each, configured) for each in governed]

    def _governed_code(
        self, governed: GovernedSource
    ) -> tuple[CodeModel, CodeModel | None, CodeModel | None]:
        """The code that has to keep the documents, the code around it of which none speaks, and
        that of services with contracts of their own."""
        whole = not governed.source and not governed.excluded
        part = self._code if whole else self._code_of(governed)
        if self._config.services or not _has_routes(governed):
            return part, None, None
        others = self._other_services(governed)
        neighbours = self._code.part_in(*others, without=[governed.source] * bool(governed.source))
        if whole:
            return part, None, neighbours if others else None
        beside, wider = self._code_around(governed)
        part = _serving(governed, part, beside, wider) or part
        around = None if part is beside else self._code_shared(governed)
        return part, around, neighbours if others else None

    def _is_served_from_around(self, governed: GovernedSource) -> bool:
        """Whether the routes of documents are in the code around their place, not in that of it."""
        if self._config.services or not _has_routes(governed) or not governed.source:
            return False
        part = self._code_of(governed)
        return _serving(governed, part, *self._code_around(governed)) not in (None, part)

    def _code_of(self, governed: GovernedSource) -> CodeModel:
        return self._code.part_in(governed.source, *governed.also, without=governed.excluded)

    def _code_around(self, governed: GovernedSource) -> tuple[CodeModel, CodeModel]:
        """Code of the repository that no other contract governs, without the documents' own and
        with it."""
        others = self._other_services(governed)
        beside = self._code.part_in("", without=[governed.source, *others])
        return beside, self._code.part_in("", without=others)

    def _code_shared(self, governed: GovernedSource) -> CodeModel:
        """Code beside the documents' own that no other contract governs, or only that of a service
        whose folder is around this one: it may share what lies between the two."""
        others = [f for f in self._other_services(governed) if not is_below(governed.source, f)]
        return self._code.part_in("", without=[governed.source, *others])

    def _other_services(self, governed: GovernedSource) -> list[str]:
        """The folders of other services with contracts."""
        return [
            other.source
            for other in self.governed
            if other.source != governed.source and _has_routes(other)
        ]

    def _homeless(self, governed: GovernedSource) -> list[ContractDocument]:
        """Documents of which less than half has a route where they are looked for."""
        if not _has_routes(governed):
            return []
        parts = (self._code_of(governed), *self._code_around(governed))
        if any(_is_served_by(governed.documents, part.operations) for part in parts):
            return []
        return [
            document
            for document in governed.documents
            if len(document.operations) >= ADOPTED_FROM
            and not any(_is_served_by([document], part.operations) for part in parts)
        ]

    def _adopter(self, document: ContractDocument, own: int) -> int | None:
        """The position of the governed code that serves most of a document, half of it at least;
        None where none does, or several do so alike, or where what it does not serve may be what a
        library answers that is not read, in code around the document."""
        counts = {
            position: _count_served(document.operations, self._code_of(other).operations)
            for position, other in enumerate(self.governed)
            if position != own and _has_routes(other)
        }
        most = max(counts.values(), default=0)
        best = [position for position, count in counts.items() if count == most]
        if len(best) != 1 or 2 * most < len(document.operations):
            return None
        is_whole = most == len(document.operations)
        return best[0] if is_whole or not self._has_unread_routes(self.governed[own]) else None

    def _has_unread_routes(self, governed: GovernedSource) -> bool:
        """Whether code that no other contract governs registers routes with a library that is not
        read."""
        return any(
            route.unresolved and route.unresolved.code == "unsupported-routing-library"
            for part in (self._code_of(governed), *self._code_around(governed))
            for route in part.operations
        )


def relative(path: Path, root: Path) -> str:
    """The root-relative path, empty for the root itself."""
    shown = Path(os.path.relpath(os.path.realpath(path), root)).as_posix()
    return "" if shown == "." else shown


# Private helpers


def _serving(governed: GovernedSource, *parts: CodeModel) -> CodeModel | None:
    """The first of several parts of the code that serves the documents."""
    return next((p for p in parts if _is_served_by(governed.documents, p.operations)), None)


def _has_routes(governed: GovernedSource) -> bool:
    return any(document.kind in HTTP for document in governed.documents)


def _move_documents(
    governed: Sequence[GovernedSource], moves: dict[int, list[ContractDocument]]
) -> list[GovernedSource]:
    """With documents given to those at other positions; code that is left without any is dropped,
    and belongs again to whoever is around it."""
    away = {document.path for documents in moves.values() for document in documents}
    after = [
        replace(
            each,
            documents=(
                *(d for d in each.documents if d.path not in away),
                *moves.get(position, ()),
            ),
        )
        for position, each in enumerate(governed)
    ]
    left = [each for each in after if each.documents]
    sources = {each.source for each in left}
    return [
        replace(each, excluded=tuple(folder for folder in each.excluded if folder in sources))
        for each in left
    ]


def _without_others(governed: GovernedSource, configured: Sequence[str]) -> GovernedSource:
    """Less the folders inside that the configuration gives to other services."""
    if not _has_routes(governed):
        return governed
    own = (governed.source, *governed.also)
    others = (f for f in configured if f not in own and any(is_below(f, folder) for folder in own))
    excluded = tuple(dict.fromkeys((*governed.excluded, *others)))
    return replace(governed, excluded=excluded)


def _services(config: Config, folders: Iterable[str], root: Path) -> tuple[Service, ...]:
    """Names of parts of the code: as configured, else of their folders, whole where two agree."""
    configured = {
        relative(folder, root): service.name
        for service in config.services
        for folder in service.sources
    }
    wanted = sorted({*folders, *configured})
    short = {folder: folder.rpartition("/")[2] or root.name or "/" for folder in wanted}
    counts = Counter(short.values())
    return tuple(
        Service(
            configured.get(folder)
            or (short[folder] if counts[short[folder]] == 1 else folder or short[folder]),
            folder,
        )
        for folder in wanted
    )


def _with_base_path(document: ContractDocument, base_path: str) -> ContractDocument:
    """The document with all its paths below a configured base path."""
    if not base_path:
        return document
    operations = tuple(
        replace(operation, path=base_path + operation.path) for operation in document.operations
    )
    return replace(document, operations=operations)


def _is_served_by(documents: Iterable[ContractDocument], routes: Iterable[Operation]) -> bool:
    """Whether at least half of the contracted operations are among routes of some code, whatever
    prefix they have there. What every service answers (`/health`) counts only where there is
    nothing else."""
    contracted = [operation for document in documents for operation in document.operations]
    telling = list(filter(is_telling, contracted)) or contracted
    return bool(telling) and 2 * _count_served(telling, routes) >= len(telling)


def _count_served(contracted: Iterable[Operation], routes: Iterable[Operation]) -> int:
    """How many of the contracted operations are among routes of some code, whatever prefix they
    have there, and in whatever case they are written."""
    ends: dict[str, set[str]] = {}
    for route in routes:
        ends.setdefault(route.method, set()).update(_ends(route.path))
    of_any_method = ends.get("*", set())
    return sum(
        _without_parameter_names(operation.path)
        in ends.get(operation.method, set()) | of_any_method
        for operation in contracted
    )


def _without_parameter_names(path: str) -> str:
    return _PARAMETER.sub("{}", path).strip("/").casefold()


def _ends(path: str) -> list[str]:
    """`a/b/c`, `b/c`, `c`: a path, and what is left of it without a prefix."""
    parts = _without_parameter_names(path).split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]
