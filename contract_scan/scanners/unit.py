"""What is scanned together: contract documents and the code that they govern."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import (
    CodeModel,
    ContractDocument,
    DocumentKind,
    UsesOfContracts,
)
from contract_scan.ir.operation import Operation


class Unit(Struct, frozen=True, kw_only=True):
    """Contract documents and the code that has to keep them, such as one service."""

    documents: tuple[ContractDocument, ...]
    code: CodeModel
    name: str = ""
    looked_for: tuple[str, ...] = ()
    """Frameworks whose routes were looked for, to be named where none was found."""
    looked_for_events: tuple[str, ...] = ()
    """Libraries whose messages were looked for, likewise."""
    sibling_code: CodeModel | None = None
    """Code outside the folder that the documents govern, of which no contract speaks."""
    neighbours: CodeModel | None = None
    """Code of services with contracts of their own."""
    discovered: bool = False
    """Whether the documents were found in the tree: some may be of services that the code calls."""
    uses: UsesOfContracts = UsesOfContracts()
    """What builds make of the documents that were found, and what their places say."""
    openapi: tuple[ContractDocument, ...] = ()
    """The OpenAPI documents of all units."""

    def only_kinds(self, kinds: Collection[DocumentKind]) -> Unit:
        """The same with its documents of some kinds alone."""
        return replace(self, documents=tuple(d for d in self.documents if d.kind in kinds))

    def without_kinds(self, kinds: Collection[DocumentKind]) -> Unit:
        """The same without its documents of some kinds."""
        return replace(self, documents=tuple(d for d in self.documents if d.kind not in kinds))

    def contracted_operations(self) -> Iterator[tuple[ContractDocument, Operation]]:
        """Every HTTP operation that a document promises."""
        for document in self.documents:
            if document.kind in ("openapi", "svc-table"):
                for operation in document.operations:
                    yield document, operation
