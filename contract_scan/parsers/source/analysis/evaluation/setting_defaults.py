"""Texts that stand in where a setting gives none: `os.getenv("TOPIC", "orders")`.

What such a text names holds only as long as nobody sets the setting. Texts pass through many hands
before they are an address, so they are remembered by what they say, for the whole program: a text
that is written without a setting elsewhere is taken for a default there, too, which costs a finding
and never makes a false one.
"""

from __future__ import annotations

from typing import cast

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Unresolved,
    Value,
)

_MEMORY = "texts that stand in for settings"


def assume(program: Program, text: str) -> None:
    """Remember that a text is only the default of a setting."""
    if text:
        cast("set[str]", program.memory.setdefault(_MEMORY, set())).add(text)


def is_assumed(program: Program, text: str) -> bool:
    """Whether a text was met as the default of a setting, as far as the program was evaluated."""
    return text in cast("set[str]", program.memory.get(_MEMORY, ()))


def assume_default(program: Program, value: Value) -> None:
    """Remember every text that a value, the default of a setting, may be."""
    for option in value.options if isinstance(value, OneOf) else (value,):
        if isinstance(option, Constant) and isinstance(option.value, str):
            assume(program, option.value)


def assume_last(program: Program, values: list[Value]) -> None:
    """Remember the last of several values of which each stands in for those before it, where one of
    those comes from outside of the code: `process.env.TOPIC ?? "orders"`."""
    if any(map(_is_from_outside, values[:-1])):
        assume_default(program, values[-1])


def _is_from_outside(value: Value) -> bool:
    match value:
        case LibrarySymbol() | LibraryResult() | ByType() | Unresolved():
            return True
        case OneOf(options=options):
            return any(map(_is_from_outside, options))
        case _:
            return False
