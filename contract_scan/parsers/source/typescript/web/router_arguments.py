"""Functions that are given a router: what they do with it for one call, its constants known.

`function users(app, prefix) { app.get(prefix + "/x", …) }` registers another route for each call,
so the body is read once for each call that gives constants or functions beside the router.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Template,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    New,
    ObjectLiteral,
    Param,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.web.routers import (
    CALL,
    Graph,
    Node,
    RouterKind,
    call_of,
    nodes,
)

MAX_PASSES = 4
"""How many functions a router is handed on through with its constants."""
MAX_CALLS = 1000
"""How many calls a function's body is read for, in all."""

NEAR = 1_000
"""How many steps the argument of a call is followed to see whether it is a router."""

_ITSELF = "<router>"
_MAY_BE_ROUTER = (Call, New, Attribute, Name)


class RoutersHandedOn(Struct, frozen=True):
    """What a call hands to a function of the project."""

    function: FunctionValue
    routers: dict[int, Value]
    """By the positions of their parameters."""
    is_certain: bool
    """Whether it is this function that is called, rather than one of several."""
    parts: frozenset[int] = frozenset()
    """The positions of arguments that hold routers among other things: an object (`{ app }`), or
    what a rest parameter gathers."""


UNCERTAIN = Reason("router-callee-undetermined")


def routers_given(
    program: Program, call: Call, scope: Scope, kind: RouterKind, graph: Graph
) -> Iterator[RoutersHandedOn]:
    """The functions of the project that a call may mean and hands routers to."""
    candidates = [a.value for a in call.args if not a.spread]
    if not any(isinstance(value, (*_MAY_BE_ROUTER, ObjectLiteral)) for value in candidates):
        return
    # What is called is looked at first: of most calls it is a library's, and what arguments hold
    # may take long to follow.
    called = program.evaluate(call.callee, scope)
    functions = called.options if isinstance(called, OneOf) else (called,)
    for function in functions:
        if not isinstance(function, FunctionValue):
            continue
        given: dict[int, Value] = {}
        parts: set[int] = set()
        with program.evaluator.budget.limit_steps(NEAR):
            for position, argument in enumerate(candidates):
                parameter = parameter_at(function, position)
                if parameter is None:
                    break
                if isinstance(argument, ObjectLiteral):
                    held = _entries_taken(argument, parameter)
                    if any(_is_router(program, e, scope, kind, graph) for e in held):
                        parts.add(position)
                    continue
                if not isinstance(argument, _MAY_BE_ROUTER) or not _may_take(
                    program, parameter, function
                ):
                    continue
                if _is_only_read(program, parameter, function):
                    continue
                value = router_value(program, argument, scope, kind)
                if not any(True for _ in nodes(program, value, kind, graph)):
                    continue
                if parameter.kind == "*":
                    parts.add(position)
                else:
                    given[position] = value
        if given or parts:
            yield RoutersHandedOn(function, given, len(functions) == 1, frozenset(parts))


def parameter_at(function: FunctionValue, position: int) -> Param | None:
    """The parameter that an argument is given to; None where there is none."""
    params = function.function.params
    if position >= len(params):
        return params[-1] if params and params[-1].kind == "*" else None
    return params[position]


def _entries_taken(given: ObjectLiteral, parameter: Param) -> list[Expr]:
    """What an object literal holds that may be a router, and the parameter takes out of it."""
    pattern = parameter.pattern
    if parameter.kind == "*" or (pattern is None and parameter.type is not None):
        return []
    if pattern is not None and not isinstance(pattern, ObjectLiteral):
        return []
    taken = None if pattern is None else {entry.key for entry in pattern.entries}
    return [
        entry.value
        for entry in given.entries
        if not entry.spread
        and (taken is None or entry.key in taken)
        and (isinstance(entry.value, Name) or _is_own_member(entry.value))
    ]


def _is_own_member(expr: Expr) -> bool:
    return isinstance(expr, Attribute) and isinstance(expr.value, Name) and expr.value.id == "this"


def _is_router(program: Program, expr: Expr, scope: Scope, kind: RouterKind, graph: Graph) -> bool:
    value = router_value(program, expr, scope, kind)
    return any(True for _ in nodes(program, value, kind, graph))


def taken_apart(
    program: Program, function: FunctionValue, position: int, kind: RouterKind, graph: Graph
) -> Iterator[Node]:
    """The routers that a parameter's pattern gives names, as the function stands."""
    parameter = parameter_at(function, position)
    pattern = None if parameter is None else parameter.pattern
    inside = program.function_scope(function.function, function.scope)
    for entry in pattern.entries if isinstance(pattern, ObjectLiteral) else ():
        if isinstance(entry.value, Name):
            yield from nodes(program, program.evaluate(entry.value, inside), kind, graph)


def _may_take(program: Program, parameter: Param, function: FunctionValue) -> bool:
    """Whether a router may be handed to a parameter: a declared type all of whose properties are
    data is none of a router."""
    if parameter.pattern is not None or parameter.type is None:
        return parameter.pattern is None
    shape = program.types.flat(program.types.schema(parameter.type, function.scope))
    if isinstance(shape, Object):
        return any(program.types.is_unknown(field.schema) for field in shape.fields)
    return program.types.is_unknown(shape)


def _is_only_read(program: Program, parameter: Param, function: FunctionValue) -> bool:
    """Whether a function just reads or sets members of what a parameter holds, and neither calls
    nor hands on any: nothing is registered with it, whatever it is, and to learn that of an
    argument may take long."""
    key = ("only read", function.scope.file.path, function.function.span, parameter.name)
    known = program.memory.get(key)
    if known is None:
        body = program.body(function.function, function.scope.file)
        known = parameter.kind != "*" and _are_all_reads(body, parameter.name)
        program.memory[key] = known
    return known is True


def _are_all_reads(body: tuple[Statement, ...], name: str) -> bool:
    """Whether statements mention a name only to read or set members of what it holds."""
    mentions = reads = 0
    for node in nodes_of(body):
        match node:
            case Function(body=None):
                return False
            case Call(callee=callee, args=args):
                if any(_is_member_of(each, name) for each in (callee, *(a.value for a in args))):
                    return False
            case Attribute() if _is_member_of(node, name):
                reads += 1
            case Name(id=id) if id == name:
                mentions += 1
            case _:
                pass
    return mentions == reads


def _is_member_of(expr: Expr, name: str) -> bool:
    return isinstance(expr, Attribute) and is_name(expr.value, name)


def bound_scope(
    program: Program,
    function: FunctionValue,
    call: Call,
    scope: Scope,
    routers: Mapping[int, Value],
    graph: Graph,
    *,
    is_known: bool = False,
) -> Scope | None:
    """Inside a function as one call runs it. `routers`: the arguments that are routers, by
    position. None where the call gives nothing known besides (unless that `is_known`), is too deep
    or calls the function around it."""
    outer = call_of(scope)
    if outer.count(">") >= MAX_PASSES or any(argument.spread for argument in call.args):
        return None
    if graph.calls_read >= MAX_CALLS or is_inside(scope, function):
        return None
    bindings: dict[str, Value] = {}
    for position, parameter in enumerate(function.function.params):
        if parameter.kind == "*":
            given = [program.evaluate(each.value, scope) for each in call.args[position:]]
            bindings[parameter.name] = Items(tuple(given))
            is_known = is_known or any(map(_is_determined, given))
            continue
        if position in routers:
            bindings[parameter.name] = routers[position]
            continue
        value: Value | None = None
        if position < len(call.args):
            value = program.evaluate(call.args[position].value, scope)
        elif parameter.default is not None:
            value = program.evaluate(parameter.default, function.scope)
        if value is None or not _is_determined(value):
            continue
        is_known = True
        if parameter.pattern is not None:
            bindings.update(program.evaluator.pattern_bindings(parameter.pattern, value, scope))
        else:
            bindings[parameter.name] = value
    if not is_known:
        return None
    place = f"{scope.file.path}:{call.span.line}:{call.span.column}"
    graph.calls_read += 1
    bindings[CALL] = Constant(f"{outer}>{place}")
    inside = program.function_scope(function.function, function.scope, bindings)
    inside = replace(inside, receiver=function.receiver or inside.receiver)
    return program.evaluator.as_called(inside, function, call, scope)


def is_inside(scope: Scope, function: FunctionValue) -> bool:
    """Whether a place lies in a function."""
    current: Scope | None = scope
    while current is not None:
        if current.function is function.function:
            return True
        current = current.parent
    return False


def _is_determined(value: Value) -> bool:
    if isinstance(value, OneOf):
        return any(map(_is_determined, value.options))
    if isinstance(value, Constant):
        return value.value is not None
    return isinstance(value, FunctionValue | Template | Record | Items)


def router_value(program: Program, expr: Expr, scope: Scope, kind: RouterKind) -> Value:
    """What an expression gives, of parameters without a type only those that it gives as they
    are: `app.client` is a part of the parameter `app` and no router."""
    value = program.evaluate(expr, scope)
    if not isinstance(value, OneOf):
        return value if _is_whole(program, expr, value, scope, kind) else _part(value)
    whole = [v for v in value.options if _is_whole(program, expr, v, scope, kind)]
    return OneOf(tuple(whole)) if whole else _part(value)


def _part(value: Value) -> Unresolved:
    if isinstance(value, Unresolved):
        return Unresolved(Reason("parameter-part-untyped"), value.span, value.path)
    return Unresolved(Reason("parameter-part-untyped"))


def _is_whole(program: Program, expr: Expr, value: Value, scope: Scope, kind: RouterKind) -> bool:
    """Whether an untyped parameter is given itself; true of any other value."""
    if not isinstance(value, Unresolved) or not value.parameter:
        return True
    while (
        isinstance(expr, Call)
        and isinstance(expr.callee, Attribute)
        and expr.callee.name in kind.chainable
    ):
        expr = expr.callee.value
    marked = _with_marked_parameter(scope, value.parameter, value)
    if marked is not None:
        found = program.evaluate(expr, marked)
        options = found.options if isinstance(found, OneOf) else (found,)
        return any(_is_itself(option, kind) for option in options)
    if isinstance(expr, Attribute):
        base = program.evaluate(expr.value, scope)
        return not (isinstance(base, Unresolved) and base.span == value.span != NO_SPAN)
    return isinstance(expr, Name)


def _is_itself(value: Value, kind: RouterKind) -> bool:
    """Whether a value is the marked parameter, or what methods give that give the router itself:
    `const app = fastify.withTypeProvider()`."""
    while isinstance(value, LibraryResult) and value.receiver is not None:
        if value.name.rsplit(".", 1)[-1] not in kind.chainable:
            return False
        value = value.receiver
    return isinstance(value, LibrarySymbol) and value.name == _ITSELF


def _with_marked_parameter(scope: Scope, name: str, value: Unresolved) -> Scope | None:
    """The scope with the parameter that a value comes from marked; None where no enclosing
    function has it."""
    function = scope.function
    if function is not None and scope.file.path == value.path:
        for parameter in function.params:
            if parameter.span == value.span and parameter.name == name:
                return replace(scope, bindings={**scope.bindings, name: LibrarySymbol(_ITSELF)})
    if scope.parent is None:
        return None
    parent = _with_marked_parameter(scope.parent, name, value)
    return None if parent is None else replace(scope, parent=parent)
