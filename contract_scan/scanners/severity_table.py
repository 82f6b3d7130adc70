"""Which difference is which kind of drift, how bad it is, and how to say it.

One table for the rules that compare schemas. A row is the judgement of one sort of difference in
one direction; rules add where it happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.evidence import Grade
from contract_scan.ir.violation import Kind, Severity
from contract_scan.scanners.differences import (
    Difference,
    Direction,
    EnumDiffers,
    FieldExtra,
    FieldMissing,
    NameCase,
    NullableDiffers,
    RequiredDiffers,
    ShapeDiffers,
    TypeDiffers,
)
from contract_scan.scanners.differences.describe import values_text

Sentence: TypeAlias = Callable[[str, Difference], str]
"""(subject, difference) -> one sentence that says what differs."""


class Judgement(Struct, frozen=True, kw_only=True):
    """How one sort of difference is judged in one direction."""

    kind: Kind
    severity: Severity
    weak: Severity | None = None
    """Severity where the receiver tolerates the difference."""
    says: Sentence
    help: str


Outcome: TypeAlias = Severity | Literal["undetermined"]
"""What is said of a difference: how bad it is, or that it is not known well enough to be one."""


def judge(
    difference: Difference, direction: Direction, grade: Grade = "enforced"
) -> tuple[Judgement, Outcome]:
    """The row of the table for a difference, and how bad this one is where the code's side of it is
    known this well."""
    row = JUDGEMENTS[type(difference), direction]
    severity = row.weak if row.weak is not None and _is_tolerated(difference) else row.severity
    limit = LIMITS[_aspect(difference, direction)].get(grade)
    if limit is None or limit == "undetermined":
        return row, limit or severity
    return row, max(severity, limit, key=_MILDER.index)


_MILDER: tuple[Severity, ...] = ("error", "warning", "note")

Aspect: TypeAlias = Literal["need", "accepted shape", "accepted values", "sent", "extra", "model"]
"""What sort of claim on the code a difference makes. `need`: the code refuses what clients may
send, or fails by it. `accepted …`: it takes something else for what they send. `sent`: what it
sends is not what is promised; `extra`: it sends more."""


def _aspect(difference: Difference, direction: Direction) -> Aspect:
    if direction == "model":
        return "model"
    if direction == "response":
        return "extra" if isinstance(difference, FieldExtra) else "sent"
    match difference:
        case RequiredDiffers() | NullableDiffers():
            return "need"
        case FieldExtra(needed=True) | FieldMissing(rejected=True):
            return "need"
        case EnumDiffers() | FieldMissing() | FieldExtra():
            return "accepted values"
        case _:
            return "accepted shape"


def _is_tolerated(difference: Difference) -> bool:
    match difference:
        case FieldMissing(rejected=rejected):
            return not rejected
        case FieldExtra(forbidden=forbidden, needed=needed):
            return not (forbidden or needed)
        case NullableDiffers(code_is_stricter=stricter):
            return stricter
        case EnumDiffers(values=values):
            return not values
        case _:
            return False


def sentence(subject: str, difference: Difference, direction: Direction) -> str:
    """The finding in one sentence. How the two sides define the field is not repeated in it where
    the finding has both as `expected` and `found`."""
    return JUDGEMENTS[type(difference), direction].says(subject, difference)


LIMITS: Mapping[Aspect, Mapping[Grade, Outcome]] = {
    "need": {
        "declared": "undetermined",
        "inferred": "undetermined",
        "guessed": "undetermined",
    },
    "accepted shape": {"declared": "warning", "inferred": "warning", "guessed": "undetermined"},
    "accepted values": {"declared": "warning", "inferred": "note", "guessed": "undetermined"},
    "sent": {"declared": "warning", "guessed": "undetermined"},
    "extra": {"declared": "warning", "guessed": "note"},
    "model": {"guessed": "undetermined"},
}
"""The gravest that a difference may be where the code's side of it is no better known. What is
`enforced` or `checked` has no limit; of a shared model it is the definition itself that is judged,
whoever checks it."""


# ------------------------------------------------------------------------------- the words


def _of_field(difference: Difference) -> str:
    """ " for `name`"; empty where the whole value is meant."""
    return f" for `{difference.path}`" if difference.path else ""


def _null(difference: Difference) -> str:
    return f"`{difference.path}: null`" if difference.path else "null"


def _lacks(subject: str, difference: Difference) -> str:
    return f"{subject} lacks `{difference.path}`, which the contract requires"


def _ignores(subject: str, difference: Difference) -> str:
    assert isinstance(difference, FieldMissing)
    if difference.alternatives:
        who = _alternatives(difference.alternatives)
        verb = "requires" if len(difference.alternatives) == 1 else "require"
        return f"{subject} rejects `{difference.path}`, which {who} {verb}"
    if difference.rejected:
        return f"{subject} rejects `{difference.path}`, which the contract allows"
    return f"{subject} does not read `{difference.path}`, which the contract requires"


def _alternatives(names: tuple[str, ...]) -> str:
    noun = "alternative" if len(names) == 1 else "alternatives"
    return f"the contract's {noun} {', '.join(names)}"


def _has(subject: str, difference: Difference) -> str:
    assert isinstance(difference, FieldExtra)
    has = f"{subject} has `{difference.path}`"
    if difference.write_only:
        return f"{has}, which the contract marks as writeOnly"
    if difference.forbidden:
        return f"{has}; the contract forbids additional properties"
    return f"{has}, which the contract does not define"


def _reads(subject: str, difference: Difference) -> str:
    assert isinstance(difference, FieldExtra)
    verb = "requires" if difference.needed else "reads"
    return f"{subject} {verb} `{difference.path}`, which the contract does not define"


def _requires(subject: str, difference: Difference) -> str:
    assert isinstance(difference, FieldExtra)
    if difference.alternatives:
        who = _alternatives(difference.alternatives)
        verb = "does" if len(difference.alternatives) == 1 else "do"
        return f"{subject} requires `{difference.path}`, which {who} {verb} not define"
    return f"{subject} requires `{difference.path}`, which the contract does not define"


def _has_other_case(subject: str, difference: Difference) -> str:
    return f"{subject} has `{difference.found}` instead of `{difference.expected}`"


def _reads_other_case(subject: str, difference: Difference) -> str:
    return f"{subject} reads `{difference.found}` instead of `{difference.expected}`"


def _is_other_type(subject: str, difference: Difference) -> str:
    assert isinstance(difference, TypeDiffers | ShapeDiffers)
    what = f"{subject}: `{difference.path}`" if difference.path else subject
    return f"{what} is {difference.found_phrase}, expected {difference.expected_phrase}"


def _reads_other_type(subject: str, difference: Difference) -> str:
    assert isinstance(difference, TypeDiffers | ShapeDiffers)
    what = f"`{difference.path}`" if difference.path else "the body"
    return (
        f"{subject} reads {what} as {difference.found_phrase}; "
        f"the contract defines {difference.expected_phrase}"
    )


def _may_omit(subject: str, difference: Difference) -> str:
    return f"{subject} may omit `{difference.path}`, which the contract requires"


def _requires_optional(subject: str, difference: Difference) -> str:
    return f"{subject} requires `{difference.path}`, which the contract makes optional"


def _may_be_null(subject: str, difference: Difference) -> str:
    verb = "may have" if difference.path else "may be"
    return f"{subject} {verb} {_null(difference)}, which the contract does not allow"


def _rejects_null(subject: str, difference: Difference) -> str:
    return f"{subject} rejects {_null(difference)}, which the contract allows"


def _null_in_model(subject: str, difference: Difference) -> str:
    assert isinstance(difference, NullableDiffers)
    if difference.code_is_stricter:
        return f"{subject} cannot hold {_null(difference)}, which the contract allows"
    return _may_be_null(subject, difference)


def _allows_values(subject: str, difference: Difference) -> str:
    assert isinstance(difference, EnumDiffers)
    of_field, lacking = _of_field(difference), values_text(difference.lacking)
    if not difference.values:
        return f"{subject} lacks {lacking}{of_field}, which the contract lists"
    values = values_text(difference.values)
    allows = f"{subject} allows {values}{of_field}, which the contract does not list"
    return f"{allows}; it lacks {lacking}" if difference.lacking else allows


def _reads_values(subject: str, difference: Difference) -> str:
    assert isinstance(difference, EnumDiffers)
    if difference.lacking and not difference.values:
        lacking = values_text(difference.lacking)
        of_field = _of_field(difference)
        return f"{subject} accepts {lacking}{of_field}, which the contract does not list"
    return _rejects_values(subject, difference)


def _rejects_values(subject: str, difference: Difference) -> str:
    assert isinstance(difference, EnumDiffers)
    of_field = _of_field(difference)
    if difference.values:
        values = values_text(difference.values)
        return f"{subject} rejects {values}{of_field}, which the contract allows"
    return (
        f"{subject} accepts only {difference.found}{of_field}; "
        f"the contract allows any {difference.expected}"
    )


# ------------------------------------------------------------------------------- the table

_ADD_FIELD = "add the field to the code, or make it optional in the contract"
_NAME_FIELD = "remove the field from the code, or add it to the contract"
_RENAME = "give the field the contract's name on the wire (an alias or a naming policy)"
_TYPE = "change the type in the code, or the contract if the code is right"
_ALWAYS_SEND = "always send the field, or make it optional in the contract"
_ACCEPT_ABSENCE = "give the field a default, or require it in the contract"
_NO_NULL = "never send null, or allow it in the contract"
_TAKE_NULL = "accept null, or forbid it in the contract"
_VALUES = "make the two lists of values the same"

_IN_BOTH = "make both lists of fields the same, or make the field optional in the contract"

JUDGEMENTS: Mapping[tuple[type[Difference], Direction], Judgement] = {
    (FieldMissing, "response"): Judgement(
        kind="missing-field", severity="error", says=_lacks, help=_ADD_FIELD
    ),
    (FieldMissing, "request"): Judgement(
        kind="missing-field", severity="error", weak="warning", says=_ignores, help=_ADD_FIELD
    ),
    (FieldMissing, "consumer"): Judgement(
        kind="missing-field", severity="error", weak="warning", says=_ignores, help=_IN_BOTH
    ),
    (FieldMissing, "model"): Judgement(
        kind="missing-field", severity="error", says=_lacks, help=_ADD_FIELD
    ),
    (FieldExtra, "response"): Judgement(
        kind="extra-field", severity="error", weak="warning", says=_has, help=_NAME_FIELD
    ),
    (FieldExtra, "request"): Judgement(
        kind="extra-field", severity="error", weak="warning", says=_requires, help=_NAME_FIELD
    ),
    (FieldExtra, "consumer"): Judgement(
        kind="extra-field", severity="error", weak="warning", says=_reads, help=_NAME_FIELD
    ),
    (FieldExtra, "model"): Judgement(
        kind="extra-field", severity="error", weak="warning", says=_has, help=_NAME_FIELD
    ),
    (NameCase, "response"): Judgement(
        kind="name-case", severity="error", says=_has_other_case, help=_RENAME
    ),
    (NameCase, "request"): Judgement(
        kind="name-case", severity="error", says=_reads_other_case, help=_RENAME
    ),
    (NameCase, "consumer"): Judgement(
        kind="name-case", severity="error", says=_reads_other_case, help=_RENAME
    ),
    (NameCase, "model"): Judgement(
        kind="name-case", severity="error", says=_has_other_case, help=_RENAME
    ),
    (TypeDiffers, "response"): Judgement(
        kind="type", severity="error", says=_is_other_type, help=_TYPE
    ),
    (TypeDiffers, "request"): Judgement(
        kind="type", severity="error", says=_reads_other_type, help=_TYPE
    ),
    (TypeDiffers, "consumer"): Judgement(
        kind="type", severity="error", says=_reads_other_type, help=_TYPE
    ),
    (TypeDiffers, "model"): Judgement(
        kind="type", severity="error", says=_is_other_type, help=_TYPE
    ),
    (ShapeDiffers, "response"): Judgement(
        kind="shape", severity="error", says=_is_other_type, help=_TYPE
    ),
    (ShapeDiffers, "request"): Judgement(
        kind="shape", severity="error", says=_reads_other_type, help=_TYPE
    ),
    (ShapeDiffers, "consumer"): Judgement(
        kind="shape", severity="error", says=_reads_other_type, help=_TYPE
    ),
    (ShapeDiffers, "model"): Judgement(
        kind="shape", severity="error", says=_is_other_type, help=_TYPE
    ),
    (RequiredDiffers, "response"): Judgement(
        kind="required", severity="error", says=_may_omit, help=_ALWAYS_SEND
    ),
    (RequiredDiffers, "request"): Judgement(
        kind="required", severity="error", says=_requires_optional, help=_ACCEPT_ABSENCE
    ),
    (RequiredDiffers, "consumer"): Judgement(
        kind="required", severity="error", says=_requires_optional, help=_ACCEPT_ABSENCE
    ),
    (RequiredDiffers, "model"): Judgement(
        kind="required", severity="error", says=_may_omit, help=_ALWAYS_SEND
    ),
    (NullableDiffers, "response"): Judgement(
        kind="nullable", severity="error", says=_may_be_null, help=_NO_NULL
    ),
    (NullableDiffers, "request"): Judgement(
        kind="nullable", severity="error", says=_rejects_null, help=_TAKE_NULL
    ),
    (NullableDiffers, "consumer"): Judgement(
        kind="nullable", severity="error", says=_rejects_null, help=_TAKE_NULL
    ),
    (NullableDiffers, "model"): Judgement(
        kind="nullable", severity="error", weak="warning", says=_null_in_model, help=_NO_NULL
    ),
    (EnumDiffers, "response"): Judgement(
        kind="enum", severity="error", says=_allows_values, help=_VALUES
    ),
    (EnumDiffers, "request"): Judgement(
        kind="enum", severity="error", weak="warning", says=_rejects_values, help=_VALUES
    ),
    (EnumDiffers, "consumer"): Judgement(
        kind="enum", severity="error", weak="warning", says=_reads_values, help=_VALUES
    ),
    (EnumDiffers, "model"): Judgement(
        kind="enum", severity="error", says=_allows_values, help=_VALUES
    ),
}
"""Every sort of difference in every direction it can arise in."""
