"""What a points-to analysis tells of a value: an object that is constructed at a known place, a
constant, or that nothing is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.path_facts import EnumConstant
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Expr, New


class Place(Struct, frozen=True, eq=False):
    """Where an expression stands, and with which arguments its function is called."""

    scope: Scope
    arguments: Mapping[int, Given] = {}
    """Parameters, by their identity, of the functions around the place that are followed, with what
    calls give them."""
    this: Constructed | None = None
    """The object whose member this is."""
    chosen: Mapping[str, tuple[Object, ...]] = {}
    """Variables with what they hold where the option of a conditional expression is chosen."""


class Given:
    """What a call gives a parameter; worked out where it is asked for, once."""

    def __init__(self, later: Callable[[], tuple[Object, ...]]) -> None:
        self._later = later
        self._found: tuple[Object, ...] | None = None

    @property
    def objects(self) -> tuple[Object, ...]:
        """What the parameter may hold."""
        if self._found is None:
            self._found = self._later()
        return self._found


class Constructed(Struct, frozen=True, eq=False):
    """An object of a class of the project, made by a `new` that is seen."""

    symbol: ClassSymbol
    site: New
    place: Place
    assigned: tuple[Assigned, ...] = ()
    """What statements have set on it since, in order."""


class Assigned(Struct, frozen=True, eq=False):
    """A member that a statement sets on an object."""

    member: str
    value: Expr
    place: Place
    conditional: bool
    """Whether it may as well not be set."""


class Plain(Struct, frozen=True):
    """A literal, null among them, or a constant of an enum."""

    value: LiteralValue | EnumConstant


class Opaque(Struct, frozen=True):
    """Any value."""

    present: bool = False
    """Whether it is known not to be null."""
    free: bool = False
    """Whether it comes from outside (with a request), so that it may be any value that there is; of
    others code says what they may be that is not followed."""


Object: TypeAlias = Constructed | Plain | Opaque
_MOST_OBJECTS = 40
OPAQUE = (Opaque(),)
FREE = (Opaque(free=True),)


def is_unfollowed(objects: Iterable[Object]) -> bool:
    """Whether code says what a value may be that is not followed."""
    return any(isinstance(one, Opaque) and not one.free for one in objects)


def without_null(found: Iterable[Object]) -> tuple[Object, ...]:
    """What is left where a value is known not to be null."""
    return tuple(
        replace(o, present=True) if isinstance(o, Opaque) else o for o in found if o != Plain(None)
    )


def with_assigned(found: Iterable[Object], assigned: Sequence[Assigned]) -> tuple[Object, ...]:
    """Objects after members of them were set."""
    return tuple(
        replace(o, assigned=(*o.assigned, *assigned)) if isinstance(o, Constructed) else o
        for o in found
    )


def distinct(found: Iterable[Object]) -> tuple[Object, ...]:
    """Each object once; nothing that is known where they are too many."""
    kept: dict[object, Object] = {}
    for each in found:
        key: object = each
        if isinstance(each, Constructed):
            key = (id(each.site), id(each.place), tuple(id(a.value) for a in each.assigned))
        elif isinstance(each, Plain):
            key = (type(each.value), each.value)
        kept.setdefault(key, each)
        if len(kept) > _MOST_OBJECTS:
            return OPAQUE
    return tuple(kept.values())


def members_assigned_since(definition: Definition, place: Place) -> tuple[Assigned, ...] | None:
    """The members that statements have set on an object since a definition of the variable that
    holds it; None where it is changed in other ways."""
    found: list[Assigned] = []
    for each in definition.mutations:
        if each.kind == "pass":
            continue
        if each.kind != "set" or each.key is None or each.value is None:
            return None
        if each.path or each.inside or each.if_absent:
            return None
        found.append(Assigned(each.key, each.value, place, each.conditional))
    return tuple(found)
