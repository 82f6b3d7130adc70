"""What the reports on code alone are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contract_scan.ir.document import NotAnalysed, Resolver
from contract_scan.ir.event import EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Operation


class Extraction(Protocol):
    """The endpoints, models and events that code has."""

    @property
    def endpoints(self) -> Sequence[Operation]: ...
    @property
    def models(self) -> Sequence[Model]: ...
    @property
    def events(self) -> Sequence[EventUse]: ...
    @property
    def resolver(self) -> Resolver: ...
    @property
    def problems(self) -> Sequence[NotAnalysed]: ...
