"""How many places at which a router is mounted are followed.

A router that is mounted twice on one that is mounted twice is reached at two to the power of the
depth places. The first of them are followed; that there are more is one place that is undetermined,
so that nothing that stands behind it counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from contract_scan.ir.reasons import Reason

Place = TypeVar("Place", bound=Hashable)

MAX_PLACES = 100
"""Places of one router that are followed."""
MAX_STEPS = 10_000
"""Mounts that are looked at to find the places of one router: not every way leads to one."""
TOO_MANY = Reason("router-mounted-at-too-many-places", max_places=MAX_PLACES)
"""Why further places are undetermined."""
TOO_MANY_ROUTERS = Reason("too-many-routers", max_places=MAX_PLACES)
"""Why the place of a route is undetermined whose router may be too many."""
TOO_DEEP = Reason("router-mounted-too-deep")
"""Why a place at the end of a long way is undetermined."""


class Steps:
    """The mounts that are still looked at for one router."""

    def __init__(self) -> None:
        self._left = MAX_STEPS

    def take(self) -> bool:
        """Whether one more may be looked at."""
        self._left -= 1
        return self._left >= 0

    @property
    def is_exceeded(self) -> bool:
        """Whether more were asked for than may be looked at."""
        return self._left < 0


def first_places(
    places: Iterable[Place], beyond: Callable[[], Place], steps: Steps | None = None
) -> Iterator[Place]:
    """Each place once, and `beyond()` where there are more of them than are followed, or where
    `steps` ran out while they were found."""
    found: set[Place] = set()
    for place in places:
        if place in found:
            continue
        if len(found) == MAX_PLACES:
            yield beyond()
            return
        found.add(place)
        yield place
    if steps is not None and steps.is_exceeded:
        yield beyond()
