"""What has been written of a JSON value at a place in a method, and what that is where ways
meet."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.schemas import describe, unite

_SEVERAL = Reason("shape-decided-at-run-time")


class UndeterminedError(Exception):
    """Something is written in a way that is not followed."""


class OpenObject(Struct, frozen=True, eq=False):
    """An object that is being written."""

    fields: dict[str, Field] = {}
    pending: str | None = None
    """The name of the field that is written next; empty for one that is computed."""
    additional: tuple[Schema, ...] = ()


class OpenArray(Struct, frozen=True, eq=False):
    """A list that is being written."""

    items: tuple[Schema, ...] = ()


Open: TypeAlias = "OpenObject | OpenArray"


class GeneratorState(Struct, frozen=True, eq=False):
    """What has been written so far: objects and lists that are not ended yet, and whole values."""

    open: tuple[Open, ...] = ()
    done: tuple[Schema, ...] = ()


def join_states(states: list[GeneratorState], doubt: Reason = NO_REASON) -> GeneratorState | None:
    """What has been written in some of several ways; None for no way at all. `doubt` says why it
    is not known whether all of the ways are ever taken."""
    if len(states) < 2:
        return states[0] if states else None
    depths = {len(state.open) for state in states}
    if len(depths) > 1:
        raise UndeterminedError
    levels = zip(*(state.open for state in states), strict=True)
    done = {describe(schema): schema for state in states for schema in state.done}
    return GeneratorState(
        tuple(_joined_open(list(level), doubt) for level in levels), tuple(done.values())
    )


def _joined_open(versions: list[Open], doubt: Reason) -> Open:
    objects = [version for version in versions if isinstance(version, OpenObject)]
    if not objects:
        items = {describe(i): i for v in versions if isinstance(v, OpenArray) for i in v.items}
        return OpenArray(tuple(items.values()))
    pending = {version.pending for version in objects}
    if len(objects) < len(versions) or len(pending) > 1:
        raise UndeterminedError
    fields: dict[str, Field] = {}
    for name in dict.fromkeys(name for version in objects for name in version.fields):
        found = [version.fields[name] for version in objects if name in version.fields]
        in_all = len(found) == len(objects)
        fields[name] = replace(
            found[0],
            schema=schema_of_places(tuple(field.schema for field in found)),
            required=True if in_all and all(field.required for field in found) else None,
            undetermined_reason=next(
                (f.undetermined_reason for f in found if f.undetermined_reason),
                NO_REASON if in_all else doubt,
            ),
        )
    additional = {describe(each): each for version in objects for each in version.additional}
    return OpenObject(fields, pending.pop(), tuple(additional.values()))


def schema_of_places(schemas: tuple[Schema, ...]) -> Schema:
    """One shape that is written in several places, or null; of several that stand for each other
    it is not known when which is written."""
    whole = unite(schemas)
    return Unknown(reason=_SEVERAL) if isinstance(whole, Union) else whole
