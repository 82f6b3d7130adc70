"""Contract files -> `WireContract`s."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.wire_contract import WireContract, WireModel
from contract_scan.parsers.contracts.contract_record import is_record_file, records
from contract_scan.parsers.contracts.json_schema import dialect_of_document, shared_schemas
from contract_scan.parsers.contracts.kinds import (
    is_contract,
    kind_of,
    looks_like_schema,
    readable_version,
)
from contract_scan.parsers.contracts.located_tree import (
    DEFAULT_LIMITS,
    File,
    Limits,
    Node,
    open_text,
)
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.wire.asyncapi import read_wire_asyncapi
from contract_scan.parsers.contracts.wire.openapi import read_wire_openapi
from contract_scan.parsers.contracts.wire.schemas import WireSchemas

CONTRACT_SUFFIXES = (".json", ".yaml", ".yml")
"""How names of files end that can be compared."""


class WireContracts(Struct, frozen=True, kw_only=True):
    """What could be read of several files."""

    contracts: tuple[WireContract, ...] = ()
    problems: tuple[NotAnalysed, ...] = ()
    """Files that could not be read at all."""
    missing: tuple[str, ...] = ()
    """Paths, relative to the root, of files that a reference looked for and that are not there."""


def contract_files(folder: Path, limits: Limits = DEFAULT_LIMITS) -> tuple[Path, ...]:
    """The contracts in a folder, in a fixed order; other files are passed over."""
    return tuple(
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in CONTRACT_SUFFIXES
        and not path.is_symlink()
        and path.is_file()
        and ".git" not in path.relative_to(folder).parts
        and _may_be_contract(path, folder, limits)
    )


def _may_be_contract(path: Path, folder: Path, limits: Limits) -> bool:
    try:
        root = Documents(folder, limits).add(path).root
    except ContractError:
        return True  # reading it again says what is wrong with it
    return is_contract(root) or looks_like_schema(root)


def read_wire_document(content: bytes, name: str, root: Path) -> WireContracts:
    """Read one document that stands in no file; its `$ref`s may lead to files below `root`."""
    documents = Documents(root)
    try:
        file = documents.adopt(documents.root / name, open_text(content, name))
        return WireContracts(contracts=tuple(_read_contracts(file, documents)))
    except ContractError as error:
        problem = NotAnalysed(path=error.path, line=error.line, reason=error.message)
        return WireContracts(problems=(problem,))


def read_wire_contracts(
    paths: Sequence[Path], root: Path, limits: Limits = DEFAULT_LIMITS
) -> WireContracts:
    """Read contract files; one that cannot be read does not stop the rest. No `$ref` leads out of
    `root`."""
    contracts: list[WireContract] = []
    problems: list[NotAnalysed] = []
    missing: dict[str, None] = {}
    parsed: dict[Path, File] = {}
    for path in paths:
        documents = Documents(root, limits, parsed=parsed, library=paths)
        try:
            contracts.extend(_read_contracts(documents.add(path), documents))
        except ContractError as error:
            problems.append(NotAnalysed(path=error.path, line=error.line, reason=error.message))
        missing.update(dict.fromkeys(name for name, digest in documents.dependencies if not digest))
    return WireContracts(
        contracts=tuple(contracts), problems=tuple(problems), missing=tuple(missing)
    )


def _read_contracts(file: File, documents: Documents) -> Iterator[WireContract]:
    root = file.root
    if kind_of(root) == "" and is_record_file(root):
        for record in records(root):
            if record.spec.pointer == "":
                documents.adopt(documents.root / record.spec.file.path, record.spec.file)
            else:
                documents.embed(record.spec)
            yield _read_document(record.spec, documents, record.type)
        return
    yield _read_document(root, documents, "")


def _read_document(root: Node, documents: Documents, expected: str) -> WireContract:
    if not root.is_mapping:
        reason = "is empty" if root.value is None else "is no contract: it holds no mapping"
        raise ContractError(reason, root.file.path)
    kind = kind_of(root)
    if kind == "asyncapi":
        return read_wire_asyncapi(root, documents, readable_version(root, kind))
    if kind:
        return read_wire_openapi(root, documents, readable_version(root, kind))
    if expected == "json_schema" or "json-schema.org" in root.text("$schema"):
        return _read_json_schema(root, documents)
    if looks_like_schema(root):
        return _read_json_schema(root, documents)
    raise ContractError(
        "is no contract that can be compared: it has neither an `openapi`, `swagger` or `asyncapi` "
        "version nor the keywords of a JSON Schema",
        root.file.path,
    )


def _read_json_schema(root: Node, documents: Documents) -> WireContract:
    problems = Problems()
    schemas = WireSchemas(documents, dialect_of_document(root), problems)
    found = tuple(
        WireModel(
            name=name, identity=node.text("$id"), schema=schemas.read(node), origin=node.origin
        )
        for name, node in shared_schemas(root)
    )
    return WireContract(
        path=root.file.path,
        kind="json-schema",
        version=root.text("$schema"),
        title=root.text("title"),
        models=found,
        schemas=schemas.schemas(),
        problems=problems.all(),
    )
