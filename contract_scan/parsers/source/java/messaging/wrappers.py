"""Sends through wrappers of the project: what their callers give."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.refinement.path_feasibility import reachability
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    Return,
    TypeExpr,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.resolution.overloads import may_mean

MAX_CALLERS = 200
"""How many calls of a wrapper are followed."""
MAX_LEVELS = 3
"""How many wrappers may stand around each other."""


class SendSite(Struct, frozen=True, eq=False):
    """A place that sends: a call of the library, seen from where its arguments are known."""

    call: Call
    scope: Scope
    shown: Call
    """The call to show: the caller's, where a wrapper sends what it is given."""
    shown_scope: Scope


def sites_of_call(
    program: Program, call: Call, scope: Scope, exprs: tuple[Expr | None, ...]
) -> list[SendSite]:
    """The call itself; or, where one of its arguments is a parameter of the method around it that
    leaves the address or payload open, one site for every caller of that method, and so on."""
    seen = _call_contexts(program, call, scope, [e for e in exprs if e is not None], MAX_LEVELS)
    return [SendSite(call, inside, shown, shown_scope) for inside, shown, shown_scope in seen]


def _call_contexts(
    program: Program, call: Call, scope: Scope, exprs: list[Expr], levels: int
) -> list[tuple[Scope, Call, Scope]]:
    """The scope of a call with the parameters of the methods around it bound to what the callers
    give, and the outermost call that was followed, for every way to get there."""
    itself = [(scope, call, scope)]
    function = scope.function
    open_ = {name for expr in exprs for name in _open_parameters(program, expr, scope)}
    if function is None or not levels or not (open_ or _is_filled_in(program, exprs, scope)):
        return itself
    found: list[tuple[Scope, Call, Scope]] = []
    for outer, within in _callers(program, *_reached_by(program, function, scope)):
        given = [
            argument.value
            for param, argument in zip(function.params, outer.args, strict=False)
            if param.name in open_
        ]
        for place, shown, shown_scope in _call_contexts(program, outer, within, given, levels - 1):
            bound = {
                param.name: _argument_value(program, argument.value, place)
                for param, argument in zip(function.params, outer.args, strict=False)
            }
            receiver = _receiver(program, outer, place, scope) or scope.receiver
            inside = replace(
                scope,
                bindings={**scope.bindings, **bound},
                types={**scope.types, **_types_given(program, function, outer, place, scope)},
                receiver=receiver,
            )
            reach = reachability(program, inside, call.span)
            if reach == "open":  # what it is given may go elsewhere
                inside = replace(scope, receiver=receiver)
            if reach != "no":
                found.append((inside, shown, shown_scope))
        if len(found) > MAX_CALLERS:
            break
    return found[:MAX_CALLERS] or itself


def _reached_by(program: Program, function: Function, scope: Scope) -> tuple[Function, Scope]:
    """The method that callers of a function name, with its scope: the function's own; for a lambda
    that a method of the project gives as an interface of the project, the only one of that."""
    around = scope.parent
    while around is not None and around.function is None:
        around = around.parent
    if function.name or around is None or around.function is None:
        return function, scope
    given = (s.value for s in nested_statements(around.statements or ()) if isinstance(s, Return))
    if any(isinstance(value, Lambda) and value.function.span == function.span for value in given):
        symbol = program.names.declared_class(around.function.returns, around)
        methods = symbol.decl.methods if symbol is not None else ()
        abstract = [method for method in methods if "abstract" in method.modifiers]
        if symbol is not None and symbol.decl.kind == "interface" and len(abstract) == 1:
            return abstract[0], program.function_scope(abstract[0], program.class_scope(symbol))
    return function, scope


def _types_given(
    program: Program, function: Function, call: Call, place: Scope, scope: Scope
) -> dict[str, BoundType]:
    """What the type parameters of a method stand for in a call of it."""
    if not function.type_params:
        return {}
    method = FunctionValue(function, scope.parent or scope, scope.owner, scope.receiver)
    return program.evaluator.inferred_types(method, call, place, {})


def _is_filled_in(program: Program, exprs: list[Expr], scope: Scope) -> bool:
    """Whether the class around a place leaves an expression to the classes below it: an abstract
    method, a field that their constructors set."""
    owner = scope.owner
    if owner is None or "abstract" not in owner.decl.modifiers:
        return False
    return any(
        isinstance(expr.callee if isinstance(expr, Call) else expr, Name | Attribute)
        and not address(program, expr, scope).text
        for expr in exprs
    )


def _receiver(program: Program, call: Call, within: Scope, scope: Scope) -> Instance | None:
    """The object that a method is called on, where its class lies below the method's."""
    found: Value | None = within.receiver
    if isinstance(call.callee, Attribute):
        symbol = _class_of(program, call.callee.value, within)
        found = Instance(symbol) if symbol is not None else None
    if not isinstance(found, Instance) or scope.owner is None:
        return None
    above = {base.key for base in program.bases(found.symbol)}
    return found if scope.owner.key in above else None


def _class_of(program: Program, expr: Expr, scope: Scope) -> ClassSymbol | None:
    """The project class that a value is of, or is declared as."""
    value = program.evaluate(expr, scope)
    if isinstance(value, ByType):
        return program.names.declared_class(value.type, value.scope)
    symbol: ClassSymbol | None = getattr(value, "symbol", None)
    return symbol


def _argument_value(program: Program, expr: Expr, scope: Scope) -> Value:
    """An argument; where settings determine its text, that text."""
    value = program.evaluate(expr, scope)
    if isinstance(value, ByType | Unresolved):
        given = address(program, expr, scope)
        if given.text and "{" not in given.text:
            return Constant(given.text)
    return value


def _open_parameters(program: Program, expr: Expr, scope: Scope) -> Iterator[str]:
    """The parameters that an expression is, or is made of, whose declared types say too little."""
    if scope.function is None:
        return
    if isinstance(expr, Call) and isinstance(expr.callee, Attribute):
        # `writeValueAsString(event)`: what counts is what is written; `topic.getName()`.
        for argument in expr.args:
            yield from _open_parameters(program, argument.value, scope)
        if not expr.args and isinstance(expr.callee.value, Name):
            yield from _open_parameters(program, expr.callee.value, scope)
        return
    if not isinstance(expr, Name) or expr.id in scope.bindings:
        return
    for param in scope.function.params:
        if param.name == expr.id and _says_little(program, param.type, scope):
            yield param.name


def _says_little(program: Program, type: TypeExpr | None, scope: Scope) -> bool:
    """Whether a type is text, anything, or what other types of the project fill in."""
    if type is None or scope.function is None:
        return scope.function is not None and not scope.function.name  # of a lambda
    name = type_name(type)
    generic = {p.name for p in scope.function.type_params}
    if name in ("String", "Object") or name in generic or len(name) == 1:
        return True
    found = program.names.declared_class(type, scope)
    if found is None:
        return False
    decl = found.decl
    return decl.kind in ("enum", "interface") or "abstract" in decl.modifiers


def _callers(program: Program, function: Function, scope: Scope) -> Iterator[tuple[Call, Scope]]:
    """Calls of a method anywhere in the program."""
    for path in related_files_containing(program, scope.file.path, f"{function.name}(".encode()):
        file = program.facts(path)
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                if method is function:
                    continue
                place = program.function_scope(method, inside)
                for call, within in calls_in(program, place.statements or (), place):
                    if isinstance(call, Call) and _calls(program, call, within, function, scope):
                        yield call, within


def _calls(program: Program, call: Call, within: Scope, function: Function, scope: Scope) -> bool:
    """Whether a call leads to the method: by name first, which costs nothing."""
    match call.callee:
        case Attribute(name=name) | Name(id=name) if name == function.name:
            pass
        case _:
            return False
    if len(call.args) != len(function.params):
        return False
    if isinstance(call.callee, Name):
        owner = within.owner
        if owner is None or scope.owner is None or owner.key != scope.owner.key:
            return False
        return _can_mean(program, call, within, function, scope)
    symbol = _class_of(program, call.callee.value, within)
    if symbol is None or scope.owner is None:
        return False
    keys = {symbol.key, *(base.key for base in program.bases(symbol))}
    own = {scope.owner.key, *(base.key for base in program.bases(scope.owner))}
    return not keys.isdisjoint(own) and _can_mean(program, call, within, function, scope)


def _can_mean(
    program: Program, call: Call, within: Scope, function: Function, scope: Scope
) -> bool:
    """Whether, among methods of its name, the arguments may be meant for this one."""
    method = FunctionValue(function, scope.parent or scope, scope.owner, scope.receiver)
    values = tuple(program.evaluate(argument.value, within) for argument in call.args)
    return may_mean(program, method, values)
