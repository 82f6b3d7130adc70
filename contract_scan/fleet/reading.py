"""What is read of one repository, for itself and for the comparison with the others.

What concerns the repository alone (its routes, its own JSON Schemas) is compared here, where all of
its code is at hand. What may concern others is handed on: its AsyncAPI documents, the places that
send and receive, and the types that are named like shared models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct

from contract_scan import __version__, api
from contract_scan.config import Config
from contract_scan.config.effective import configuration_of
from contract_scan.config.values import Service
from contract_scan.ir.comment import Comment
from contract_scan.ir.document import ContractDocument, DocumentKind
from contract_scan.ir.event import EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.reasons import decode_reason, encode_reason
from contract_scan.ir.schema import Reference, Schema
from contract_scan.scanners.report import Report

if TYPE_CHECKING:
    from contract_scan.flow import OpenCode
    from contract_scan.parsers.source.dependencies import Dependencies

ACROSS: Final[tuple[DocumentKind, ...]] = ("asyncapi",)
"""Kinds of documents that hold for code of other repositories as well."""
ACROSS_WHEN_SHARED: Final[tuple[DocumentKind, ...]] = ("asyncapi", "json-schema")
"""The same for a repository whose contracts are shared."""


class SharedNames(Struct, frozen=True, kw_only=True):
    """What shared contracts have every repository searched for."""

    models: tuple[str, ...] = ()
    """Names that types may have which stand for a shared model."""
    addresses: tuple[str, ...] = ()
    """Addresses of channels, searched for in quotation marks."""


class ReadRequest(Struct, frozen=True, kw_only=True):
    """One repository to read. Everything is text, so that another machine can do it."""

    name: str
    root: str
    """Absolute path of the folder."""
    contracts: tuple[str, ...] = ()
    """Absolute paths; empty: those configured or found."""
    base_path: str = ""
    shared: bool = False
    """Whether its AsyncAPI documents and JSON Schemas hold for all repositories."""
    contracts_only: bool = False
    """Read shared contracts alone, and no code."""
    wanted: SharedNames = SharedNames()
    cache: bool | str = True
    seconds: float
    """How long it may take."""
    memory: int
    """MiB that the process that reads it may take."""
    version: str = __version__


class UnitAcross(Struct, frozen=True, kw_only=True):
    """Documents that are to be held against code of other repositories, too."""

    name: str
    """Of the service that they are of."""
    documents: tuple[ContractDocument, ...]
    events: tuple[EventUse, ...]
    """Places in the code that the documents govern within their repository."""
    looked_for: tuple[str, ...] = ()
    """Libraries whose messages were looked for."""


class Reading(Struct, frozen=True, kw_only=True):
    """What one repository has. Paths are relative to its root."""

    report: Report = Report()
    """Of what concerns the repository alone, before anything is excepted."""
    units: tuple[UnitAcross, ...] = ()
    events: tuple[EventUse, ...] = ()
    models: tuple[Model, ...] = ()
    schemas: dict[str, Schema] = {}
    """What references in events and models stand for."""
    quoted: dict[str, tuple[str, ...]] = {}
    """Address -> the files in which it stands in quotation marks."""
    comments: tuple[Comment, ...] = ()
    inside: frozenset[str] = frozenset()
    discovered: bool = False
    """Whether its contracts were looked for, not named."""


def read_repository(request: ReadRequest) -> bytes:
    """Read one repository, or take what was read of it last time while all that it rests on is as
    it was: a `Reading` in msgpack.

    Raises ContractScanError where it cannot be read, MemoryLimitError where it needs more than it
    may take.
    """
    root = Path(request.root)

    def ask(code: OpenCode) -> tuple[bytes, Dependencies | None]:
        if request.contracts_only:
            return encode_reading(_shared_contracts(code)), None  # contracts are kept by themselves
        reading, contracts = _read_code(code, request)
        return encode_reading(reading), code.evidence(contracts)

    return api.answer_about_code(
        root,
        ask,
        ("fleet", request.shared, request.contracts_only, request.wanted),
        config=repository_configuration(root, request.contracts, request.base_path),
        cache=request.cache,
    )


def _shared_contracts(code: OpenCode) -> Reading:
    """The documents of a repository that hold for all, and nothing else."""
    assignment, _ = code.assignment()
    documents = tuple(
        d for each in assignment.governed for d in each.documents if d.kind in ACROSS_WHEN_SHARED
    )
    return Reading(units=(UnitAcross(name="", documents=documents, events=()),))


def _read_code(code: OpenCode, request: ReadRequest) -> tuple[Reading, dict[str, bytes] | None]:
    """What a repository has, and the digests of the files that its contracts were read from."""
    found = code.compare_without(ACROSS_WHEN_SHARED if request.shared else ACROSS)
    models = code.code.models(frozenset(request.wanted.models)) if request.wanted.models else ()
    units_across = tuple(
        UnitAcross(
            name=unit.name,
            documents=unit.documents,
            events=unit.code.events,
            looked_for=unit.looked_for_events,
        )
        for unit in found.units
    )
    addresses = {*request.wanted.addresses}
    for unit in units_across:
        addresses |= {c.address or c.key for d in unit.documents for c in d.channels}
    events = code.code.events
    reading = Reading(
        report=found.report,
        units=units_across,
        events=events,
        models=models,
        schemas=_referenced_schemas((events, models), code.code.resolve),
        quoted={
            address: paths
            for address in sorted(addresses)
            if not address.isalnum() and (paths := code.code.with_literal(address))
        },
        comments=found.comments,
        inside=found.inside,
        discovered=found.discovered,
    )
    return reading, found.dependencies


def encode_reading(reading: Reading) -> bytes:
    """A reading in msgpack."""
    return msgspec.msgpack.encode(reading, enc_hook=_encode_value)


def _encode_value(value: object) -> object:
    # The named schemas of a contract that comes from the cache are decoded one by one.
    return dict(value) if isinstance(value, Mapping) else encode_reason(value)


def decode_reading(encoded: bytes) -> Reading:
    """The reading that `encode_reading` wrote. Raises msgspec.DecodeError for anything else."""
    return msgspec.msgpack.decode(encoded, type=Reading, dec_hook=decode_reason)


def repository_configuration(root: Path, contracts: tuple[str, ...], base_path: str) -> Config:
    """The configuration of a repository, in which contracts that the list of repositories names
    take the place of others. Raises ConfigurationError."""
    config = configuration_of(root)
    if not contracts:
        return config
    files = tuple(map(Path, contracts))
    if not base_path:
        return msgspec.structs.replace(config, contracts=files, services=())
    service = Service(name=root.name, contracts=files, sources=(root,), base_path=base_path)
    return msgspec.structs.replace(config, contracts=(), services=(service,))


def _referenced_schemas(value: object, resolve: Callable[[Reference], Schema]) -> dict[str, Schema]:
    """Everything that references in a value lead to, and those in there."""
    found: dict[str, Schema] = {}
    pending = [*references_in(value)]
    while pending:
        reference = pending.pop()
        if reference.key not in found:
            found[reference.key] = resolve(reference)
            pending += references_in(found[reference.key])
    return found


def references_in(value: Any) -> Iterator[Reference]:
    """Every reference in values of the representation."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, Reference):
            yield each
        elif isinstance(each, Struct):
            pending += (getattr(each, name) for name in each.__struct_fields__)
        elif isinstance(each, tuple | list):
            pending += each
        elif isinstance(each, dict):
            pending += each.values()
