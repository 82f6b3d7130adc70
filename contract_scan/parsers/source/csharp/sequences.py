"""Well-known calls on sequences: LINQ and Entity Framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from contract_scan.ir.schema import Object
from contract_scan.parsers.source.link.values import (
    Constant,
    Items,
    Shaped,
    Typed,
    Unresolved,
    Value,
    one_of,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.language import Intrinsic
    from contract_scan.parsers.source.link.evaluate import CallSite


def _same(site: CallSite) -> Value | None:
    return site.receiver


def _items(site: CallSite) -> Value | None:
    """A list of what the receiver holds."""
    receiver = site.unwrapped(site.receiver)
    return receiver if isinstance(receiver, Items) else _list_of(site.item(receiver))


def _list_of(item: Value) -> Value:
    return item if isinstance(item, Unresolved) else Items((item,), repeated=True)


def _item(site: CallSite) -> Value | None:
    return site.item(site.unwrapped(site.receiver))


def _item_or_null(site: CallSite) -> Value | None:
    """An item, or null where there is none."""
    item = _item(site)
    if item is None or isinstance(item, Unresolved):
        return item
    return one_of((item, Constant(None)))


def _extreme(site: CallSite) -> Value | None:
    """`items.Max()`: an item; `items.Max(x => x.Price)`: what is picked from one."""
    item = _item(site) or Unresolved("no items are known")
    function = site.value(0)
    return item if function is None else site.apply(function, item)


def _folded(site: CallSite) -> Value | None:
    """`items.Aggregate(f)`: an item; with a seed, what is made of that is not followed."""
    return _item(site) if len(site.call.args) == 1 else None


def _select(site: CallSite) -> Value | None:
    function = site.value(0)
    return _list_of(site.apply(function, _item(site) or Unresolved("no items are known")))


def _select_many(site: CallSite) -> Value | None:
    function = site.value(0)
    inner = site.apply(function, _item(site) or Unresolved("no items are known"))
    return _list_of(site.item(site.unwrapped(inner)))


def _to_dictionary(site: CallSite) -> Value | None:
    item = _item(site) or Unresolved("no items are known")
    function = site.value(1, "elementSelector")
    value = item if function is None else site.apply(function, item)
    return Shaped(Object(additional=site.program.schema_of(value)))


def _array_of_argument(site: CallSite) -> Value | None:
    """`Array.Empty<T>()`, `Enumerable.Empty<T>()`, `Enumerable.Repeat(x, n)`."""
    bound = site.type_argument()
    if bound is not None:
        return Items((Typed(bound.type, bound.scope),), repeated=True)
    given = site.value(0)
    return None if given is None else Items((given,), repeated=True)


def _cast_items(site: CallSite) -> Value | None:
    bound = site.type_argument()
    return None if bound is None else Items((Typed(bound.type, bound.scope),), repeated=True)


_KEEPING = [
    "Where",
    "OrderBy",
    "OrderByDescending",
    "ThenBy",
    "ThenByDescending",
    "Order",
    "OrderDescending",
    "Skip",
    "Take",
    "SkipWhile",
    "TakeWhile",
    "Distinct",
    "DistinctBy",
    "Reverse",
    "Include",
    "ThenInclude",
    "AsNoTracking",
    "AsTracking",
    "AsNoTrackingWithIdentityResolution",
    "AsSplitQuery",
    "AsSingleQuery",
    "IgnoreQueryFilters",
    "IgnoreAutoIncludes",
    "AsQueryable",
    "AsEnumerable",
    "AsAsyncEnumerable",
    "TagWith",
    "Concat",
    "Union",
    "Intersect",
    "Except",
    "Append",
    "Prepend",
    "DefaultIfEmpty",
    "WhereIf",
    "ConfigureAwait",
    "AsReadOnly",
    "ToImmutableList",
    "ToImmutableArray",
    "FromSqlRaw",
    "FromSqlInterpolated",
    "FromSql",
    "WithCancellation",
]
_LISTING = [
    "ToList",
    "ToArray",
    "ToHashSet",
    "ToListAsync",
    "ToArrayAsync",
    "ToHashSetAsync",
    "ToFrozenSet",
]
_PICKING = [
    "First",
    "Single",
    "Last",
    "ElementAt",
    "FirstAsync",
    "SingleAsync",
    "LastAsync",
    "ElementAtAsync",
    "MaxBy",
    "MinBy",
]
_PICKING_OR_NULL = [
    "FirstOrDefault",
    "SingleOrDefault",
    "LastOrDefault",
    "ElementAtOrDefault",
    "FirstOrDefaultAsync",
    "SingleOrDefaultAsync",
    "LastOrDefaultAsync",
    "ElementAtOrDefaultAsync",
    "Find",
    "FindAsync",
]


SEQUENCES: Mapping[str, Intrinsic] = {
    **{f".{name}": _same for name in _KEEPING},
    **{f".{name}": _items for name in _LISTING},
    **{f".{name}": _item for name in _PICKING},
    **{f".{name}": _item_or_null for name in _PICKING_OR_NULL},
    **{f".{name}": _extreme for name in ("Max", "Min", "MaxAsync", "MinAsync")},
    ".Aggregate": _folded,
    ".Select": _select,
    ".SelectMany": _select_many,
    ".ConvertAll": _select,
    ".ToDictionary": _to_dictionary,
    ".ToDictionaryAsync": _to_dictionary,
    ".Cast": _cast_items,
    ".OfType": _cast_items,
    "Array.Empty": _array_of_argument,
    "Enumerable.Empty": _array_of_argument,
    "Enumerable.Repeat": _array_of_argument,
}
