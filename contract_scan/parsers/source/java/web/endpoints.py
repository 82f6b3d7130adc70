"""Operations of handlers that are given a request and a response object, or one for both."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar, ScalarType, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.branch_results import BranchResult, undetermined_status
from contract_scan.parsers.source.java.web.chains import function_called
from contract_scan.parsers.source.java.web.effects import EffectOf, Effects, HandedOf
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.outcomes import responses_of
from contract_scan.parsers.source.java.web.raised_errors import Exceptions, with_raised
from contract_scan.parsers.source.java.web.raw_text import written_shape
from contract_scan.parsers.source.java.web.reading import Kind, RequestArgument, RequestReader
from contract_scan.parsers.source.java.web.request_inputs import variables, with_path_variables
from contract_scan.parsers.source.java.web.request_method import handler_for
from contract_scan.parsers.source.java.web.responses import ResponseShapes
from contract_scan.parsers.source.java.web.states import Effect, ResponseState, states_after


class Library(Struct, frozen=True, eq=False):
    """What handlers of a library may do with what they are given."""

    reads: Mapping[str, Kind]
    effect_of: EffectOf
    request: int = 0
    """Position of the request among a handler's parameters."""
    responses: tuple[int, ...] = (0,)
    """Positions of the response."""
    method: str = "handle"
    """The method of handler objects."""
    content_type: str = "text/plain"
    """What text is sent as unless the handler says otherwise."""
    object_type: str = ""
    """What other values are sent as, where that differs."""
    handed_of: HandedOf | None = None
    returns: bool = False
    """Whether what a handler returns is sent as the body."""
    must_send: bool = False
    """Whether nothing is sent unless the handler does it."""
    accessors: Mapping[str, ScalarType] = {}
    """Methods of what a parameter is given as that say its type (`ctx.path("id").longValue()`)."""
    method_calls: tuple[str, ...] = ()
    """What leads from the request to its method: `request().method`."""
    exceptions: Exceptions | None = None
    """Exceptions of the library that it turns into responses."""
    sends_text: Reason = NO_REASON
    """Why a returned value that is no text is undetermined; empty: it is written as JSON."""


def handler_of(
    program: Program, expr: Expr, scope: Scope, method: str, depth: int = 0
) -> FunctionValue | None:
    """The function that handles: a lambda, a method reference, an object with a method for it, or
    what a function of the project gives."""
    value: Value = program.evaluate(expr, scope)
    if isinstance(value, OneOf):
        value = value.options[0]
    if isinstance(value, FunctionValue):
        receiver, around = value.receiver, value.scope
        if isinstance(receiver, Instance) and receiver.site is not None:  # `this::add`
            around = replace(around, owner=value.owner or around.owner, receiver=receiver)
        return value if around is value.scope else replace(value, scope=around)
    if isinstance(expr, Call) and depth < 4:
        function = function_called(program, expr, scope)
        for returned in program.function_exits(function) if function is not None else ():
            if returned.value is not None and not returned.thrown:
                return handler_of(program, returned.value, returned.scope, method, depth + 1)
    if isinstance(value, Instance | ByType):
        member = program.evaluator.member(value, method)
        if isinstance(member, FunctionValue) and "abstract" not in member.function.modifiers:
            return member
    return None


def handler_name(handler: FunctionValue | None, otherwise: str) -> str:
    """What reports call a handler."""
    if handler is None or not handler.function.name:
        return otherwise
    owner = f"{handler.owner.qualified_name}." if handler.owner is not None else ""
    return f"{owner}{handler.function.name}"


def with_handler(
    program: Program, base: Operation, handler: FunctionValue | None, library: Library
) -> Operation:
    """The operation with what its handler takes and sends. None: it is undetermined which."""
    if base.unresolved:
        return base
    variant = wire_variant(program, base.origin.path)
    if handler is None:
        reason = Reason("answering-handler-undetermined")
        schema = Unknown(reason=reason, origin=base.origin)
        scope = program.module_scope(program.facts(base.origin.path))
        sending = ResponseShapes(program, scope, base.origin, "the handler", variant)
        return replace(
            base,
            parameters=with_path_variables((), base.path, base.origin),
            parameters_complete=False,
            responses=(sending.whole_response(schema, "200", JSON),),
        )
    handler = handler_for(program, handler, base.method, {library.request: library.method_calls})
    name = handler_name(handler, base.handler or "the handler")
    origin = base.origin
    if handler.function.name:
        origin = Origin(handler.scope.file.path, handler.function.name_span, "", name)
    reader = RequestReader(program, library.reads, variant, library.accessors)
    inputs = reader.request_inputs(RequestArgument(handler, library.request))
    sending = ResponseShapes(program, handler.scope, origin, name, variant)
    sent = _responses(program, handler, sending, library)
    responses, complete = with_raised(program, handler, sent, library.exceptions)
    return replace(
        base,
        parameters=with_path_variables(
            _with_path_locations(inputs.parameters, base.path), base.path, base.origin
        ),
        parameters_complete=inputs.complete,
        reads_no_body=inputs.reads_no_body,
        request=tuple(inputs.bodies) if base.method not in ("GET", "HEAD") else (),
        responses=responses,
        statuses_complete=complete,
        undetermined_status=sending.undetermined_status,
        origin=origin,
        handler=name if handler.function.name else base.handler,
        excluded_from_docs=base.excluded_from_docs or _is_page(sent[0]),
    )


def _with_path_locations(parameters: list[Parameter], path: str) -> list[Parameter]:
    """Parameters that are read wherever they stand are those of the path, where it has them."""
    names = frozenset(variables(path))
    return [
        replace(p, location="path", required=True)
        if p.location == "query" and p.name in names
        else p
        for p in parameters
    ]


def _is_page(responses: tuple[Response, ...]) -> bool:
    """Whether a handler sends pages, which no contract of an API lists."""
    kinds = [b.content_type for r in responses if r.status[:1] == "2" for b in r.bodies]
    return bool(kinds) and all(kind == "text/html" for kind in kinds)


def _responses(
    program: Program, handler: FunctionValue, sending: ResponseShapes, library: Library
) -> tuple[tuple[Response, ...], bool]:
    effects = Effects(
        program,
        library.effect_of,
        library.handed_of,
        returns=library.returns,
        must_send=library.must_send,
    )
    states = effects.states(handler, library.responses)
    if library.must_send and not any(state.touched for state in states):
        # It is sent where nobody looked: by a callback, or by somebody who is given the exchange.
        effects.complete = False
        why = Reason("response-not-shown", sending=sending.name)
        unseen = ResponseState(content_type=JSON)
        states = states_after(unseen, Effect(unknown=why), sending.origin) if states else []
    outcomes: list[tuple[str, BranchResult]] = [
        _outcome(program, state, sending, library) for state in states
    ]
    complete = effects.complete and all(outcome.is_status_known for _, outcome in outcomes)
    sending.undetermined_status = undetermined_status(outcome for _, outcome in outcomes)
    if not outcomes:
        return (), False
    if any(o.is_status_known and (o.status or "200")[:1] == "2" for _, o in outcomes):
        # A body of which the status is undetermined may be an error's.
        outcomes = [(kind, outcome) for kind, outcome in outcomes if outcome.is_status_known]
    elif any(isinstance(o.body, Unresolved) and not o.is_status_known for _, o in outcomes):
        # So may one beside what is sent where nobody looked, which is the success.
        outcomes = [
            (kind, outcome)
            for kind, outcome in outcomes
            if outcome.is_status_known or isinstance(outcome.body, Unresolved)
        ]
    kinds = list(dict.fromkeys(kind for kind, _ in outcomes))
    found: tuple[Response, ...] = ()
    for kind in kinds:
        group = [replace(o, is_status_known=True) for k, o in outcomes if k == kind]
        found = _merge_responses(found, _of_group(group, kind, sending))
    return found, complete


def _of_group(
    group: list[BranchResult], kind: str, sending: ResponseShapes
) -> tuple[Response, ...]:
    def schema_of(outcome: BranchResult) -> Schema | None:
        return sending.body_schema(outcome, kind)

    return responses_of(group, "200", schema_of, kind, sending.origin)


def _merge_responses(
    one: tuple[Response, ...], other: tuple[Response, ...]
) -> tuple[Response, ...]:
    """Responses of two content types: bodies of one status side by side."""
    by_status = {response.status: response for response in one}
    for response in other:
        known = by_status.get(response.status)
        if known is None:
            by_status[response.status] = response
        else:
            bodies = (*known.bodies, *response.bodies)
            explicit = known.explicit_status or response.explicit_status
            by_status[response.status] = replace(known, bodies=bodies, explicit_status=explicit)
    return tuple(by_status[status] for status in sorted(by_status))


def _outcome(
    program: Program, state: ResponseState, sending: ResponseShapes, library: Library
) -> tuple[str, BranchResult]:
    """The content type and the outcome of one path."""
    body = state.body
    kind = state.content_type
    shape = written_shape(program, body, sending.variant) if body is not None else None
    if shape is not None:
        body, kind = BySchema(shape), kind or JSON
    elif library.returns and isinstance(body, Constant) and body.value in ("", None):
        body = None
    elif library.sends_text and body is not None and not _is_text(sending, body):
        place = state.origin or sending.origin
        body = Unresolved(library.sends_text, place.span, place.path)
    if not kind and library.object_type and body is not None:
        schema = sending.schema(body)
        is_text = isinstance(schema, Scalar) and schema.type == "string"
        kind = library.content_type if is_text else library.object_type
    return kind or library.content_type, BranchResult(
        state.status, body, state.is_status_known, state.origin
    )


def _is_text(sending: ResponseShapes, body: Value) -> bool:
    schema = sending.schema(body)
    return isinstance(schema, Unknown) or (isinstance(schema, Scalar) and schema.type == "string")
