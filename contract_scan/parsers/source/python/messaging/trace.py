"""From a place where a library sends to the places of the project that say what and where.

Projects wrap brokers: `publish(topic, message)` is called from everywhere. A value that is a
parameter of the function around it is therefore looked up at the callers, a few levels up; one that
is an attribute of the object is looked up where the object is made.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
    Value,
    named_function_scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.refinement.path_feasibility import (
    OPEN_CASE,
    reachability,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Loop,
    Name,
    New,
    Param,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.serialization.kinds import class_of

_DEEPEST = 4
_MOST_CALLERS = 400


class TracedScope(Struct, frozen=True, eq=False):
    """A scope in which what was asked for is known, and the call that made it so."""

    scope: Scope
    span: Span | None = None
    """Of the outermost call that was followed; None: the place itself."""
    path: str = ""
    reason: Reason = NO_REASON
    """Why what is sent is not known, though the parameters are."""


def caller_scopes(program: Program, scope: Scope, exprs: list[Expr]) -> Iterator[TracedScope]:
    """Scopes in which the parameters that expressions depend on have their callers' values."""
    yield from _caller_scopes(program, scope, exprs, _DEEPEST)


def _caller_scopes(
    program: Program, scope: Scope, exprs: list[Expr], levels: int
) -> Iterator[TracedScope]:
    inner = named_function_scope(scope)
    function = inner.function if inner is not None else None
    if inner is None or function is None or not levels:
        yield TracedScope(scope)
        return
    parameters = _used_parameters(exprs, function, inner.statements or ())
    if not parameters:
        yield TracedScope(scope)
        return
    found = False
    callers = [] if function.name.startswith("__") else _callers(program, inner, function)
    for call, place, callee in callers:
        arguments = [argument.value for argument in call.args]
        for outer in _caller_scopes(program, place, arguments, levels - 1):
            bindings = bind_arguments(program, function.params, call.args, outer.scope)
            receiver = callee.receiver if isinstance(callee.receiver, Instance) else inner.receiver
            known = replace(inner, bindings={**inner.bindings, **bindings}, receiver=receiver)
            reach = reachability(program, known, exprs[0].span)
            if reach == "no":
                continue
            doubt = OPEN_CASE if reach == "open" else outer.reason
            result = known if inner is scope else _with_ancestor(scope, inner, known)
            found = True
            yield TracedScope(result, outer.span or call.span, outer.path or place.file.path, doubt)
    if not found:
        yield TracedScope(scope)


def takes_subclasses(program: Program, scope: Scope, exprs: list[Expr]) -> bool:
    """Whether expressions use a parameter that callers may give objects of a subclass: those say
    more of what is sent than its declared class."""
    inner = named_function_scope(scope)
    if inner is None or inner.function is None:
        return False
    used = _used_parameters(exprs, inner.function, inner.statements or ())
    declared = (
        class_of(program, ByType(param.type, inner))
        for param in inner.function.params
        if param.name in used and param.type is not None
    )
    return any(each and program.names.classes.implementations(each) for each in declared)


def _with_ancestor(scope: Scope, old: Scope, new: Scope) -> Scope:
    """A scope with one of its ancestors replaced."""
    if scope is old or scope.parent is None:
        return new if scope is old else scope
    return replace(scope, parent=_with_ancestor(scope.parent, old, new))


def _used_parameters(
    exprs: list[Expr], function: Function, statements: tuple[Statement, ...]
) -> set[str]:
    """Parameters that expressions use, also by way of locals."""
    params = {param.name for param in function.params}
    if not params:
        return set()
    assigned: dict[str, list[Expr]] = {}
    for statement in nested_statements(statements):
        if isinstance(statement, Assign) and statement.value is not None:
            for name in _names(statement.target):
                assigned.setdefault(name, []).append(statement.value)
        elif isinstance(statement, Loop) and statement.variable and statement.iterable:
            for name in _names(statement.variable):
                assigned.setdefault(name, []).append(statement.iterable)
    seen: set[str] = set()
    pending = [name for expr in exprs for name in _names(expr)]
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        pending.extend(n for expr in assigned.get(name, ()) for n in _names(expr))
    return seen & params


def _names(expr: object) -> set[str]:
    """Names in an expression."""
    return {node.id for node in nodes_of(expr) if isinstance(node, Name)}


def bind_arguments(
    program: Program, params: tuple[Param, ...], args: tuple[Argument, ...], place: Scope
) -> dict[str, Value]:
    """The values that a call gives the parameters of a function."""
    bindings: dict[str, Value] = {}
    positional = [a for a in args if not a.name and not a.spread]
    open_params = [p for p in params if p.kind == ""]
    for param, argument in zip(open_params, positional, strict=False):
        bindings[param.name] = program.evaluate(argument.value, place)
    names = {param.name for param in params}
    for argument in args:
        if argument.name in names:
            bindings[argument.name] = program.evaluate(argument.value, place)
    for param in params:
        if param.name not in bindings and param.default is not None:
            bindings[param.name] = program.evaluate(param.default, place)
    return bindings


def _callers(
    program: Program, scope: Scope, function: Function
) -> Iterator[tuple[Call, Scope, FunctionValue]]:
    """Calls of a function, and what is called: itself, or the method of an interface or base that
    it fills in."""
    count = 0
    for call, place in calls_to(program, function.name):
        callee = program.evaluate(call.callee, place)
        if not isinstance(callee, FunctionValue) or not _is_same(program, callee, scope, function):
            continue
        count += 1
        if count > _MOST_CALLERS:
            return
        yield call, place, callee


def _is_same(program: Program, callee: FunctionValue, scope: Scope, function: Function) -> bool:
    if callee.function.span == function.span and callee.scope.file.path == scope.file.path:
        return True
    owner = scope.owner
    if owner is None or callee.owner is None or callee.function.name != function.name:
        return False
    if any(base.key == callee.owner.key for base in program.bases(owner)):
        return True
    # A protocol is filled in without being named.
    is_protocol = any(
        getattr(base, "name", "").rpartition(".")[2] == "Protocol"
        for base in callee.owner.decl.bases
    )
    theirs = {method.name for method in callee.owner.decl.methods}
    ours = {method.name for method in owner.decl.methods}
    return is_protocol and theirs <= ours


# --------------------------------------------------------------------------- attributes of objects


def attribute_values(
    program: Program, symbol: ClassSymbol, name: str
) -> Iterator[tuple[Value, ClassSymbol]]:
    """Values of an attribute that classes below the given one set for themselves, or that the
    constructor sets from its parameters: from subclasses that call it, and from the places that
    make objects. Each with the class of the object."""
    yield from _set_below(program, symbol, name)
    found = _constructor_assignment(program, symbol, name)
    if found is None:
        return
    owner, constructor, expr = found
    for sub in program.names.classes.implementations(symbol):
        call = _super_call(program, sub)
        if call is not None:
            made, place = call
            bindings = bind_arguments(program, constructor.function.params, made.args, place)
            yield _evaluate_in_constructor(program, owner, constructor, expr, bindings), sub
    for call_site, place in calls_to(program, symbol.decl.name):
        callee = program.evaluate(call_site.callee, place)
        if isinstance(callee, ClassValue) and callee.symbol.key == symbol.key:
            for outer in caller_scopes(program, place, [a.value for a in call_site.args]):
                bindings = bind_arguments(
                    program, constructor.function.params, call_site.args, outer.scope
                )
                yield _evaluate_in_constructor(program, owner, constructor, expr, bindings), symbol


def _set_below(
    program: Program, symbol: ClassSymbol, name: str
) -> Iterator[tuple[Value, ClassSymbol]]:
    """`class OrderConsumer(Consumer): queue = "orders"`."""
    for sub in program.names.classes.implementations(symbol):
        for member in sub.decl.members:
            is_own = member.name == name and "constructor" not in member.modifiers
            if is_own and member.value is not None:
                yield program.evaluate(member.value, program.class_scope(sub)), sub


def _evaluate_in_constructor(
    program: Program,
    owner: ClassSymbol,
    constructor: FunctionValue,
    expr: Expr,
    bindings: dict[str, Value],
) -> Value:
    scope = program.function_scope(constructor.function, constructor.scope, bindings)
    return program.evaluate(expr, replace(scope, receiver=Instance(owner)))


def _constructor_assignment(
    program: Program, symbol: ClassSymbol, name: str
) -> tuple[ClassSymbol, FunctionValue, Expr] | None:
    for owner in (symbol, *program.bases(symbol)):
        for member in owner.decl.members:
            if member.name == name and "constructor" in member.modifiers and member.value:
                constructor = program.find_method(owner, "__init__")
                return (owner, constructor, member.value) if constructor is not None else None
    return None


def _super_call(program: Program, symbol: ClassSymbol) -> tuple[Call, Scope] | None:
    """`super().__init__(…)` in the constructor of a class."""
    for method in symbol.decl.methods:
        if method.name != "__init__":
            continue
        scope = program.function_scope(method, program.class_scope(symbol))
        for call, place in calls_in(program, scope.statements or (), scope):
            match call:
                case Call(callee=Attribute(value=Name(id="super"), name="__init__")):
                    return call, place
                case New() | Call():
                    continue
    return None
