"""Well-known calls of `Object`: what they give."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibrarySymbol,
    Record,
    RecordEntry,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.typescript.serialization.class_transformer import OUTPUT


def keys(site: CallSite) -> Value | None:
    """`Object.keys(x)`: names, each known where all are there for certain."""
    named = _all_entries(site)
    if named:
        return Items(tuple(Constant(entry.name) for entry in named))
    return Items((BySchema(Scalar(type="string")),), repeated=True)


def values(site: CallSite) -> Value | None:
    """`Object.values(x)`."""
    named = _all_entries(site)
    if named:
        return Items(tuple(entry.value for entry in named))
    return Items((_any_value(site),), repeated=True)


def entries(site: CallSite) -> Value | None:
    """`Object.entries(x)`: pairs of name and value."""
    named = _all_entries(site)
    if named:
        pairs = (Items((Constant(e.name), _held_value(e)), is_tuple=True) for e in named)
        return Items(tuple(pairs))
    pair = Items((BySchema(Scalar(type="string")), _any_value(site)), is_tuple=True)
    return Items((pair,), repeated=True)


def _all_entries(site: CallSite) -> tuple[RecordEntry, ...]:
    """The properties of an object, where all of them are known and there for certain."""
    match site.unwrap(site.value(0)):
        case Record(entries=named, partial="", values=None) if not any(e.optional for e in named):
            return named
        case _:
            return ()


def _held_value(entry: RecordEntry) -> Value:
    """What a property holds, which may be `undefined`."""
    if entry.undefined is False:
        return entry.value
    return union_of((entry.value, LibrarySymbol("undefined")))


def _any_value(site: CallSite) -> Value:
    """A value of some property of the object."""
    value = site.unwrap(site.value(0))
    if isinstance(value, ClassValue) and value.symbol.decl.kind == "enum":
        return Instance(value.symbol)
    if isinstance(value, Record):
        held = [entry.value for entry in value.entries]
        if value.values is not None:
            held.append(value.values)
        if held and not value.partial:
            return union_of(tuple(held))
    schema: Schema = site.program.types.flat(site.program.schema_of(value))
    if isinstance(schema, Object) and not schema.fields and schema.additional is not None:
        return BySchema(schema.additional)
    return Unresolved(Reason("object-values-undetermined"), site.call.span)


def merged_object(site: CallSite) -> Value | None:
    """`Object.assign(target, a, b)`: the properties of all."""
    given = [site.value(position) for position in range(len(site.call.args))]
    if any(argument.spread for argument in site.call.args):
        return Unresolved(Reason("assigned-values-undetermined"), site.call.span)
    first = site.unwrap(given[0]) if given else None
    if first is not None:  # which is not null: that would fail
        given[0] = first = site.program.evaluator.without_null(first)
    undetermined = [v for v in given[1:] if isinstance(v, Unresolved)]
    if undetermined and first is not None and not isinstance(first, Record | Unresolved):
        # An instance stays what it is, whatever is laid over it.
        return replace(first, view="") if isinstance(first, ByType | Instance) else first
    if isinstance(first, ByType | Instance) and _written_otherwise(site.program, first):
        known = {entry.name for entry in site.program.evaluator.entries_of(first)[0]}
        laid = [site.program.evaluator.entries_of(v) for v in given[1:] if v is not None]
        if all(not why and all(e.name in known for e in added) for added, why in laid):
            return replace(first, view="")
    origin = site.program.origin(site.call, site.scope)
    return site.program.evaluator.merged_records([v for v in given if v is not None], origin)


def _written_otherwise(program: Program, value: Value) -> bool:
    """Whether decorators of a value's class name, or leave out, what is written of it: they count
    for an instance and for no object that only has its properties."""
    plain = program.types.flat(program.types.schema_of(value))
    written = program.types.flat(program.types.schema_of(value, OUTPUT))
    if not isinstance(plain, Object) or not isinstance(written, Object):
        return False
    return {field.name for field in plain.fields} != {field.name for field in written.fields}


def from_entries(site: CallSite) -> Value | None:
    """`Object.fromEntries(pairs)`."""
    listed = site.unwrap(site.value(0))
    origin = site.program.origin(site.call, site.scope)
    if isinstance(listed, Items) and not listed.repeated:
        named = _named_pairs(site, listed)
        if named is not None:
            return Record(named, NO_REASON, None, origin)
    pair = site.item(listed)
    value: Value = Unresolved(Reason("object-values-undetermined"), site.call.span)
    if isinstance(pair, Items) and len(pair.values) == 2:
        value = pair.values[1]
    return Record((), NO_REASON, value, origin)


def _named_pairs(site: CallSite, listed: Items) -> tuple[RecordEntry, ...] | None:
    """The properties that pairs make, where each of them has a known name; the last of a name is
    the one that stays."""
    found: dict[str, RecordEntry] = {}
    for pair in listed.values:
        if not isinstance(pair, Items) or pair.repeated or len(pair.values) != 2:
            return None
        name = site.program.evaluator.text(pair.values[0])
        if name is None:
            return None
        found[name] = RecordEntry(name, pair.values[1], site.program.origin(site.call, site.scope))
    return tuple(found.values())


def freeze_result(site: CallSite) -> Value | None:
    """`Object.freeze(x)` is x."""
    return site.value(0)


def _selection(*, keeps: bool) -> CallModel:
    """`omit(x, ["id"])`, `pick(x, ["id"])`: what x has, without some of it, or that alone."""

    def call(site: CallSite) -> Value | None:
        names = _names(site)
        value = site.unwrap(site.value(0))
        properties, why = site.program.evaluator.entries_of(value)
        if not names or not properties:
            return None
        chosen = tuple(each for each in properties if (each.name in names) is keeps)
        is_whole = keeps and len(chosen) == len(names)
        origin = site.program.origin(site.call, site.scope)
        return Record(chosen, NO_REASON if is_whole else why, None, origin)

    return call


def _names(site: CallSite) -> frozenset[str]:
    """The names after the first argument, one by one or in a list; none where one is undetermined
    or a path."""
    given = [site.unwrap(site.value(at)) for at in range(1, len(site.call.args))]
    each = [v for one in given for v in (one.values if isinstance(one, Items) else (one,))]
    names = [site.program.evaluator.text(value) for value in each]
    known = frozenset(name for name in names if name is not None and "." not in name)
    spread = any(argument.spread for argument in site.call.args)
    return known if len(known) == len(names) and not spread else frozenset()


_SELECTING = (
    *("lodash", "lodash-es", "underscore", "es-toolkit", "radash"),
    *("decentraland-commons.utils", "decentraland-commons/dist/utils"),
)
"""Libraries whose `omit` and `pick` take an object and names."""

CALL_MODELS: dict[str, CallModel] = {
    **{f"{library}.omit": _selection(keeps=False) for library in _SELECTING},
    **{f"{library}.pick": _selection(keeps=True) for library in _SELECTING},
    "Object.keys": keys,
    "Object.values": values,
    "Object.entries": entries,
    "Object.assign": merged_object,
    "Object.freeze": freeze_result,
    "Object.fromEntries": from_entries,
}
"""Key: qualified name."""
