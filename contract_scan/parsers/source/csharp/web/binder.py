"""How the parameters of a handler are bound, and what it is then said to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct, field

from contract_scan.ir.operation import Body, Parameter
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.web.templates import Template

Source: TypeAlias = Literal["path", "query", "header", "body", "form", "services", "members"]
_ASPNET_SOURCES: dict[str, Source] = {
    "FromRoute": "path",
    "FromQuery": "query",
    "FromUri": "query",
    "FromHeader": "header",
    "FromBody": "body",
    "FromForm": "form",
    "FromServices": "services",
    "FromKeyedServices": "services",
    "AsParameters": "members",
}
"""What attributes of ASP.NET say of parameters."""


class RequestInputs(Struct, frozen=True, kw_only=True):
    """What a handler reads."""

    parameters: tuple[Parameter, ...] = ()
    bodies: tuple[Body, ...] = ()
    complete: bool = True
    """False where it reads the request itself."""

    @property
    def reads_no_body(self) -> bool:
        """Whether all that the handler reads is known, and no body is among it."""
        return self.complete and not self.bodies


class Binder(Struct, frozen=True, kw_only=True):
    """How parameters of one handler are bound."""

    program: Program
    variant: str
    template: Template
    method: str
    minimal: bool = False
    api_controller: bool = False
    refuses: bool = False
    """Whether a request whose values are not valid is refused."""
    refuses_first: bool = False
    """Whether it is refused before the handler runs."""
    consumes: tuple[str, ...] = ()
    """Content types that the handler says it takes."""
    sources: Mapping[str, Source] = field(default_factory=lambda: _ASPNET_SOURCES)
    """Where attributes of parameters say that they are from."""
