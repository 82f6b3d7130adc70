"""Errors that a handler of Nest sends by throwing an exception of the framework."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Response
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Made
from contract_scan.parsers.source.analysis.evaluation.raised_errors import thrown
from contract_scan.parsers.source.typescript.resolution.decorators import COMMON
from contract_scan.parsers.source.typescript.web.statuses import of_value

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_EXCEPTIONS = {
    "BadRequestException": "400",
    "UnauthorizedException": "401",
    "ForbiddenException": "403",
    "NotFoundException": "404",
    "MethodNotAllowedException": "405",
    "NotAcceptableException": "406",
    "RequestTimeoutException": "408",
    "ConflictException": "409",
    "GoneException": "410",
    "PreconditionFailedException": "412",
    "PayloadTooLargeException": "413",
    "UnsupportedMediaTypeException": "415",
    "ImATeapotException": "418",
    "MisdirectedException": "421",
    "UnprocessableEntityException": "422",
    "InternalServerErrorException": "500",
    "NotImplementedException": "501",
    "BadGatewayException": "502",
    "ServiceUnavailableException": "503",
    "GatewayTimeoutException": "504",
    "HttpVersionNotSupportedException": "505",
}
_FILTER = b"@Catch("


def raised(program: Program, handler: FunctionValue) -> Iterator[Response]:
    """The errors that a handler throws in its own statements; none where a filter of the project
    says what becomes of them."""
    seen: set[str] = set()
    for expr, scope in thrown(program, handler):
        value = program.evaluate(expr, scope)
        if not isinstance(value, Made) or not value.name.startswith(COMMON):
            continue
        for status in _statuses(program, value):
            if status not in seen and not _is_filtered(program):
                seen.add(status)
                yield Response(status=status, origin=program.origin(expr, scope))


def _statuses(program: Program, made: Made) -> tuple[str, ...]:
    name = made.name.removeprefix(COMMON)
    if name != "HttpException":
        return (_EXCEPTIONS[name],) if name in _EXCEPTIONS else ()
    args = made.site.args
    given = of_value(program.evaluate(args[1].value, made.scope)) if len(args) > 1 else ()
    return tuple(str(status) for status in given if status >= 400)


def _is_filtered(program: Program) -> bool:
    """Whether a filter of the project catches the framework's exceptions, or all there are."""
    key = "nest.raised.filtered"
    if key not in program.memory:
        contents = (program.files.read(path) or b"" for path in program.holding(_FILTER))
        program.memory[key] = any(b"HttpException" in c or b"@Catch()" in c for c in contents)
    return program.memory[key] is True
