"""What a function that stands before a handler does for requests with a certain header alone.

    if (ctx.get('x-content-format') === 'compacted') ctx.request.body = expanded(ctx.request.body);

A request without the header is taken as it is: what is read behind such a test says nothing of the
body that every request has.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.path_facts import path_of, root_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.analysis.syntax.null_checks import SAME
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Expr,
    Index,
    LiteralExpr,
    OperationExpr,
    Statement,
)

_TELL_OF_TYPES = frozenset({"accept", "content-type", "content-length"})
"""Headers that say how a body is written, which every request has that has one."""
_HEADERS = frozenset({"headers", "header"})


def without_header_branches(program: Program, function: FunctionValue) -> FunctionValue:
    """A function without what it does for requests with a certain value of a header."""
    decl = function.function
    body = program.body(decl, function.scope.file)
    context = decl.params[0].name if decl.params else ""
    left = _pruned_body(body, context) if context else body
    return function if left is body else replace(function, function=replace(decl, body=left))


def _pruned_body(body: tuple[Statement, ...], context: str) -> tuple[Statement, ...]:
    left = tuple(statement for statement in body if not _is_guarded(statement, context))
    return body if len(left) == len(body) else left


def _is_guarded(statement: Statement, context: str) -> bool:
    match statement:
        case Branch(
            kind="if",
            condition=OperationExpr(operator=operator, operands=(one, other)),
            blocks=(_,),
        ) if operator in SAME:
            asked, value = (other, one) if isinstance(one, LiteralExpr) else (one, other)
            return isinstance(value, LiteralExpr) and _is_of_header(asked, context)
        case _:
            return False


def _is_of_header(expr: Expr, context: str) -> bool:
    """`ctx.get("x-format")`, `ctx.headers["x-format"]`, `ctx.request.get("x-format")`; `context`:
    the name of the function's first parameter."""
    match expr:
        case Call(callee=Attribute(value=holder, name="get" | "header"), args=(argument,)):
            key = argument.value
        case Index(value=Attribute(value=holder, name=name), index=index) if name in _HEADERS:
            key = index
        case _:
            return False
    if root_of(path_of(holder)) != context:
        return False
    header = key.value if isinstance(key, LiteralExpr) else None
    return isinstance(header, str) and header.lower() not in _TELL_OF_TYPES
