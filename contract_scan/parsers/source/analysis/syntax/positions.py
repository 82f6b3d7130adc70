"""Positions in lists, as indexes say them."""

from __future__ import annotations

from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Expr,
    LiteralExpr,
    Name,
    OperationExpr,
)


def position_from_end(listed: Expr, index: Expr) -> int:
    """Which item an index takes, counted from the end of the list: 1 for the last one of `list`, in
    `list[list.length - 1]`; 0 for any other index."""
    match listed, index:
        case (
            Name(id=id),
            OperationExpr(
                operator="-",
                operands=(
                    Attribute(value=Name(id=counted), name="length"),
                    LiteralExpr(value=int(back)),
                ),
            ),
        ) if id == counted and not isinstance(back, bool):
            return max(back, 0)
        case _:
            return 0
