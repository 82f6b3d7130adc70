"""What constructors do with what they are given."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    ClassDecl,
    Expr,
    Function,
    Loop,
    Name,
    Param,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_SELF = frozenset({"this", "self"})


def assigned_from(program: Program, symbol: ClassSymbol, member: str) -> frozenset[str]:
    """The parameters that the only constructor of a class sets a member to as they are:
    `this.topic = name`. None where the member is set more than once."""
    constructors = [m for m in symbol.decl.methods if _constructs(m)]
    if len(constructors) != 1:
        return frozenset()
    params = {param.name for param in constructors[0].params}
    if member in params:
        return frozenset({member})
    given = [
        statement.value
        for statement in program.body(constructors[0], symbol.file)
        if isinstance(statement, Assign) and not statement.operator
        if _is_member(statement.target, member)
    ]
    if len(given) == 1 and isinstance(given[0], Name) and given[0].id in params:
        return frozenset({given[0].id})
    return frozenset()


_READS = frozenset(
    {"forEach", "map", "flatMap", "filter", "find", "some", "every", "reduce", "length"}
)
"""What can be asked of a list without changing it."""


def is_only_read(program: Program, symbol: ClassSymbol, member: str) -> bool:
    """Whether the methods of a class do no more with a list in one of its members than set it once
    and go through it."""
    uses = sets = reads = 0
    for method in symbol.decl.methods:
        for node in nodes_of(program.body(method, symbol.file)):
            match node:
                case Assign(target=target) if is_own_member(target, member):
                    sets += 1
                case Loop(iterable=held) | Attribute(value=held) if is_own_member(held, member):
                    reads += isinstance(node, Loop) or node.name in _READS
                case Attribute() if is_own_member(node, member):
                    uses += 1
    return sets <= 1 and uses == sets + reads


def sets_member(program: Program, symbol: ClassSymbol, member: str) -> bool:
    """Whether code of a class sets a member of its objects, in a constructor or later."""
    known, key = _members_set(program), id(symbol.decl)
    if key not in known:
        targets = (
            node.target
            for method in symbol.decl.methods
            for node in nodes_of(program.body(method, symbol.file))
            if isinstance(node, Assign)
        )
        known[key] = symbol.decl, frozenset(map(_member_of, targets))
    return member in known[key][1]


@memoised
def _members_set(program: Program) -> dict[int, tuple[ClassDecl, frozenset[str]]]:
    """The names that code of classes sets, by the identity of the declarations, which are kept so
    that it stays theirs."""
    del program
    return {}


def _member_of(target: Expr) -> str:
    """The member that an assignment may set; empty where it sets something else."""
    match target:
        case Attribute(value=Name(id=holder), name=name) if holder in _SELF:
            return name
        case Name(id=name):
            return name
        case _:
            return ""


def class_with_constructor(program: Program, symbol: ClassSymbol) -> ClassSymbol | None:
    """The class whose constructor is called to make an object of a class; None where no arguments
    can be given. A class without one has that of a class above it; where there is none it may be
    made up of the fields (dataclasses, Lombok), but in TypeScript."""
    if symbol.file.language not in ("typescript", "python"):
        return symbol
    for one in (symbol, *program.bases(symbol)):
        if has_constructor(one.decl):
            return one
    return None if symbol.file.language == "typescript" else symbol


def has_constructor(decl: ClassDecl) -> bool:
    """Whether a class has a constructor that is written out."""
    return any(map(_constructs, decl.methods))


def constructor_parameters(decl: ClassDecl) -> tuple[Param, ...]:
    """The constructor's parameters in order (the fields, where there is none)."""
    for method in decl.methods:
        if _constructs(method):
            return tuple(p for p in method.params if p.name not in ("self", "this"))
    primary = [m for m in decl.members if m.kind == "parameter"]
    fields = primary or [m for m in decl.members if "static" not in m.modifiers]
    return tuple(Param(name=m.name, type=m.type, span=m.span) for m in fields)


def is_own_member(target: object, member: str) -> bool:
    """Whether an expression is a member of the object itself."""
    match target:
        case Attribute(value=Name(id=holder), name=name):
            return name == member and holder in _SELF
        case _:
            return False


def _is_member(target: Expr, member: str) -> bool:
    return is_own_member(target, member) or (isinstance(target, Name) and target.id == member)


def _constructs(method: Function) -> bool:
    return "constructor" in method.modifiers or method.name == "__init__"
