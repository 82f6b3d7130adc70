"""Annotated services of Armeria: classes whose methods have `@Get`, `@Post` and kin."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation
from contract_scan.parsers.source.java.frameworks.armeria.parameters import PACKAGE, Reader
from contract_scan.parsers.source.java.frameworks.armeria.responses import HandlerResponses
from contract_scan.parsers.source.java.resolution.annotations import argument, items, library_name
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.branch_results import status_of
from contract_scan.parsers.source.java.web.handlers import Method, is_hidden, methods
from contract_scan.parsers.source.java.web.media import JSON, media_type
from contract_scan.parsers.source.java.web.raised_errors import with_raised
from contract_scan.parsers.source.java.web.request_inputs import variables, with_path_variables
from contract_scan.parsers.source.java.web.request_method import method_for
from contract_scan.parsers.source.java.web.routes import VERBS_BY_ANNOTATION, join_paths, template

_PRODUCES = {
    "ProducesJson": JSON,
    "ProducesText": "text/plain",
    "ProducesBinary": "application/octet-stream",
    "ProducesEventStream": "text/event-stream",
    "ProducesJsonSequences": "application/json-seq",
    "ProducesOctetStream": "application/octet-stream",
}
_CONSUMES = {"ConsumesJson": JSON, "ConsumesText": "text/plain"}
NOT_CONSTANT = Reason("route-path-not-followed")


class RegisteredService(Struct, frozen=True):
    """A service with the path below which it is registered."""

    prefix: str
    reason: Reason = NO_REASON


def is_annotated(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class has methods that answer requests."""
    inside = program.class_scope(symbol)
    return symbol.decl.kind == "class" and any(
        library_name(program, annotation, inside, PACKAGE) in VERBS_BY_ANNOTATION
        for function in symbol.decl.methods
        for annotation in function.annotations
    )


_METHOD_CALLS = dict.fromkeys(
    ("HttpRequest", "AggregatedHttpRequest", "ServiceRequestContext"), ("method",)
)


def service_operations(
    program: Program, symbol: ClassSymbol, registered: RegisteredService, framework: str
) -> Iterator[Operation]:
    """The routes of a service."""
    chain = program.types.chain(symbol, program.class_scope(symbol))
    prefix, prefix_why = "", NO_REASON
    for owner, scope in chain:
        found = _annotation(program, ((a, scope) for a in owner.decl.annotations), "PathPrefix")
        if found is not None:
            text = program.text(argument(found[0], "value"), found[1])
            prefix, prefix_why = text or "", NO_REASON if text is not None else NOT_CONSTANT
            break
    variant = wire_variant(program, symbol.file.path)
    for method in methods(program, symbol):
        written = list(method.annotations())
        for annotation, scope in written:
            name = library_name(program, annotation, scope, PACKAGE)
            if name not in VERBS_BY_ANNOTATION:
                continue
            for path, why in _paths(program, written, annotation, scope):
                start = join_paths(registered.prefix, prefix)
                yield _operation(
                    program,
                    symbol,
                    method,
                    Operation(
                        method=VERBS_BY_ANNOTATION[name],
                        path=template(join_paths(start, path)),
                        framework=framework,
                        unresolved=registered.reason or prefix_why or why,
                    ),
                    variant,
                )


def _annotation(
    program: Program, annotations: Iterator[tuple[Annotation, Scope]], *names: str
) -> tuple[Annotation, Scope] | None:
    for annotation, scope in annotations:
        if library_name(program, annotation, scope, PACKAGE) in names:
            return annotation, scope
    return None


def _paths(
    program: Program,
    written: list[tuple[Annotation, Scope]],
    verb: Annotation,
    scope: Scope,
) -> Iterator[tuple[str, Reason]]:
    """The paths of a method: those of the verb, or of `@Path`."""
    given = [(argument(verb, "value"), scope)] if argument(verb, "value") is not None else []
    given = given or [
        (argument(annotation, "value"), place)
        for annotation, place in written
        if library_name(program, annotation, place, PACKAGE) == "Path"
    ]
    for expr, place in given:
        for item in items(expr):
            yield path_of_pattern(program.text(item, place))
    if not given:
        yield "", NO_REASON


def path_of_pattern(pattern: str | None) -> tuple[str, Reason]:
    """The path of a pattern, and why it is undetermined: `prefix:/x`, `exact:/x`, `glob:/x/**`,
    `/x/:id`."""
    if pattern is None:
        return "", NOT_CONSTANT
    if pattern.startswith("regex:"):
        return "", Reason("path-is-regular-expression")
    kind, separator, rest = pattern.partition(":/")
    if not separator or "/" in kind:
        parts = pattern.split("/")
        return "/".join(
            f"{{{p[1:]}}}" if p.startswith(":") and len(p) > 1 else p for p in parts
        ), NO_REASON
    match kind:
        case "prefix":
            return join_paths(rest, "{path*}"), NO_REASON
        case _:
            return f"/{rest}", NO_REASON


def _operation(
    program: Program, symbol: ClassSymbol, method: Method, base: Operation, variant: str
) -> Operation:
    method = method_for(program, method, base.method, _METHOD_CALLS)
    handler_responses = HandlerResponses(program, symbol, method, variant)
    head = Operation(
        method=base.method,
        path=base.path,
        origin=handler_responses.origin,
        handler=handler_responses.origin.symbol,
        framework=base.framework,
        excluded_from_docs=is_hidden(symbol, method),
        unresolved=base.unresolved,
    )
    if base.unresolved:
        return replace(head, parameters_complete=False)
    produces = _media(program, symbol, method, "Produces", _PRODUCES)
    consumes = _media(program, symbol, method, "Consumes", _CONSUMES)
    declared = _status_code(program, method)
    sent = handler_responses.responses(produces or JSON, declared, says_type=bool(produces))
    responses, complete = with_raised(program, method.value(symbol), sent)
    names = frozenset(variables(base.path))
    inputs = Reader(program, base.method, names, variant, consumes or JSON).request_inputs(method)
    return Operation(
        method=base.method,
        path=base.path,
        parameters=with_path_variables(inputs.parameters, base.path, handler_responses.origin),
        parameters_complete=inputs.complete,
        reads_no_body=inputs.reads_no_body,
        request=tuple(inputs.bodies),
        responses=responses,
        statuses_complete=complete,
        origin=handler_responses.origin,
        handler=handler_responses.origin.symbol,
        framework=base.framework,
        excluded_from_docs=head.excluded_from_docs,
    )


def _media(
    program: Program, symbol: ClassSymbol, method: Method, name: str, short: dict[str, str]
) -> str:
    """The content type that annotations of the method or of its class say."""
    of_class = (
        (annotation, scope)
        for owner, scope in program.types.chain(symbol, program.class_scope(symbol))
        for annotation in owner.decl.annotations
    )
    for written in (method.annotations(), of_class):
        for annotation, scope in written:
            simple = library_name(program, annotation, scope, PACKAGE)
            if simple in short:
                return short[simple]
            if simple == name:
                return media_type(program, argument(annotation, "value"), scope)
    return ""


def _status_code(program: Program, method: Method) -> str:
    found = _annotation(program, method.annotations(), "StatusCode")
    given = argument(found[0], "value") if found is not None else None
    if found is None or given is None:
        return ""
    return status_of(program, program.evaluate(given, found[1])) or ""
