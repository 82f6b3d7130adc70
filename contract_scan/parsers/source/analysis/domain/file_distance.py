"""How near files are to each other: of several types with one name, the nearest counts."""

from __future__ import annotations


def distance(path: str, other: str) -> tuple[int, str]:
    """How many folders up and down lead from one file to another; then the other's name."""
    here, there = path.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    for ours, theirs in zip(here, there, strict=False):
        if ours != theirs:
            break
        shared += 1
    return (len(here) + len(there) - 2 * shared, other)
