"""A route of the code as pairing looks at it."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.operation import Operation, with_answers
from contract_scan.scanners.pairing.paths import Segments


class Route(Struct, frozen=True):
    """A route of the code with its path taken apart."""

    operation: Operation
    path: Segments

    def accepts_method(self, method: str) -> bool:
        """Whether the route may answer the method."""
        return self.operation.method in (method, "*", "")

    @property
    def label(self) -> str:
        """The route as it is told."""
        return f"{self.operation.method} {self.operation.path}"

    @property
    def always_refuses(self) -> bool:
        """Whether all that the route ever answers is that there is no such endpoint."""
        deferred = self.operation.deferred
        if deferred is not None and not deferred.may_refuse():
            return False
        answering = with_answers(self.operation)
        statuses = {response.status for response in answering.responses}
        return bool(statuses) and answering.statuses_complete and statuses <= {"405", "501"}


def of_content_types(contract: Operation, routes: list[Route]) -> list[Route]:
    """Of several routes that each take bodies of other content types those that take what the
    contract sends; all of them where none does."""
    content_types = {body.content_type.lower() for body in contract.request}
    read = [{body.content_type.lower() for body in route.operation.request} for route in routes]
    if len(routes) < 2 or not content_types or not all(read):
        return routes
    fitting = [route for route, own in zip(routes, read, strict=True) if own & content_types]
    return fitting or routes
