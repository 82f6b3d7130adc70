"""Values that are written out where they are used, and tests that ask whether something is among
such."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import ALL, ANY, NOT
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    New,
    OperationExpr,
)

_MEMBERSHIPS = frozenset({"contains", "Contains", "includes", "has"})
"""Methods of lists and sets that say whether their argument is one of the items."""


def is_made_here(value: Value) -> bool:
    """Whether a value cannot be null: a constant, or what is constructed where it stands. What is
    of a type without null may be null all the same, where JSON was read into it."""
    match value:
        case Constant(value=constant):
            return constant is not None
        case Instance(constant=name) if name:
            return True
        case Template() | Record() | Items() | Instance(site=New()) | LibraryResult(site=New()):
            return True
        case OneOf(options=options):
            return all(map(is_made_here, options))
        case _:
            return False


def holds_written_null(value: Value) -> bool:
    """Whether a value is null that is written out, be it on one path alone; not what a member
    merely begins with (`= null!`)."""
    options = value.options if isinstance(value, OneOf) else (value,)
    return any(
        isinstance(one, Constant) and one.value is None and one.declared_type is None
        for one in options
    )


def holds_for_item(program: Program, name: str, test: Expr, scope: Scope, *, holds: bool) -> bool:
    """Whether a test that holds (or fails) has asked if a name is one of a list of constants."""
    match test:
        case OperationExpr(operator=operator, operands=(inner,)) if operator in NOT:
            return holds_for_item(program, name, inner, scope, holds=not holds)
        case OperationExpr(operator=operator, operands=operands) if operator in (
            ALL if holds else ANY
        ):
            each = (holds_for_item(program, name, o, scope, holds=holds) for o in operands)
            return any(each)
        case Call(callee=Attribute() as callee, args=(only,)):
            is_asked = isinstance(only.value, Name) and only.value.id == name
            return holds and is_asked and is_membership(program, callee, scope)
        case _:
            return False


def is_membership(program: Program, callee: Attribute, scope: Scope) -> bool:
    """Whether a method asks if something is one of a list of constants, none of which is null."""
    if callee.name not in _MEMBERSHIPS:
        return False
    match program.evaluator.unwrap(program.evaluate(callee.value, scope)):
        case Items(values=values) if values:
            return all(map(is_made_here, values))
        case LibraryResult(site=New(entries=entries)) if entries:  # `new HashSet<string> { "a" }`
            items = (e.value for e in entries if e.key is None and not e.spread)
            written = [i for i in items if isinstance(i, LiteralExpr) and i.value is not None]
            return len(written) == len(entries)
        case _:
            return False


def is_object_written_out(value: Value) -> bool:
    """Whether a value is an object literal that holds something, or a list of such."""
    match value:
        case Record(entries=entries, partial=partial):
            return bool(entries) and not partial
        case Items(values=values):
            return bool(values) and all(is_object_written_out(item) for item in values)
        case OneOf(options=options):
            return all(is_object_written_out(option) for option in options)
        case _:
            return False
