"""Changes of an object by another of its names, written down once more by the first one.

`other = data; other["total"] = 1` changes what `data` holds. Definitions are followed a name at a
time, so each statement that changes an object by an alias is followed by the same one with what the
alias stands for in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow.loop_unrolling import with_name_replaced
from contract_scan.parsers.source.analysis.dataflow.object_mutations import (
    is_removal,
    removal_target,
    root_name,
    without_casts,
)
from contract_scan.parsers.source.analysis.syntax.defining import bound_names, nested_statements
from contract_scan.parsers.source.analysis.syntax.null_checks import is_kind_question, property_of
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Evaluate,
    Expr,
    Index,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_CHANGES = frozenset(
    {
        *("update", "setdefault", "pop", "append", "extend", "push", "unshift", "insert"),
        *("add", "Add", "addAll", "AddRange", "putAll", "remove", "Remove", "addProperty"),
    }
)
"""Methods of plain objects and lists that change them."""
_OWN = frozenset({"this", "self", "cls", ""})


def with_changes_by_alias(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements with each change by an alias repeated by what that stands for; the same tuple
    where there is none."""
    names = _aliases(statements)
    return _with_repetitions(statements, names) if names else statements


def with_named_tests(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements with the test in place of a name that holds its outcome, where nothing that
    the test asks of is given another value: `known = row.note is not None; if not known: return`.
    The same tuple where there is none."""
    tests: dict[str, Expr] = {}
    for statement in nested_statements(statements):
        match statement:
            case Assign(target=Name(id=name), value=OperationExpr() | Call() as value, operator=""):
                if is_kind_question(value):
                    tests[name] = value
            case _:
                pass
    if not tests:
        return statements
    given = Counter(name for each in nested_statements(statements) for name in bound_names((each,)))
    changed = {
        each.target.name
        for each in nested_statements(statements)
        if isinstance(each, Assign) and isinstance(each.target, Attribute)
    }
    lasting = {
        name: value
        for name, value in tests.items()
        if given[name] == 1
        and all(
            given[node.id] <= 1 if isinstance(node, Name) else node.name not in changed
            for node in nodes_of(value)
            if isinstance(node, Name | Attribute)
        )
    }
    return _with_tests(statements, lasting) if lasting else statements


def _with_tests(
    statements: tuple[Statement, ...], tests: Mapping[str, Expr]
) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in statements:
        match statement:
            case Branch(blocks=blocks, condition=condition):
                for name in tests:
                    condition = with_name_replaced(condition, name, partial(_test_at, tests[name]))
                inner = tuple(_with_tests(block, tests) for block in blocks)
                found.append(replace(statement, blocks=inner, condition=condition))
            case Loop(body=body):
                found.append(replace(statement, body=_with_tests(body, tests)))
            case _:
                found.append(statement)
    return tuple(found)


def _test_at(test: Expr, _: Span) -> Expr:
    return test


def _aliases(statements: tuple[Statement, ...]) -> Mapping[str, Expr]:
    """The names by which an object is changed that has another name, with what they stand for: of
    two names of one object each for the other. Names count that are given a value once, and parts
    of what is made here: what a parameter holds may be a framework's."""
    written: list[tuple[str, Expr]] = []
    for statement in nested_statements(statements):
        match statement:
            case Assign(
                target=Name(id=alias), value=Name() | Attribute() | Index() | Cast() as value
            ):
                meant = without_casts(value)
                if not statement.operator and root_name(meant) not in (*_OWN, alias):
                    written.append((alias, meant))
            case _:
                pass
    if not written:
        return {}
    given = Counter(name for each in nested_statements(statements) for name in bound_names((each,)))
    changed = set(_changed_names(statements))
    found: dict[str, Expr] = {}
    for alias, meant in written:
        root = root_name(meant)
        is_whole = isinstance(meant, Name)
        if not _is_path(meant) or given[alias] != 1 or given[root] > 1:
            continue
        if alias in changed and (is_whole or given[root] == 1):
            found.setdefault(alias, meant)
        if is_whole and root in changed:
            found.setdefault(root, Name(alias))
    return found


def _is_path(expr: Expr) -> bool:
    """Whether an expression is a name, or leads from one by constant keys."""
    match expr:
        case Name():
            return True
        case Attribute(value=inner) | Index(value=inner, index=LiteralExpr()):
            return _is_path(inner)
        case _:
            return False


def _changed_names(statements: tuple[Statement, ...]) -> Iterator[str]:
    """Names of the objects that single statements change."""
    for statement in nested_statements(statements):
        place = _changed_place(statement)
        if place is not None:
            yield root_name(place)


def _changed_place(statement: Statement) -> Expr | None:
    """The object that a statement changes, or the member that it sets."""
    match statement:
        case Assign(target=Attribute() | Index() as target):
            return target
        case Evaluate(value=value) if is_removal(value):
            return removal_target(value)
        case Evaluate(value=Call(callee=Attribute(value=receiver, name=name), args=args)):
            is_setter = len(args) == 1 and property_of(name, "set") != name
            return receiver if is_setter or _changes_by_call(name, args) else None
        case _:
            return None


def _changes_by_call(name: str, args: tuple[Argument, ...]) -> bool:
    """Whether a call by its name changes an object or list. Routers have a `put`, too, and a route
    is registered once."""
    if name != "put":
        return name in _CHANGES
    match args:
        case (Argument(value=LiteralExpr(value=str(key))), _):
            return not key.startswith("/")
        case _:
            return False


def _with_repetitions(
    statements: tuple[Statement, ...], names: Mapping[str, Expr]
) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in statements:
        match statement:
            case Branch(blocks=blocks):
                inner = tuple(_with_repetitions(block, names) for block in blocks)
                found.append(replace(statement, blocks=inner))
            case Loop(body=body):
                found.append(replace(statement, body=_with_repetitions(body, names)))
            case _:
                found += (statement, *_by_other_names(statement, names))
    return tuple(found)


def _by_other_names(statement: Statement, names: Mapping[str, Expr]) -> Iterator[Statement]:
    """The change that a statement makes, by what the name of the object stands for, and by what
    that stands for in turn."""
    place = _changed_place(statement)
    seen: set[str] = set()
    while place is not None and (name := root_name(place)) in names and name not in seen:
        seen.add(name)
        statement = _with_root(statement, place, names[name])
        place = _changed_place(statement)
        if place is not None and root_name(place) not in seen:
            yield statement


def _with_root(statement: Statement, place: Expr, root: Expr) -> Statement:
    """A statement that changes an object, with another expression for where that begins."""
    at_root = _rooted_at(place, root)
    match statement:
        case Assign():
            return replace(statement, target=at_root)
        case Evaluate(value=Call(callee=Attribute() as callee) as call) if not is_removal(call):
            return replace(statement, value=replace(call, callee=replace(callee, value=at_root)))
        case Evaluate(value=Call(callee=Attribute() as callee) as call):
            assert isinstance(at_root, Index)
            return replace(
                statement, value=replace(call, callee=replace(callee, value=at_root.value))
            )
        case Evaluate(value=OperationExpr() as removal):
            return replace(statement, value=replace(removal, operands=(at_root,)))
        case _:
            return statement


def _rooted_at(expr: Expr, root: Expr) -> Expr:
    match without_casts(expr):
        case Name(span=span):
            return replace(root, span=span)
        case Attribute() | Index() as part:
            return replace(part, value=_rooted_at(part.value, root))
        case other:
            return other
