"""Which parts of an object a query has loaded.

A view travels with a value of a declared type, and below the types in it, so that a relation that
no query has loaded is not sent. It names paths (`author`, `author.profile`); what lies below a path
that ends in `*` is undetermined, and so is whether one that ends in `?` is there. The
empty view tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

_MARK = "\x1f"
"""Stands between what a framework asked for and a view, in the variants of types."""

Mode = Literal["eager", "plain"]
"""Whether what is declared to be loaded always is loaded."""

ANY_QUERY = "any:"
"""The view of what is taken for a type and may come from any query: what that has selected is
undetermined, columns included."""


def view(paths: Iterable[str], mode: Mode) -> str:
    """The view of a query that loads these paths."""
    return f"{mode}:{','.join(sorted(set(paths)))}"


def paths(view: str) -> frozenset[str]:
    """The paths of a view."""
    listed = view.partition(":")[2]
    return frozenset(listed.split(",")) if listed else frozenset()


def mode(view: str) -> str:
    """`eager` or `plain`; empty where nothing is told."""
    return view.partition(":")[0]


def with_path(seen: str, path: str) -> str:
    """A view after code has put something under a name."""
    plain = path.rstrip("*?")
    others = (p for p in paths(seen) if p.rstrip("*?") != plain and not p.startswith(plain + "."))
    return f"{mode(seen)}:{','.join(sorted({*others, path}))}" if seen else ""


def nested_view(seen: str, name: str) -> str:
    """The view of the relations that lie below a property."""
    listed = paths(seen)
    if not seen or f"{name}*" in listed or f"{name}?" in listed:
        return ""
    start = f"{name}."
    inner = sorted(path.removeprefix(start) for path in listed if path.startswith(start))
    return f"{mode(seen)}:{','.join(inner)}"


def is_loaded(seen: str, name: str) -> bool | None:
    """Whether a query has loaded what lies under a name; None where that is undetermined."""
    listed = paths(seen)
    if seen in ("", ANY_QUERY) or f"{name}?" in listed:
        return None
    return any(path.rstrip("*") == name or path.startswith(f"{name}.") for path in listed)


def variant_with_view(variant: str, seen: str) -> str:
    """A variant and a view in one text."""
    return f"{variant}{_MARK}{seen}" if seen else variant


def split_variant(variant: str) -> tuple[str, str]:
    """The variant that a framework asked for, and the view."""
    asked, _, seen = variant.partition(_MARK)
    return asked, seen
