"""Menes: methods of services that implement the operations of an OpenAPI document by their names.

`[OperationId("getTenant")]` names the operation, whose path and method the document says. Its
parameters are bound by their names, the body by the name `body`
(https://github.com/menes-dotnet/Menes: Solutions/Menes.Abstractions).
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import possible_values
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find_all
from contract_scan.parsers.source.csharp.resolution.extensions import (
    accepts_arity,
    visible_extensions,
)
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Choice,
    Expr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
)
from contract_scan.parsers.source.language import Framework

_STATUSES = {
    "OkResult": "200",
    "CreatedResult": "201",
    "AcceptedResult": "202",
    "NotModifiedResult": "304",
    "ForbiddenResult": "403",
    "NotFoundResult": "404",
    "ConflictResult": "409",
    "NotImplementedResult": "501",
}
"""Extension methods of services, with the status of the result that each makes."""
_FORMAT = Reason("library-options-undetermined", callee="IJsonSerializerSettingsProvider")
"""Why bodies are undetermined: a package sets the serializer up."""
_UNPLACED = Reason("path-given-by-document")
_MAX_DEPTH = 8


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every method that implements an operation."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if not _is_service(program, symbol):
                continue
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                for annotation in find_all(method.annotations, "OperationId"):
                    function = FunctionValue(method, inside, symbol, Instance(symbol, {}))
                    name = program.text(argument(annotation, 0), inside)
                    yield _operation(program, framework, function, name)


def _is_service(program: Program, symbol: ClassSymbol) -> bool:
    return any(
        isinstance(base, NamedType) and unqualified_name(base.name) == "IOpenApiService"
        for owner in (symbol, *program.bases(symbol))
        for base in owner.decl.bases
    )


def _operation(
    program: Program, framework: Framework, function: FunctionValue, name: str | None
) -> Operation:
    responses, complete = _responses(program, function)
    origin = program.origin(function.function, function.scope)
    bodies = (Body(schema=Unknown(reason=_FORMAT, origin=origin), required=None, origin=origin),)
    reads_body = any(param.name == "body" for param in function.function.params)
    owner = function.owner.qualified_name if function.owner is not None else ""
    return Operation(
        method="*",
        path="",
        operation_id=name or "",
        parameters_complete=False,
        request=bodies if reads_body else (),
        responses=responses,
        statuses_complete=complete,
        origin=origin,
        handler=f"{owner}.{function.function.name}",
        framework=framework.name,
        unresolved=_UNPLACED if name else Reason("handled-operation-not-constant"),
    )


def _responses(program: Program, function: FunctionValue) -> tuple[tuple[Response, ...], bool]:
    """The answers of a method, and whether these are all."""
    found: dict[str, Response] = {}
    complete = True
    for one in program.function_exits(function):
        if one.thrown or one.value is None:
            continue
        made = list(_answers_of(program, one.value, one.scope, 0))
        complete = complete and bool(made) and None not in made
        for response in made:
            if response is not None and (
                response.status not in found or not found[response.status].bodies
            ):
                found[response.status] = response
    return tuple(found[status] for status in sorted(found)), complete and bool(found)


def _answers_of(
    program: Program, expr: Expr, scope: Scope, depth: int
) -> Iterator[Response | None]:
    """The answers that a result stands for; None for one that is undetermined."""
    plain = without_wrappers(expr)
    match plain:
        case _ if depth > _MAX_DEPTH:
            yield None
        case Choice(options=options):
            for option in options:
                yield from _answers_of(program, option, scope, depth + 1)
        case Name() if values := possible_values(plain, scope):
            for value in values:
                yield from _answers_of(program, value, scope, depth + 1)
        case Call(callee=Attribute(name="FromResult"), args=(only,)):
            yield from _answers_of(program, only.value, scope, depth + 1)
        case Call(callee=Attribute(name=name), args=args) if name in _STATUSES:
            if _is_own(program, plain, scope):
                yield None
            else:
                yield _of_method(program, plain, _STATUSES[name], args, scope)
        case New(type=NamedType(name=name)) if unqualified_name(name) == "OpenApiResult":
            yield _of_construction(program, plain, scope)
        case _:
            yield None


def _is_own(program: Program, call: Call, scope: Scope) -> bool:
    """Whether a method of the project bears the name of one of the library's."""
    if program.function_value(call.callee, scope) is not None:
        return True
    name = call.callee.name if isinstance(call.callee, Attribute) else ""
    return any(
        accepts_arity(found.function.params, len(call.args))
        for found in visible_extensions(program, name, scope.file)
    )


def _of_method(
    program: Program, call: Call, status: str, args: tuple[Argument, ...], scope: Scope
) -> Response:
    """`this.OkResult(order)`, `this.CreatedResult(location, order)`."""
    has_body = (
        bool(args) if status == "200" else status == "201" and _is_located(program, args, scope)
    )
    return _response(program, status, call, scope, has_body=has_body)


def _is_located(program: Program, args: tuple[Argument, ...], scope: Scope) -> bool:
    """Whether the place of what is created stands first, and the object behind it; a resolver of
    links is given the name of an operation instead."""
    if len(args) < 2:
        return False
    schema = program.infer(args[0].value, scope)
    return getattr(schema, "type", "") == "string"


def _of_construction(program: Program, made: New, scope: Scope) -> Response | None:
    """`new OpenApiResult { StatusCode = 400 }`."""
    status: str | None = None
    has_body = False
    for entry in made.entries:
        if entry.key == "StatusCode":
            status = status_of(program, entry.value, scope)
        elif entry.key == "Results":
            held = entry.value
            has_body = not isinstance(held, ObjectLiteral) or any(
                each.key is None or "/" in each.key for each in held.entries
            )
    return None if status is None else _response(program, status, made, scope, has_body=has_body)


def _response(
    program: Program, status: str, made: Call | New, scope: Scope, *, has_body: bool
) -> Response:
    origin = program.origin(made, scope)
    bodies = (Body(schema=Unknown(reason=_FORMAT, origin=origin), origin=origin),)
    return Response(
        status=status, bodies=bodies if has_body else (), explicit_status=True, origin=origin
    )


FRAMEWORK = Framework(
    name="Menes",
    markers=(b"IOpenApiService",),
    calls=(b"OperationId",),
    operations=operations,
    traits=DOTNET,
)
