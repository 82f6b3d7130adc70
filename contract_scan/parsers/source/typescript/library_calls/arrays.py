"""Well-known calls of arrays: what they give."""

from __future__ import annotations

from itertools import chain

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Template,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.refinement.null_filters import filter_nulls
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Choice, Name, Return
from contract_scan.parsers.source.language import CallModel

MAX_ITEMS = 300
"""How many items of a list are told one by one."""


def same_items(site: CallSite) -> Value | None:
    """`filter`, `slice`, `sort` …: some of the same items."""
    value = receiver(site)
    if isinstance(value, Items):
        return replace(value, repeated=True)
    if isinstance(value, LibraryResult | LibrarySymbol):
        return None
    return value


def wrapped_items(site: CallSite) -> Value | None:
    """`orderBy`, `value` of lodash, on a list that `_(list)` wraps: the same items."""
    return same_items(site) if isinstance(receiver(site), Items) else None


def filtered_items(site: CallSite) -> Value | None:
    """`filter`: the items that the function keeps."""
    filtered = _filtered_constants(site)
    if filtered is not None:
        return filtered
    return filter_nulls(site.program, same_items(site), site.value(0))


def _filtered_constants(site: CallSite) -> Items | None:
    """The constants of a list, or pairs of names and values, that a function keeps, where it is
    told of each."""
    listed, keeps = receiver(site), site.value(0)
    if not isinstance(listed, Items) or listed.repeated or not isinstance(keeps, FunctionValue):
        return None
    if not all(isinstance(item, Constant) or _is_pair(item) for item in listed.values):
        return None
    body, params = keeps.function.body, keeps.function.params
    if not params or len(listed.values) > MAX_ITEMS:
        return None
    pattern = params[0].pattern or Name(id=params[0].name)
    filtered: list[Value] = []
    for item in listed.values:
        bound = site.program.evaluator.pattern_bindings(pattern, item, keeps.scope)
        scope = site.program.function_scope(keeps.function, keeps.scope, bound)
        match scope.statements or body:
            case (Return(value=test),) if test is not None:
                holds = evaluate_condition(test, ConditionContext(site.program, scope))
            case _:
                return None
        if holds is None:
            return None
        if holds:
            filtered.append(item)
    return replace(listed, values=tuple(filtered))


def _is_pair(item: Value) -> bool:
    """Whether an item is a pair whose first part is constant, such as `Object.entries` gives."""
    return (
        isinstance(item, Items)
        and item.is_tuple
        and not item.repeated
        and bool(item.values)
        and isinstance(item.values[0], Constant)
    )


def mapped_items(site: CallSite) -> Value | None:
    """`map`: what the function gives for each item, where these are constants; else for one."""
    listed, makes = receiver(site), site.value(0)
    items = listed.values if isinstance(listed, Items) and not listed.repeated else ()
    told = all(isinstance(item, Constant | Template) or _is_pair(item) for item in items)
    if 0 < len(items) <= MAX_ITEMS and told:
        return Items(tuple(site.apply(makes, item) for item in items))
    if isinstance(listed, Items) and not (listed.values or listed.repeated):
        match site.call:
            case Call(callee=Attribute(value=Choice())):
                return listed  # no code has the list of `rows ?? []` to fill it
    item = site.item(listed)
    return Items((site.apply(makes, item),), repeated=True)


def flat_mapped(site: CallSite) -> Value | None:
    """`flatMap`: the items of what the function gives for an item."""
    result = site.apply(site.value(0), site.item(receiver(site)))
    return Items((site.item(result),), repeated=True)


def flattened_items(site: CallSite) -> Value | None:
    """`flat`: the items of the items."""
    listed = receiver(site)
    if isinstance(listed, Items) and not listed.repeated and not site.call.args:
        parts = [one.values for one in listed.values if isinstance(one, Items) and not one.repeated]
        if len(parts) == len(listed.values):
            return Items(tuple(chain.from_iterable(parts)))
    return Items((site.item(site.item(receiver(site))),), repeated=True)


def one_item(site: CallSite) -> Value | None:
    """`find`, `at`, `pop`: an item, or undefined."""
    value = receiver(site)
    if isinstance(value, LibraryResult | LibrarySymbol):
        return None
    return union_of((site.item(value), LibrarySymbol("undefined")))


def first_item(site: CallSite) -> Value | None:
    """`shift`: the first item, where it is known."""
    listed = receiver(site)
    known = isinstance(listed, Items) and not listed.repeated and listed.values
    return listed.values[0] if known and isinstance(listed, Items) else one_item(site)


def last_item(site: CallSite) -> Value | None:
    """`pop`: the last item, where it is known."""
    listed = receiver(site)
    known = isinstance(listed, Items) and not listed.repeated and listed.values
    return listed.values[-1] if known and isinstance(listed, Items) else one_item(site)


def concatenated_items(site: CallSite) -> Value | None:
    """`concat`: the items of all; of a text a text."""
    value = receiver(site)
    if isinstance(value, LibraryResult | LibrarySymbol):
        return None
    shape = site.program.types.flat(site.program.schema_of(value))
    if isinstance(shape, Scalar) and shape.type == "string":
        return BySchema(Scalar(type="string"))
    lists = [value, *(site.value(position) for position in range(len(site.call.args)))]
    if all(isinstance(one, Items) and not one.repeated for one in lists):
        return Items(tuple(v for one in lists if isinstance(one, Items) for v in one.values))
    empty = isinstance(value, Items) and not value.values  # `[].concat(first, second)`
    parts = [] if empty and site.call.args else [site.item(value)]
    for position in range(len(site.call.args)):
        given = site.value(position)
        for way in given.options if isinstance(given, OneOf) else (given,):
            if isinstance(way, ByType) or (isinstance(way, Items) and way.values):
                parts.append(site.item(way))
            elif way is not None and not isinstance(way, Items):
                parts.append(way)
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


_WRAPPED = ("orderBy", "sortBy", "uniqBy", "uniq", "value")
_KEEPING = ("slice", "sort", "reverse", "toSorted", "toReversed", "splice")


# ---------------------------------------------------------------------------------------- reduce
# What `list.reduce(function, start)` gives.


def _reduce(site: CallSite) -> Value | None:
    """Of texts and numbers the kind of what it starts with, of what is declared the type; else what
    the function makes of that and an item, of which a list without items leaves the start."""
    call, start = site.call, site.value(1)
    if isinstance(call, Call) and call.type_args:
        return ByType(call.type_args[0], site.scope, call.span)
    match start:
        case Constant(value=str()):
            return BySchema(Scalar(type="string"))
        case Constant(value=int() | float()):
            return BySchema(Scalar(type="numeric"))
        case ByType():
            return start
        case Record() | Items():
            made = site.apply(site.value(0), start, site.item(receiver(site)))
            return _with_optional_additions(start, made, site)
        case _:
            return _unresolved(site)


def receiver(site: CallSite) -> Value:
    """What a method is called on; of a query the rows that it gives."""
    value = site.unwrap(site.receiver)
    if isinstance(value, LibraryResult):
        schema = site.program.types.flat(site.program.schema_of(value))
        return BySchema(schema) if isinstance(schema, Array) else value
    return value


def _with_optional_additions(start: Record | Items, made: Value, site: CallSite) -> Value:
    """What a pass makes, which is not made where there is no item: further keys may be missing."""
    match start, made:
        case _, OneOf(options=options):
            return union_of(
                tuple(_with_optional_additions(start, option, site) for option in options)
            )
        case Record(), Record():
            known = {entry.name for entry in start.entries}
            entries = tuple(
                entry if entry.name in known else replace(entry, optional=True)
                for entry in made.entries
            )
            return replace(made, entries=entries)
        case Items(), Items():
            return replace(made, repeated=True)
        case _:
            return _unresolved(site)


def _unresolved(site: CallSite) -> Unresolved:
    return Unresolved(Reason("reduction-result-undetermined"), site.call.span)


CALL_MODELS: dict[str, CallModel] = {
    **{f".{name}": wrapped_items for name in _WRAPPED},
    **{f".{name}": same_items for name in _KEEPING},
    ".filter": filtered_items,
    ".map": mapped_items,
    ".flatMap": flat_mapped,
    ".flat": flattened_items,
    ".findLast": one_item,
    ".at": one_item,
    ".pop": last_item,
    ".shift": first_item,
    ".concat": concatenated_items,
    ".reduce": _reduce,
    "Array.from": made_from,
    "Array.of": made_of,
}
"""Key: qualified name, or a method with a leading dot."""
