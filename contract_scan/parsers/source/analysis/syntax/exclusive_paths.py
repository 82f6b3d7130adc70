"""Places of one function that never run both in one call: in different blocks of a branch, or one
in a block that leaves the function and the other one after it."""

from __future__ import annotations

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.span_order import contains, spans
from contract_scan.parsers.source.facts.nodes import (
    Branch,
    Function,
    Jump,
    Loop,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


def never_both(statements: tuple[Statement, ...], one: Span, other: Span) -> bool:
    """Whether no call runs through both places. False where they do not lie in `statements`."""
    positions = [
        next((i for i, s in enumerate(statements) if contains(s, place)), -1)
        for place in (one, other)
    ]
    if -1 in positions:
        return False
    if positions[0] != positions[1]:
        first, place = min(zip(positions, (one, other), strict=True), key=lambda pair: pair[0])
        return _leaves_after(statements[first], place)
    match statements[positions[0]]:
        case Branch(kind="try"):
            return False
        case Branch(blocks=blocks):
            around = [
                next((block for block in blocks if block and spans(block, place)), None)
                for place in (one, other)
            ]
            if around[0] is None or around[1] is None:
                return False
            return around[0] is not around[1] or never_both(around[0], one, other)
        case Loop():
            return False  # the next turn may take the other way
        case _:
            return False


def _leaves_after(statement: Statement, place: Span) -> bool:
    """Whether what runs through a place in a statement never gets past the statement."""
    match statement:
        case Return(generator=generator):
            return not generator
        case Throw():
            return True
        case Branch(kind="if" | "switch", blocks=blocks):
            for block in blocks:
                if block and spans(block, place):
                    return any(
                        ends_function(after) for after in block if not _is_before(after, place)
                    )
            return False
        case _:
            return False


def _is_before(statement: Statement, place: Span) -> bool:
    span = statement.span
    return (span.end_line, span.end_column) <= (place.line, place.column)


def ends_function(statement: Statement) -> bool:
    """Whether nothing runs after a statement: it returns or throws, whichever way it goes."""
    match statement:
        case Return(generator=generator):
            return not generator
        case Throw():
            return True
        case Branch(kind="if", exhaustive=True, blocks=blocks) | Branch(kind="try", blocks=blocks):
            return all(map(ends_block, blocks))
        case Branch(kind="switch", exhaustive=True, blocks=blocks):
            return all(ends_block(block) and not leaves_block(block) for block in blocks)
        case _:
            return False


def ends_block(block: tuple[Statement, ...]) -> bool:
    """Whether nothing runs after a block: it returns or throws, whichever way it goes."""
    return any(map(ends_function, block))


def leaves_block(block: tuple[Statement, ...]) -> bool:
    """Whether a `break` or a `continue` may leave a block."""
    return any(isinstance(node, Jump) for node in nodes_of(block, closed=(Function,)))
