"""Contracts that all can be read, or the error of the first that cannot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.parsers.contracts.load import read_contracts, read_records


def load_contracts(
    paths: Iterable[Path], root: Path, **options: Any
) -> tuple[ContractDocument, ...]:
    """Files or folders of contracts, as `read_contracts` reads them. Raises `ContractError`."""
    found = read_contracts(paths, root, **options)
    for problem in found.problems:
        raise ContractError(problem.reason, problem.path, problem.line)
    return found.documents


def load_contract(path: Path, root: Path, **options: Any) -> ContractDocument:
    """The one contract of a file. Raises `ContractError`."""
    (document,) = load_contracts((path,), root, **options)
    return document


def load_records(
    records: Iterable[Mapping[str, object]], root: Path
) -> tuple[ContractDocument, ...]:
    """Contract records that came over the wire. Raises `ContractError`."""
    return read_records(records, root).documents
