"""Objects of the project that map a route with what they were made of.

Builder.MapGet(endpoints, "/orders", All).Described("…").BuildFor(versions);

`BuildFor` maps `$"/{version}/{_route}"` on `_endpoints`: it is read once for each of its calls,
with the members that the constructor and what the call gives it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import assigned_values
from contract_scan.parsers.source.analysis.domain.path_facts import EnumConstant, Fact
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    Items,
    Scope,
    Value,
)
from contract_scan.parsers.source.csharp.resolution.callers import called_by_name, calls_of
from contract_scan.parsers.source.csharp.resolution.calls import called_function, resolve_overload
from contract_scan.parsers.source.csharp.resolution.overloads import can_take
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Loop,
    Name,
    NamedType,
    New,
    NullableType,
    Param,
    Return,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MAX_DEPTH = 4
"""How many methods of a builder may call each other."""
_MAX_LINKS = 40
_MAX_ROUTES = 500

Place: TypeAlias = tuple[Expr, Scope]


class Known(Struct, frozen=True, kw_only=True):
    """What is known of names in a method of a builder: its parameters and members."""

    values: Mapping[str, Value]
    places: Mapping[str, Place]
    """Where what they hold was written, as far as it was handed on unchanged."""
    site: tuple[Call, Scope]
    """The call that all of it comes from."""
    types: Mapping[str, BoundType] = {}
    """What the type parameters of the builder stand for."""


class Mapped(Struct, frozen=True, kw_only=True):
    """One route that a builder maps."""

    scope: Scope
    """Inside the method that maps it, its names bound."""
    receiver: Place
    """What it is mapped on."""
    site: tuple[Call, Scope]


def is_of_project(program: Program, call: Call, scope: Scope) -> bool:
    """Whether a call of `MapGet` and kin is one of a class of the project, which is no extension
    method."""
    found = program.function_value(call.callee, scope)
    if found is None or found.owner is None:
        return False
    return not any("this" in param.modifiers for param in found.function.params[:1])


def built_routes(program: Program, call: Call, scope: Scope) -> list[Mapped]:
    """The routes that a call of the library maps in a method of a builder."""
    function, owner = scope.function, scope.owner
    if function is None or owner is None or not isinstance(call.callee, Attribute):
        return []
    if not function.name or "static" in function.modifiers:
        return []
    found: list[Mapped] = []
    for known in _calls_of_method(program, function, owner, 0):
        receiver = known.places.get(getattr(call.callee.value, "id", ""))
        if receiver is None or not _runs(program, call, function, owner, known):
            continue
        for values in _values_per_iteration(program, function, call, owner, known.values):
            inside = program.function_scope(function, program.class_scope(owner), values)
            inside = replace(inside, types={**inside.types, **known.types})
            found.append(Mapped(scope=inside, receiver=receiver, site=known.site))
            if len(found) == _MAX_ROUTES:
                return found
    return found


def _runs(
    program: Program, call: Call, function: Function, owner: ClassSymbol, known: Known
) -> bool:
    """Whether the call is reached with these values: `_verb switch { Verb.GET => … }`."""
    facts: dict[str, Fact] = {}
    for name, value in known.values.items():
        match value:
            case Constant(value=held) if held is not None:
                facts[name] = held
            case Instance(symbol=symbol, constant=constant) if constant:
                facts[name] = EnumConstant(symbol.key, constant)
            case _:
                pass
    method = FunctionValue(function, program.class_scope(owner), owner)
    running = program.evaluator.specialisations.with_facts(method, facts)
    return any(node is call for node in nodes_of(program.body(running.function, owner.file)))


def _values_per_iteration(
    program: Program,
    function: Function,
    call: Call,
    owner: ClassSymbol,
    values: Mapping[str, Value],
) -> Iterator[Mapping[str, Value]]:
    """The values, once for each item of the lists that loops around a call go through."""
    rows = [dict(values)]
    for loop in nodes_of(program.body(function, owner.file)):
        if not isinstance(loop, Loop) or not isinstance(loop.variable, Name):
            continue
        if loop.iterable is None or not any(node is call for node in nodes_of(loop.body)):
            continue
        wider: list[dict[str, Value]] = []
        for row in rows:
            inside = program.function_scope(function, program.class_scope(owner), row)
            table = program.evaluate(loop.iterable, inside)
            items = table.values if isinstance(table, Items) and not table.repeated else ()
            wider.extend({**row, loop.variable.id: item} for item in items)
        rows = wider or rows
    yield from rows


# --------------------------------------------------------------------------- calls


def _calls_of_method(
    program: Program, function: Function, owner: ClassSymbol, depth: int
) -> Iterator[Known]:
    """What is known of a method of a builder at each of its calls."""
    if depth > _MAX_DEPTH:
        return
    literals = called_by_name(function)
    for path in program.files_containing(*literals):
        for call, inside in calls_of(program, program.facts(path), *literals):
            if not isinstance(call, Call) or inside.function is function:
                continue
            match call.callee:
                case Name(id=name) | Attribute(value=Name(id="this"), name=name) if (
                    name == function.name
                ):
                    yield from _of_own_call(program, function, owner, call, inside, depth)
                case Attribute(value=receiver, name=name) if name == function.name:
                    made = _builder_members(program, receiver, inside, owner)
                    if made is not None and _is_call_of(program, function, owner, call, inside):
                        yield _with_arguments(program, function.params, call.args, inside, made)
                case _:
                    pass


def _of_own_call(
    program: Program,
    function: Function,
    owner: ClassSymbol,
    call: Call,
    inside: Scope,
    depth: int,
) -> Iterator[Known]:
    """A call by another method of the builder: with what is known of that one."""
    around = inside.function
    if around is None or inside.owner is None or inside.owner.key != owner.key:
        return
    if not _is_call_of(program, function, owner, call, inside):
        return
    for known in _calls_of_method(program, around, owner, depth + 1):
        place = program.function_scope(around, program.class_scope(owner), known.values)
        yield _with_arguments(program, function.params, call.args, place, known)


def _is_call_of(
    program: Program, function: Function, owner: ClassSymbol, call: Call, scope: Scope
) -> bool:
    """Whether a call means this one of the methods of its name."""
    if sum(method.name == function.name for method in owner.decl.methods) == 1:
        return True
    method = FunctionValue(function, program.class_scope(owner), owner)
    chosen = resolve_overload(program, method, call.args, scope)
    if chosen is not None:
        return chosen.function is function
    fitting = [
        other
        for other in owner.decl.methods
        if other.name == function.name and _accepts_arguments(program, other, call, scope)
    ]
    return len(fitting) == 1 and fitting[0] is function


def _accepts_arguments(program: Program, method: Function, call: Call, scope: Scope) -> bool:
    """Whether a method has as many parameters as a call gives arguments, and texts for texts."""
    positional = [argument.value for argument in call.args if not argument.name]
    if not can_take(method.params, len(call.args)):
        return False
    for param, expr in zip(method.params, positional, strict=False):
        is_text = isinstance(param.type, NamedType) and param.type.name in ("string", "String")
        if is_text is not (program.text(expr, scope) is not None):
            return False
    return True


def _with_arguments(
    program: Program,
    params: tuple[Param, ...],
    args: tuple[Argument, ...],
    scope: Scope,
    known: Known,
) -> Known:
    """What is known once a method is given arguments, which hide members of their names."""
    values, places = dict(known.values), dict(known.places)
    given = {argument.name: argument.value for argument in args if argument.name}
    positional = [argument.value for argument in args if not argument.name]
    for position, param in enumerate(params):
        expr = given.get(param.name)
        if param.kind and position == len(params) - 1:
            rest = positional[position:]
            listed = program.evaluate(rest[0], scope) if len(rest) == 1 else None
            each = tuple(program.evaluate(one, scope) for one in rest)
            values[param.name] = listed if isinstance(listed, Items) else Items(each)
            continue
        if expr is None and position < len(positional):
            expr = positional[position]
        if expr is not None:
            values[param.name] = _value(program, expr, scope)
            places[param.name] = _handed_on(expr, scope, known.places)
        elif param.default is not None:
            values[param.name] = program.evaluate(param.default, scope)
    return replace(known, values=values, places=places)


def _value(program: Program, expr: Expr, scope: Scope) -> Value:
    function = program.function_value(expr, scope)
    return function if function is not None else program.evaluate(expr, scope)


def _handed_on(expr: Expr, scope: Scope, places: Mapping[str, Place]) -> Place:
    return places.get(expr.id, (expr, scope)) if isinstance(expr, Name) else (expr, scope)


# --------------------------------------------------------------------------- construction


def _builder_members(
    program: Program, expr: Expr | None, scope: Scope, owner: ClassSymbol
) -> Known | None:
    """What members of a builder hold that a chain of calls begins with; None where it is not
    seen how it is made."""
    for _ in range(_MAX_LINKS):
        match expr:
            case New() if _is_type(program, expr, scope, owner):
                callee = Call(callee=Name(owner.decl.name, span=expr.span), span=expr.span)
                written = expr.type.args if isinstance(expr.type, NamedType) else ()
                bound = (BoundType(each, scope) for each in written)
                params = (parameter.name for parameter in owner.decl.type_params)
                types = dict(zip(params, bound, strict=False))
                start = Known(values={}, places={}, site=(callee, scope), types=types)
                return _of_constructor(program, owner, expr, scope, start)
            case Name():
                given = assigned_values(expr, scope)
                expr = given[0] if len(given) == 1 else None
            case Call(callee=Attribute(value=value, name=name)):
                called = called_function(program, expr, scope)
                if called is not None and "static" in called.function.modifiers:
                    return _of_factory(program, owner, called, expr, scope)
                if not _returns_builder(owner, name):
                    return None
                expr = value
            case _:
                return None
    return None


def _is_type(program: Program, made: New, scope: Scope, owner: ClassSymbol) -> bool:
    value = program.evaluate(made, scope)
    return isinstance(value, Instance) and value.symbol.key == owner.key


def _returns_builder(owner: ClassSymbol, name: str) -> bool:
    """Whether the methods of a name give the builder back, to go on with."""
    methods = [method for method in owner.decl.methods if method.name == name]
    return bool(methods) and all(_names(method, owner) for method in methods)


def _names(method: Function, owner: ClassSymbol) -> bool:
    type = method.returns.item if isinstance(method.returns, NullableType) else method.returns
    return isinstance(type, NamedType) and type.name.rpartition(".")[2] == owner.decl.name


def _of_factory(
    program: Program, owner: ClassSymbol, called: FunctionValue, call: Call, scope: Scope
) -> Known | None:
    """A builder that a static method makes of what it is given."""
    if not _names(called.function, owner):
        return None
    start = Known(values={}, places={}, site=(call, scope))
    given = _with_arguments(program, called.function.params, call.args, scope, start)
    inside = program.function_scope(called.function, called.scope, given.values)
    returned = [
        statement.value
        for statement in reaching_definitions.returns(inside.statements or ())
        if isinstance(statement, Return)
    ]
    if len(returned) != 1 or not isinstance(returned[0], New):
        return None
    return _of_constructor(program, owner, returned[0], inside, given)


def _of_constructor(
    program: Program, owner: ClassSymbol, made: New, scope: Scope, known: Known
) -> Known | None:
    """What the constructor sets the members to."""
    constructors = [m for m in owner.decl.methods if "constructor" in m.modifiers]
    fitting = [c for c in constructors if len(c.params) == len(made.args)]
    primary = tuple(
        Param(name=member.name, type=member.type)
        for member in owner.decl.members
        if member.kind == "parameter"
    )
    if len(fitting) > 1 or (not fitting and len(primary) != len(made.args)):
        return None
    params = fitting[0].params if fitting else primary
    given = _with_arguments(program, params, made.args, scope, known)
    inside = program.class_scope(owner)
    values, places = dict(given.values), dict(given.places)
    if fitting:
        inside = program.function_scope(fitting[0], inside, given.values)
        values, places = {}, {}
        for statement in inside.statements or ():
            match statement:
                case Assign(
                    target=Name(id=name) | Attribute(value=Name(id="this"), name=name),
                    value=value,
                ) if value is not None:
                    values[name] = _value(program, value, inside)
                    places[name] = _handed_on(value, inside, given.places)
                case _:
                    pass
    else:
        inside = replace(inside, bindings={**inside.bindings, **given.values})
        for member in owner.decl.members:
            if member.value is not None and "static" not in member.modifiers:
                values[member.name] = _value(program, member.value, inside)
                places[member.name] = _handed_on(member.value, inside, given.places)
    return replace(known, values=values, places=places)
