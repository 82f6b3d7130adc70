"""What is found out of a whole program, found out once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from contract_scan.parsers.source.analysis.domain.program import Program

T = TypeVar("T")


def memoised(find: Callable[[Program], T]) -> Callable[[Program], T]:
    """A function of a program that is run at the first call and whose answer is kept with the
    program from then on."""

    @wraps(find)
    def cached_result(program: Program) -> T:
        memory = program.memory
        if find not in memory:
            memory[find] = find(program)
        return cast("T", memory[find])

    return cached_result
