"""Arguments of calls, by name or position."""

from __future__ import annotations

from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    Return,
)


def call_argument(call: Call, name: str, position: int) -> Expr | None:
    """An argument by the parameter's name, else by its position; None if the call has none."""
    for argument in call.args:
        if argument.name == name:
            return argument.value
    if position < len(call.args) and not call.args[position].name:
        return call.args[position].value
    return None


def selected_member(args: tuple[Argument, ...]) -> str:
    """The member in `RuleFor(order => order.Name)`; empty for one of a member."""
    function = args[0].value.function if args and isinstance(args[0].value, Lambda) else None
    match function:
        case Function(
            params=(only,), body=(Return(value=Attribute(value=Name(id=id), name=name)),)
        ) if id == only.name:
            return name
        case _:
            return ""
