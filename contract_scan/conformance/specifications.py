"""Specifications that come as values (from a registry, over the wire) rather than from files.

Such a specification stands alone: its references lead to no file.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.clients.processes import run_program
from contract_scan.errors import ContractError
from contract_scan.parsers.contracts.exchanges import HttpContract, read_exchanges
from contract_scan.parsers.contracts.kinds import read_document
from contract_scan.parsers.contracts.located_tree import File, Limits, open_text
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.validate import validate_contract

LIMITS = Limits(max_bytes=5_000_000, max_depth=100, max_nodes=300_000, max_files=1)
"""How much of one specification is read."""
TIMEOUT = 60.0
"""Seconds that the check of one specification may take."""
_NAME = "specification"
_NO_FOLDER = Path(os.devnull)
_KINDS = {"openapi": "openapi", "asyncapi": "asyncapi", "json_schema": "json-schema"}


class SpecificationCheck(Struct, frozen=True):
    """What is wrong with a specification."""

    errors: tuple[str, ...]
    """What its specification forbids, or keeps it from being read."""
    warnings: tuple[str, ...]
    """What is read in part only."""


def open_specification(spec: Mapping[str, object]) -> tuple[File, Documents]:
    """A specification with its size and depth checked, and what its references lead to.

    Raises `ContractError` where it is too large, nested too deeply, or no JSON.
    """
    try:
        text = json.dumps(spec, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ContractError(f"is no JSON: {error}", _NAME) from error
    file = open_text(text.encode("utf-8", "replace"), _NAME, LIMITS)
    documents = Documents(_NO_FOLDER, LIMITS)
    documents.adopt(documents.root / _NAME, file)
    return file, documents


def read_http_contract(spec: Mapping[str, object]) -> HttpContract:
    """The operations of an OpenAPI specification. Raises `ContractError`."""
    file, documents = open_specification(spec)
    return read_exchanges(file, documents)


def read_http_file(path: Path) -> HttpContract:
    """The operations of an OpenAPI file; its references may lead to files of its repository.

    Raises `ContractError`.
    """
    documents = Documents(path.parent)
    return read_exchanges(documents.add(path), documents)


def check_specification(spec: Mapping[str, object], type: str) -> SpecificationCheck:
    """Whether a specification is a valid one of its type (`openapi`, `asyncapi`, `json_schema`)."""
    try:
        file, documents = open_specification(spec)
        document = read_document(file.root, documents, type)
    except ContractError as error:
        return SpecificationCheck((error.message,), ())
    if document.kind != _KINDS.get(type):
        found = {kind: word for word, kind in _KINDS.items()}.get(document.kind, document.kind)
        return SpecificationCheck((f"it is of type {found}, not {type}",), ())
    warnings = tuple(dict.fromkeys(problem.reason for problem in document.problems))
    with tempfile.TemporaryDirectory(prefix="contract-scan-") as folder:
        path = Path(folder) / f"{_NAME}.json"
        path.write_text(json.dumps(spec), encoding="utf-8")

        def child(arguments: Sequence[str]) -> bytes:
            return run_program(arguments, cwd=path.parent, timeout=TIMEOUT).stdout

        try:
            problems = validate_contract(path, path.parent, child, limits=LIMITS)
        except ContractError as error:
            return SpecificationCheck((error.message,), warnings)
    errors = tuple(dict.fromkeys(problem.reason for problem in problems))
    return SpecificationCheck(errors, tuple(one for one in warnings if one not in errors))
