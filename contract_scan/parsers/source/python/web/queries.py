"""The query parameters that a handler takes from its request by itself, without declaring them.

What it reads by index it needs; all else it can do without. That these are all of them is never
said: what else is given the request (middleware, decorators, functions) may read more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from contract_scan.ir.operation import Parameter
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import Anything, Object
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, origin_at
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    Statement,
)
from contract_scan.parsers.source.python.messaging.reads import of_request
from contract_scan.parsers.source.python.web.bodies import REQUESTS, is_read
from contract_scan.parsers.source.python.web.common import asks_request, call_argument


def with_queries(
    program: Program,
    handler: FunctionValue | None,
    declared: Iterable[Parameter],
    members: frozenset[str],
) -> tuple[Parameter, ...]:
    """What is declared, and what the handler reads of the query besides. `members` are those of a
    request that hold the query (`request.args`)."""
    known = tuple(declared)
    names = {parameter.name for parameter in known if parameter.location in ("query", "path")}
    if handler is None or asks_request(program, handler, "method"):
        return known  # another method may be the one that reads it
    read = _query_parameters(program, handler, members)
    return (*known, *(parameter for parameter in read if parameter.name not in names))


def _query_parameters(
    program: Program, handler: FunctionValue, members: frozenset[str]
) -> tuple[Parameter, ...]:
    def is_query(expr: Expr, scope: Scope) -> bool:
        if not isinstance(expr, Attribute) or not is_read(expr, scope, members):
            return False
        # Of functions that the handler calls, any may have something else for its first parameter.
        own = scope.function is handler.function
        return own or not isinstance(expr.value, Name) or expr.value.id in REQUESTS

    shape = of_request(program, handler, is_query, parses=False)
    if not isinstance(shape, Object):
        return ()
    return tuple(
        _parameter(field.name, field.required is True, field.origin) for field in shape.fields
    )


def asked_for(
    program: Program, handler: FunctionValue, getters: frozenset[str], *, raises: bool
) -> Iterator[Parameter]:
    """What a handler asks for by a method that takes the name: `req.get_param("limit")`. `raises`:
    the method refuses requests without the parameter, unless it is given a default."""
    scope = program.function_scope(handler.function, handler.scope)
    statements = scope.statements or ()
    always = frozenset(_unconditional_spans(statements))
    seen: set[str] = set()
    for call, around in calls_in(program, statements, scope):
        if not isinstance(call, Call) or not _is_asked(call, around, getters):
            continue
        name = program.text(call_argument(call.args, "name", 0), around)
        if name is None or name in seen:
            continue
        seen.add(name)
        if raises:
            needed = call_argument(call.args, "default", 1) is None and not any(
                a.spread for a in call.args
            )
        else:
            flag = call_argument(call.args, "required")
            needed = isinstance(flag, LiteralExpr) and flag.value is True
        is_always = any(span.line <= call.span.line <= span.end_line for span in always)
        yield _parameter(name, needed and is_always, origin_at(around, call.span))


def _is_asked(call: Call, scope: Scope, getters: frozenset[str]) -> bool:
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name not in getters:
        return False
    own = isinstance(callee.value, Name) and callee.value.id == "this"
    return own or is_read(callee, scope, getters)


def _unconditional_spans(statements: tuple[Statement, ...]) -> Iterator[Span]:
    """The places of what runs for every request: all that comes before the first decision."""
    for statement in statements:
        if isinstance(statement, Branch | Loop):
            return
        yield statement.span


def _parameter(name: str, needed: bool, origin: Origin) -> Parameter:
    return Parameter(
        name=name,
        location="query",
        schema=Anything(nullable=None, origin=origin),
        required=needed,
        origin=origin,
    )
