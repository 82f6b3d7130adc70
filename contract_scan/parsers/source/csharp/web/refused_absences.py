"""Parameters without which a handler answers nothing but 400.

`if (string.IsNullOrWhiteSpace(version)) return Results.BadRequest("…")`: a request without them is
refused, whatever their declaration says. Asked is what the handler answers where they are null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Parameter
from contract_scan.ir.schema import Scalar
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
    """The inputs of a handler, with those parameters required that it refuses requests without;
    such that it takes from `Request.Query` itself are added. `answers` gives what a handler
    answers, here one whose parameter is null."""
    body = program.body(handler.function, handler.scope.file)
    tested = list(dict.fromkeys(_tested_first(body)))
    if not tested:
        return inputs
    params = {p.name: p for p in handler.function.params}
    parameters = list(inputs.parameters)
    for name in tested:
        param = params.get(name)
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
    return replace(inputs, parameters=tuple(parameters))


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
    own = [response for response in sent.responses if not response.documented]
    return (
        sent.statuses_complete
        and bool(own)
        and all(r.explicit_status and r.status in _REFUSALS for r in own)
    )


def _may_be_absent(param: Param) -> bool:
    optional = isinstance(param.type, NullableType)
    is_text = param.type is not None and simple_name(param.type) in ("string", "String")
    return (optional or is_text) and param.default is None


def _tested_first(statements: tuple[Statement, ...]) -> Iterator[str]:
    """The names that tests ask about, of those behind which a handler ends and that it reaches on
    every way."""
    for statement in statements:
        match statement:
            case Branch(kind="if", condition=test) if test is not None:
                yield from _absent_names(test)
            case Branch(kind="try", blocks=(first, *_)):
                yield from _tested_first(first)
            case _:
                pass


def _absent_names(test: Expr) -> Iterator[str]:
    """The names for which a test holds where they are null, whatever the others are."""
    match test:
        case OperationExpr(operator="||", operands=operands):
            for operand in operands:
                yield from _absent_names(operand)
        case Call(callee=Attribute(name=method), args=(given,)) if method in _EMPTY_TESTS:
            if isinstance(given.value, Name):
                yield given.value.id
        case OperationExpr(operator="==" | "is", operands=(Name(id=id), LiteralExpr(value=None))):
            yield id
        case OperationExpr(operator="!", operands=(Attribute(name="HasValue", value=Name(id=id)),)):
            yield id
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
