"""Objects of the project whose making is seen, through factories, services and setters that give
them: `Result.created(order)`, `service.add(order)`, `Reply.with(order).status(201)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    assigned_values,
    returns,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    FunctionValue,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.assigned_members import given_members
from contract_scan.parsers.source.analysis.typing.overloads import called_overload
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    New,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.value_producers import is_overridden
from contract_scan.parsers.source.java.web.chains import function_called
from contract_scan.parsers.source.java.web.walker import arguments

_MOST_CALLS = 8
"""How many functions that give an object on to each other are followed."""


def object_made(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> Instance | None:
    """The object that an expression gives, with the members that are set until then; None where its
    making is not seen, or where an object of several kinds may come."""
    if depth > _MOST_CALLS:
        return None
    match expr:
        case New():
            value = program.evaluate(expr, scope)
            return _with_initial_members(program, value) if isinstance(value, Instance) else None
        case Call():
            return _given_by_call(program, expr, scope, depth)
        case Name() if (given := _only_value(expr, scope)) is not None:
            made = object_made(program, given, scope, depth + 1)
            is_kept = made is not None and (_never_changes(made) or _is_used_once(expr, scope))
            return made if is_kept else None
        case _:
            value = program.evaluate(expr, scope)
            if isinstance(value, Instance) and isinstance(value.site, New):
                return value if _never_changes(value) else None
            return None


def _only_value(name: Name, scope: Scope) -> Expr | None:
    given = assigned_values(name, scope)
    return given[0] if len(given) == 1 else None


def _is_used_once(name: Name, scope: Scope) -> bool:
    """Whether a variable is read in one place alone, so that nothing has changed what it holds."""
    nodes = nodes_of(scope.statements or ())
    named = sum(1 for node in nodes if isinstance(node, Name) and node.id == name.id)
    return named <= 2  # where it is set, and there


def _never_changes(made: Instance) -> bool:
    """Whether the members of an object hold what its construction gave them."""
    members = [m for m in made.symbol.decl.members if "static" not in m.modifiers]
    is_record = made.symbol.decl.kind == "record"
    return is_record or all("final" in member.modifiers for member in members)


def scope_of_call(
    program: Program, call: Call, function: FunctionValue, scope: Scope, depth: int = 0
) -> Scope:
    """The inside of a function for one call: with what it is given, and the object that it is
    called on, as far as these are seen."""
    around = function.scope
    if isinstance(call.callee, Attribute) and "static" not in function.function.modifiers:
        receiver = object_made(program, call.callee.value, scope, depth + 1)
        if receiver is not None:
            around = replace(around, owner=function.owner or around.owner, receiver=receiver)
    given = arguments(program, function, call, scope)
    return program.function_scope(function.function, around, given)


def _given_by_call(program: Program, call: Call, scope: Scope, depth: int) -> Instance | None:
    function = function_called(program, call, scope) or _method_beside_field(program, call, scope)
    if function is not None and "abstract" in function.function.modifiers:
        function = program.evaluator.only_implementation(function)
    if function is None or function.owner is None:
        return None
    if is_overridden(program, function.owner, function.function):
        return None
    inside = scope_of_call(program, call, function, scope, depth)
    statements = inside.statements or ()
    ends = [one for one in returns(statements) if isinstance(one, Return)]
    if len(ends) != 1 or ends[0].value is None:
        return None
    if ends[0].value != Name(id="this", span=ends[0].value.span):
        return object_made(program, ends[0].value, inside, depth + 1)
    made = inside.receiver
    if not isinstance(made, Instance) or made.site is None:
        return None
    members = frozenset(member.name for member in function.owner.decl.members)
    own = {param.name for param in function.function.params}
    set_here: dict[str, AssignedMember] = {}
    for statement in statements[:-1]:
        name = _member_set(statement, members, own)
        if name is None or not isinstance(statement, Assign) or statement.value is None:
            return None
        value = partial(program.evaluate, statement.value, inside)
        set_here[name] = AssignedMember(name, value)
    kept = (one for one in made.assigned if one.name not in set_here)
    return replace(made, assigned=(*kept, *set_here.values()))


def _method_beside_field(program: Program, call: Call, scope: Scope) -> FunctionValue | None:
    """The method that a call runs where a field has its name: `status(201)` of a builder."""
    if not isinstance(call.callee, Attribute):
        return None
    held = program.evaluate(call.callee.value, scope)
    found = program.evaluator.member(held, call.callee.name, len(call.args))
    if not isinstance(found, FunctionValue):
        return None
    return called_overload(program, found, call, scope, program.evaluate)


def _member_set(statement: Statement, members: frozenset[str], own: set[str]) -> str | None:
    """The member of the object itself that a statement sets; None: it does something else."""
    match statement:
        case Assign(target=Attribute(value=Name(id="this"), name=name), operator=""):
            return name
        case Assign(target=Name(id=name), operator="", type=None) if name in members - own:
            return name
        case _:
            return None


def _with_initial_members(program: Program, made: Instance) -> Instance:
    """An object with what its construction gives its members: what the constructor is given, or
    what they begin with where no constructor sets them."""
    if made.may_be_assigned != frozenset():
        return made
    found: dict[str, Callable[[], Value]] = {
        name: partial(program.evaluate, value, scope)
        for name, value, scope in _initial_members(program, made)
    }
    for member in made.symbol.decl.members:
        value = program.evaluator.member_of_construction(made, member.name)
        if value is not None:
            found[member.name] = partial(_identity, value)
    if made.scope is not None:
        for name, expr in given_members(program, made):
            found[name] = partial(program.evaluate, expr, made.scope)
    set_since = {one.name for one in made.assigned}
    begun = (AssignedMember(*one) for one in found.items() if one[0] not in set_since)
    return replace(made, assigned=(*begun, *made.assigned))


def _identity(value: Value) -> Value:
    return value


def _initial_members(program: Program, made: Instance) -> Iterator[tuple[str, Expr, Scope]]:
    """Members that begin with a value which no constructor replaces, and where it is evaluated."""
    decl, file = made.symbol.decl, made.symbol.file
    constructors = [m for m in decl.methods if not _MAKING.isdisjoint(m.modifiers)]
    set_by_constructors = {
        name
        for method in constructors
        for node in nodes_of(program.body(method, file))
        if isinstance(node, Assign)
        for name in (getattr(node.target, "id", ""), getattr(node.target, "name", ""))
    }
    scope = program.class_scope(made.symbol)
    for member in decl.members:
        is_own = "static" not in member.modifiers and member.kind not in ("enum", "constant")
        if member.value is not None and is_own and member.name not in set_by_constructors:
            yield member.name, member.value, scope


_MAKING = frozenset({"constructor", "initializer"})
