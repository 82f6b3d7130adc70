"""Going up and down among many frames asks for no memory each time."""

from __future__ import annotations

import pytest

from contract_scan.parsers.source.analysis.domain.stack_headroom import with_room

resource = pytest.importorskip("resource", reason="page faults are counted on POSIX only")
TURNS = 1_000


def up_and_down(depth: int) -> int:
    """The page faults of going up and down many times, from so many frames above the caller."""
    if depth:
        return up_and_down(depth - 1)
    before: int = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(TURNS):
        climb(40)
    after: int = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    return after - before


def climb(frames: int) -> None:
    if frames:
        climb(frames - 1)


def test_no_depth_lies_at_the_end_of_a_piece() -> None:
    roomy = with_room(up_and_down)
    assert max(roomy(depth) for depth in range(0, 200, 10)) < TURNS / 10


def test_arguments_answers_and_errors_pass() -> None:
    @with_room
    def divide(number: int, *, by: int) -> int:
        """Divide."""
        return number // by

    assert divide(6, by=2) == 3
    assert (divide.__name__, divide.__doc__) == ("divide", "Divide.")
    with pytest.raises(ZeroDivisionError):
        divide(6, by=0)
