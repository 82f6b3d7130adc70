"""ts-rest: endpoints of a contract in code, served by Express; those of other adapters are told
without their prefixes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
    symbol_name,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Name
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.express.routes import (
    CALLS,
    MARKERS,
    ExpressCollector,
)
from contract_scan.parsers.source.typescript.frameworks.ts_rest import contracts
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web import fetch_responses, statuses
from contract_scan.parsers.source.typescript.web.endpoints import (
    handler_name,
    handler_of,
    operation,
    read_endpoint,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.paths import join, templates
from contract_scan.parsers.source.typescript.web.plain_values import is_nothing
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
)
from contract_scan.parsers.source.typescript.web.routers import MountedPath, Node

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

NAME = "ts-rest"
INPUT = LibrarySymbol("<input>")
_OWN = (b"@ts-rest/",)
_EXPRESS = "createExpressEndpoints"
_OTHERS = frozenset({"registerRouter", "plugin", "router", "createNextRouter", "createNextRoute"})
_ADAPTERS = ("@ts-rest/fastify", "@ts-rest/next", "@ts-rest/serverless")
_NEST = ("@ts-rest/nest.TsRestHandler", "@ts-rest/nest.TsRest", "@ts-rest/nest.Api")


class _ServedContract(Struct, frozen=True):
    """One call that serves a contract."""

    contract: Value
    handlers: Value | None
    routers: tuple[Node, ...]
    unresolved: Reason = NO_REASON


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every endpoint of each contract that is served, once for each place."""
    if not program.files_containing(*_OWN):
        return
    serving = _Serving(program)
    serving.express.collect(framework)
    for served in (*serving.served, *_of_nest(program)):
        places = tuple(p for node in served.routers for p in serving.express.graph.places(node))
        if not served.routers:
            reason = served.unresolved or Reason("route-registrar-not-found")
            places = (MountedPath("", reason),)
        for endpoint in contracts.endpoints(program, served.contract):
            yield from _operations(program, endpoint, served, places)


class _Serving:
    """The calls that serve contracts, among those that say where routers are."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.express = ExpressCollector(program, reads_first=self._serves)
        self.served: list[_ServedContract] = []

    def _serves(self, call: Call, scope: Scope) -> bool:
        """Note the contract that a call serves; whether it serves one."""
        callee = call.callee
        name = callee.name if isinstance(callee, Attribute) else getattr(callee, "id", "")
        values = [argument.value for argument in call.args]
        if name == _EXPRESS and len(values) > 2 and isinstance(callee, Name):
            contract, handlers = (self._program.evaluate(value, scope) for value in values[:2])
            routers = self.express.routers(values[2], scope)
            self.served.append(_ServedContract(contract, handlers, routers))
            return True
        if name in _OTHERS and values:
            made = self._program.evaluate(call, scope)
            adapter = made.name.split(".", 1)[0] if isinstance(made, LibraryResult) else ""
            if adapter.startswith(_ADAPTERS):
                self._note_unfollowed_router(
                    name, [self._program.evaluate(v, scope) for v in values]
                )
                return True
        return False

    def _note_unfollowed_router(self, name: str, values: list[Value]) -> None:
        """`s.router(contract, handlers)`: what happens to the router is not followed."""
        if name == "plugin" or len(values) < 2:
            return  # the router that it is given was made by another call
        self.served.append(
            _ServedContract(
                values[0], values[1], (), Reason("serving-router-not-followed", name=name)
            )
        )


@memoised
def _of_nest(program: Program) -> tuple[_ServedContract, ...]:
    """`@TsRestHandler(contract.list)` above methods of controllers."""
    found = []
    for path in program.files_containing(b"@ts-rest/nest"):
        file = program.facts(path)
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                for annotation in method.annotations:
                    value = program.evaluate(Name(id=annotation.name), inside)
                    if isinstance(value, LibrarySymbol) and value.name in _NEST and annotation.args:
                        contract = program.evaluate(annotation.args[0].value, inside)
                        reason = Reason("serving-router-not-followed", name=annotation.name)
                        found.append(_ServedContract(contract, None, (), reason))
    return tuple(found)


# ---------------------------------------------------------------------- operations


def _operations(
    program: Program,
    endpoint: contracts.Endpoint,
    served: _ServedContract,
    places: tuple[MountedPath, ...],
) -> Iterator[Operation]:
    handler = _handler(program, served.handlers, endpoint.keys)
    handled = _endpoint_signature(program, endpoint, handler)
    function = handler if isinstance(handler, FunctionValue) else None
    origin = endpoint.origin
    if function is not None:
        place = function.scope.file.path
        origin = Origin(place, function.function.span, "", symbol_name(function.scope))
    for place_of in places:
        for template in templates(join(place_of.prefix, endpoint.path)):
            yield operation(
                endpoint.method,
                template,
                handled,
                origin,
                framework=NAME,
                handler=handler_name(function) or ".".join(endpoint.keys),
                unresolved=endpoint.unresolved or place_of.unresolved,
            )


def _handler(program: Program, handlers: Value | None, keys: tuple[str, ...]) -> Value | None:
    """What answers an endpoint: under its keys, behind `s.router(…)`, `s.route(…)` and
    `{ middleware, handler }`."""
    value = handlers
    for key in (*keys, ""):
        value = _construction_argument(program, value)
        entries = walker.entries(value) if value is not None else {}
        if not key:
            return entries["handler"].value if "handler" in entries else value
        value = entries[key].value if key in entries else None
    return None


def _construction_argument(program: Program, value: Value | None) -> Value | None:
    """The argument that a router or a route was constructed with."""
    if (
        isinstance(value, LibraryResult)
        and value.name.startswith("@ts-rest/")
        and len(value.site.args) > 1
    ):
        return program.evaluate(value.site.args[1].value, value.scope)
    return value


def _endpoint_signature(
    program: Program, endpoint: contracts.Endpoint, value: Value | None
) -> HandlerSummary:
    """The inputs of an endpoint are declared; its handler decides which statuses it sends. The
    compiler checks bodies against the declaration."""
    declared = contracts.responses_of(program, endpoint)
    if value is None or isinstance(value, Unresolved):
        found = undetermined_summary(Reason("endpoint-handler-not-found"), endpoint.origin)
    else:
        found = read_endpoint(
            program,
            handler_of(program, value),
            (INPUT,),
            contracts.MARKS,
            _DIALECT,
            endpoint.origin,
        )
    responses = found.responses
    if not any(response.explicit_status for response in responses) and declared:
        responses = tuple(replace(r, explicit_status=False) for r in declared.values())
    else:
        responses = tuple(
            _with_declared_bodies(program, response, declared) for response in responses
        )
    return HandlerSummary(
        responses=responses,
        statuses_complete=False,
        request=contracts.body_of(program, endpoint),
        parameters=contracts.parameters_of(program, endpoint),
    )


def _with_declared_bodies(
    program: Program, response: Response, declared: dict[str, Response]
) -> Response:
    said = declared.get(response.status)
    if said is None or any(program.types.is_unknown(body.schema) for body in said.bodies):
        return response
    return replace(response, bodies=said.bodies)


def _value_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse:
    """`{ status: 200, body: x }`."""
    status = program.evaluator.member(value, "status")
    body = program.evaluator.member(value, "body")
    codes = statuses.of_value(status) if status is not None else ()
    if body is None or is_nothing(body):
        return ReturnedResponse(codes, True, None)
    return ReturnedResponse(
        codes, True, Body(schema=program.schema_of(body), content_type=JSON, origin=origin)
    )


_DIALECT = ResponseLibrary(read_result=fetch_responses.standard, plain=_value_response)

FRAMEWORK = Framework(
    name=NAME,
    markers=(*_OWN, *MARKERS),
    calls=(*CALLS, b"createExpressEndpoints(", b".router("),
    operations=operations,
)
