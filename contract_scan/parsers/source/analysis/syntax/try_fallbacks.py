"""Texts that stand in for what a `try` is meant to put in their place."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.span_order import spans
from contract_scan.parsers.source.analysis.syntax.defining import nested_statements
from contract_scan.parsers.source.facts.nodes import Assign, Branch, LiteralExpr, Statement


def are_fallbacks(
    statements: tuple[Statement, ...], definitions: tuple[Definition, ...]
) -> tuple[bool, ...]:
    """Of each definition, whether it is an empty text that all others, which a `try` holds, are
    meant to take the place of: `let text = ''; try { text = load(); } catch {}`."""
    blank = tuple(_is_blank(definition) for definition in definitions)
    if not any(blank) or all(blank):
        return (False,) * len(definitions)
    blocks = [
        statement.blocks[0]
        for statement in nested_statements(statements)
        if isinstance(statement, Branch) and statement.kind == "try" and statement.blocks[0]
    ]
    others = [d for d, is_blank in zip(definitions, blank, strict=True) if not is_blank]
    inside = all(any(spans(block, d.statement.span) for block in blocks) for d in others)
    return blank if inside else (False,) * len(definitions)


def _is_blank(definition: Definition) -> bool:
    match definition:
        case Definition(
            statement=Assign(value=LiteralExpr(value=""), operator=""), target=None, mutations=()
        ):
            return True
        case _:
            return False
