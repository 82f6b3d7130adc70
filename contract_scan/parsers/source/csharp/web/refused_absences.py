"""Parameters, and fields of bodies, without which a handler answers nothing but 400.

`if (string.IsNullOrWhiteSpace(version)) return Results.BadRequest("…")`: a request without them is
refused, whatever their declaration says. Asked is what the handler answers where they are null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Parameter
from contract_scan.ir.schema import Field, Object, Scalar, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.csharp.web.binder import RequestInputs
from contract_scan.parsers.source.csharp.web.text_shapes import simple_name
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    NullableType,
    OperationExpr,
    Param,
    Statement,
)

_REFUSALS = frozenset({"400", "422"})
_EMPTY_TESTS = frozenset({"IsNullOrEmpty", "IsNullOrWhiteSpace"})
_KEEPING = frozenset({"FirstOrDefault", "Trim", "ToString", "ToLower", "ToLowerInvariant"})
"""Methods that make a text of the values of a query, or leave what is empty empty."""
_ANSWERS: TypeAlias = Callable[[FunctionValue], Answers]


def with_needed_parameters(
    program: Program, inputs: RequestInputs, handler: FunctionValue, answers: _ANSWERS
) -> RequestInputs:
    """The inputs of a handler, with those parameters and fields required that it refuses requests
    without; parameters that it takes from `Request.Query` itself are added. `answers` gives what a
    handler answers, here one whose parameter is null."""
    body = program.body(handler.function, handler.scope.file)
    tested = list(dict.fromkeys(_tested_first(body)))
    if not tested:
        return inputs
    params = {p.name: p for p in handler.function.params}
    parameters, bodies = list(inputs.parameters), inputs.bodies
    for path in tested:
        name, _, member = path.partition(".")
        param = params.get(name)
        if member:
            body_read = None if param is None else _body_of(program, param, handler, bodies)
            if body_read is not None and _refuses(program, handler, path, answers):
                bodies = (_with_needed_field(program, body_read, member),)
            continue
        if param is not None and _may_be_absent(param):
            origin = program.origin(param, handler.scope)
            for position, one in enumerate(parameters):
                is_own = one.origin == origin and one.location == "query" and not one.required
                if is_own and _refuses(program, handler, name, answers):
                    parameters[position] = replace(one, required=True)
        elif param is None and (read := _query_read(body, name)) is not None:
            statement, key = read
            if _refuses(program, handler, name, answers, by_hand=True):
                parameters.append(
                    Parameter(
                        name=key,
                        location="query",
                        schema=Scalar(type="string"),
                        required=True,
                        origin=program.origin(statement, handler.scope),
                    )
                )
    return replace(inputs, parameters=tuple(parameters), bodies=bodies)


def _body_of(
    program: Program, param: Param, handler: FunctionValue, bodies: tuple[Body, ...]
) -> Body | None:
    """The only body of a handler, if a parameter is of its class."""
    if len(bodies) != 1 or not isinstance(param.type, NamedType):
        return None
    symbol = program.names.declared_class(param.type, handler.scope)
    shape = program.types.flat(bodies[0].schema)
    is_its = symbol is not None and isinstance(shape, Object) and shape.name == symbol.decl.name
    return bodies[0] if is_its else None


def _with_needed_field(program: Program, body: Body, member: str) -> Body:
    """A body of which a field has to be there, and not null."""
    shape = program.types.flat(body.schema)
    if not isinstance(shape, Object):
        return body
    fields = tuple(
        _needed_field(one) if (one.declared_as or one.name) == member else one
        for one in shape.fields
    )
    return replace(body, schema=replace(shape, fields=fields))


def _needed_field(field: Field) -> Field:
    schema = with_nullable(field.schema, False)
    return replace(field, required=True, has_default=False, takes_null=False, schema=schema)


def _refuses(
    program: Program,
    handler: FunctionValue,
    name: str,
    answers: _ANSWERS,
    *,
    by_hand: bool = False,
) -> bool:
    """Whether a handler answers with refusals alone where a parameter, or the variable that a query
    was read into, is null."""
    given_by = frozenset({name}) if by_hand else frozenset[str]()
    specialisations = program.evaluator.specialisations
    without = specialisations.with_facts(handler, {name: None}, given_by)
    if without is handler:
        return False
    sent = answers(without)
    own = [r for r in sent.responses if not r.documented and not r.is_uncertain]
    refusals = _REFUSALS | {"404"} if by_hand else _REFUSALS
    return (
        sent.statuses_complete
        and bool(own)
        and all(r.explicit_status and r.status in refusals for r in own)
    )


def _may_be_absent(param: Param) -> bool:
    optional = isinstance(param.type, NullableType)
    is_text = param.type is not None and simple_name(param.type) in ("string", "String")
    return (optional or is_text) and param.default is None


def _tested_first(statements: tuple[Statement, ...]) -> Iterator[str]:
    """The names, and members of what they hold, that tests ask about, of those behind which a
    handler ends and that it reaches on every way."""
    for statement in statements:
        match statement:
            case Branch(kind="if", condition=test) if test is not None:
                yield from _absent_names(test)
            case Branch(kind="try", blocks=(first, *_)):
                yield from _tested_first(first)
            case _:
                pass


def _absent_names(test: Expr) -> Iterator[str]:
    """The names, and members, for which a test holds where they are null, whatever the others
    are."""
    match test:
        case OperationExpr(operator="||", operands=operands):
            for operand in operands:
                yield from _absent_names(operand)
        case Call(callee=Attribute(name=method), args=(given,)) if method in _EMPTY_TESTS:
            yield from _path_of(given.value)
        case OperationExpr(operator="==" | "is", operands=(asked, LiteralExpr(value=None))):
            yield from _path_of(asked)
        case OperationExpr(operator="!", operands=(Attribute(name="HasValue", value=asked),)):
            yield from _path_of(asked)
        case _:
            pass


def _path_of(expr: Expr) -> Iterator[str]:
    """A name, or a member of what it holds."""
    match expr:
        case Name(id=id):
            yield id
        case Attribute(value=Name(id=id), name=name):
            yield f"{id}.{name}"
        case _:
            pass


def _query_read(statements: tuple[Statement, ...], name: str) -> tuple[Statement, str] | None:
    """The statement that reads a variable from the query of the request, and under which key."""
    for statement in statements:
        match statement:
            case Assign(target=Name(id=id), value=value) if id == name and value is not None:
                key = _query_key(value)
                return (statement, key) if key else None
            case Branch(kind="try", blocks=(first, *_)):
                found = _query_read(first, name)
                if found is not None:
                    return found
            case _:
                pass
    return None


def _query_key(expr: Expr) -> str:
    """The key in `req.Query["version"].FirstOrDefault()?.Trim()`; empty for anything else."""
    match expr:
        case Index(value=Attribute(name="Query"), index=LiteralExpr(value=str() as key)):
            return key
        case Index(value=value, index=LiteralExpr(value=0)) | Cast(value=value):
            return _query_key(value)
        case Call(callee=Attribute(name=method, value=value)) if method in _KEEPING:
            return _query_key(value)
        case _:
            return ""
