"""Errors that a handler sends by throwing an exception that names its status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Response
from contract_scan.parsers.source.facts import New
from contract_scan.parsers.source.java.evidence import mentions
from contract_scan.parsers.source.java.jaxrs.annotations import PACKAGES
from contract_scan.parsers.source.java.outcomes import argument_of, status_of
from contract_scan.parsers.source.java.spring.annotations import first
from contract_scan.parsers.source.link.raised import thrown
from contract_scan.parsers.source.link.values import FunctionValue, Instance, Made

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_OF_SPRING = "ResponseStatusException"
_OF_JAXRS = {
    "BadRequestException": "400",
    "NotAuthorizedException": "401",
    "ForbiddenException": "403",
    "NotFoundException": "404",
    "NotAllowedException": "405",
    "NotAcceptableException": "406",
    "NotSupportedException": "415",
    "InternalServerErrorException": "500",
    "ServiceUnavailableException": "503",
}
_WEB_APPLICATION = frozenset({"WebApplicationException", "ClientErrorException"})
_HANDLERS = (b"ExceptionHandler", b"ExceptionMapper", b"HandlerExceptionResolver", b"ErrorHandler")


def with_raised(
    program: Program, handler: FunctionValue, responses: tuple[Response, ...]
) -> tuple[Response, ...]:
    """Responses, and the errors that the handler throws in its own statements with a status; none
    of these where the modules around it say what becomes of exceptions."""
    known = {response.status for response in responses}
    added: dict[str, Response] = {}
    for status, response in _thrown(program, handler):
        if status not in known:
            added.setdefault(status, response)
    if not added or mentions(program, handler.scope.file.path, *_HANDLERS):
        return responses
    return (*responses, *(added[status] for status in sorted(added)))


def _thrown(program: Program, handler: FunctionValue) -> Iterator[tuple[str, Response]]:
    for expr, scope in thrown(program, handler):
        value = program.evaluate(expr, scope)
        status: str | None = None
        if isinstance(value, Instance):
            status = _annotated(program, value)
        elif isinstance(value, Made) and isinstance(value.site, New):
            status = _of_library(program, value)
        if status is not None and status[0] in "45":
            yield status, Response(status=status, origin=program.origin(expr, scope))


def _annotated(program: Program, value: Instance) -> str | None:
    """The status of a project's exception with `@ResponseStatus`."""
    for symbol in (value.symbol, *program.bases(value.symbol)):
        inside = program.class_scope(symbol)
        found = first(program, symbol.decl.annotations, inside, "ResponseStatus")
        given = found.get("code", "value") if found is not None else None
        if given is not None:
            return status_of(program, program.evaluate(*given))
    return None


def _of_library(program: Program, made: Made) -> str | None:
    name = made.name.rpartition(".")[2]
    if name == _OF_SPRING and _is_of(made, "org.springframework."):
        return status_of(program, argument_of(program, made, 0))
    if not _is_of(made, *PACKAGES):
        return None
    if name not in _WEB_APPLICATION:
        return _OF_JAXRS.get(name)
    for position in range(len(made.site.args)):
        status = status_of(program, argument_of(program, made, position))
        if status is not None:
            return status
    return None


def _is_of(made: Made, *packages: str) -> bool:
    """Whether a class is of a library, also where only `import a.b.*` can bring it."""
    if "." in made.name:
        return made.name.startswith(packages)
    stars = (entry.module + "." for entry in made.scope.file.imports if entry.name == "*")
    return any(module.startswith(packages) for module in stars)
