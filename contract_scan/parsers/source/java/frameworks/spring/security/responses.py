"""Operations of what Spring Security answers."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.java.frameworks.spring.prefixes import configured_prefix
from contract_scan.parsers.source.java.frameworks.spring.security.matchers import MatchedPath
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.endpoints import with_handler
from contract_scan.parsers.source.java.web.reading import RequestArgument, RequestReader
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.java.web.servlet_api import servlet_library

_WHY = Reason("spring-security-answers-path")


class SecurityEndpoint(Struct, frozen=True, eq=False):
    """A place that Spring Security answers."""

    place: MatchedPath
    origin: Origin
    framework: str
    success: FunctionValue | None = None
    """What answers a request that succeeds, given the request and the response."""
    attempt: FunctionValue | None = None
    """What reads a request, given the request."""
    handler: str = "Spring Security"


def operation_of(program: Program, given: SecurityEndpoint) -> Operation:
    """The operation of a place that Spring Security answers. No contract has to list it."""
    origin, place = given.origin, given.place
    prefix, why = configured_prefix(program, origin.path)
    path = join_paths(prefix, place.path) if place.path else ""
    unknown = Unknown(reason=_WHY, origin=origin)
    base = Operation(
        method=place.method,
        path=path,
        parameters=with_path_variables((), path, origin),
        parameters_complete=False,
        request=(Body(schema=unknown, origin=origin),) if place.method in ("POST", "*") else (),
        responses=(
            Response(
                status="200",
                bodies=(Body(schema=unknown, origin=origin),),
                explicit_status=False,
                origin=origin,
            ),
        ),
        origin=origin,
        handler=given.handler,
        framework=given.framework,
        excluded_from_docs=True,
        unresolved=place.reason or why,
    )
    if base.unresolved:
        return base
    if given.attempt is not None:
        library = servlet_library(place.method)
        variant = wire_variant(program, origin.path)
        inputs = RequestReader(program, library.reads, variant).request_inputs(
            RequestArgument(given.attempt, 0)
        )
        if inputs.bodies:
            base = replace(base, request=tuple(inputs.bodies))
    if given.success is not None and len(given.success.function.params) > 1:
        read = with_handler(program, base, given.success, servlet_library(place.method))
        responses = read.responses or base.responses
        base = replace(base, responses=responses, statuses_complete=False)
    return base
