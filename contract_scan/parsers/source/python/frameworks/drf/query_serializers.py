"""Query parameters that views of Django REST framework check by a serializer:
`Filter(data=request.query_params)`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from contract_scan.ir.operation import Parameter
from contract_scan.ir.schema import Field, Object, Scalar
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Instance,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.python.frameworks.drf.reached_calls import (
    ReachedCall,
    reached_calls,
)
from contract_scan.parsers.source.python.serialization.drf import serializers as drf
from contract_scan.parsers.source.python.serialization.fields import argument_value, is_true
from contract_scan.parsers.source.python.serialization.modes import LOAD, PARTIAL
from contract_scan.parsers.source.python.serialization.naming import camel
from contract_scan.parsers.source.python.web.common import argument, status_code

QUERIES = frozenset({"GET", "query_params"})
"""Members of a request that hold the query."""
_RENAMING = b"CamelCaseMiddleWare"
"""Middleware of djangorestframework-camel-case, which renames the parameters of a query."""


def query_parameters(program: Program, scope: Scope, known: Collection[str]) -> Iterator[Parameter]:
    """The fields of the serializers that a handler gives its query, but for those that are
    `known`."""
    reached = list(reached_calls(program, scope))
    checks = [
        (value.site, each.is_certain and is_enforced)
        for each in reached
        for of, is_enforced in _validity_checks(program, each)
        if isinstance(value := program.evaluate(of, each.scope), Instance)
    ]
    seen = set(known)
    for each in reached:
        is_query, is_form = _is_query(argument(each.call, -1, "data"), each.scope)
        serializer = program.evaluate(each.call, each.scope) if is_query else None
        if not isinstance(serializer, Instance) or not drf.is_serializer_class(
            program, ClassValue(serializer.symbol)
        ):
            continue
        is_enforced = any(site is each.call and enforced for site, enforced in checks)
        partial = argument_value(program, LibraryResult("", each.call, each.scope), "partial")
        for field in _fields(program, serializer.symbol, is_partial=is_true(partial)):
            if field.name not in seen:
                seen.add(field.name)
                yield _parameter(field, is_enforced=is_enforced, is_form=is_form)


def _parameter(field: Field, *, is_enforced: bool, is_form: bool) -> Parameter:
    needed: bool | None = None
    if field.has_default or (is_form and _is_false_when_absent(field)):
        needed = False
    elif is_enforced and field.required and isinstance(field.schema, Scalar):
        needed = True
    return Parameter(
        name=field.name,
        location="query",
        schema=field.schema,
        required=needed,
        has_default=field.has_default,
        origin=field.origin,
    )


def _is_false_when_absent(field: Field) -> bool:
    """Whether a form that lacks a field says `false` by that: an unticked box."""
    return isinstance(field.schema, Scalar) and field.schema.type == "boolean"


def _fields(program: Program, symbol: ClassSymbol, *, is_partial: bool) -> Iterator[Field]:
    """What a serializer takes from a query; an object in it has names of its own there
    (`range.from`)."""
    shape = program.types.flat(
        drf.reference(program, symbol, LOAD, *((PARTIAL,) if is_partial else ()))
    )
    if not isinstance(shape, Object):
        return
    is_renamed = bool(program.files_containing(_RENAMING))
    for field in shape.fields:
        whole = program.types.flat(field.schema)
        if not isinstance(whole, Object) and not (is_renamed and camel(field.name) != field.name):
            yield field


def _is_query(data: Expr | None, scope: Scope) -> tuple[bool, bool]:
    """Whether an expression is the query of a request, and whether it is still read as a form."""
    match data:
        case Call(callee=Attribute(value=query, name="dict" | "copy" as name), args=()):
            is_query, is_form = _is_query(query, scope)
            return is_query, is_form and name == "copy"
        case Attribute(
            value=Name(id="request") | Attribute(value=Name(id="this"), name="request"), name=name
        ):
            return name in QUERIES, name in QUERIES
        case Name(id=name):
            definitions = definitions_of(data, scope)
            match definitions:
                case [definition] if isinstance(definition.statement, Assign):
                    value = None if definition.mutations else definition.statement.value
                    return _is_query(value, scope)
                case _:
                    return False, False
        case _:
            return False, False


# ---------------------------------------------------------------------------------------- checks


def _validity_checks(program: Program, reached: ReachedCall) -> Iterator[tuple[Expr, bool]]:
    """The serializer whose `is_valid` is called, and whether what is not valid is refused."""
    match reached.call:
        case Call(callee=Attribute(value=serializer, name="is_valid")):
            option = argument(reached.call, -1, "raise_exception")
            is_raised = option is not None and is_true(program.evaluate(option, reached.scope))
            refused = is_raised or _is_refused(program, reached.call, reached.scope)
            yield serializer, refused
        case _:
            return


def _is_refused(program: Program, check: Call, scope: Scope) -> bool:
    """Whether a handler refuses what `is_valid()` finds wrong: `if not s.is_valid(): return …`, or
    what follows `if s.is_valid(): return …`."""
    statements = scope.statements or ()
    for place, statement in enumerate(statements):
        match statement:
            case Branch(condition=OperationExpr(operator="not", operands=[asked]), blocks=blocks):
                otherwise = blocks[0]
            case Branch(condition=asked, blocks=blocks):
                otherwise = blocks[1] if blocks[1:] else statements[place + 1 :]
            case _:
                continue
        if asked is check:
            return _refuses(program, otherwise, scope)
    return False


def _refuses(program: Program, statements: tuple[Statement, ...], scope: Scope) -> bool:
    match statements[-1] if statements else None:
        case Throw():
            return True
        case Return(value=Call() as answer):
            return (status_code(program, argument(answer, 1, "status"), scope) or "")[:1] == "4"
        case _:
            return False
