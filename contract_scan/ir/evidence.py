"""How well something is known of code, and what two sources of knowledge say together.

A *grade* says how a fact is known; *evidence* holds one grade for each sort of constraint that a
shape puts on a value, since one source may prove one of them and only suggest another: Java's JSON
binding checks the type of `String name` and says nothing about null.

A constraint without a grade of its own has that of what is around it: of the object that it is a
part of, at last of the whole body. For that, no grade stands in the middle of the order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

Grade: TypeAlias = Literal["enforced", "checked", "declared", "inferred", "guessed"]
"""`enforced`: code that runs makes it so: a validator, a schema, a library that filters what is
sent, a value that is written out, a use that fails otherwise. `checked`: declared by a type that
the run time or the compiler holds every value against. `declared`: by a type, or an annotation
beside the code, that nobody checks. `inferred`: concluded from expressions and stored models.
`guessed`: from a name."""

GRADES: tuple[Grade, ...] = get_args(Grade)
"""All grades, the strongest first."""

Constraint: TypeAlias = Literal["type", "values", "required", "nullable", "closed"]
"""Of what sort a value is (a scalar type, a list, an object), which values there are, whether a
field is there, whether null is, and which fields there are at all."""

_STRENGTH: dict[Grade | None, int] = {
    "enforced": 5,
    "checked": 4,
    None: 3,
    "declared": 2,
    "inferred": 1,
    "guessed": 0,
}


class Evidence(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How each sort of constraint on a value is known; None: as what is around it."""

    type: Grade | None = None
    values: Grade | None = None
    required: Grade | None = None
    nullable: Grade | None = None
    closed: Grade | None = None

    def of(self, constraint: Constraint) -> Grade | None:
        """The grade of one sort of constraint."""
        match constraint:
            case "type":
                return self.type
            case "values":
                return self.values
            case "required":
                return self.required
            case "nullable":
                return self.nullable
            case "closed":
                return self.closed


def uniform(grade: Grade) -> Evidence:
    """Evidence of one grade for every constraint."""
    return Evidence(type=grade, values=grade, required=grade, nullable=grade, closed=grade)


ENFORCED = uniform("enforced")
DECLARED = uniform("declared")


def stronger(one: Grade | None, other: Grade | None) -> Grade | None:
    """The better of two grades."""
    return max(one, other, key=_STRENGTH.__getitem__)


def weaker(one: Grade | None, other: Grade | None) -> Grade | None:
    """The worse of two grades."""
    return min(one, other, key=_STRENGTH.__getitem__)


def at_least(grade: Grade, least: Grade) -> bool:
    """Whether a grade is as good as another, or better."""
    return _STRENGTH[grade] >= _STRENGTH[least]


def of_either(one: Evidence, other: Evidence) -> Evidence:
    """Two alternatives, each of which may be the value: no more is known than of the worse."""
    return _choose_grades(one, other, weaker)


def of_part(inner: Evidence, around: Evidence) -> Evidence:
    """What is known of a part: its own evidence, and where it has none, that of what is around."""
    return _choose_grades(inner, around, lambda own, outer: own or outer)


def _choose_grades(
    one: Evidence, other: Evidence, choose: Callable[[Grade | None, Grade | None], Grade | None]
) -> Evidence:
    """Evidence whose grade of each constraint is chosen from those of two."""
    return Evidence(
        type=choose(one.type, other.type),
        values=choose(one.values, other.values),
        required=choose(one.required, other.required),
        nullable=choose(one.nullable, other.nullable),
        closed=choose(one.closed, other.closed),
    )
