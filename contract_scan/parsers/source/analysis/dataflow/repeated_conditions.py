"""Definitions that a condition rules out which stands around them and, once more, around a use.

    if grouped: rows = []
    else: rows = {}
    …
    shown = rows if grouped else rows[key]

Where `grouped` holds at the use, it held before, for nothing has assigned it since: `rows` is the
list there. Conditions are told apart by what is written, so only such of names and constants count.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.span_order import contains, ends_before, spans
from contract_scan.parsers.source.analysis.syntax.defining import bound_names
from contract_scan.parsers.source.analysis.syntax.null_checks import ALL, ANY, NOT
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_Body = tuple[Statement, ...]
_FILLERS = frozenset(
    {"add", "addall", "addrange", "append", "clear", "delete", "discard", "extend", "insert", "pop"}
    | {"popitem", "push", "put", "remove", "removeall", "set", "setdefault", "shift", "splice"}
    | {"tryadd", "unshift", "update"}
)
"""Methods that may change whether a list or a map has something in it, in small letters."""
_MOST_PARTS = 12
"""How many operators of one condition are looked at."""


def without_contradicted(
    statements: _Body, found: tuple[Definition, ...], use: Span
) -> tuple[Definition, ...]:
    """The definitions that reach a place, without those that a repeated condition rules out."""
    if len(found) < 2:
        return found
    known = _tests_around(statements, use)
    if not known:
        return found
    left: list[Definition] = []
    for definition in found:
        place = definition.statement.span
        opposed = [
            (text, names, begins)
            for text, (holds, names, begins) in _tests_around(statements, place).items()
            if text in known and known[text][0] is not holds and known[text][2] != begins
        ]
        if not any(_stay(statements, names, begins) for _, names, begins in opposed):
            left.append(definition)
    return tuple(left) or found


def _tests_around(statements: _Body, place: Span) -> dict[str, tuple[bool, frozenset[str], Span]]:
    """What is known where a place is reached: of each test in the branches around it whether it
    holds, the names in it, and where the branch stands."""
    found: dict[str, tuple[bool, frozenset[str], Span]] = {}
    body = statements
    while body:
        around = next((one for one in body if contains(one, place)), None)
        body = ()
        match around:
            case Branch(kind="if", condition=condition, blocks=blocks) if condition is not None:
                for position, block in enumerate(blocks):
                    if block and spans(block, place):
                        _note(condition, position == 0, around.span, found)
                        body = block
            case Branch(blocks=blocks):
                body = next((block for block in blocks if block and spans(block, place)), ())
            case Loop(body=inner) if inner and spans(inner, place):
                body = inner
            case None:
                pass
            case _:
                for choice in nodes_of(around):
                    if isinstance(choice, Choice):
                        _note_choice(choice, place, found)
    return found


def _note_choice(
    choice: Choice, place: Span, found: dict[str, tuple[bool, frozenset[str], Span]]
) -> None:
    """What the test of a conditional expression says in its options."""
    if len(choice.given) != 2 or choice.given[0] is None:
        return
    for position, option in enumerate(choice.options):
        span = option.span
        begins = (span.line, span.column) <= (place.line, place.column)
        if begins and (place.line, place.column) < (span.end_line, span.end_column):
            _note(choice.given[0], position == 0, choice.span, found)


def _note(
    condition: Expr, holds: bool, at: Span, found: dict[str, tuple[bool, frozenset[str], Span]]
) -> None:
    """Note what a condition that holds, or does not, says of each of its parts."""
    match condition:
        case OperationExpr(operator=operator, operands=(inner,)) if operator in NOT:
            _note(inner, not holds, at, found)
            return
        case OperationExpr(operator=operator, operands=operands) if (operator in ALL and holds) or (
            operator in ANY and not holds
        ):
            for operand in operands:
                _note(operand, holds, at, found)
        case _:
            pass
    text = _condition_text(condition)
    if text:
        names = frozenset(node.id for node in nodes_of(condition) if isinstance(node, Name))
        found.setdefault(text, (holds, names, at))


def _condition_text(condition: Expr) -> str:
    """A condition of names and constants as a text; empty for any other."""
    parts = list(_parts(condition))
    return "" if "" in parts or len(parts) > _MOST_PARTS else " ".join(parts)


def _parts(condition: Expr) -> Iterator[str]:
    match condition:
        case Name(id=id):
            yield id
        case LiteralExpr(value=value):
            yield repr(value)
        case OperationExpr(operator=operator, operands=operands):
            yield f"{operator}/{len(operands)}"
            for operand in operands:
                yield from _parts(operand)
        case _:
            yield ""


def _changed_in_place(node: object) -> str:
    """The name of a list or an object that a call or an assignment puts something into, or takes
    out of; empty for anything else."""
    match node:
        case Call(callee=Attribute(value=Name(id=id), name=name)) if name.lower() in _FILLERS:
            return id
        case Assign(target=Index(value=Name(id=id)) | Attribute(value=Name(id=id))):
            return id
        case _:
            return ""


def _stay(statements: _Body, names: frozenset[str], begins: Span) -> bool:
    """Whether names are given their values before a place and outside of loops, and kept since;
    what is filled or emptied in place counts as another value."""
    if any(_changed_in_place(node) in names for node in nodes_of(statements)):
        return False
    pending = list(statements)
    while pending:
        statement = pending.pop()
        if names.isdisjoint(bound_names((statement,))):
            continue
        match statement:
            case Branch(blocks=blocks):
                pending.extend(one for block in blocks for one in block)
            case Loop():
                return False
            case _ if not ends_before(statement, begins):
                return False
            case _:
                pass
    return True
