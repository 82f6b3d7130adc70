"""ts-rest: endpoints of a contract in code, served by Express; those of other adapters are told
without their prefixes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Location, Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Nothing, Schema
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    RecordEntry,
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
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import returned_responses as fetch_responses
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.endpoints import (
    handler_name,
    handler_of,
    operation,
    read_endpoint,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_SEGMENT, join, templates
from contract_scan.parsers.source.typescript.web.request_reads import needs_field_of_body
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    is_nothing,
)
from contract_scan.parsers.source.typescript.web.routers import Node, Place
from contract_scan.parsers.source.typescript.web.taint_marks import MarkedReader, TaintMarks

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
            places = (Place("", reason),)
        for endpoint in _endpoints(program, served.contract):
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
    endpoint: _Endpoint,
    served: _ServedContract,
    places: tuple[Place, ...],
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
    program: Program, endpoint: _Endpoint, value: Value | None
) -> HandlerSummary:
    """The inputs of an endpoint are declared; its handler decides which statuses it sends. The
    compiler checks bodies against the declaration."""
    declared = _responses_of(program, endpoint)
    if value is None or isinstance(value, Unresolved):
        found = undetermined_summary(Reason("endpoint-handler-not-found"), endpoint.origin)
    else:
        found = read_endpoint(
            program,
            handler_of(program, value),
            (INPUT,),
            _MARKS,
            _DIALECT,
            endpoint.origin,
        )

    def change(sent: Answers) -> Answers:
        if not any(response.explicit_status for response in sent.responses) and declared:
            responses = tuple(replace(r, explicit_status=False) for r in declared.values())
            return Answers(responses, statuses_complete=False)
        responses = tuple(
            _with_declared_bodies(program, response, declared) for response in sent.responses
        )
        return sent._replace(responses=responses)

    return HandlerSummary(
        answers=found.answers.map(change),
        request=_body_of(program, endpoint),
        parameters=_parameters_of(program, endpoint),
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


# ------------------------------------------------------------------------------------- contracts
# Contracts of ts-rest: `initContract().router({ list: { method, path, responses } })`, routers
# inside routers, prefixes, and what one endpoint declares.


_MAX_NESTING = 10
"""How many routers deep a contract is followed."""
_MARKS = TaintMarks(bodies={"<input>.body": JSON}, queries=frozenset({"<input>.query"}))
_CORE = "@ts-rest/core."
_AS_GIVEN = frozenset({"query", "mutation"})
"""Functions of a contract that give the endpoint they are given."""
_LOCATIONS: Mapping[str, Location] = {"pathParams": "path", "query": "query", "headers": "header"}
_LAX = frozenset({"optional", "nullish", "default", "type"})
"""Calls that make what may be left out; a mere type is not checked."""
_EMPTY = ("204", "205", "304")


class _Endpoint(Struct, frozen=True):
    """One endpoint of a contract."""

    keys: tuple[str, ...]
    """Where it stands in the contract: the names of routers around it, and its own."""
    method: str
    path: str
    unresolved: Reason
    entries: Mapping[str, RecordEntry]
    origin: Origin


def _endpoints(
    program: Program, value: Value, prefix: str = "", keys: tuple[str, ...] = ()
) -> Iterator[_Endpoint]:
    """The endpoints of a contract, of a router in it, or the one that a value is."""
    if len(keys) > _MAX_NESTING:
        return
    if isinstance(value, LibrarySymbol):
        yield from _nested_endpoints(program, value, prefix, keys)
        return
    name = _of_core(value)
    if isinstance(value, LibraryResult) and name in _AS_GIVEN and value.site.args:
        value = program.evaluate(value.site.args[0].value, value.scope)
    elif isinstance(value, LibraryResult) and name == "router" and value.site.args:
        options = [program.evaluate(a.value, value.scope) for a in value.site.args[1:2]]
        own = walker.entries(options[0]).get("pathPrefix") if options else None
        text = program.evaluator.text(own.value) if own is not None else ""
        prefix = join(prefix, DYNAMIC_SEGMENT if text is None else text)
        value = program.evaluate(value.site.args[0].value, value.scope)
    if not isinstance(value, Record):
        return
    entries = walker.entries(value)
    if "method" in entries and "path" in entries:
        yield _endpoint(program, entries, prefix, keys)
        return
    for entry in value.entries:
        yield from _endpoints(program, entry.value, prefix, (*keys, entry.name))


def _nested_endpoints(
    program: Program, value: LibrarySymbol, prefix: str, keys: tuple[str, ...]
) -> Iterator[_Endpoint]:
    """`contract.users`: a router in a contract, or one endpoint of it."""
    key = value.name.rsplit(".", 1)[-1]
    if isinstance(value.receiver, LibraryResult | LibrarySymbol):
        for endpoint in _endpoints(program, value.receiver, prefix):
            if endpoint.keys[:1] == (key,):
                yield replace(endpoint, keys=(*keys, *endpoint.keys[1:]))


def _of_core(value: Value) -> str:
    """The function of a contract that made a value: `router` of `initContract().router(…)`."""
    if not isinstance(value, LibraryResult) or not value.name.startswith(_CORE):
        return ""
    return value.name.rsplit(".", 1)[-1]


def _endpoint(
    program: Program, entries: dict[str, RecordEntry], prefix: str, keys: tuple[str, ...]
) -> _Endpoint:
    method = program.evaluator.text(entries["method"].value)
    path = program.evaluator.text(entries["path"].value)
    reason = Reason("method-not-constant") if method is None else NO_REASON
    if path is None or DYNAMIC_SEGMENT in prefix:
        reason = Reason("path-not-constant")
    return _Endpoint(
        keys=keys,
        method=(method or "*").upper(),
        path=join(prefix, DYNAMIC_SEGMENT if path is None else path),
        unresolved=reason,
        entries=entries,
        origin=entries["path"].origin,
    )


# ---------------------------------------------------------------------- what is declared


def _body_of(program: Program, endpoint: _Endpoint) -> tuple[Body, ...]:
    """The request body that an endpoint takes, none for those that take none."""
    entry = endpoint.entries.get("body")
    if entry is None or endpoint.method in ("GET", "HEAD"):
        return ()
    schema = _schema(program, entry.value, zod.INPUT)
    if schema is None:
        return ()
    given = endpoint.entries.get("contentType")
    kind = program.evaluator.text(given.value) if given is not None else JSON
    site = entry.value.site if isinstance(entry.value, LibraryResult) else None
    lax = isinstance(site, Call) and getattr(site.callee, "name", "") in _LAX
    required = True if not lax and needs_field_of_body(program, schema) else None
    body = Body(schema=schema, content_type=kind or "*/*", required=required, origin=entry.origin)
    return (body,)


def _parameters_of(program: Program, endpoint: _Endpoint) -> tuple[Parameter, ...]:
    """The parameters that an endpoint declares."""
    reader = MarkedReader(program, _MARKS)
    for name, location in _LOCATIONS.items():
        entry = endpoint.entries.get(name)
        schema = _schema(program, entry.value, zod.INPUT) if entry is not None else None
        if schema is not None:
            reader.fields(schema, location)
    return reader.parameters()


def _responses_of(program: Program, endpoint: _Endpoint) -> dict[str, Response]:
    """Status -> response of the statuses that an endpoint declares."""
    declared = endpoint.entries.get("responses")
    value = declared.value if declared is not None else None
    if isinstance(value, LibraryResult) and _of_core(value) == "responses" and value.site.args:
        value = program.evaluate(value.site.args[0].value, value.scope)
    found: dict[str, Response] = {}
    for entry in value.entries if isinstance(value, Record) else ():
        if entry.name.isdigit():
            found[entry.name] = _response(program, entry)
    return found


def _response(program: Program, entry: RecordEntry) -> Response:
    value, kind = entry.value, JSON
    if isinstance(value, LibraryResult) and _of_core(value) == "otherResponse" and value.site.args:
        inner = walker.entries(program.evaluate(value.site.args[0].value, value.scope))
        given = inner.get("contentType")
        kind = (program.evaluator.text(given.value) if given is not None else None) or "*/*"
        value = inner["body"].value if "body" in inner else value
    schema = None if entry.name in _EMPTY else _schema(program, value, "")
    body = Body(schema=schema, content_type=kind, origin=entry.origin) if schema else None
    return Response(
        status=entry.name, bodies=(body,) if body is not None else (), origin=entry.origin
    )


def _schema(program: Program, value: Value, variant: str) -> Schema | None:
    """The shape of what is declared; None where it says that there is no body."""
    if isinstance(value, Constant) and value.value is None:
        return None
    name = _of_core(value)
    if isinstance(value, LibraryResult) and name == "type" and isinstance(value.site, Call):
        given = value.site.type_args
        schema = program.schema(given[0], value.scope) if given else program.schema_of(value)
        return None if isinstance(program.types.flat(schema), Nothing) else schema
    if name == "noBody":
        return None
    return program.schema_of(value, variant)


FRAMEWORK = Framework(
    name=NAME,
    markers=(*_OWN, *MARKERS),
    calls=(*CALLS, b"createExpressEndpoints(", b".router("),
    operations=operations,
)
