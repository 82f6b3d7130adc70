"""What a comparison finds out about the definitions of a contract: what code has where the contract
uses them, and whether that fits.

A definition need not have a type of its name. Code calls it otherwise, or writes its fields down
where they are used; a list of values or a text under a name needs no type at all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.document import Resolver
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Object, Reference, Scalar, Schema, Union
from contract_scan.scanners.differences.union_members import Alternative, alternatives

Place: TypeAlias = tuple[str, str]
"""Where a definition stands: the path of a document and the pointer in it."""

_MAX_HOPS = 20


class DefinitionUse(Struct, frozen=True):
    """What code has where a contract uses a definition."""

    place: Place
    contract: Reference
    code: Schema
    identity: Hashable
    """What is the same for that shape of the code wherever it is used."""
    name: str = ""
    """Name of the code's type; empty where it stands in place."""


class UsageVerdict(Struct, frozen=True):
    """What comparing at the uses of a definition gave."""

    verdict: Literal["fits", "tolerated", "undetermined", "differs"]
    reason: Reason = NO_REASON
    """Why it is undetermined."""


_GRAVITY = {"fits": 0, "tolerated": 1, "undetermined": 2, "differs": 3}


def graver(one: UsageVerdict | None, other: UsageVerdict) -> UsageVerdict:
    """What is known of two uses together."""
    if one is None or _GRAVITY[other.verdict] > _GRAVITY[one.verdict]:
        return other
    return one


class Definitions(Struct, frozen=True):
    """The definitions that are looked for in comparisons."""

    wanted: frozenset[Place]
    settled: frozenset[tuple[Place, Hashable]] = frozenset()
    """Definitions with what code has for them (see `identity`) that are compared on their own."""


def schema_place(schema: Schema) -> Place:
    """Where a schema of a contract stands."""
    return schema.origin.path, schema.origin.pointer


def identity(
    schema: Schema, resolver: Resolver, above: frozenset[str] = frozenset()
) -> Hashable | None:
    """What is the same for a shape of the code wherever it is used; None where nothing is."""
    if isinstance(schema, Reference):
        hops = list(_hops(schema, resolver))
        if not hops:
            return None
        last, target = hops[-1]
        if not isinstance(target, Union | Array) or last.key in above:
            return last.key
        return identity(target, resolver, above | {last.key})
    parts: tuple[Schema, ...]
    match schema:
        case Array(items=items, prefix=prefix):
            parts = (items, *prefix)
        case Union(options=options):
            parts = options
        case Scalar(type=type, format=format, values=values):
            return type, format, values
        case _:
            return (schema.origin.path, schema.origin.span) if schema.origin.path else None
    inner = tuple(identity(part, resolver, above) for part in parts)
    return None if None in inner else (schema.__class__.__name__, inner)


def identity_of(option: Alternative) -> Hashable | None:
    """As `identity`, of one plain shape."""
    if option.key:
        return option.key
    origin = option.shape.origin
    return (origin.path, origin.span) if origin.path else None


def use_of(
    contract: Schema, code: Schema, wanted: Definitions, ours: Resolver, theirs: Resolver
) -> DefinitionUse | None:
    """The definition of objects or lists that stands at a place of a contract, with what code has
    there."""
    if not isinstance(contract, Reference):
        return None
    places = [schema_place(target) for _, target in _hops(contract, ours)]
    here = next((one for one in reversed(places) if one in wanted.wanted), None)
    if here is None or is_plain(contract, ours):
        return None
    options = alternatives(code, theirs).options
    key = identity(code, theirs)
    if key is None or not options:
        return None
    kinds = {type(one.shape) for one in alternatives(contract, ours).options}
    if not all(type(one.shape) in kinds & {Object, Array} for one in options):
        return None  # what is something else altogether is wrong where it is used
    return DefinitionUse(here, contract, code, key, options[0].name if len(options) == 1 else "")


def use_of_option(
    contract: Alternative, code: Alternative, wanted: Definitions
) -> DefinitionUse | None:
    """As `use_of`, of one alternative of several."""
    here = schema_place(contract.shape)
    key = identity_of(code)
    if not contract.key or key is None or here not in wanted.wanted:
        return None
    if not isinstance(code.shape, Object):
        return None
    reference = Reference(key=contract.key, origin=contract.use)
    shape = Reference(key=code.key, origin=code.use) if code.key else code.shape
    return DefinitionUse(here, reference, shape, key, code.name)


def definition_verdicts_at(
    contract: Schema, verdict: UsageVerdict, wanted: Definitions, resolver: Resolver
) -> Iterator[tuple[Place, UsageVerdict]]:
    """The definitions of which the result at one place of a contract says something. That objects
    fit is for their own comparison to say: they need not be all that the definition is about."""
    pending: list[tuple[Schema, bool]] = [(contract, False)]
    seen: set[Place] = set()
    while pending:
        schema, one_of_several = pending.pop()
        if isinstance(schema, Reference):
            for _, target in _hops(schema, resolver):
                here = schema_place(target)
                if here in seen:
                    break
                seen.add(here)
                if here in wanted.wanted and _is_decisive(
                    verdict, one_of_several, target, resolver
                ):
                    yield here, verdict
                schema = target
        if isinstance(schema, Union):
            pending += [(option, True) for option in schema.options]


def _is_decisive(
    verdict: UsageVerdict, one_of_several: bool, definition: Schema, resolver: Resolver
) -> bool:
    if verdict.verdict == "fits":
        return is_plain(definition, resolver)
    return not one_of_several


def is_plain(schema: Schema, resolver: Resolver) -> bool:
    """Whether a schema has no object in it: texts, numbers, lists of values, lists of such."""
    pending, seen = [schema], 0
    while pending:
        seen += 1
        if seen > _MAX_HOPS:
            return False
        for option in alternatives(pending.pop(), resolver).options:
            match option.shape:
                case Scalar():
                    pass
                case Array(items=items, prefix=prefix):
                    pending += [items, *prefix]
                case _:
                    return False
    return True


def _hops(schema: Reference, resolver: Resolver) -> Iterator[tuple[Reference, Schema]]:
    """A chain of references with what each leads to."""
    current: Schema = schema
    for _ in range(_MAX_HOPS):
        if not isinstance(current, Reference):
            return
        try:
            target = resolver.resolve(current)
        except KeyError:
            return
        yield current, target
        current = target
