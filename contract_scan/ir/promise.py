"""What a contract promises, what is known of it, and which services have a part in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import Origin

State: TypeAlias = Literal["verified", "partly", "undetermined", "violated", "missing", "absent"]
Sort: TypeAlias = Literal["operation", "channel", "model"]
Role: TypeAlias = Literal["provides", "sends", "receives", "has"]


class Service(Struct, frozen=True):
    """A part of the code that is scanned against contracts."""

    name: str
    folder: str
    """Root-relative; empty for the root."""


class PromisePart(Struct, frozen=True, kw_only=True):
    """One place in code that keeps or breaks a promise."""

    service: str
    role: Role
    state: State
    """Of this service's part alone: another one may break the same promise."""
    origin: Origin


class Promise(Struct, frozen=True, kw_only=True):
    """One operation, channel or shared model of a contract."""

    sort: Sort
    contract: str
    """Path of the document."""
    name: str
    """`GET /orders`, the key of a channel, the name of a model."""
    service: str
    """The service that the contract is held against."""
    state: State
    origin: Origin
    parts: tuple[PromisePart, ...] = ()
    """Empty: nothing was found, or nothing could be told."""


def service_of(path: str, services: Sequence[Service]) -> str:
    """The name of the innermost service that holds a file; empty where none does."""
    holding = [s for s in services if not s.folder or path.startswith(s.folder + "/")]
    return max(holding, key=lambda service: len(service.folder)).name if holding else ""
