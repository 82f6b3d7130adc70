"""Which contract documents govern which source folder.

A repository of many services holds many documents, and a document may lie beside the code it
governs or in a folder of contracts. What configuration says comes first; then the place of the
document; then the service's name. A document whose folder cannot be told governs all the code that
no other document claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from contract_scan.ir.document import ContractDocument

_NOT_A_NAME = frozenset(
    {
        "api",
        "asyncapi",
        "contract",
        "contracts",
        "doc",
        "docs",
        "internal",
        "openapi",
        "public",
        "reference",
        "schema",
        "schemas",
        "service",
        "services",
        "spec",
        "specification",
        "specs",
        "swagger",
        "v1",
        "v2",
        "v3",
    }
)
"""Words in the name of a document that name no service."""


class Claim(Struct, frozen=True):
    """Documents and the root-relative folder whose code they govern ("" is the root)."""

    documents: tuple[ContractDocument, ...]
    folder: str
    name: str = ""


def claims(
    documents: Sequence[ContractDocument],
    sources: Sequence[str],
    configured: Iterable[tuple[str, str, frozenset[str]]] = (),
) -> list[Claim]:
    """Assign documents to folders.

    `sources` are the paths of all source files; `configured` gives (name, folder, document paths)
    of the services that configuration names. Documents of shared models and of events that lie in
    no service's folder govern everything.
    """
    result: list[Claim] = []
    left = list(documents)
    for name, folder, paths in configured:
        own = tuple(d for d in left if d.path in paths)
        if own:
            result.append(Claim(own, folder, name))
            left = [d for d in left if d.path not in paths]
    folders = _source_folders(sources)
    http = [d for d in left if d.kind in ("openapi", "svc-table")]
    by_folder: dict[str, list[ContractDocument]] = {}
    for document in left:
        if document in http:
            alone = len(http) == 1 and not result
            folder = "" if alone else _home(document, folders)
        else:
            folder = _beside(document, folders) if len(http) > 1 else ""
        by_folder.setdefault(folder, []).append(document)
    for folder, own_documents in sorted(by_folder.items()):
        name = own_documents[0].service if len(own_documents) == 1 else ""
        result.append(Claim(tuple(own_documents), folder, name))
    return result


def _source_folders(sources: Sequence[str]) -> frozenset[str]:
    """Every folder that has source files at or below it."""
    found: set[str] = set()
    for path in sources:
        for parent in PurePosixPath(path).parents:
            name = str(parent)
            if name in found:
                break
            found.add(name)
    return frozenset(found - {"."})


def _home(document: ContractDocument, folders: frozenset[str]) -> str:
    """The folder of code that an HTTP document governs; "" where nothing tells."""
    beside = _beside(document, folders)
    return beside or _named(document, folders)


def _beside(document: ContractDocument, folders: frozenset[str]) -> str:
    """The nearest folder at or above the document that holds code; "" for the root."""
    for parent in PurePosixPath(document.path).parents:
        if str(parent) in folders:
            return str(parent)
    return ""


def _named(document: ContractDocument, folders: frozenset[str]) -> str:
    """The one shallowest folder of code that bears the document's name."""
    for words in _names(document):
        matching = [f for f in folders if _words(PurePosixPath(f).name) == words]
        if matching:
            shallowest = min(f.count("/") for f in matching)
            best = [f for f in matching if f.count("/") == shallowest]
            if len(best) == 1:
                return best[0]
    return ""


def _names(document: ContractDocument) -> Iterable[frozenset[str]]:
    path = PurePosixPath(document.path)
    stem = path.name.split(".")[0]
    candidates = (document.service, stem, path.parent.name, document.title)
    for candidate in candidates:
        words = _words(candidate)
        if words:
            yield words


def _words(text: str) -> frozenset[str]:
    """The words of a name that say which service it is: `Orders.Api`, `order-service`."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", text)
    words = {part.lower() for part in parts} - _NOT_A_NAME
    return frozenset(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words)
