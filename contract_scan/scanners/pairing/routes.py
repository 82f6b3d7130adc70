"""A route of the code as pairing looks at it."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.scanners.pairing.paths import Segments


class Route(Struct, frozen=True):
    """A route of the code with its path taken apart."""

    operation: Operation
    path: Segments

    def accepts_method(self, method: str) -> bool:
        """Whether the route may answer the method."""
        return self.operation.method in (method, "*", "")

    @property
    def always_refuses(self) -> bool:
        """Whether all that the route ever answers is that there is no such endpoint."""
        statuses = {response.status for response in self.operation.responses}
        return bool(statuses) and self.operation.statuses_complete and statuses <= {"405", "501"}
