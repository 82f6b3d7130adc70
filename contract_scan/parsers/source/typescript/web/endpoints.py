"""From a handler that returns its answer to an operation: what the frameworks built on returned
values (Next.js, Hono, SvelteKit …) have in common."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import (
    Answers,
    Application,
    Body,
    DeferredAnswers,
    Operation,
    Response,
)
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.path_facts import Facts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Unresolved,
    Value,
    symbol_name,
)
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.optional_parameters import as_asked
from contract_scan.parsers.source.typescript.web.paths import Template
from contract_scan.parsers.source.typescript.web.request_reads import path_text
from contract_scan.parsers.source.typescript.web.returned_responses import (
    NOTHING_SET,
    ResponseLibrary,
    Statuses,
    answers,
)
from contract_scan.parsers.source.typescript.web.taint_marks import MarkedReader, TaintMarks

MAX_WRAPPERS = 5
"""How many wrappers of libraries are looked through for the handler they are given."""


class Handler(Struct, frozen=True):
    """The function that answers, as far as it is seen."""

    function: FunctionValue | None
    reason: Reason = NO_REASON
    """Why it is not seen."""
    wrapped: bool = False
    """Whether a library's function stands around it, which may answer by itself."""


def handler_for(
    program: Program, handler: Handler, method: str, given: Facts = MappingProxyType({})
) -> Handler:
    """A handler without what does not run for a method of HTTP, or where parameters of the path are
    `given` or left out."""
    if handler.function is None:
        return handler
    return replace(handler, function=as_asked(program, handler.function, given, method))


def handler_of(program: Program, value: Value, depth: int = 0) -> Handler:
    """The function behind a value: itself, or what the function of a library is given."""
    match value:
        case FunctionValue():
            return Handler(value)
        case LibraryResult(name=name, site=site, scope=scope) if depth < MAX_WRAPPERS:
            for argument in reversed(site.args):
                found = handler_of(program, program.evaluate(argument.value, scope), depth + 1)
                if found.function is not None:
                    return replace(found, wrapped=True)
            return Handler(None, Reason("handler-made-by-function", name=name))
        case LibrarySymbol(name=name):
            return Handler(None, Reason("handler-from-library", name=name))
        case Unresolved(reason=reason):
            return Handler(None, Reason("handler-not-visible-because", reason=reason))
        case _:
            return Handler(None, Reason("handler-not-visible"))


def bind_parameters(
    program: Program, function: FunctionValue, values: Sequence[Value]
) -> dict[str, Value]:
    """The parameters of a handler, bound to the arguments that the framework passes."""
    bindings: dict[str, Value] = {}
    for parameter, value in zip(function.function.params, values, strict=False):
        if parameter.pattern is not None:
            pattern = parameter.pattern
            bindings.update(program.evaluator.pattern_bindings(pattern, value, function.scope))
        else:
            bindings[parameter.name] = value
    return bindings


def read_endpoint(
    program: Program,
    handler: Handler,
    given: Sequence[Value],
    marks: TaintMarks,
    dialect: ResponseLibrary,
    origin: Origin,
    *,
    before: Sequence[FunctionValue] = (),
    statuses_set: Statuses = NOTHING_SET,
) -> HandlerSummary:
    """The signature of a handler; `before` are the functions that run before it with the same
    parameters, `statuses_set` the statuses that may be set by then."""
    answering = handler.function
    if answering is None:
        return undetermined_summary(handler.reason, origin)
    reader = MarkedReader(program, marks)
    for function in (*before, answering):
        scope = reader.read_function(function, bind_parameters(program, function, given))

    def evaluate() -> Answers:
        found = answers(program, scope.statements or (), scope, dialect, statuses_set)
        responses = found.responses
        if dialect.plain is not None and answering.function.returns is not None:
            responses = tuple(
                _with_declared_return_type(program, answering, each) for each in responses
            )
        complete = found.statuses_complete and not handler.wrapped
        return Answers(responses, complete, found.undetermined_status)

    return HandlerSummary(
        answers=DeferredAnswers(evaluate),
        request=reader.bodies(),
        parameters=reader.parameters(),
    )


def _with_declared_return_type(
    program: Program, handler: FunctionValue, response: Response
) -> Response:
    """What a handler sends that says what it returns, where nothing else tells it."""
    declared = handler.function.returns
    if declared is None or not response.status.startswith("2") or len(response.bodies) != 1:
        return response
    body = response.bodies[0]
    if not isinstance(body.schema, Unknown):
        return response
    schema = program.schema(declared, handler.scope)
    if program.types.is_unknown(schema):
        return response
    return replace(response, bodies=(replace(body, schema=schema),))


def undetermined_summary(reason: Reason, origin: Origin) -> HandlerSummary:
    """What is told of a handler that is not seen."""
    body = Body(schema=Unknown(reason=reason, origin=origin), origin=origin)
    response = Response(status="200", bodies=(body,), explicit_status=False, origin=origin)
    return HandlerSummary(DeferredAnswers(lambda: Answers((response,), statuses_complete=False)))


def operation(
    method: str,
    template: Template,
    handled: HandlerSummary,
    origin: Origin,
    *,
    framework: str,
    handler: str = "",
    unresolved: Reason = NO_REASON,
    hidden: bool = False,
    application: Application | None = None,
) -> Operation:
    """One route. Path parameters that nothing declares are the texts that the path holds."""
    declared = {(p.location, p.name) for p in handled.parameters}
    path = tuple(
        path_text(name, origin) for name in template.parameters if ("path", name) not in declared
    )
    remaining = tuple(
        p for p in handled.parameters if p.location != "path" or p.name in template.parameters
    )
    return Operation(
        method=method,
        path=template.path,
        path_expressions=template.expressions,
        parameters=(*path, *remaining),
        parameters_complete=False,
        request=handled.request,
        deferred=handled.answers,
        origin=origin,
        handler=handler,
        framework=framework,
        application=application,
        excluded_from_docs=hidden,
        unresolved=unresolved,
    )


def handler_name(function: FunctionValue | None) -> str:
    """What a handler is called in a report."""
    if function is None:
        return ""
    name = function.function.name
    if function.owner is not None:
        return f"{function.owner.qualified_name}.{name}" if name else function.owner.decl.name
    return name or symbol_name(function.scope)
