"""The ways through a body on which names that are given values together have one value each.

After `try: found, status = load(), 200` and `except Lost: found, status = reason(), 404`, what is
returned of both is one pair or the other, never the body of the one with the status of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import islice

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.span_order import contains, is_before
from contract_scan.parsers.source.analysis.syntax.defining import bound_names
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_function
from contract_scan.parsers.source.facts.nodes import Branch, Expr, Name, Return, Statement
from contract_scan.parsers.source.facts.visitor import nodes_of

MOST_PATHS = 16
"""How many ways are told apart; of a body with more none are."""
_Body = tuple[Statement, ...]


def split_paths(body: _Body, returned: Expr) -> tuple[_Body, ...]:
    """The statements of a function, once for each way to what it returns on which one branch gives
    several of the names in it their values. The other ways end there, without a value."""
    names = {node.id for node in nodes_of(returned) if isinstance(node, Name)}
    if len(names & bound_names(body)) < 2:
        return (body,)
    found = tuple(islice(_ways(body, names, returned.span), MOST_PATHS + 1))
    return found if 1 < len(found) <= MOST_PATHS else (body,)


def _ways(body: _Body, names: Set[str], use: Span) -> Iterator[_Body]:
    """The ways through statements to a place after, or inside of, them."""
    for position in reversed(range(len(body))):
        statement = body[position]
        if not isinstance(statement, Branch):
            continue
        if contains(statement, use):
            ways = _ways_into(statement, names, use)
        elif is_before(statement, use) and len(names & bound_names((statement,))) > 1:
            ways = _ways_past(statement, names, use)
        else:
            continue
        for way in ways:
            yield (*body[:position], way, *body[position + 1 :])
        return
    yield body


def _ways_into(branch: Branch, names: Set[str], use: Span) -> Iterator[Branch]:
    blocks = branch.blocks
    for position, block in enumerate(blocks):
        if any(contains(statement, use) for statement in block):
            for way in _ways(block, names, use):
                yield replace(branch, blocks=(*blocks[:position], way, *blocks[position + 1 :]))
            return
    yield branch


def _ways_past(branch: Branch, names: Set[str], use: Span) -> Iterator[Branch]:
    ended = tuple(
        (*block, Return(None, span=block[-1].span if block else branch.span))
        for block in branch.blocks
    )
    for position, block in enumerate(branch.blocks):
        if not any(map(ends_function, block)):
            for way in _ways(block, names, use):
                yield replace(branch, blocks=(*ended[:position], way, *ended[position + 1 :]))
    if not branch.exhaustive:
        yield replace(branch, blocks=ended)
