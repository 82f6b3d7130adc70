"""Contract files -> `ContractDocument`s: says what kind a file is and hands it to its reader."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.parsers.contracts.openapi import read_openapi
from contract_scan.parsers.contracts.positions import DEFAULT_LIMITS, Limits, Node
from contract_scan.parsers.contracts.refs import Documents


def load_contract(path: Path, root: Path, limits: Limits = DEFAULT_LIMITS) -> ContractDocument:
    """Read one contract; paths in the result are relative to `root`. Raises `ContractError`."""
    documents = Documents(root, limits)
    file = documents.add(path)
    return _read_document(file.root, documents)


def load_contracts(
    paths: Iterable[Path], root: Path, limits: Limits = DEFAULT_LIMITS
) -> tuple[ContractDocument, ...]:
    """Read several contracts, in the order given. Raises `ContractError` at the first bad one."""
    return tuple(load_contract(path, root, limits) for path in paths)


def _read_document(root: Node, documents: Documents) -> ContractDocument:
    for word in ("openapi", "swagger"):
        if root.has(word):
            return read_openapi(root, documents, str(root.value[word]))  # type: ignore[index]
    raise ContractError(
        "is no contract that contract-scan knows: it has no `openapi` or `swagger` version",
        root.file.path,
    )
