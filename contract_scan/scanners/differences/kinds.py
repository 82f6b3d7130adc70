"""What can differ between a contract and code: a closed set of facts, without any judgement."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.evidence import Constraint, Evidence, Grade
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import ObjectPair
from contract_scan.scanners.differences.definitions import DefinitionUse, UsageVerdict
from contract_scan.scanners.differences.definitions import Place as DefinitionPlace

Direction: TypeAlias = Literal["response", "request", "consumer", "model"]
"""Who sends. `response`: the code sends and the contract says what is acceptable. `request`: the
contract says what is sent and the code must accept it. `consumer`: as `request`, of messages: a
consumer need not take everything, and its lists of fields and values should be the contract's.
`model`: a type definition that stands for a
shared model; its values must be acceptable to the contract, and it must hold every value that the
contract lists by name (enum values, null)."""


class DifferencePlace(Struct, frozen=True, kw_only=True):
    """What every difference has."""

    path: str
    """Wire path from the compared schemas: `.a` property, `[]` array item, `{}` map value."""
    contract: Origin = NOWHERE
    code: Origin = NOWHERE
    expected: str = ""
    """What the contract says, in a few words."""
    found: str = ""
    """What the code says, in a few words."""


class GradedDifference(DifferencePlace, frozen=True, kw_only=True):
    """What every difference has besides."""

    evidence: Grade | None = None
    """How the code's side of it is known; None: as the whole value is."""
    objects: ObjectPair | None = None
    """The innermost objects with fields around it; None for the value that is compared itself."""


class FieldMissing(GradedDifference, frozen=True):
    """The contract has a field that the code has not."""

    rejected: bool = False
    """Requests: the code refuses bodies that carry the field."""
    alternatives: tuple[str, ...] = ()
    """Requests: the alternatives of the contract that the code refuses by it, while it takes
    others; empty where it is not one of several. Each is a phrase."""


class FieldExtra(GradedDifference, frozen=True):
    """The code has a field that the contract has not."""

    forbidden: bool = False
    """The contract forbids further properties."""
    needed: bool = False
    """Requests and messages: the code cannot do without the field."""
    write_only: bool = False
    """The contract has the field for requests alone."""
    alternatives: tuple[str, ...] = ()
    """As of `FieldMissing`."""


class NameCase(GradedDifference, frozen=True):
    """Both have the field, its name written with the same words in another case style."""


class OtherType(GradedDifference, frozen=True, kw_only=True):
    """What a value of another type has besides."""

    expected_phrase: str = ""
    """`expected` as a part of a sentence: "an array of `Order`"."""
    found_phrase: str = ""
    """`found` likewise."""


class TypeDiffers(OtherType, frozen=True):
    """Scalars of types (or string formats) that share no value."""


class ShapeDiffers(OtherType, frozen=True):
    """An array, an object, a scalar or no value at all where the other side has another of them."""


class RequiredDiffers(GradedDifference, frozen=True):
    """The sender may leave out a field that the receiver needs."""


class NullableDiffers(GradedDifference, frozen=True):
    """The sender may send null where the receiver does not accept it."""

    code_is_stricter: bool = False
    """Models: the contract allows null and the type cannot hold it."""


class EnumDiffers(GradedDifference, frozen=True):
    """The sender may send values that are not in the receiver's list."""

    values: tuple[str, ...] = ()
    """The values that are not accepted, written as JSON; empty where any value may be sent."""
    lacking: tuple[str, ...] = ()
    """Values of the receiver that the sender never sends. Models: that the type cannot hold;
    consumers: that the contract does not list."""


Difference: TypeAlias = (
    FieldMissing
    | FieldExtra
    | NameCase
    | TypeDiffers
    | ShapeDiffers
    | RequiredDiffers
    | NullableDiffers
    | EnumDiffers
)


def constraint(difference: Difference) -> Constraint:
    """Which of the code's constraints a difference is about."""
    match difference:
        case RequiredDiffers() | FieldExtra(needed=True):
            return "required"
        case NullableDiffers():
            return "nullable"
        case EnumDiffers():
            return "values"
        case FieldMissing() | FieldExtra() | NameCase():
            return "closed"
        case _:
            return "type"


def grade_difference(difference: Difference, evidence: Evidence | None) -> Difference:
    """The same difference with the grade that evidence gives it, where it has none yet."""
    if evidence is None or difference.evidence is not None:
        return difference
    grade = evidence.of(constraint(difference))
    return difference if grade is None else replace(difference, evidence=grade)


class UndeterminedPart(DifferencePlace, frozen=True, kw_only=True):
    """A place that could not be compared."""

    reason: Reason
    null_alone: bool = False
    """Whether its type was compared, and null alone is undetermined."""


class Comparison(Struct, frozen=True, kw_only=True):
    """Everything that comparing two schemas gave. Both empty: every value sent is acceptable."""

    differences: tuple[Difference, ...] = ()
    undetermined: tuple[UndeterminedPart, ...] = ()
    uses: tuple[DefinitionUse, ...] = ()
    """Definitions that were looked for, with what code has where the contract uses them."""
    definition_verdicts: dict[DefinitionPlace, UsageVerdict] = {}
    """What is known of definitions by comparing where they are used."""

    @property
    def fits(self) -> bool | None:
        """True: yes. False: no. None: nothing is known to differ, but not all could be told."""
        if self.differences:
            return False
        return None if self.undetermined else True
