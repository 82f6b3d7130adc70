"""What functions that validate a value say of members that it may lack.

`.refine((body) => body.issuer !== undefined || body.code !== undefined)`: which of its optional
members an object needs is decided by a function of the project. It is run where a member is
undefined and nothing is known of the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.schema import Object, Schema, Union
from contract_scan.parsers.source.analysis.domain.path_facts import Facts, Kind
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import with_peers
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Value
from contract_scan.parsers.source.analysis.refinement.path_conditions import Env, evaluate_test
from contract_scan.parsers.source.analysis.refinement.predicates import agreed_answer
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Evaluate,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Name,
    ObjectLiteral,
    Param,
    Return,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


def takes_undefined(
    program: Program, predicate: Value | None, member: str = "", *, reports: bool = False
) -> bool | None:
    """Whether a function accepts its argument where that, or a member of it, is undefined; None
    where it is undetermined. One that `reports` tells what is wrong to its second parameter, others
    return whether the argument is valid."""
    if not isinstance(predicate, FunctionValue) or not predicate.function.params:
        return None
    facts = _absence_facts(predicate.function.params[0], member)
    if facts is None:
        return None
    running = program.evaluator.specialisations.with_facts(predicate, facts)
    if reports:
        is_seen = bool(program.body(predicate.function, predicate.scope.file))
        return _reports_nothing(program, running) if is_seen else None
    return agreed_answer(
        _is_truthy(returned.value, returned.scope.facts or facts)
        for returned in program.function_exits(running)
        if not returned.thrown
    )


def with_predicate(
    program: Program, schema: Schema, predicate: Value | None, *, reports: bool = False
) -> Schema:
    """An object, or each of several, that a function validates too. It may lack the members that
    the function can do without, and those that it reads otherwise as other members have it, or as
    a transformation of the member has it: that is undetermined."""
    if isinstance(schema, Union):
        options = (
            with_predicate(program, each, predicate, reports=reports) for each in schema.options
        )
        return replace(schema, options=tuple(options))
    if not isinstance(schema, Object):
        return schema
    read = members_read(program, predicate)
    optional = {field.name for field in schema.fields if field.required is False}
    any_is_one = len(schema.fields) == 1
    asked = optional if read is None or any_is_one else optional & read
    names = {n for n in asked if not takes_undefined(program, predicate, n, reports=reports)}
    return with_peers(schema, names)


def members_read(program: Program, function: Value | None) -> frozenset[str] | None:
    """The members that a function reads of its first parameter; None where they may be all."""
    if not isinstance(function, FunctionValue) or not function.function.params:
        return None
    parameter = function.function.params[0]
    if isinstance(parameter.pattern, ObjectLiteral):
        return _keys(parameter.pattern)
    body = program.body(function.function, function.scope.file)
    if not body:
        return None
    found: set[str] = set()
    whole = 0
    for node in _nodes(program, body, function):
        match node:
            case Name(id=id) if id == parameter.name:
                whole += 1
            case (
                Attribute(value=Name(id=id), name=str(key))
                | Index(value=Name(id=id), index=LiteralExpr(value=str(key)))
            ) if id == parameter.name:
                found.add(key)
                whole -= 1
            case Return(value=Name(id=id)) if id == parameter.name:
                whole -= 1  # it gives what it is given
            case Call(
                callee=Attribute(value=Name(id="Object"), name="keys" | "values" | "entries"),
                args=(Argument(value=Name(id=id)),),
            ) if id == parameter.name:
                whole -= 1  # it asks whether there is any member, whichever it is
            case Assign(target=ObjectLiteral() as target, value=Name(id=id)) if (
                id == parameter.name and (keys := _keys(target)) is not None
            ):
                found |= keys
                whole -= 1
            case _:
                pass
    return None if whole else frozenset(found)


def _keys(pattern: ObjectLiteral) -> frozenset[str] | None:
    keys = [entry.key for entry in pattern.entries if not entry.spread]
    if len(keys) < len(pattern.entries) or None in keys:
        return None
    return frozenset(filter(None, keys))


def _nodes(program: Program, body: object, function: FunctionValue) -> Iterator[object]:
    """A body and everything in it, functions that are not lowered yet too."""
    for node in nodes_of(body):
        yield node
        if isinstance(node, Function) and node.body is None:
            yield from _nodes(program, program.body(node, function.scope.file), function)


def _absence_facts(parameter: Param, member: str) -> Facts | None:
    """That a parameter, or a member of it, is undefined."""
    if parameter.pattern is None or not member:
        path = f"{parameter.name}.{member}" if member else parameter.name
        return {path: Kind.UNDEFINED} if parameter.name else None
    for entry in getattr(parameter.pattern, "entries", ()):
        if entry.key == member and isinstance(entry.value, Name) and entry.default is None:
            return {entry.value.id: Kind.UNDEFINED}
    return None


def _is_truthy(expr: Expr | None, facts: Facts) -> bool | None:
    if expr is None or isinstance(expr, LiteralExpr):
        return bool(expr.value) if expr is not None else False
    return evaluate_test(expr, Env(facts, "typescript"))


def _reports_nothing(program: Program, function: FunctionValue) -> bool | None:
    """Whether a function has nothing to say to its second parameter; False where it always has."""
    told: set[str] = set()
    for parameter in function.function.params[1:2]:
        told = {node.id for node in nodes_of(parameter.pattern) if isinstance(node, Name)}
        told.add(parameter.name)
    body = program.body(function.function, function.scope.file)
    if not any(_reports(node, told) for node in _nodes(program, body, function)):
        return True
    for statement in body:
        match statement:
            case Throw():
                return False
            case Evaluate(value=Call(callee=Attribute(value=Name(id=id)) | Name(id=id))) if (
                id in told
            ):
                return False
            case Evaluate() | Assign():
                pass
            case _:  # it may end the function
                return None
    return None


def _reports(node: object, told: set[str]) -> bool:
    return isinstance(node, Throw) or (isinstance(node, Name) and node.id in told)
