"""What is derived from a requirements document. `line` is always the line that it rests on."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.ir.schema import Schema

RelationKind: TypeAlias = Literal["has_many", "has_one", "belongs_to", "references"]
Severity: TypeAlias = Literal["error", "warning", "info"]


class EntityField(Struct, frozen=True):
    """A field of an entity."""

    name: str
    type: str
    """As the document writes it; empty: it gives none."""
    required: bool
    schema: Schema
    line: int


class Relation(Struct, frozen=True):
    """How an entity is related to another."""

    subject: str
    kind: RelationKind
    target: str
    line: int


class States(Struct, frozen=True):
    """The values of a status, and the transitions where the document writes arrows."""

    values: tuple[str, ...]
    transitions: tuple[tuple[str, str], ...]
    line: int


class Entity(Struct, frozen=True):
    """An entity of the domain."""

    name: str
    original_name: str
    description: str
    line: int
    fields: tuple[EntityField, ...]
    states: States | None
    owners: tuple[tuple[str, int], ...]
    """Services (by the text that names them) that the document makes its owners, with the line."""


class Service(Struct, frozen=True):
    """A service."""

    name: str
    original_name: str
    description: str
    line: int
    section: int | None
    """Index of its own section of the document."""


class Endpoint(Struct, frozen=True):
    """An endpoint that the document names."""

    operation: Operation
    identifier: str
    """`SVC-001`; empty: it has none."""
    service: str
    """Empty: nothing says which service provides it."""
    description: str
    line: int
    gives_request: bool
    """Whether the document says what is sent, or that nothing is."""
    gives_response: bool


class EventMention(Struct, frozen=True):
    """A place at which a service publishes or consumes an event."""

    event: str
    service: str
    """Empty: the document does not say who."""
    direction: Literal["publishes", "consumes"]
    payload: Schema | None
    line: int


class Call(Struct, frozen=True):
    """A service needs another."""

    service: str
    target: str
    kind: Literal["calls", "consumes", "relation"]
    reason: str
    line: int


class ContractAtHand(Struct, frozen=True):
    """A contract file below the root."""

    path: str
    kind: str
    title: str
    service: str
    """The service that the contract or the configuration names; empty: none."""
    operations: tuple[tuple[str, str], ...]
    """Methods and paths."""
    channels: tuple[str, ...]


class Issue(Struct, frozen=True):
    """What is wrong with the document, or missing in it."""

    code: str
    severity: Severity
    message: str
    subject: str
    line: int


class Question(Struct, frozen=True):
    """What a person has to decide."""

    question: str
    subject: str
    line: int
