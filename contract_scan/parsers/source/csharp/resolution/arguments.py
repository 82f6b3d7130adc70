"""Arguments of calls, by name or position."""

from __future__ import annotations

from contract_scan.parsers.source.facts.nodes import Call, Expr


def call_argument(call: Call, name: str, position: int) -> Expr | None:
    """An argument by the parameter's name, else by its position; None if the call has none."""
    for argument in call.args:
        if argument.name == name:
            return argument.value
    if position < len(call.args) and not call.args[position].name:
        return call.args[position].value
    return None
