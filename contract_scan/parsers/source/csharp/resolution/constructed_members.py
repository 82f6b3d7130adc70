"""What a member of an object holds that is made by a `new`: what its initialiser sets, what its
constructors assign, what it begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Struct

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.abstract_objects import (
    OPAQUE,
    Constructed,
    Object,
    Place,
    Plain,
)
from contract_scan.parsers.source.csharp.resolution.conversions import awaited_type
from contract_scan.parsers.source.csharp.resolution.overloads import can_take
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    ClassDecl,
    Evaluate,
    Expr,
    Function,
    Member,
    Name,
    NamedType,
    NullableType,
    Statement,
)

_WITHOUT_NULL = frozenset({"int", "long", "double", "decimal", "DateTime", "Guid"})


class Construction(Struct, frozen=True, eq=False):
    """One constructor of the chain that makes an object, from its own class to those above."""

    owner: ClassSymbol
    inside: Scope
    """Scope of the class."""
    constructor: Function | None
    args: tuple[Argument, ...]


class Initial(Struct, frozen=True, eq=False):
    """What sets a member."""

    value: Expr | None
    """None: nothing does, and it has the default of its type."""
    step: int
    """In which of the constructors the value stands; -1: in the class."""
    owner: ClassSymbol
    inside: Scope
    member: Member


Choose: TypeAlias = Callable[
    [list[Function], tuple[Argument, ...], Scope, "list[Construction]"], Function | None
]
"""Tells which of several constructors is meant, given those that ran before."""


def constructions(
    program: Program, symbol: ClassSymbol, args: tuple[Argument, ...], choose: Choose
) -> list[Construction] | None:
    """The constructors that run to make an object, its own first, each with the arguments that the
    one before hands on (`: this(…)`, `: base(…)`); None where overloads leave open which."""
    found: list[Construction] = []
    chain = program.types.chain(symbol, program.class_scope(symbol))
    classes = [(owner, inside) for owner, inside in chain if owner.decl.kind != "interface"]
    for owner, inside in classes:
        for _ in range(3):
            fitting = _constructors(owner.decl, args)
            if args and not fitting:
                return None
            constructor = fitting[0] if fitting else None
            if len(fitting) > 1:
                constructor = choose(fitting, args, inside, found)
                if constructor is None:
                    return None
            found.append(Construction(owner, inside, constructor, args))
            handed = _handed_on(program, owner, constructor)
            if handed is None:
                args = ()
                break
            to_this, args = handed
            if not to_this:
                break
        else:
            return None
    return found


def _constructors(decl: ClassDecl, args: tuple[Argument, ...]) -> list[Function]:
    """The constructors that may be given arguments, by number and names."""
    named = {argument.name for argument in args if argument.name}
    return [
        method
        for method in decl.methods
        if "constructor" in method.modifiers
        and "static" not in method.modifiers
        and can_take(method.params, len(args))
        and named <= {param.name for param in method.params}
    ]


def _handed_on(
    program: Program, owner: ClassSymbol, constructor: Function | None
) -> tuple[bool, tuple[Argument, ...]] | None:
    """What a constructor gives another one of its class (True), or one of the class above."""
    if constructor is None or "primary" in constructor.modifiers:
        return (False, owner.decl.base_args) if owner.decl.base_args else None
    for statement in program.body(constructor, owner.file)[:1]:
        match statement:
            case Evaluate(value=Call(callee=Name(id="this" | "super" as id), args=args)):
                return id == "this", args
            case _:
                pass
    return None


def initial_value(program: Program, steps: list[Construction], name: str) -> Initial | None:
    """What sets a member of an object that is made by constructors; None where that is not plain,
    or it has none of that name."""
    for at, step in enumerate(steps):
        member = next((m for m in step.owner.decl.members if m.name == name), None)
        if member is None or "static" in member.modifiers:
            continue
        if member.kind in ("getter", "setter"):
            return None
        given: tuple[Expr, int] | None = None
        for position, each in enumerate(steps):
            values = list(_assigned_values(program, each, name))
            if any(value is None for value in values):
                return None
            if values and given is None:
                given = (values[-1] or Name(id=name), position)  # the outermost runs last
        if _is_set_later(program, step.owner, name):
            return None
        if given is None and member.kind == "parameter":
            return Initial(Name(id=name, span=member.span), at, step.owner, step.inside, member)
        if given is not None:
            of = steps[given[1]]
            return Initial(given[0], given[1], of.owner, of.inside, member)
        primary = step.constructor is not None and "primary" in step.constructor.modifiers
        where = at if primary else -1
        return Initial(member.value, where, step.owner, step.inside, member)
    return None


def _assigned_values(program: Program, step: Construction, name: str) -> Iterator[Expr | None]:
    """What a constructor sets a member to, None where it does so on some paths alone."""
    if step.constructor is None or "primary" in step.constructor.modifiers:
        return
    body = program.body(step.constructor, step.owner.file)
    hidden = any(param.name == name for param in step.constructor.params)
    for statement in nested_statements(body):
        for value in _set_by(statement, name, hidden):
            yield value if statement in body else None


def _set_by(statement: Statement, name: str, hidden: bool) -> Iterator[Expr | None]:
    if not isinstance(statement, Assign):
        return
    match statement.target, statement.value:
        case ArrayLiteral(items=targets), ArrayLiteral(items=values) if len(targets) == len(values):
            pairs = list(zip(targets, values, strict=True))
        case target, value:
            pairs = [(target, value)] if value is not None else []
    for target, value in pairs:
        is_member = isinstance(target, Name) and target.id == name and not hidden
        if is_member or is_own(target, name):
            yield None if statement.operator else value


def is_own(target: Expr, name: str) -> bool:
    """Whether an expression is a member of the object itself: `this.Status`."""
    match target:
        case Attribute(value=Name(id="this"), name=written):
            return written == name
        case _:
            return False


def _is_set_later(program: Program, owner: ClassSymbol, name: str) -> bool:
    """Whether a method of a class sets a member of the object."""
    return any(
        True
        for method in owner.decl.methods
        if not {"constructor", "static"} & set(method.modifiers)
        for statement in nested_statements(program.body(method, owner.file))
        for _ in _set_by(statement, name, any(p.name == name for p in method.params))
    )


def default_value(program: Program, member: Member, scope: Scope) -> tuple[Object, ...]:
    """What a member holds that nothing sets."""
    match member.type:
        case NullableType():
            return (Plain(None),)
        case NamedType(name="bool"):
            return (Plain(False),)
        case NamedType(name=name) as type if name not in _WITHOUT_NULL:
            symbol = program.names.declared_class(type, scope)
            if symbol is not None and symbol.decl.kind in ("class", "interface"):
                return (Plain(None),)
            return OPAQUE
        case _:
            return OPAQUE


def static_member(
    program: Program, symbol: ClassSymbol, name: str
) -> tuple[ClassSymbol, Member] | None:
    """A constant or static member of a class, with the part that declares it."""
    for part in program.names.classes.parts(symbol):
        for member in part.decl.members:
            if member.name == name and (
                member.kind in ("enum", "constant") or "static" in member.modifiers
            ):
                return part, member
    return None


def is_fixed(member: Member) -> bool:
    """Whether nothing sets a static member later."""
    accessors = "get" in member.modifiers and not any(m.endswith("set") for m in member.modifiers)
    return (
        accessors
        or member.kind in ("constant", "getter")
        or bool({"readonly", "const"} & set(member.modifiers))
    )


def meant_constructor(
    program: Program,
    objects: Callable[[Expr, Place], tuple[Object, ...]],
    fitting: list[Function],
    args: tuple[Argument, ...],
    inside: Scope,
    place: Place,
) -> Function | None:
    """Of the constructors that take so many arguments the one whose parameters are of their types;
    None where that leaves several."""
    left = fitting
    for position, argument in enumerate(args):
        if argument.name:
            continue
        given = objects(argument.value, place)
        made = [o.symbol for o in given if isinstance(o, Constructed)]
        own = made[0] if len(made) == len(given) == 1 else None
        if own is None:
            value = program.evaluator.unwrap(program.evaluate(argument.value, place.scope))
            own = symbol_of(program, value)
        keys = set() if own is None else {each.key for each in (own, *program.bases(own))}
        exact: list[Function] = []
        loose: list[Function] = []
        for each in left:
            taken = (
                awaited_type(each.params[position].type) if position < len(each.params) else None
            )
            declared = (
                program.names.declared_class(taken, inside)
                if isinstance(taken, NamedType)
                else None
            )
            if declared is None:
                loose.append(each)
            elif declared.key in keys:
                exact.append(each)
        left = exact or loose
    return left[0] if len(left) == 1 else None
