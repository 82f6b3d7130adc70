"""What a method of a service answers."""

from __future__ import annotations

from contract_scan.ir.schema import Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue, Scope
from contract_scan.parsers.source.csharp.frameworks.service_stack.requests import (
    answer,
    returns_nothing,
)
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.wire import expression_schema
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    New,
    NullableType,
    NullType,
    TypeExpr,
)

_MAX_DEPTH = 8
_OPAQUE = frozenset({"object", "Object", "dynamic", "IHttpResult", "HttpResult", "IHttpError"})
_TASKS = frozenset({"Task", "ValueTask"})


def answers(
    program: Program, method: FunctionValue, request: ClassSymbol, variant: str
) -> tuple[list[BranchResult] | None, bool]:
    """(answers, whether these are all successes) of a method; None where they are undetermined."""
    origin = program.origin(method.function, method.scope)
    if returns_nothing(program, request) or _is_void(method):
        return [BranchResult(status="204", explicit_status=False, origin=origin)], True
    declared = _declared_schema(program, method, request, variant)
    found: list[BranchResult] = []
    for one in program.function_exits(method):
        if one.thrown:
            continue
        given = None
        if one.value is not None:
            given = _branch_results(program, one.value, one.scope, declared, variant, 0)
        if given is None:
            return _declared_result(program, method, declared), False
        found.extend(given)
    return (
        (found, True)
        if found
        else (_declared_result(program, method, declared), declared is not None)
    )


def _declared_result(
    program: Program, method: FunctionValue, declared: Schema | None
) -> list[BranchResult] | None:
    if declared is None:
        return None
    origin = program.origin(method.function, method.scope)
    return [BranchResult(status="200", schema=declared, explicit_status=False, origin=origin)]


def of_type(program: Program, request: ClassSymbol, variant: str) -> Schema | None:
    """What a request says that it is answered with."""
    said = answer(program, request)
    return None if said is None else with_nullable(program.schema(*said, variant), False)


def _declared_schema(
    program: Program, method: FunctionValue, request: ClassSymbol, variant: str
) -> Schema | None:
    """The schema of the method's own return type, else of the type that the request declares."""
    returns = _without_task(method.function.returns)
    if returns is not None and not _is_opaque(returns):
        return with_nullable(program.schema(returns, method.scope, variant), False)
    return of_type(program, request, variant)


def _without_task(type: TypeExpr | None) -> TypeExpr | None:
    for _ in range(3):
        match type:
            case NullableType(item=item):
                type = item
            case NamedType(name=name, args=(inner,)) if unqualified_name(name) in _TASKS:
                type = inner
            case _:
                return type
    return type


def _is_opaque(type: TypeExpr) -> bool:
    return isinstance(type, NamedType) and unqualified_name(type.name) in _OPAQUE


def _is_void(method: FunctionValue) -> bool:
    match _without_task(method.function.returns):
        case NullType():
            return True
        case NamedType(name=name, args=()):
            return unqualified_name(name) in {"void", *_TASKS}
        case _:
            return False


def _branch_results(
    program: Program, expr: Expr, scope: Scope, declared: Schema | None, variant: str, depth: int
) -> list[BranchResult] | None:
    origin = program.origin(expr, scope)
    match expr:
        case _ if depth > _MAX_DEPTH:
            return None
        case Call(callee=Name(id=id), args=(inner,)) if id == AWAIT:
            return _branch_results(program, inner.value, scope, declared, variant, depth + 1)
        case Cast(value=value):
            return _branch_results(program, value, scope, declared, variant, depth + 1)
        case Choice():
            found: list[BranchResult] = []
            for option, place in program.evaluator.choices(expr, scope):
                one = _branch_results(program, option, place, declared, variant, depth + 1)
                if one is None:
                    return None
                found.extend(one)
            return found
        case LiteralExpr(value=None):
            return [BranchResult(status="204", explicit_status=False, origin=origin)]
        case New(type=NamedType(name=name)) if unqualified_name(name) in (
            "HttpResult",
            "HttpError",
        ):
            return _result(program, expr, unqualified_name(name), scope, declared, variant)
        case Call(callee=Attribute(value=Name(id="HttpResult" | "HttpError"))):
            return None
        case _:
            pass
    schema = declared if declared is not None else expression_schema(program, expr, scope, variant)
    if declared is None and isinstance(schema, Unknown):
        return None
    text = isinstance(schema, Scalar) and schema.type == "string" and not schema.format
    kind = "text/plain" if text else "application/json"
    return [
        BranchResult(
            status="200", schema=schema, content_type=kind, explicit_status=False, origin=origin
        )
    ]


def _result(
    program: Program, made: New, name: str, scope: Scope, declared: Schema | None, variant: str
) -> list[BranchResult] | None:
    """`new HttpResult(dto, HttpStatusCode.Created)`, `new HttpError(HttpStatusCode.NotFound)`."""
    origin = program.origin(made, scope)
    status = "200" if name == "HttpResult" else ""
    body: Expr | None = None
    entries = {entry.key: entry.value for entry in made.entries if entry.key}
    for position, argument in enumerate(made.args):
        found = _status(program, argument, scope)
        if found is not None:
            status = found
        elif position == 0 and name == "HttpResult":
            body = argument.value
        elif program.text(argument.value, scope) is not None and body is not None:
            return None  # text or bytes of a type that it names
    if "StatusCode" in entries:
        status = status_of(program, entries["StatusCode"], scope) or ""
    if "Response" in entries:
        body = entries["Response"]
    if "ContentType" in entries:
        return None
    if not status:
        return None
    if body is None or not status.startswith("2"):
        return [BranchResult(status=status, origin=origin)]
    schema = expression_schema(program, body, scope, variant)
    if isinstance(schema, Unknown) and declared is not None:
        schema = declared
    return [BranchResult(status=status, schema=with_nullable(schema, False), origin=origin)]


def _status(program: Program, argument: Argument, scope: Scope) -> str | None:
    match argument.value:
        case Attribute(value=Name(id="HttpStatusCode") | Attribute(name="HttpStatusCode")):
            return status_of(program, argument.value, scope)
        case Cast(type=NamedType(name="HttpStatusCode"), value=value):
            return status_of(program, value, scope)
        case _:
            return None
