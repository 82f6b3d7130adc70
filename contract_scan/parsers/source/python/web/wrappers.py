"""Functions that decorators of the project put in the place of a view."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Call,
    Expr,
    Index,
    Name,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_DEEPEST = 3
"""How deep decorators are followed that wrappers have."""


def wrapper_of(
    program: Program, annotation: Annotation, view: FunctionValue, scope: Scope
) -> FunctionValue | None:
    """The function that a decorator of the project, a function or an object that is called, gives
    for a view. None for decorators of libraries, and for one that gives the view itself."""
    if annotation.callee is None:
        return None
    decorator = program.evaluate(annotation.callee, scope)
    if isinstance(decorator, FunctionValue | ClassValue) and annotation.has_parentheses:
        call = Call(annotation.callee, annotation.args, span=annotation.span)
        decorator = program.evaluate(call, scope)
    if isinstance(decorator, Instance):
        decorator = program.evaluator.member(decorator, "__call__") or decorator
    if not isinstance(decorator, FunctionValue):
        return None
    around = program.evaluator.apply(decorator, (view,), scope)
    if isinstance(around, FunctionValue) and around.function is not view.function:
        return around
    return None


def decorator_wrappers(program: Program, view: FunctionValue) -> Iterator[FunctionValue]:
    """The functions that decorators of the project put around a view, the innermost first."""
    own = ((annotation, view.scope) for annotation in view.function.annotations)
    yield from wrappers_by(program, tuple(own), view)


def wrappers_by(
    program: Program,
    annotations: tuple[tuple[Annotation, Scope], ...],
    view: FunctionValue,
    depth: int = 0,
) -> Iterator[FunctionValue]:
    """The functions that decorators put around a view, the innermost first: each with those that
    decorators of its own put around it."""
    for annotation, scope in reversed(annotations):
        around = wrapper_of(program, annotation, view, scope)
        if around is None:
            continue
        yield around
        view = around
        if depth < _DEEPEST:
            own = tuple((each, around.scope) for each in around.function.annotations)
            for view in wrappers_by(program, own, around, depth + 1):
                yield view


def hands_on(
    program: Program, returned: Expr, scope: Scope, around: FunctionValue, inner: FunctionValue
) -> bool:
    """Whether what a wrapper returns is what the function within returned, as it is."""
    match returned:
        case Call(callee=callee) if _is_function(program, callee, scope, inner):
            return True
        case Call(callee=callee, args=[argument]) if _makes_response(program, callee, scope):
            return hands_on(program, argument.value, scope, around, inner)
        case Name(id=id):
            values, changed = _assigned_values(program.body(around.function, around.scope.file), id)
            return (
                bool(values)
                and not changed
                and all(
                    not (isinstance(value, Name) and value.id == id)
                    and hands_on(program, value, scope, around, inner)
                    for value in values
                )
            )
        case _:
            return False


def _is_function(program: Program, callee: Expr, scope: Scope, inner: FunctionValue) -> bool:
    """Whether a callee is a function, or what a call makes of it: `ensure_sync(f)(*args)`."""
    if isinstance(callee, Call):
        return any(_is_function(program, each.value, scope, inner) for each in callee.args)
    found = program.evaluate(callee, scope)
    return isinstance(found, FunctionValue) and found.function is inner.function


def _makes_response(program: Program, callee: Expr, scope: Scope) -> bool:
    found = program.evaluate(callee, scope)
    return isinstance(found, LibrarySymbol) and found.name.endswith(".make_response")


def _assigned_values(statements: tuple[Statement, ...], id: str) -> tuple[list[Expr], bool]:
    """What a name is assigned, and whether an entry of it is."""
    values: list[Expr] = []
    changed = False
    for statement in nested_statements(statements):
        match statement:
            case Assign(target=Name(id=target), value=value) if target == id and value is not None:
                values.append(value)
            case Assign(target=Index(value=Name(id=target))) if target == id:
                changed = True
            case _:
                pass
    return values, changed


def altered_result(program: Program, called: FunctionValue) -> Value | None:
    """What a decorated function gives where a decorator of the project makes something else of
    what it returns; None where none does."""
    inner = replace(called, function=replace(called.function, annotations=()))
    for annotation in reversed(called.function.annotations):
        around = wrapper_of(program, annotation, inner, called.scope)
        if around is None:
            continue
        exits = [one for one in program.function_exits(around) if not one.thrown and one.value]
        if any(alters(program, e.value, e.scope, inner, set()) for e in exits if e.value):
            return program.evaluator.apply(around, (), around.scope)
    return None


def alters(
    program: Program, expr: Expr, scope: Scope, inner: FunctionValue, seen: set[str]
) -> bool:
    """Whether an expression is made of what a function within a wrapper returns, and is not just
    that."""
    match expr:
        case Call(callee=callee) if _is_function(program, callee, scope, inner):
            return False
        case Name(id=id):
            values, changed = _assigned_values(scope.statements or (), id)
            is_derived = any(_mentions(program, value, scope, inner) for value in values)
            if id in seen:
                return False
            is_made = any(alters(program, v, scope, inner, {*seen, id}) for v in values)
            return is_made or (changed and is_derived)
        case _:
            names = {node.id for node in nodes_of(expr) if isinstance(node, Name)} - seen
            derived = (_assigned_values(scope.statements or (), name)[0] for name in names)
            return _mentions(program, expr, scope, inner) or any(
                _mentions(program, value, scope, inner) for values in derived for value in values
            )


def _mentions(program: Program, expr: Expr, scope: Scope, inner: FunctionValue) -> bool:
    """Whether an expression calls a function somewhere."""
    return any(
        isinstance(node, Call)
        and isinstance(node.callee, Name)
        and _is_function(program, node.callee, scope, inner)
        for node in nodes_of(expr)
    )
