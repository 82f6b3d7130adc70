"""Wolverine: methods with `[WolverineGet("/orders/{id}")]` and its kin."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation, Parameter, Response
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import with_nullable
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.annotations import (
    argument,
    find,
    find_all,
    text,
)
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.actions import respond
from contract_scan.parsers.source.csharp.web.binding import Binder, RequestInputs, read_inputs
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult
from contract_scan.parsers.source.csharp.web.parameter_sources import (
    is_service,
    is_simple,
    list_of_simple,
)
from contract_scan.parsers.source.csharp.web.responses import (
    announced_by,
    declared_result,
    merge_responses,
)
from contract_scan.parsers.source.csharp.web.templates import parse
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Call,
    Function,
    NamedType,
    NullableType,
    Param,
    TupleType,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework

_VERBS = {
    f"Wolverine{verb.capitalize()}": verb
    for verb in ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
}
_LOADED = (
    *("NotBody", "FromServices", "Document", "Entity", "All", "Aggregate", "ReadAggregate"),
    *("WriteAggregate", "ConsistentAggregate", "BoundaryModel"),
)
"""Attributes of parameters that are no part of the request."""
_STATUSES = {"CreationResponse": "201", "AcceptResponse": "202"}
_EFFECTS = frozenset(
    {
        *("ISideEffect", "IMartenOp", "IStartStream", "StartStream", "Events", "OutgoingMessages"),
        *("Insert", "Store", "Update", "Delete", "UpdatedAggregate", "HandlerContinuation"),
        *("IStorageAction", "Storage", "ProblemDetails", "int", "Int32"),
    }
)
"""What is done with is undetermined by the type: things stored, statuses as numbers."""
_BEFORE = frozenset({"Load", "Before", "Validate"})


class _Prefix(Struct, frozen=True, kw_only=True):
    """What start-up code puts in front of routes."""

    path: str | None
    namespace: str = ""
    """Of the classes that it concerns; empty: all."""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every method with a route."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            for method in symbol.decl.methods:
                for marked in find_all(method.annotations, *_VERBS):
                    yield _operation(program, framework, symbol, method, marked)


def _operation(
    program: Program,
    framework: Framework,
    symbol: ClassSymbol,
    method: Function,
    marked: Annotation,
) -> Operation:
    scope = program.class_scope(symbol)
    variant = variant_for(program, "http", symbol.file.path)
    verb = _VERBS[marked.name.rsplit(".", 1)[-1].removesuffix("Attribute")]
    written = text(program, marked, scope, 0, "template")
    prefix = _prefix(program, symbol)
    template = parse(
        f"{DYNAMIC_PREFIX if prefix is None else prefix}/{(written or '').lstrip('/')}"
    )
    value = FunctionValue(method, scope, symbol)
    binder = Binder(program=program, variant=variant, template=template, method=verb, minimal=True)
    reading = read_inputs(binder, tuple(_request_parameters(program, method, scope)), scope)
    responses, complete = _responses(program, value, variant)
    unresolved = NO_REASON if written is not None else Reason("route-path-computed")
    if prefix is None:
        unresolved = unresolved or Reason("routes-prefix-not-constant")
    return Operation(
        method=verb,
        path=template.path,
        parameters=_lenient(reading),
        parameters_complete=reading.complete and not _runs_before(symbol),
        request=reading.bodies,
        responses=responses,
        statuses_complete=complete,
        origin=program.origin(marked, scope),
        operation_id=text(program, marked, scope, -1, "OperationId") or "",
        handler=f"{symbol.qualified_name}.{method.name}",
        framework=framework.name,
        excluded_from_docs=find(
            (*method.annotations, *symbol.decl.annotations), "ExcludeFromDescription"
        )
        is not None,
        unresolved=unresolved,
    )


# --------------------------------------------------------------------------- requests


def _request_parameters(program: Program, method: Function, scope: Scope) -> Iterator[Param]:
    """The parameters that come from the request: simple ones, and the first other one."""
    found = False
    for param in method.params:
        if param.type is None or find(param.annotations, *_LOADED) is not None:
            continue
        if _is_clock(param):
            continue
        simple = is_simple(program, param.type, scope) or list_of_simple(program, param.type, scope)
        bound = param.annotations or simple or is_service(program, param.type, scope)
        if bound or not found:
            found = found or not bound
            yield param


def _is_clock(param: Param) -> bool:
    """`DateTime now`: the time of the call."""
    name = unqualified_name(param.type.name) if isinstance(param.type, NamedType) else ""
    return param.name == "now" and name in ("DateTime", "DateTimeOffset")


def _lenient(reading: RequestInputs) -> tuple[Parameter, ...]:
    """What is absent from the query has the default of its type."""
    return tuple(
        replace(parameter, required=False) if parameter.location == "query" else parameter
        for parameter in reading.parameters
    )


def _runs_before(symbol: ClassSymbol) -> bool:
    """Whether other methods of the class, which may read the request too, run first."""
    return any(m.name.removesuffix("Async") in _BEFORE for m in symbol.decl.methods)


# --------------------------------------------------------------------------- answers


def _responses(
    program: Program, method: FunctionValue, variant: str
) -> tuple[tuple[Response, ...], bool]:
    function, scope = method.function, method.scope
    origin = program.origin(function, scope)
    announced = announced_by(program, function.annotations, scope, variant)
    type = _response_type(_without_task(function.returns))
    nothing = declared_result(program, type, scope).kind == "nothing"
    if nothing or find(function.annotations, "EmptyResponse") is not None:
        found = [BranchResult(status="204", explicit_status=False, origin=origin)]
        return merge_responses(found, announced, ()), True
    if type is None or _is_effect(program, type, scope):
        return merge_responses(None, announced, ()), False
    if declared_result(program, type, scope).kind != "value":
        return respond(program, method, None, function.annotations, variant)[:2]
    status = _status(program, type, scope)
    schema = with_nullable(program.schema(type, scope, variant), False)
    is_text = isinstance(type, NamedType) and unqualified_name(type.name) in ("string", "String")
    found = [
        BranchResult(
            status=status,
            schema=schema,
            content_type="text/plain" if is_text else "application/json",
            explicit_status=status != "200",
            origin=origin,
        )
    ]
    return merge_responses(found, announced, ()), True


def _without_task(type: TypeExpr | None) -> TypeExpr | None:
    match type:
        case NamedType(name=name, args=(inner,)) if unqualified_name(name) in ("Task", "ValueTask"):
            return inner
        case _:
            return type


def _response_type(type: TypeExpr | None) -> TypeExpr | None:
    """Of a tuple only the first part is the answer; the others are messages and effects."""
    match type:
        case NullableType(item=item):
            return _response_type(item)
        case TupleType(items=(first, *_)):
            return _response_type(first)
        case NamedType(name=name, args=(first, *_)) if unqualified_name(name) == "Tuple":
            return first
        case _:
            return type


def _bases(program: Program, type: TypeExpr, scope: Scope) -> Iterator[str]:
    """The names of a type and of what it inherits from."""
    if not isinstance(type, NamedType):
        return
    yield unqualified_name(type.name)
    found = program.names.declared_class(type, scope)
    if found is not None:
        for owner in (found, *program.bases(found)):
            for base in owner.decl.bases:
                if isinstance(base, NamedType):
                    yield unqualified_name(base.name)


def _status(program: Program, type: TypeExpr, scope: Scope) -> str:
    names = _bases(program, type, scope)
    return next((_STATUSES[name] for name in names if name in _STATUSES), "200")


def _is_effect(program: Program, type: TypeExpr, scope: Scope) -> bool:
    return any(name in _EFFECTS for name in _bases(program, type, scope))


# --------------------------------------------------------------------------- prefixes


def _prefix(program: Program, symbol: ClassSymbol) -> str | None:
    """The prefix of a class, else of its namespace, else of all; None where it is undetermined."""
    own = find(symbol.decl.annotations, "RoutePrefix")
    if own is not None:
        written = program.text(argument(own, 0, "prefix"), program.class_scope(symbol))
        return None if written is None else f"/{written.strip('/')}"
    home = symbol.file.namespaces.get(symbol.qualified_name, symbol.file.package)
    fitting = [p for p in _prefixes(program) if f"{home}.".startswith(p.namespace)]
    best = max(fitting, key=lambda p: len(p.namespace), default=None)
    if best is None:
        return ""
    return None if best.path is None else f"/{best.path.strip('/')}"


@memoised
def _prefixes(program: Program) -> list[_Prefix]:
    return list(_found_prefixes(program))


def _found_prefixes(program: Program) -> Iterator[_Prefix]:
    starting = set(program.files_containing(b"MapWolverineEndpoints"))
    for path in program.files_containing(b".RoutePrefix("):
        if path not in starting:
            continue
        for call, scope in calls_of(program, program.facts(path), b".RoutePrefix("):
            if not isinstance(call, Call) or getattr(call.callee, "name", "") != "RoutePrefix":
                continue
            given = [program.text(a.value, scope) for a in call.args]
            if len(given) == 1:
                yield _Prefix(path=given[0])
            elif len(given) == 2 and given[1] is not None:
                yield _Prefix(path=given[0], namespace=f"{given[1]}.")


FRAMEWORK = Framework(
    name="Wolverine",
    markers=tuple(f"[{name}".encode() for name in _VERBS),
    operations=operations,
    traits=DOTNET,
)
