"""Which parts of an object a query has loaded.

A view travels with a value of a declared type, and below the types in it, so that a relation that
no query has loaded is not sent. It names paths (`author`, `author.profile`); what lies below a path
that ends in `*` is undetermined, and so is whether one that ends in `?` is there; what one that
ends in `-` names is not loaded, whatever is said of the others. A path that ends in `!` is a
column that the conditions of the query rule null out of, one that ends in `~` a column of which
that is undetermined. The empty view tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

_MARK = "\x1f"
"""Stands between what a framework asked for and a view, in the variants of types."""

Mode = Literal["eager", "plain", "open"]
"""Whether what is declared to be loaded always is loaded; `open`: which relations are there is
undetermined."""

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
    """How a view was made; empty where nothing is told."""
    return view.partition(":")[0]


def with_path(seen: str, path: str) -> str:
    """A view after code has put something under a name."""
    plain = path.rstrip("*?")
    others = (
        p for p in paths(seen) if p.rstrip("*?!~-") != plain and not p.startswith(plain + ".")
    )
    return f"{mode(seen)}:{','.join(sorted({*others, path}))}" if seen else ""


def with_paths(seen: str, further: Iterable[str]) -> str:
    """A view of what loads further paths."""
    return f"{mode(seen)}:{','.join(sorted({*paths(seen), *further}))}"


def with_conditions(seen: str, compared: Mapping[str, bool | None]) -> str:
    """A view of rows whose columns a query compares: whether null is ruled out of each."""
    marked = (f"{name}{'!' if sure else '~'}" for name, sure in compared.items())
    return f"{mode(seen)}:{','.join(sorted({*paths(seen), *marked}))}" if compared else seen


def rules_null_out(seen: str, name: str) -> bool | None:
    """Whether the conditions of the query rule null out of a column."""
    listed = paths(seen)
    return None if f"{name}~" in listed else f"{name}!" in listed


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
    if f"{name}-" in listed:
        return False
    found = any(path.rstrip("*") == name or path.startswith(f"{name}.") for path in listed)
    return found or (None if mode(seen) == "open" else False)


def variant_with_view(variant: str, seen: str) -> str:
    """A variant and a view in one text."""
    return f"{variant}{_MARK}{seen}" if seen else variant


def split_variant(variant: str) -> tuple[str, str]:
    """The variant that a framework asked for, and the view."""
    asked, _, seen = variant.partition(_MARK)
    return asked, seen
