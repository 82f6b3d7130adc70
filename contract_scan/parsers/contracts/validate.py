"""Whether a contract is valid by its own specification. On request only: it is slow.

OpenAPI documents and JSON Schemas are checked against the official schemas in a child process that
can open and fetch nothing, under a time limit, and only after the gates every contract passes
(size, depth, number of values, confined references). AsyncAPI documents are checked for the
connections between their parts.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import msgspec

from contract_scan.errors import ContractError, ContractScanError, UsageError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.contracts.asyncapi_checks import check_asyncapi
from contract_scan.parsers.contracts.contract_cache import Cache
from contract_scan.parsers.contracts.kinds import read_document
from contract_scan.parsers.contracts.located_tree import DEFAULT_LIMITS, File, Limits, Node
from contract_scan.parsers.contracts.refs import Documents

Run = Callable[[Sequence[str]], bytes]
"""Runs a program to its end under a time limit and returns what it printed; raises a
`ContractScanError` when it fails or is too slow."""

_CHILD = Path(__file__).with_name("validate_child.py")
_ADDRESS = "http://contract.invalid/"
"""Made-up addresses, by which the child tells the files of a contract apart."""
_VALIDATORS = ("jsonschema", "referencing", "openapi_spec_validator")
"""What the extra `validate` installs."""


def require_validators() -> None:
    """Raise UsageError where what validates documents and values is not installed. It is looked
    for, not imported: the child processes do that."""
    if any(find_spec(name) is None for name in _VALIDATORS):
        raise UsageError(
            "documents and values are validated by an extra: pip install 'contract-scan[validate]'"
        )


def validate_contract(
    path: Path,
    root: Path,
    run: Run,
    *,
    cache: Cache | None = None,
    cache_version: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[NotAnalysed, ...]:
    """Everything in a contract that its specification forbids, with its lines.

    Empty where it is valid, and for kinds without a published schema (SVC tables). Raises
    `ContractError` where the contract cannot be read at all, or the check did not come to an end,
    UsageError without the extra `validate`.
    """
    if path.suffix.lower() in (".md", ".markdown"):
        return ()
    sources = Documents(root, limits)
    file = sources.add(path)
    document = read_document(file.root, sources)  # the gates, and every file it refers to
    if document.kind == "asyncapi":
        return tuple(check_asyncapi(file.root, sources))
    require_validators()
    given = json.dumps(
        {
            "kind": document.kind,
            "version": document.version,
            "base": _ADDRESS + file.path,
            "files": {_ADDRESS + one.path: one.tree.value for one in sources.files},
        }
    ).encode("utf-8", "replace")
    key = blake2b(given, digest_size=16, person=b"validate").digest()
    key += blake2b(cache_version.encode(), digest_size=8).digest()
    known = cache.get(key) if cache is not None else None
    printed = known if known is not None else _run_child(given, file, run)
    if cache is not None and known is None:
        cache.put(key, printed)
    return tuple(_problems(printed, file))


def _run_child(given: bytes, file: File, run: Run) -> bytes:
    with tempfile.TemporaryDirectory(prefix="contract-scan-") as folder:
        handed = Path(folder) / "document.json"
        handed.write_bytes(given)
        try:
            return run((sys.executable, "-P", str(_CHILD), str(handed)))
        except ContractScanError as error:
            raise ContractError(f"could not be validated: {error.message}", file.path) from error


def _problems(printed: bytes, file: File) -> Iterator[NotAnalysed]:
    try:
        errors = msgspec.json.decode(printed, type=list[tuple[str, str]])
    except msgspec.DecodeError as error:
        raise ContractError("could not be validated: the answer is damaged", file.path) from error
    for pointer, message in errors:
        place = _nearest(file.root, pointer)
        reason = Reason("contract-not-valid", what=message)
        yield NotAnalysed(path=file.path, line=place.line, reason=reason, fatal=False)


def _nearest(root: Node, pointer: str) -> Node:
    """The place of a pointer, or of the nearest part of it that exists."""
    while pointer:
        place = root.resolve_pointer(pointer)
        if place is not None:
            return place
        pointer = pointer.rpartition("/")[0]
    return root
