"""A contract document after lowering, and the same view of code."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import force_setattr

from contract_scan.ir.event import Channel, EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Reference, Schema

DocumentKind: TypeAlias = Literal["openapi", "asyncapi", "json-schema", "svc-table"]


class NotAnalysed(Struct, frozen=True, kw_only=True):
    """Something that kept a file from being read whole."""

    path: str
    reason: str
    line: int = 0
    fatal: bool = True
    """True: the file says nothing at all. False: the rest of it was read."""
    expected: bool = False
    """The scan counts as complete all the same: whoever does not check out a submodule knows."""
    code: str = ""
    """The code of the reason in docs/reasons.md; it comes with a `Reason`, which a report holds as
    its text."""

    def __post_init__(self) -> None:
        if isinstance(self.reason, Reason):
            force_setattr(self, "code", self.reason.cause.code)
            force_setattr(self, "reason", str(self.reason))

    @property
    def is_grave(self) -> bool:
        """Whether a whole file is lost that was to be read."""
        return self.fatal and not self.expected


Product: TypeAlias = Literal["client", "data classes", ""]
"""What a build generates from a contract; empty: nothing."""


class CalledService(Struct, frozen=True):
    """Why a contract may be that of a service that the code calls."""

    build: str
    """The file of a build that generates something from it, or the source file that was generated;
    empty: there is neither."""
    product: Product
    folder: str = ""
    """The folder that it stands in, where its name says so."""
    committed: bool = False
    """Whether `build` is what was generated, not what generates it."""


class UsesOfContracts(Struct, frozen=True):
    """What builds, committed clients and folders say of contracts, by path."""

    called: Mapping[str, CalledService] = {}
    """Those of services that the code calls."""
    generated: Mapping[str, str] = {}
    """Those that a build generates server stubs from, with the file of the build."""


UNMERGED = Reason("merge-conflict-markers")
"""Why nothing is taken from a source file that is two versions at once."""


class ContractDocument(Struct, frozen=True, kw_only=True):
    """One contract document (with everything its `$ref`s lead to) lowered to the common form."""

    path: str
    kind: DocumentKind
    version: str = ""
    title: str = ""
    interface_version: str = ""
    """Version of what it describes, as its `info` states it."""
    service: str = ""
    """Service it belongs to, where the document, a contract record or configuration says so."""
    base_paths: tuple[str, ...] = ()
    """Path parts of the servers, without trailing slash; empty strings left out."""
    base_path_optional: bool = False
    """One of the servers has no base path."""
    base_path_undetermined: bool = False
    """The address of one of the servers is filled in elsewhere (`{{base_url}}`), with its base
    path."""
    operations: tuple[Operation, ...] = ()
    undetermined_paths: tuple[str, ...] = ()
    """Paths whose operations could not be read: they are contracted, whatever they promise."""
    channels: tuple[Channel, ...] = ()
    models: tuple[Model, ...] = ()
    schemas: Mapping[str, Schema] = {}
    """Every named schema that a `Reference` in this document leads to."""
    problems: tuple[NotAnalysed, ...] = ()
    http: bool = True
    """SVC tables only: False where rows name no HTTP endpoint."""

    def resolve(self, reference: Reference) -> Schema:
        """The schema a reference of this document stands for."""
        return self.schemas[reference.key]


class Resolver(Protocol):
    """Either side of a comparison: turns its own references into schemas."""

    def resolve(self, reference: Reference) -> Schema: ...


class CodeModel(Protocol):
    """What the code of one source root does, in the common form."""

    @property
    def operations(self) -> tuple[Operation, ...]: ...
    @property
    def events(self) -> tuple[EventUse, ...]: ...
    @property
    def problems(self) -> tuple[NotAnalysed, ...]: ...
    def models(self, names: frozenset[str]) -> tuple[Model, ...]:
        """Every type definition whose name stands for one of the wanted model names."""
        ...

    def with_literal(self, text: str) -> tuple[str, ...]:
        """Paths of files that have this very text in quotation marks, sorted."""
        ...

    def with_quoted_name(self, name: str) -> tuple[str, ...]:
        """Paths of files that have, in quotation marks, the name of a file or a path that ends in
        it, sorted."""
        ...

    def with_word(self, word: str) -> tuple[str, ...]:
        """Paths of files that have a word, not as a part of another, sorted."""
        ...

    @property
    def schemas_with_classes(self) -> tuple[str, ...]:
        """The JSON Schemas, or folders of them, that the build makes classes of, sorted."""
        ...

    def answered_unread(
        self, paths: Sequence[Sequence[str]], routes: Collection[tuple[str, Sequence[str]]]
    ) -> Reason:
        """Why a route that is not read may answer one of some paths, given as segments with `{}`
        for a parameter; empty where nothing says so. `routes` are those that are read, each with
        its file and its segments. In languages that are not read it may lie wherever below the
        root."""
        ...

    def resolve(self, reference: Reference) -> Schema: ...
