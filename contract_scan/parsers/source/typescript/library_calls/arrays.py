"""Well-known calls of arrays: what they give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Items,
    LibraryResult,
    LibrarySymbol,
    Value,
    one_of,
)
from contract_scan.parsers.source.analysis.refinement.null_filters import filter_nulls
from contract_scan.parsers.source.typescript.library_calls import reduction

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import CallSite
    from contract_scan.parsers.source.language import Intrinsic


def same_items(site: CallSite) -> Value | None:
    """`filter`, `slice`, `sort` …: some of the same items."""
    value = reduction.receiver(site)
    if isinstance(value, Items):
        return replace(value, repeated=True)
    if isinstance(value, LibraryResult | LibrarySymbol):
        return None
    return value


def filtered_items(site: CallSite) -> Value | None:
    """`filter`: the items that the function keeps."""
    return filter_nulls(site.program, same_items(site), site.value(0))


def mapped_items(site: CallSite) -> Value | None:
    """`map`: what the function gives for an item, for each."""
    item = site.item(reduction.receiver(site))
    return Items((site.apply(site.value(0), item),), repeated=True)


def flat_mapped(site: CallSite) -> Value | None:
    """`flatMap`: the items of what the function gives for an item."""
    result = site.apply(site.value(0), site.item(reduction.receiver(site)))
    return Items((site.item(result),), repeated=True)


def flattened_items(site: CallSite) -> Value | None:
    """`flat`: the items of the items."""
    return Items((site.item(site.item(reduction.receiver(site))),), repeated=True)


def one_item(site: CallSite) -> Value | None:
    """`find`, `at`, `pop`: an item, or undefined."""
    value = reduction.receiver(site)
    if isinstance(value, LibraryResult | LibrarySymbol):
        return None
    return one_of((site.item(value), LibrarySymbol("undefined")))


def concatenated_items(site: CallSite) -> Value | None:
    """`concat`: the items of all; of a text a text."""
    value = reduction.receiver(site)
    if isinstance(value, LibraryResult | LibrarySymbol):
        return None
    if isinstance(value, BySchema) and isinstance(value.schema, Scalar):
        return value
    empty = isinstance(value, Items) and not value.values  # `[].concat(first, second)`
    parts = [] if empty and site.call.args else [site.item(value)]
    for position in range(len(site.call.args)):
        given = site.value(position)
        if given is not None:
            parts.append(site.item(given) if isinstance(given, Items | ByType) else given)
    return Items(tuple(parts), repeated=True)


def made_from(site: CallSite) -> Value | None:
    """`Array.from(items, function)`."""
    item = site.item(site.value(0))
    if site.argument(1) is not None:
        item = site.apply(site.value(1), item)
    return Items((item,), repeated=True)


def made_of(site: CallSite) -> Value | None:
    """`Array.of(a, b)`."""
    values = tuple(site.value(position) for position in range(len(site.call.args)))
    return Items(tuple(value for value in values if value is not None), repeated=True)


_KEEPING = ("slice", "sort", "reverse", "toSorted", "toReversed", "splice")

INTRINSICS: dict[str, Intrinsic] = {
    **{f".{name}": same_items for name in _KEEPING},
    ".filter": filtered_items,
    ".map": mapped_items,
    ".flatMap": flat_mapped,
    ".flat": flattened_items,
    ".findLast": one_item,
    ".at": one_item,
    ".pop": one_item,
    ".shift": one_item,
    ".concat": concatenated_items,
    ".reduce": reduction.reduce,
    "Array.from": made_from,
    "Array.of": made_of,
}
"""Key: qualified name, or a method with a leading dot."""
