"""Where a place lies: before a statement, in it, in a block."""

from __future__ import annotations

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.facts.nodes import Function, Statement, Syntax


def is_before(statement: Statement, use: Span) -> bool:
    """Whether a statement ends before the place, so that it has run when the place is reached."""
    return use == NO_SPAN or ends_before(statement, use)


def ends_before(node: Syntax | Function, use: Span) -> bool:
    """Whether a piece of syntax ends before the place."""
    span = node.span
    return (span.end_line, span.end_column) <= (use.line, use.column)


def contains(statement: Syntax, use: Span) -> bool:
    """Whether a place lies in a statement or an expression."""
    span = statement.span
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    return use != NO_SPAN and start <= (use.line, use.column) < end


def spans(block: tuple[Statement, ...], use: Span) -> bool:
    """Whether a place lies in a block that has statements."""
    first, last = block[0].span, block[-1].span
    return (first.line, first.column) <= (use.line, use.column) < (last.end_line, last.end_column)


def encloses(outer: Span, inner: Span) -> bool:
    """Whether all of a stretch of text lies in another one."""
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
