"""What a place asks of the models it sends: a small set of flags handed down with a type."""

from __future__ import annotations

from collections.abc import Iterable

BY_NAME = "by_name"
"""Fields under their names in the code instead of their aliases (`by_alias=False`)."""
EXCLUDE_NONE = "exclude_none"
"""Fields that are null are left out."""
EXCLUDE_UNSET = "exclude_unset"
"""Fields that nobody set (or that equal their default) are left out."""
DUMP = "dump"
"""What is sent, hooks applied (marshmallow, DRF)."""
LOAD = "load"
"""What is accepted, hooks applied (marshmallow, DRF)."""
WRITTEN = "written"
"""The object is one that the request itself makes or changes: it may set what only it reads."""
PARTIAL = "partial"
"""Input may omit every field."""

ENCODED = "encoded"
"""What FastAPI's encoder makes of objects that no model describes."""


def flags(variant: str) -> frozenset[str]:
    """The flags of a variant."""
    return frozenset(variant.split(",")) - {""}


def variant_of_flags(*wanted: str) -> str:
    """A variant of these flags."""
    return ",".join(sorted(set(wanted) - {""}))


def only_flags(names: frozenset[str]) -> list[str]:
    """Flags for an object that has just these fields (`a.b` is field `b` of field `a`)."""
    return [f"+{name}" for name in names]


def flags_without_fields(names: frozenset[str]) -> list[str]:
    """Flags for an object that lacks these fields."""
    return [f"-{name}" for name in names]


def flags_of_filled(paths: Iterable[str]) -> list[str]:
    """Flags for an object that never has null in these of its model (`owner`, `order.owner`)."""
    return [f"!{path}" for path in paths]


def filled_of(variant: str) -> frozenset[str]:
    """What of the model is never null in such an object."""
    return frozenset(flag[1:] for flag in flags(variant) if flag[0] == "!")


def selection(variant: str) -> tuple[frozenset[str] | None, frozenset[str]]:
    """The field names that are wanted (None: all) and those that are not."""
    wanted = frozenset(flag[1:] for flag in flags(variant) if flag.startswith("+"))
    unwanted = frozenset(flag[1:] for flag in flags(variant) if flag.startswith("-"))
    return (wanted or None), unwanted


def is_selected(variant: str, name: str) -> bool:
    """Whether a field is part of the object."""
    wanted, unwanted = selection(variant)
    if name in unwanted:
        return False
    return wanted is None or any(w == name or w.startswith(f"{name}.") for w in wanted)


def flags_inside(variant: str, name: str) -> list[str]:
    """The flags for the value of a field: its part of the selection, and the direction."""
    all_flags = flags(variant)
    direction_flags = [flag for flag in all_flags if flag[0] not in "+-!"]
    nested = [f[0] + f[len(name) + 2 :] for f in all_flags if f[1:].startswith(f"{name}.")]
    return direction_flags + nested
