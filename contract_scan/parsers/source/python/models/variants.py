"""What a place asks of the models it sends: a small set of flags handed down with a type."""

from __future__ import annotations

BY_NAME = "by_name"
"""Fields under their names in the code instead of their aliases (`by_alias=False`)."""
EXCLUDE_NONE = "exclude_none"
"""Fields that are null are left out."""
EXCLUDE_UNSET = "exclude_unset"
"""Fields that nobody set (or that equal their default) are left out."""
LOAD = "load"
"""The shape that is accepted, where hooks make it differ from what is sent (marshmallow)."""
MANY = "many"
"""A list of objects, with the envelope of the schema's hooks (marshmallow)."""


def flags(variant: str) -> frozenset[str]:
    """The flags of a variant."""
    return frozenset(variant.split(",")) - {""}


def variant(*wanted: str) -> str:
    """A variant of these flags."""
    return ",".join(sorted(set(wanted) - {""}))
