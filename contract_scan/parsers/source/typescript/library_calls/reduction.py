"""What `list.reduce(function, start)` gives."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Call


def reduce(site: CallSite) -> Value | None:
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
