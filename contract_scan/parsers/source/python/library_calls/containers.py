"""Well-known calls that make containers, or take something from them."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Object, Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    BySchema,
    ByType,
    Constant,
    Instance,
    Items,
    LibrarySymbol,
    Record,
    RecordEntry,
    Unresolved,
    Value,
    is_itself,
    is_null,
    known_keys,
    union_of,
)
from contract_scan.parsers.source.analysis.refinement.null_filters import filter_nulls
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Call,
    Comprehension,
    Expr,
    NamedType,
)
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.python.serialization import queries, rows


def _dict(site: CallSite) -> Value | None:
    """`dict(a=1)`, `dict(other, b=2)`, `dict()`."""
    evaluator = site.program.evaluator
    origin = site.program.origin(site.call, site.scope)
    parts: list[Value] = []
    for argument in site.call.args:
        value = site.program.evaluate(_as_map_comprehension(argument.value), site.scope)
        if argument.name:
            entry = RecordEntry(argument.name, value, origin)
            parts.append(Record((entry,), NO_REASON, None, origin))
        elif isinstance(value, Items):
            pairs = _record_of_pairs(site, value, origin)
            if pairs is not None:
                parts.append(pairs)
                continue
            return Record((), Reason("some-keys-computed"), None, origin)
        else:
            parts.append(value)
    return evaluator.merged_records(parts, origin)


def _as_map_comprehension(expr: Expr) -> Expr:
    """`dict([(key, value) for …])` as `{key: value for …}`; any other expression as it is."""
    match expr:
        case Comprehension(key=None, element=ArrayLiteral(items=[key, value], is_tuple=True)):
            return replace(expr, key=key, element=value)
        case _:
            return expr


def _record_of_pairs(site: CallSite, value: Items, origin: Origin) -> Record | None:
    """`dict([("a", 1), ("b", 2)])`, `OrderedDict(…)`."""
    entries: list[RecordEntry] = []
    for item in value.values:
        if not isinstance(item, Items) or len(item.values) != 2 or value.repeated:
            return None
        name = site.program.evaluator.text(item.values[0])
        if name is None:
            return None
        entries.append(RecordEntry(name, item.values[1], item.origin or origin))
    return Record(tuple(entries), NO_REASON, None, origin)


def _default_dict(site: CallSite) -> Value | None:
    """`defaultdict(int)`, whose lacking keys are read as what the factory makes."""
    factory = site.argument(0)
    made = None if factory is None else Call(factory, (), span=site.call.span)
    missing = None if made is None else site.program.evaluate(made, site.scope)
    origin = site.program.origin(site.call, site.scope)
    return Record((), NO_REASON, None, origin, missing=missing)


def _counter(site: CallSite) -> Value | None:
    """`Counter(words)`: how often each is there."""
    counted, number = site.value(0), BySchema(Scalar(type="integer"))
    origin = site.program.origin(site.call, site.scope)
    if counted is None:
        return Record((), NO_REASON, None, origin, missing=number)
    item = site.item(counted)
    # No list is counted: what is gone through has lists of them.
    is_list = isinstance(site.program.types.flat(site.program.schema_of(item)), Array)
    return Record((), NO_REASON, number, origin, keys=None if is_list else item, missing=number)


def _most_common(site: CallSite) -> Value | None:
    return _pairs(site) if isinstance(site.receiver, Record) else None


def _list(site: CallSite) -> Value | None:
    value = site.value(0)
    if value is None:
        return Items((), False, False, site.program.origin(site.call, site.scope))
    if isinstance(value, Items):
        return replace(value, is_tuple=False)
    if isinstance(value, Record):
        return _keys_of(value)
    item = site.item(value)
    return Items((item,), True, False, None)


def _tuple(site: CallSite) -> Value | None:
    value = site.value(0)
    if isinstance(value, Items):
        return replace(value, is_tuple=not value.repeated)
    return _list(site)


def _enumerate(site: CallSite) -> Value | None:
    listed = site.value(0)
    if isinstance(listed, Items) and not listed.repeated and len(site.call.args) == 1:
        pairs = (
            Items((Constant(position), item), is_tuple=True)
            for position, item in enumerate(listed.values)
        )
        return Items(tuple(pairs))
    number = BySchema(Scalar(type="integer"))
    return Items((Items((number, site.item(site.value(0))), False, True),), True)


def _zip(site: CallSite) -> Value | None:
    items = tuple(
        site.item(site.program.evaluate(argument.value, site.scope)) for argument in site.call.args
    )
    return Items((Items(items, False, True),), True)


def _map(site: CallSite) -> Value | None:
    return Items((site.apply(site.value(0), site.item(site.value(1))),), True)


def _filter(site: CallSite) -> Value | None:
    items = Items((site.item(site.value(1)),), True)
    test = site.value(0)
    if isinstance(test, Constant) and test.value is None:  # `filter(None, items)`
        return Items((site.program.evaluator.without_null(items.values[0]),), True)
    return filter_nulls(site.program, items, test)


def _extreme(site: CallSite) -> Value | None:
    """`min`, `max`: one of the items."""
    if len([a for a in site.call.args if not a.name]) > 1:
        return union_of(
            tuple(site.program.evaluate(a.value, site.scope) for a in site.call.args if not a.name)
        )
    return site.item(site.value(0))


def _entry(site: CallSite) -> Value | None:
    """`record.get("key", default)` and `.pop`, which throws where it finds nothing and is given no
    default."""
    key = site.argument(0)
    name = site.program.text(key, site.scope) if key is not None else None
    default = site.value(1)
    missing = default or (None if site.name.endswith(".pop") else Constant(None))
    match site.receiver:
        case Record(entries=entries, partial=partial, values=values):
            known = next((e for e in entries if e.name == name), None)
            if known is not None and not known.optional:
                return known.value
            is_absent = known is None and not partial and values is None
            if is_absent and name is not None:
                return missing
            if is_absent and not entries and default is not None and not is_null(default):
                return default  # other code may fill the map, with values of one kind
            found = values if known is None else known.value
        case Unresolved() if is_itself(site.receiver) and default is not None:
            return union_of((site.receiver, default))
        case ByType() | BySchema():
            found = _map_value(site, site.receiver)
            if found is None:
                return queries.single_row(site)
        case LibrarySymbol(name="os.environ"):
            return default if default is not None else None
        case _:
            return queries.single_row(site)
    options = [value for value in (found, missing) if value is not None]
    return union_of(tuple(options)) if found is not None else None


def _map_value(site: CallSite, value: Value) -> Value | None:
    """A value of a map of a declared type."""
    if (
        isinstance(value, ByType)
        and isinstance(value.type, NamedType)
        and len(value.type.args) == 2
    ):
        return ByType(value.type.args[1], value.scope)
    schema = site.program.types.flat(site.program.schema_of(value))
    if isinstance(schema, Object) and schema.additional is not None and not schema.fields:
        return BySchema(schema.additional)
    return None


def _values(site: CallSite) -> Value | None:
    match site.receiver:
        case Record(entries=entries, values=values):
            parts = [entry.value for entry in entries]
            return Items((*parts, values) if values is not None else tuple(parts), True)
        case ByType() | BySchema():
            found = _map_value(site, site.receiver)
            return Items((found,), True) if found is not None else None
        case _:
            return rows.values(site)


def _keys(site: CallSite) -> Value | None:
    if isinstance(site.receiver, Record | ByType | BySchema):
        return _keys_of(site.receiver)
    return None


def _keys_of(value: Value) -> Items:
    """The keys of a dict, one by one where all are known."""
    keys = known_keys(value) if isinstance(value, Record) else None
    return keys or Items((_any_key(value),), True)


def _any_key(value: Value) -> Value:
    """A key of a dict: of an object it is text, of a dict that is made it may be anything."""
    match value:
        case Record(values=values, keys=keys, entries=()) if values is not None:
            return keys or Unresolved(Reason("dict-keys-computed"))
        case Record(values=values) if values is not None:
            return Unresolved(Reason("dict-keys-computed"))
        case ByType(type=NamedType(args=[key, _]), scope=scope):
            return ByType(key, scope)
        case _:
            return BySchema(Scalar(type="string"))


def _pairs(site: CallSite) -> Value | None:
    match site.receiver:
        case Record(entries=entries, partial="", values=None) if entries:
            if not any(entry.optional for entry in entries):
                pairs = [Items((Constant(e.name), e.value), False, True) for e in entries]
                return Items(tuple(pairs), False)
        case _:
            pass
    values = _values(site)
    if not isinstance(values, Items):
        return None
    value = union_of(values.values) if values.values else Unresolved(Reason("dict-empty"))
    key = (
        _any_key(site.receiver) if site.receiver is not None else Unresolved(Reason("missing-dict"))
    )
    return Items((Items((key, value), False, True),), True)


def _copy(site: CallSite) -> Value | None:
    """`.copy()` of a container, or of a model with `update=`."""
    update = site.value(-1, "update")
    if update is not None and isinstance(site.receiver, Instance | ByType):
        return with_members_set(site, site.receiver, update)
    if isinstance(site.receiver, Record | Items | Instance | ByType | BySchema):
        return site.receiver
    return None


def with_members_set(site: CallSite, made: Instance | ByType, given: Value) -> Value:
    """An object with the members of a map set on it, which nothing checks."""
    entries, _ = site.program.evaluator.entries_of(given)
    names = {entry.name for entry in entries}
    kept = tuple(one for one in made.assigned if one.name not in names)
    added = tuple(
        AssignedMember(entry.name, partial(getattr, entry, "value"))
        for entry in entries
        if not entry.optional
    )
    return replace(made, assigned=(*kept, *added))


def _copy_with_members(site: CallSite) -> Value | None:
    """`dataclasses.replace(item, size=1)`, `item._replace(size=1)` of a named tuple."""
    made = site.receiver if site.name.endswith("._replace") else site.value(0)
    if not isinstance(made, Instance | ByType):
        return made
    named = tuple(argument for argument in site.call.args if argument.name or argument.spread)
    given = _dict(replace(site, call=replace(site.call, args=named)))
    return made if given is None else with_members_set(site, made, given)


CONTAINERS: dict[str, CallModel] = {
    "dict": _dict,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": _default_dict,
    "collections.Counter": _counter,
    ".most_common": _most_common,
    "list": _list,
    "set": _list,
    "frozenset": _list,
    "tuple": _tuple,
    "sorted": _list,
    "reversed": _list,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "filter": _filter,
    "min": _extreme,
    "max": _extreme,
    ".copy": _copy,
    ".model_copy": _copy,
    "._replace": _copy_with_members,
    "copy.replace": _copy_with_members,
    "dataclasses.replace": _copy_with_members,
    "attr.evolve": _copy_with_members,
    "attrs.evolve": _copy_with_members,
    "msgspec.structs.replace": _copy_with_members,
    ".get": _entry,
    ".pop": _entry,
    ".items": _pairs,
    ".keys": _keys,
    ".values": _values,
}
"""Calls by qualified name, or by method name with a leading dot."""
