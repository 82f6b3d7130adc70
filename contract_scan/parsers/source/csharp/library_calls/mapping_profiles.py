"""What profiles of AutoMapper say of members: `CreateMap<Order, OrderDto>().ForMember(d => d.Lines,
opt => opt.MapFrom(o => o.OrderLines))`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.library_calls.member_paths import lambda_path
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Evaluate,
    Expr,
    Lambda,
    Name,
    Return,
)

_CREATES = b"CreateMap<"
_ABOUT_MEMBER = frozenset({"ForMember", "ForPath"})
_BY_NAME = frozenset({"ExplicitExpansion", "AllowNull", "DoNotAllowNull", "SetMappingOrder"})
"""Options that leave it at the member of the same name."""
_HARMLESS = frozenset({"ReverseMap", "MaxDepth", "PreserveReferences", "ValidateMemberList"})


class Rules(Struct, frozen=True, eq=False):
    """What a profile says of how objects of one class are made of those of another."""

    source: ClassSymbol
    made: ClassSymbol
    told: Mapping[str, str | None]
    """Members of what is made, with the path of what they are given; None: nothing that is a
    member. One that is not told of is given the member of its name."""
    ignored: frozenset[str]
    """Members that are given nothing."""
    is_plain: bool
    """Whether nothing else fills members."""


def rules_between(program: Program, source: ClassSymbol, made: ClassSymbol) -> Rules | None:
    """What profiles say of two classes."""
    return _profiles(program).get((source.key, made.key))


def sources_of(program: Program, made: ClassSymbol) -> list[Rules]:
    """What profiles say of how objects of a class are made."""
    return [one for one in _profiles(program).values() if one.made.key == made.key]


@memoised
def _profiles(program: Program) -> Mapping[tuple[str, str], Rules]:
    found: dict[tuple[str, str], Rules] = {}
    for path in program.files_containing(_CREATES):
        for owner in program.classes(program.facts(path)):
            scope = program.class_scope(owner)
            for method in owner.decl.methods:
                for statement in nested_statements(program.body(method, owner.file)):
                    if isinstance(statement, Evaluate):
                        for rules in _rules(program, statement.value, scope):
                            found[rules.source.key, rules.made.key] = rules
    return found


def _rules(program: Program, expr: Expr, scope: Scope) -> Iterator[Rules]:
    """What a chain of calls says, of the way back (`ReverseMap`) too."""
    chain: list[Call] = []
    while isinstance(expr, Call):
        chain.append(expr)
        expr = expr.callee.value if isinstance(expr.callee, Attribute) else expr.callee
    if not chain or len(chain[-1].type_args) != 2:
        return
    callee = chain[-1].callee
    if getattr(callee, "id", getattr(callee, "name", "")).partition("`")[0] != "CreateMap":
        return
    source, made = (program.names.declared_class(one, scope) for one in chain[-1].type_args)
    if source is None or made is None:
        return
    steps = chain[-2::-1]
    names = [step.callee.name for step in steps if isinstance(step.callee, Attribute)]
    turn = names.index("ReverseMap") if "ReverseMap" in names else len(steps)
    yield _of_steps(source, made, steps[:turn])
    if turn < len(steps):
        yield _of_steps(made, source, steps[turn:])


def _of_steps(source: ClassSymbol, made: ClassSymbol, steps: list[Call]) -> Rules:
    told: dict[str, str | None] = {}
    ignored: set[str] = set()
    is_plain = True
    for step in steps:
        name = step.callee.name if isinstance(step.callee, Attribute) else ""
        if name not in _ABOUT_MEMBER or len(step.args) != 2:
            is_plain = is_plain and name in _HARMLESS
            continue
        member = lambda_path(step.args[0].value)
        if not member or "." in member:
            is_plain = False
            continue
        option = _option(step.args[1].value)
        kind = (
            "" if option is None or not isinstance(option.callee, Attribute) else option.callee.name
        )
        if kind == "Ignore":
            ignored.add(member)
        elif kind == "MapFrom" and option is not None:
            told[member] = lambda_path(option.args[0].value) if len(option.args) == 1 else None
        elif kind not in _BY_NAME:
            told[member] = None
    return Rules(source, made, told, frozenset(ignored), is_plain)


def _option(expr: Expr) -> Call | None:
    """The call of `opt => opt.Ignore()`."""
    match expr:
        case Lambda(function=function):
            body = function.body or ()
        case _:
            return None
    match body:
        case (Return(value=Call() as call),) | (Evaluate(value=Call() as call),):
            return (
                call
                if isinstance(call.callee, Attribute) and isinstance(call.callee.value, Name)
                else None
            )
        case _:
            return None
