"""What a handler of several methods does for one of them: `if request.method == "POST"`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    definitions_of,
    nested_statements,
)
from contract_scan.parsers.source.analysis.domain.path_facts import RequestMethod, path_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    ReturnedValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    Known,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.refinement.pruning import running_statements
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Define,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.web.common import VERBS, asks_request

_NOTHING: dict[str, Value] = {}
Given: TypeAlias = Mapping[str, Value]
"""What parameters of a view are known to be."""
NOTHING_GIVEN: Given = _NOTHING


def spans_for(
    program: Program, view: FunctionValue, method: str, given: Given = NOTHING_GIVEN
) -> frozenset[Span] | None:
    """The places of the single statements that may run for a method, and where its parameters are
    what is `given`; None where it does not ask for the method, so that all of them may."""
    asks = method not in ("", "*") and _asks_method(program, view)
    if not asks and not given:
        return None
    view = view_for(program, view, method)
    scope = program.function_scope(view.function, view.scope)
    known = ConditionContext(program, scope, _known_value_of(method if asks else "", scope, given))
    running = nested_statements(running_statements(scope.statements or (), known))
    return frozenset(s.span for s in running if not isinstance(s, Branch | Loop | Define))


def exits_for(
    program: Program, view: FunctionValue, method: str, given: Given = NOTHING_GIVEN
) -> Iterator[ReturnedValue]:
    """What a view returns and throws for a method, and where its parameters are what is `given`."""
    reached = spans_for(program, view, method, given)
    for result in program.function_exits(view_for(program, view, method)):
        if reached is None or result.span in reached:
            yield result


def view_for(program: Program, view: FunctionValue, method: str) -> FunctionValue:
    """A view without what does not run for a method, where it asks for the method."""
    if method in ("", "*") or not _asks_method(program, view):
        return view
    asked = {
        path_of(node)
        for node in nodes_of(program.body(view.function, view.scope.file))
        if isinstance(node, Attribute) and _is_method(node, view.scope)
    }
    facts = {path: RequestMethod(method.upper()) for path in (*asked, "request.method") if path}
    return program.evaluator.specialisations.with_facts(view, facts)


def dispatched_methods(program: Program, view: FunctionValue) -> tuple[str, ...]:
    """The methods that a view compares the method of the request with, in the order of `VERBS`."""
    if not _asks_method(program, view):
        return ()
    scope = program.function_scope(view.function, view.scope)
    named: set[str] = set()
    for node in nodes_of(scope.statements or ()):
        match node:
            case OperationExpr(operands=operands) if _is_any_method(operands, scope):
                named |= _texts(operands)
            case Branch(condition=asked, cases=cases) if asked is not None and cases:
                if _is_any_method((asked,), scope):
                    named |= _texts(cases)
            case _:
                pass
    return tuple(verb.upper() for verb in VERBS if verb.upper() in named)


def _is_any_method(exprs: tuple[Expr, ...], scope: Scope) -> bool:
    """Whether one of these is the method of the request, perhaps in another case."""
    for expr in exprs:
        match expr:
            case Call(callee=Attribute(value=asked, name="upper" | "lower"), args=()):
                expr = asked
            case _:
                pass
        if _is_method(expr, scope):
            return True
    return False


def _texts(exprs: tuple[Expr, ...]) -> set[str]:
    """The texts among literals, those of lists included, in capitals."""
    items = [i for e in exprs for i in (e.items if isinstance(e, ArrayLiteral) else (e,))]
    values = [item.value for item in items if isinstance(item, LiteralExpr)]
    return {value.upper() for value in values if isinstance(value, str)}


def _asks_method(program: Program, view: FunctionValue) -> bool:
    """Whether a view asks for the method of the request, or a function does that it calls:
    `return deliver(request, found)`."""
    span = view.function.span
    key = f"python.asks:{view.scope.file.path}:{span.line}:{span.column}"
    if key not in program.memory:
        program.memory[key] = asks_request(program, view, "method")  # views may call each other
        if not program.memory[key] and program.any_file_contains(b"request.method"):
            called = (
                program.evaluate(node.callee, view.scope)
                for node in nodes_of(program.body(view.function, view.scope.file))
                if isinstance(node, Call) and isinstance(node.callee, Name)
            )
            program.memory[key] = any(
                isinstance(each, FunctionValue) and _asks_method(program, each) for each in called
            )
    return program.memory[key] is True


def known_method(expr: Expr, scope: Scope, method: str) -> Value | None:
    """The method of the request where an expression is that, perhaps in another case, and it is
    known; None otherwise."""
    if method in ("", "*"):
        return None
    match expr:
        case Call(callee=Attribute(value=asked, name="lower"), args=()):
            return Constant(method.lower()) if _is_method(asked, scope) else None
        case Call(callee=Attribute(value=asked, name="upper"), args=()):
            expr = asked
        case _:
            pass
    return Constant(method) if _is_method(expr, scope) else None


def method_test(program: Program, test: Expr, scope: Scope, method: str) -> bool | None:
    """Whether a test holds for requests of a method; None where it does not ask for the method,
    and where the answer depends on more."""
    if not any(
        isinstance(node, Attribute | Name) and _is_method(node, scope) for node in nodes_of(test)
    ):
        return None
    known = ConditionContext(program, scope, lambda expr: known_method(expr, scope, method))
    return evaluate_condition(test, known)


def _known_value_of(method: str, scope: Scope, given: Given) -> Known:
    def known_value(expr: Expr) -> Value | None:
        if isinstance(expr, Name) and expr.id in given and not _is_set(expr, scope):
            return given[expr.id]
        return known_method(expr, scope, method)

    return known_value


def _is_set(name: Name, scope: Scope) -> bool:
    """Whether a parameter may have been given another value before it is used."""
    return bool(definitions_of(name, scope))


def _is_method(expr: Expr, scope: Scope) -> bool:
    return is_of_request(expr, scope, "method")


def is_of_request(expr: Expr, scope: Scope, name: str) -> bool:
    """Whether an expression reads an attribute of the request, perhaps by a variable that holds
    nothing else."""
    match expr:
        case Attribute(value=Name(id="request") | Attribute(name="request"), name=read):
            return read == name
        case Name():
            definitions = definitions_of(expr, scope)
            if len(definitions) != 1:
                return False
            statement = definitions[0].statement
            value = statement.value if isinstance(statement, Assign) else None
            return isinstance(value, Attribute) and is_of_request(value, scope, name)
        case _:
            return False
