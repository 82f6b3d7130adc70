"""What is known of an object that a library has made, after something is set on it."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.values import (
    LibraryResult,
    Record,
    RecordEntry,
    Unresolved,
    Value,
)

ANY_MEMBER = ""
"""The name of the entry of a builder of which code that is not followed may set any member."""


def with_member_set(
    made: LibraryResult, given: Value | None, mutation: Mutation, origin: Origin
) -> LibraryResult:
    """What a library has made, after something is set on it."""
    if mutation.kind == "merge" and isinstance(given, Record) and mutation.path:
        for entry in given.entries:
            each = replace(mutation, key=entry.name, kind="set")
            made = with_member_set(made, entry.value, each, origin)
        return made
    keys = (*mutation.path, mutation.key)
    names = [key for key in keys if isinstance(key, str)]
    if mutation.kind != "set" or given is None or len(names) < len(keys):
        return made
    name = ".".join(names)
    before = made.assigned
    if not mutation.conditional:
        before = tuple(entry for entry in before if entry.name != name)
    entry = RecordEntry(name, given, origin, mutation.conditional)
    return replace(made, assigned=(*before, entry))


def after_builder_call(
    made: LibraryResult, given: Value | None, mutation: Mutation, origin: Origin
) -> LibraryResult:
    """What a builder has been told to set, after one more call."""
    if mutation.key is None or given is None:
        unseen = Unresolved(Reason("inserted-value-made-by-function"), mutation.span, origin.path)
        return replace(made, assigned=(RecordEntry(ANY_MEMBER, unseen, origin, optional=True),))
    entry = RecordEntry(mutation.key, given, origin, mutation.conditional)
    before = made.assigned
    if not mutation.conditional:
        before = tuple(one for one in before if one.name != mutation.key)
    return replace(made, assigned=(*before, entry))
