"""Where the value of an expression comes from: locals, members, what constructors set."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.inherited_members import (
    given_to_base,
    object_class,
    on_object,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Cast,
    Expr,
    Name,
    NamedType,
    NullableType,
)

_MAX_DEPTH = 8
_LOOSE = frozenset({"object", "dynamic"})


def without_wrappers(expr: Expr) -> Expr:
    """An expression without what changes nothing of its value: `await x`, `x!`, `(object)x`."""
    for _ in range(_MAX_DEPTH):
        match expr:
            case Call(callee=Name(id="await" | "!"), args=(argument,)):
                expr = argument.value
            case Call(callee=Attribute(value=inner, name="ConfigureAwait")):
                expr = inner
            case Cast(type=NamedType(name=name), value=inner) if name in _LOOSE:
                expr = inner
            case Cast(type=NullableType(), value=inner):
                expr = inner
            case _:
                break
    return expr


def sources(program: Program, expr: Expr, scope: Scope) -> Iterator[tuple[Expr, Scope]]:
    """What is assigned to a local name or a member: its definitions that reach the place; else its
    initial value, and what constructors set it to."""
    match expr:
        case Name(id=name) | Attribute(value=Name(id="this"), name=name):
            pass
        case _:
            return
    found = False
    if isinstance(expr, Name):
        for given, place in _locals(expr, scope):
            found = True
            yield given, place
    owner = scope.owner_around
    if found or owner is None:
        return
    below = object_class(scope, owner)
    if below is None:
        yield from _member_values(program, name, owner)
        return
    of_object = None
    if not (isinstance(expr, Name) and _is_given_to_constructor(scope, name)):
        of_object = next(iter(_values_by_class(program, name, below)), None)
    yield from of_object or given_to_base(program, below, owner, name)


def _locals(expr: Name, scope: Scope) -> Iterator[tuple[Expr, Scope]]:
    current: Scope | None = scope
    while current is not None:
        definitions = definitions_of(expr, current)
        for definition in definitions:
            statement = definition.statement
            if isinstance(statement, Assign) and statement.value is not None:
                yield statement.value, current
        if definitions:
            return
        function = current.function
        if function is not None and any(p.name == expr.id for p in function.params):
            return
        current = current.parent


def _is_given_to_constructor(scope: Scope, name: str) -> bool:
    function = scope.function
    if function is None or "constructor" not in function.modifiers:
        return False
    return any(param.name == name for param in function.params)


def _values_by_class(
    program: Program, name: str, symbol: ClassSymbol
) -> Iterator[list[tuple[Expr, Scope]]]:
    """The values of an object's member in its class and in those above it, where they set it."""
    for above, inside in program.types.chain(symbol, program.class_scope(symbol)):
        place = on_object(program, inside, symbol) if above is not symbol else inside
        found = list(_values_in(program, name, above, place))
        if found:
            yield found


def _member_values(program: Program, name: str, owner: ClassSymbol) -> Iterator[tuple[Expr, Scope]]:
    for symbol, inside in program.types.chain(owner, program.class_scope(owner)):
        yield from _values_in(program, name, symbol, inside)


def _values_in(
    program: Program, name: str, symbol: ClassSymbol, inside: Scope
) -> Iterator[tuple[Expr, Scope]]:
    for member in symbol.decl.members:
        if member.name == name and member.value is not None:
            yield member.value, inside
    for method in symbol.decl.methods:
        if "constructor" not in method.modifiers:
            continue
        scope = program.function_scope(method, inside)
        for statement in reaching_definitions.nested_statements(scope.statements or ()):
            if not isinstance(statement, Assign) or statement.value is None:
                continue
            if _sets(statement.target, name):
                yield statement.value, replace(scope, receiver=inside.receiver)


def _sets(target: Expr, name: str) -> bool:
    match target:
        case Name(id=id):
            return id == name
        case Attribute(value=Name(id="this"), name=attribute):
            return attribute == name
        case _:
            return False


def variable(expr: Expr | None) -> str:
    """The name of the variable or member that an expression is; empty where it is none."""
    match without_wrappers(expr) if expr is not None else None:
        case Name(id=id):
            return id
        case Attribute(value=Name(id="this"), name=name):
            return name
        case _:
            return ""


def made_by(program: Program, expr: Expr, scope: Scope, *methods: str) -> tuple[Call, Scope] | None:
    """The call of one of the methods that made a value: `client.CreateSender("orders")`."""
    pending: list[tuple[Expr, Scope]] = [(expr, scope)]
    for _ in range(_MAX_DEPTH):
        following: list[tuple[Expr, Scope]] = []
        for found, place in pending:
            plain = without_wrappers(found)
            match plain:
                case Call(callee=Attribute(name=name)) if name in methods:
                    return plain, place
                case _:
                    pass
            following.extend(sources(program, plain, place))
        pending = following
        if not pending:
            return None
    return None
