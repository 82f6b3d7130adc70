"""The calls that a handler of Django REST framework makes, itself or in methods of its view."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Instance,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Index,
    LiteralExpr,
    Loop,
    Name,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_DEEPEST = 3
"""How many methods of a view are followed."""
_PARTIAL = "partial"


class ReachedCall(Struct, frozen=True, eq=False):
    """A call that a handler makes, itself or in a method of its view."""

    call: Call
    scope: Scope
    is_certain: bool
    """Whether every request comes to it."""
    is_partial: bool | None = False
    """Whether the method that it stands in is told to take a part of the fields
    (`self.update(request, partial=True)`); None: that is undetermined."""


def reached_calls(program: Program, scope: Scope) -> Iterator[ReachedCall]:
    """The calls of a handler and of the methods of its view that it calls."""
    yield from _calls(program, scope, True, False, 0)


def _calls(
    program: Program, scope: Scope, is_certain: bool, is_partial: bool | None, depth: int
) -> Iterator[ReachedCall]:
    statements = scope.statements or ()
    certain = {id(call) for call in _certain_calls(program, statements, scope)}
    for call, place in calls_in(program, statements, scope):
        if not isinstance(call, Call):
            continue
        reached = ReachedCall(call, place, is_certain and id(call) in certain, is_partial)
        yield reached
        method = own_method(program, call, scope)
        if method is None or depth == _DEEPEST or method.function is scope.function:
            continue
        bindings = program.evaluator.arguments_with_defaults(method, call, place)
        inner = program.function_scope(method.function, method.scope, bindings)
        inner = replace(inner, receiver=scope.receiver, owner=method.owner)
        partial = told_partial(program, reached)
        yield from _calls(program, inner, reached.is_certain, partial, depth + 1)


def own_method(program: Program, call: Call, scope: Scope) -> FunctionValue | None:
    """The method of the project that a view calls on itself: `self.f()`, `super().f()`."""
    match call.callee, scope.receiver:
        case Attribute(value=Name(id="this"), name=name), Instance(symbol=symbol):
            return program.find_method(symbol, name)
        case Attribute(value=Name(id="super"), name=name), Instance() as view if scope.owner:
            found = program.names.classes.next_method(view, scope.owner, name)
            return found if isinstance(found, FunctionValue) else None
        case _:
            return None


def told_partial(program: Program, reached: ReachedCall) -> bool | None:
    """Whether a call is given `partial=True`, by itself or among `**kwargs` that the method around
    it was given; None where that is undetermined."""
    for argument in reached.call.args:
        if argument.name == _PARTIAL:
            return _truth(program.evaluate(argument.value, reached.scope), reached)
    unpacked = [a.value for a in reached.call.args if a.spread == "**"]
    return any_of(_among_options(program, options, reached) for options in unpacked)


def _among_options(program: Program, options: Expr, reached: ReachedCall) -> bool | None:
    if isinstance(options, Name) and _sets_partial(options, reached.scope):
        return True
    if isinstance(options, Name) and _is_rest(options, reached.scope):
        return reached.is_partial
    value = program.evaluate(options, reached.scope)
    if not isinstance(value, Record):
        return None
    for entry in value.entries:
        if entry.name == _PARTIAL:
            return _truth(entry.value, reached)
    return None if value.partial or value.values is not None else False


def _sets_partial(options: Name, scope: Scope) -> bool:
    """`kwargs["partial"] = True` in the method around a call."""
    for statement in scope.statements or ():
        match statement:
            case Assign(
                target=Index(value=Name(id=name), index=LiteralExpr(value="partial")),
                value=LiteralExpr(value=True),
            ) if name == options.id:
                return True
            case _:
                continue
    return False


def _is_rest(options: Name, scope: Scope) -> bool:
    """Whether a name is the parameter `**kwargs` of the function around it."""
    function = scope.function
    return function is not None and any(
        param.kind == "**" and param.name == options.id for param in function.params
    )


def _truth(value: Value, reached: ReachedCall) -> bool | None:
    """Whether a value counts as true; what cannot be told is what the method was told, where it
    asks for that: `partial = kwargs.pop("partial", False)`."""
    if isinstance(value, Constant):
        return bool(value.value)
    return reached.is_partial if _asks_for_partial(reached.scope) else None


def _asks_for_partial(scope: Scope) -> bool:
    for node in nodes_of(scope.statements or ()):
        match node:
            case Call(
                callee=Attribute(value=Name() as rest, name="pop" | "get"),
                args=(Argument(value=LiteralExpr(value="partial")), *_),
            ) if _is_rest(rest, scope):
                return True
            case _:
                continue
    return False


def _certain_calls(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> Iterator[Call]:
    """The calls that run for every request: those before the first decision, and in it."""
    for statement in statements:
        parts: tuple[Statement, ...] = (statement,)
        match statement:
            case Branch(kind="if", condition=condition) if condition is not None:
                parts = (Evaluate(condition, span=statement.span),)
            case Branch() | Loop():
                return
            case _:
                pass
        for call, _ in calls_in(program, parts, scope):
            if isinstance(call, Call):
                yield call
        if isinstance(statement, Branch):
            return
