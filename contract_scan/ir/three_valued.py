"""Answers that may be undetermined: True, False, or None (Kleene's logic of three values)."""

from __future__ import annotations

from collections.abc import Iterable


def negate(answer: bool | None) -> bool | None:
    """The opposite of an answer."""
    return None if answer is None else not answer


def any_of(answers: Iterable[bool | None]) -> bool | None:
    """Whether one of several holds; after one that does, no more are asked for."""
    found: bool | None = False
    for answer in answers:
        if answer:
            return True
        if answer is None:
            found = None
    return found


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """Whether all of several hold; after one that does not, no more are asked for."""
    return negate(any_of(map(negate, answers)))
