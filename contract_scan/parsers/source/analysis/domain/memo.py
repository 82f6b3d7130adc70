"""What is found out of a whole program, found out once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from contract_scan.parsers.source.analysis.domain.program import Program

P = ParamSpec("P")
T = TypeVar("T")
_OfProgram: TypeAlias = Callable[Concatenate[Program, P], T]
_NOTHING = object()


def memoised(find: _OfProgram[P, T]) -> _OfProgram[P, T]:
    """A function of a program (and of what can be a key of a dictionary) that is run at the first
    call with these arguments, and whose answer is kept with the program from then on."""
    return _with_memory(find, _NOTHING)


def memoised_with(meanwhile: object) -> Callable[[_OfProgram[P, T]], _OfProgram[P, T]]:
    """The same for a function that may ask itself the same on the way: it is told `meanwhile`."""
    return lambda find: _with_memory(find, meanwhile)


def _with_memory(find: _OfProgram[P, T], meanwhile: object) -> _OfProgram[P, T]:
    @wraps(find)
    def cached_result(program: Program, /, *args: P.args, **named: P.kwargs) -> T:
        memory = program.memory
        key = (find, *args, *named.items())
        if key not in memory:
            if meanwhile is not _NOTHING:
                memory[key] = meanwhile
            memory[key] = find(program, *args, **named)
        return cast("T", memory[key])

    return cached_result
