"""How far one evaluation may go, and where it was cut short."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from msgspec import Struct

T = TypeVar("T", bound=Hashable)
MAX_STEPS = 20_000
"""How many expressions may be looked at, and later changes of stored objects, to tell one. What
programs send takes some hundred; libraries that are kept in a repository, whose variables all hang
together, take any number."""

MAX_OPERATION_STEPS = 300_000
"""How many expressions may be looked at to tell all that one route answers. The largest of what
people write take 60,000."""


class Cuts(NamedTuple):
    """Numbers of cuts at some time."""

    all: int
    deep: int
    rings: int


class Budget(Struct, eq=False):
    """What all parts of an evaluator count together."""

    depth: int = 0
    """How many expressions are being evaluated now, each as a part of the one before."""
    steps: int = 0
    """How many were looked at since the outermost expression was begun."""
    limit: int = MAX_STEPS
    """How many may be."""
    spent: int = 0
    """How many were looked at since the answers of a route were begun."""
    allowed: int = sys.maxsize
    """How many may be, outside of answers any number."""
    cuts: int = 0
    """How often a ring or a limit has cut an evaluation short. What was found meanwhile holds only
    there, and is not remembered."""
    deep_cuts: int = 0
    """Those of the cuts that were made where calls are nested too deep: the same wherever a call is
    as deep."""
    ring_cuts: list[Hashable] = []
    """Those of the cuts that were made where a ring came back to what was being followed, by what
    that was."""
    parts: int = 0
    """How many parts of the shape of a value were looked at since that was asked for."""
    types: int = 0
    """How many declared types."""

    def cut_deep(self) -> None:
        """Note that calls are nested too deep to be followed further."""
        self.cuts += 1
        self.deep_cuts += 1

    def cut_ring(self, followed: Hashable) -> None:
        """Note that evaluation came back to what is being followed, and stopped there."""
        self.cuts += 1
        self.ring_cuts.append(followed)

    @contextmanager
    def follow(self, followed: T, in_progress: set[T]) -> Iterator[None]:
        """Inside, something is in progress. At its end the cuts that rest on it are taken back: it
        gives the same wherever it is followed from."""
        in_progress.add(followed)
        before = len(self.ring_cuts)
        try:
            yield
        finally:
            in_progress.discard(followed)
            since = self.ring_cuts[before:]
            if since:
                others = [each for each in since if each != followed]
                self.cuts -= len(since) - len(others)
                self.ring_cuts[before:] = others

    def take_back(self, cuts: Cuts) -> bool:
        """Whether something was cut short since there were so many cuts; these are taken back, for
        whoever makes nothing of what was found."""
        were = self.cuts_so_far
        self.cuts, self.deep_cuts = cuts.all, cuts.deep
        del self.ring_cuts[cuts.rings :]
        return were != cuts

    @property
    def cuts_so_far(self) -> Cuts:
        """How often evaluation was cut short until now."""
        return Cuts(self.cuts, self.deep_cuts, len(self.ring_cuts))

    @contextmanager
    def limit_steps(self, steps: int) -> Iterator[None]:
        """Inside, an expression is followed for this many steps: for questions asked of every call
        whose answers are near."""
        limit, self.limit = self.limit, min(steps, self.limit)
        try:
            yield
        finally:
            self.limit = limit

    @contextmanager
    def for_operation(self, steps: int = MAX_OPERATION_STEPS) -> Iterator[None]:
        """Inside, so many expressions are looked at in all, however many are asked for: one route
        alone never makes a scan take without end."""
        outer = self.spent, self.allowed
        self.spent, self.allowed = 0, steps
        try:
            yield
        finally:
            self.spent, self.allowed = outer

    @property
    def is_spent(self) -> bool:
        """Whether a route takes more steps than it may."""
        return self.spent > self.allowed

    @contextmanager
    def count_anew(self) -> Iterator[None]:
        """Inside, steps are counted from none on up to the usual limit: for what is remembered,
        which must not depend on who asks for it first."""
        steps, limit = self.steps, self.limit
        self.steps, self.limit = 0, MAX_STEPS
        try:
            yield
        finally:
            self.steps, self.limit = steps, limit

    @contextmanager
    def count_parts_anew(self) -> Iterator[None]:
        """Inside, parts of shapes are counted from none on: what is evaluated for the shape of a
        value is no part of that."""
        parts, types, self.parts, self.types = self.parts, self.types, 0, 0
        try:
            yield
        finally:
            self.parts, self.types = parts, types

    @contextmanager
    def within_further(self, steps: int) -> Iterator[None]:
        """Inside, an expression is followed for this many steps more than until now."""
        limit = self.limit
        self.limit = min(self.steps + steps if self.depth else steps, limit)
        try:
            yield
        finally:
            self.limit = limit
