"""Well-known calls on sequences: LINQ and Entity Framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    Record,
    RecordEntry,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.refinement.null_filters import filter_nulls
from contract_scan.parsers.source.csharp.library_calls.loaded_navigations import (
    as_tracked,
    include,
    rows,
)
from contract_scan.parsers.source.facts.nodes import NamedType, New
from contract_scan.parsers.source.language import CallModel


def _receiver_itself(site: CallSite) -> Value | None:
    return rows(site.program, site.receiver)


def _items(site: CallSite) -> Value | None:
    """A list of what the receiver holds."""
    receiver = site.unwrap(site.receiver)
    if isinstance(receiver, Items):
        return as_tracked(site.program, receiver, site.scope)
    return _list_of(_given_item(site, receiver))


def _list_of(item: Value) -> Value:
    return item if isinstance(item, Unresolved) else Items((item,), repeated=True)


def _item(site: CallSite) -> Value | None:
    return _item_of(site, site.unwrap(site.receiver))


def _given_item(site: CallSite, value: Value) -> Value:
    """An item as a query gives it that is run here."""
    return as_tracked(site.program, _item_of(site, value), site.scope)


def _item_of(site: CallSite, value: Value) -> Value:
    value = rows(site.program, value) or value
    match value:
        case LibraryResult(site=New(type=NamedType() as type), scope=scope):
            # `new Dictionary<K, V>()`
            found = site.item(ByType(type, scope))
            return site.item(value) if isinstance(found, Unresolved) else found
        case Record():
            key = Unresolved(Reason("map-key-type-not-found"))
            origin = site.program.origin(site.call, site.scope)
            pair = (("Key", key), ("Value", values_of(value)))
            return Record(tuple(RecordEntry(name, part, origin) for name, part in pair))
        case _:
            return site.item(value)


def _found_item(site: CallSite) -> Value | None:
    """An item for which a test holds, if there is one."""
    query = rows(site.program, site.receiver)
    return _given_item(site, site.unwrap(filter_nulls(site.program, query, site.value(0))))


def _found_or_null(site: CallSite) -> Value | None:
    """An item, or null where there is none."""
    item = _found_item(site)
    if item is None or isinstance(item, Unresolved):
        return item
    return union_of((item, Constant(None)))


def _extreme(site: CallSite) -> Value | None:
    """`items.Max()`: an item; `items.Max(x => x.Price)`: what is picked from one."""
    item = _item(site) or Unresolved(Reason("items-unknown"))
    function = site.value(0)
    return item if function is None else site.apply(function, item)


def _aggregate(site: CallSite) -> Value | None:
    """`items.Aggregate(f)`: an item; with a seed, what is made of that is not followed."""
    return _item(site) if len(site.call.args) == 1 else None


def values_of(record: Record) -> Value:
    """What a map holds."""
    held = [entry.value for entry in record.entries]
    if record.values is not None:
        held.append(record.values)
    return union_of(tuple(held)) if held else Unresolved(Reason("map-empty"))


def _select(site: CallSite) -> Value | None:
    function = site.value(0)
    item = _item(site) or Unresolved(Reason("items-unknown"))
    given = (item, BySchema(_INTEGER)) if _arity(function) == 2 else (item,)
    return _list_of(site.apply(function, *given))


def _select_many(site: CallSite) -> Value | None:
    function = site.value(0)
    item = _item(site) or Unresolved(Reason("items-unknown"))
    inner = _item_of(site, site.unwrap(site.apply(function, item)))
    result = site.value(1)
    return _list_of(inner if result is None else site.apply(result, item, inner))


def _arity(function: Value | None) -> int:
    return len(function.function.params) if isinstance(function, FunctionValue) else 0


def _group_by(site: CallSite) -> Value | None:
    """`items.GroupBy(key)`, with what is picked from an item, with what is made of a group."""
    item = _item(site) or Unresolved(Reason("items-unknown"))
    if isinstance(item, Unresolved):
        return item
    key = site.apply(site.value(0), item)
    for position in (1, 2):
        function = site.value(position)
        if _arity(function) == 2:
            return _list_of(site.apply(function, key, _list_of(item)))
        if _arity(function) == 1:
            item = site.apply(function, item)
    return _list_of(group(site.program, key, item))


def _join(site: CallSite) -> Value | None:
    """`items.Join(others, key, key, (item, other) => …)`, `GroupJoin` with all others of one."""
    other = _item_of(site, site.unwrap(site.value(0)))
    grouped = site.name.rpartition(".")[2] in ("GroupJoin", "LeftJoin")
    left = site.name.endswith("LeftJoin")
    given = union_of((other, Constant(None))) if left else _list_of(other) if grouped else other
    item = _item(site) or Unresolved(Reason("items-unknown"))
    if not (grouped or isinstance(item, Unresolved)):  # no key that is null finds another one
        item = site.item(filter_nulls(site.program, _list_of(item), site.value(1)))
    return _list_of(site.apply(site.value(3), item, given))


def _zip(site: CallSite) -> Value | None:
    item = _item(site) or Unresolved(Reason("items-unknown"))
    other = _item_of(site, site.unwrap(site.value(0)))
    result = site.value(1)
    if result is None:
        return _list_of(Items((item, other), is_tuple=True))
    return _list_of(site.apply(result, item, other))


def _chunks(site: CallSite) -> Value | None:
    return _list_of(_list_of(_item(site) or Unresolved(Reason("items-unknown"))))


def _texts(site: CallSite) -> Value | None:
    return Items((BySchema(Scalar(type="string")),), repeated=True)


def group(program: Program, key: Value, item: Value) -> Value:
    """A list of items with a key (see `key_of`)."""
    items = _list_of(item)
    if isinstance(items, Items):
        known = cast("dict[int, tuple[Items, Value]]", program.memory.setdefault(_GROUPS, {}))
        known[id(items)] = (items, key)
    return items


def key_of(program: Program, value: Value) -> Value | None:
    """The key of what `group` gave."""
    known = cast("dict[int, tuple[Items, Value]]", program.memory.get(_GROUPS, {}))
    found = known.get(id(value))
    return None if found is None or found[0] is not value else found[1]


def _to_dictionary(site: CallSite) -> Value | None:
    item = _item(site) or Unresolved(Reason("items-unknown"))
    function = site.value(1, "elementSelector")
    value = item if function is None else site.apply(function, item)
    return BySchema(Object(additional=site.program.schema_of(value)))


def _array_of_argument(site: CallSite) -> Value | None:
    """`Array.Empty<T>()`, `Enumerable.Empty<T>()`, `Enumerable.Repeat(x, n)`."""
    bound = site.type_argument()
    if bound is not None:
        return Items((ByType(bound.type, bound.scope),), repeated=True)
    given = site.value(0)
    return None if given is None else Items((given,), repeated=True)


def _filter_items(site: CallSite) -> Value | None:
    return filter_nulls(site.program, _receiver_itself(site), site.value(0))


def _cast_items(site: CallSite) -> Value | None:
    bound = site.type_argument()
    return None if bound is None else Items((ByType(bound.type, bound.scope),), repeated=True)


_GROUPS = "csharp.groups_of_items"
_INTEGER = Scalar(type="integer", format="int32")
_KEEPING = [
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
_FINDING = [
    "First",
    "Single",
    "Last",
    "ElementAt",
    "FirstAsync",
    "SingleAsync",
    "LastAsync",
    "ElementAtAsync",
]
_FINDING_OR_NULL = [
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


SEQUENCES: Mapping[str, CallModel] = {
    **{f".{name}": _receiver_itself for name in _KEEPING},
    **{f".{name}": include for name in ("Include", "ThenInclude")},
    ".Where": _filter_items,
    **{f".{name}": _items for name in _LISTING},
    **{f".{name}": _item for name in ("MaxBy", "MinBy")},
    **{f".{name}": _found_item for name in _FINDING},
    **{f".{name}": _found_or_null for name in _FINDING_OR_NULL},
    **{f".{name}": _extreme for name in ("Max", "Min", "MaxAsync", "MinAsync")},
    ".Aggregate": _aggregate,
    ".Select": _select,
    ".SelectMany": _select_many,
    ".ConvertAll": _select,
    ".GroupBy": _group_by,
    ".ToLookup": _group_by,
    **{f".{name}": _join for name in ("Join", "GroupJoin", "LeftJoin")},
    ".Zip": _zip,
    ".Chunk": _chunks,
    "Enum.GetNames": _texts,
    ".ToDictionary": _to_dictionary,
    ".ToDictionaryAsync": _to_dictionary,
    ".Cast": _cast_items,
    ".OfType": _cast_items,
    "Array.Empty": _array_of_argument,
    "Enumerable.Empty": _array_of_argument,
    "Enumerable.Repeat": _array_of_argument,
}
