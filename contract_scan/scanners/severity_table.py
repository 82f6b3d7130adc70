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

Words: TypeAlias = Callable[[Difference, str], str]
"""(difference, field for people) -> the rest of a sentence that begins with the subject."""


class Judgement(Struct, frozen=True, kw_only=True):
    """How one sort of difference is judged in one direction."""

    kind: Kind
    severity: Severity
    weak: Severity | None = None
    """Severity where the receiver tolerates the difference."""
    says: Words
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
    """The finding in one sentence."""
    row = JUDGEMENTS[type(difference), direction]
    return f"{subject} {row.says(difference, field_text(difference.path))}"


def field_text(path: str) -> str:
    """A wire path as it is named in a sentence."""
    return f"`{path}`" if path else "the body"


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


def _missing_field_text(difference: Difference, field: str) -> str:
    return f"lacks {field}, which the contract requires ({difference.expected})"


def _ignores(difference: Difference, field: str) -> str:
    assert isinstance(difference, FieldMissing)
    if difference.rejected:
        return f"refuses {field}, which the contract allows ({difference.expected})"
    return f"does not read {field}, which the contract requires ({difference.expected})"


def _adds(difference: Difference, field: str) -> str:
    assert isinstance(difference, FieldExtra)
    if difference.write_only:
        return f"has {field}, which the contract marks writeOnly"
    if difference.forbidden:
        return f"has {field}, and the contract forbids further properties"
    return f"has {field}, which the contract does not mention"


def _reads(difference: Difference, field: str) -> str:
    assert isinstance(difference, FieldExtra)
    verb = "needs" if difference.needed else "reads"
    return f"{verb} {field} ({difference.found}), which the contract does not mention"


def _needs(difference: Difference, field: str) -> str:
    return f"needs {field} ({difference.found}), which the contract does not mention"


def _cases(difference: Difference, _field: str) -> str:
    return (
        f"calls `{difference.found}` what the contract calls `{difference.expected}`: "
        "the same words in another case style"
    )


def _types(difference: Difference, field: str) -> str:
    return f"has {difference.found} for {field}; the contract says {difference.expected}"


def _may_omit(_difference: Difference, field: str) -> str:
    return f"may leave out {field}, which the contract requires"


def _insists(_difference: Difference, field: str) -> str:
    return f"needs {field}, which the contract lets clients leave out"


def _null_sent(_difference: Difference, field: str) -> str:
    return f"may be null at {field}, and the contract does not allow null there"


def _null_refused(_difference: Difference, field: str) -> str:
    return f"does not take null for {field}, which the contract allows"


def _null_in_model(difference: Difference, field: str) -> str:
    assert isinstance(difference, NullableDiffers)
    says = _null_refused if difference.code_is_stricter else _null_sent
    return says(difference, field)


def _values_sent(difference: Difference, field: str) -> str:
    assert isinstance(difference, EnumDiffers)
    parts = []
    if difference.values:
        parts.append(f"allows {values_text(difference.values)} for {field}, not in the contract")
    if difference.lacking:
        parts.append(f"cannot hold {values_text(difference.lacking)} for {field}")
    return "; it ".join(parts)


def _values_read(difference: Difference, field: str) -> str:
    assert isinstance(difference, EnumDiffers)
    if difference.lacking and not difference.values:
        return f"knows {values_text(difference.lacking)} for {field}, not in the contract"
    return _values_refused(difference, field)


def _values_refused(difference: Difference, field: str) -> str:
    assert isinstance(difference, EnumDiffers)
    if difference.values:
        values = values_text(difference.values)
        return f"does not take {values} for {field}, which the contract allows"
    return f"takes only {difference.found} for {field}; the contract says {difference.expected}"


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
        kind="missing-field", severity="error", says=_missing_field_text, help=_ADD_FIELD
    ),
    (FieldMissing, "request"): Judgement(
        kind="missing-field", severity="error", weak="warning", says=_ignores, help=_ADD_FIELD
    ),
    (FieldMissing, "consumer"): Judgement(
        kind="missing-field", severity="error", weak="warning", says=_ignores, help=_IN_BOTH
    ),
    (FieldMissing, "model"): Judgement(
        kind="missing-field", severity="error", says=_missing_field_text, help=_ADD_FIELD
    ),
    (FieldExtra, "response"): Judgement(
        kind="extra-field", severity="error", weak="warning", says=_adds, help=_NAME_FIELD
    ),
    (FieldExtra, "request"): Judgement(
        kind="extra-field", severity="error", weak="warning", says=_needs, help=_NAME_FIELD
    ),
    (FieldExtra, "consumer"): Judgement(
        kind="extra-field", severity="error", weak="warning", says=_reads, help=_NAME_FIELD
    ),
    (FieldExtra, "model"): Judgement(
        kind="extra-field", severity="error", weak="warning", says=_adds, help=_NAME_FIELD
    ),
    (NameCase, "response"): Judgement(
        kind="name-case", severity="error", says=_cases, help=_RENAME
    ),
    (NameCase, "request"): Judgement(kind="name-case", severity="error", says=_cases, help=_RENAME),
    (NameCase, "consumer"): Judgement(
        kind="name-case", severity="error", says=_cases, help=_RENAME
    ),
    (NameCase, "model"): Judgement(kind="name-case", severity="error", says=_cases, help=_RENAME),
    (TypeDiffers, "response"): Judgement(kind="type", severity="error", says=_types, help=_TYPE),
    (TypeDiffers, "request"): Judgement(kind="type", severity="error", says=_types, help=_TYPE),
    (TypeDiffers, "consumer"): Judgement(kind="type", severity="error", says=_types, help=_TYPE),
    (TypeDiffers, "model"): Judgement(kind="type", severity="error", says=_types, help=_TYPE),
    (ShapeDiffers, "response"): Judgement(kind="shape", severity="error", says=_types, help=_TYPE),
    (ShapeDiffers, "request"): Judgement(kind="shape", severity="error", says=_types, help=_TYPE),
    (ShapeDiffers, "consumer"): Judgement(kind="shape", severity="error", says=_types, help=_TYPE),
    (ShapeDiffers, "model"): Judgement(kind="shape", severity="error", says=_types, help=_TYPE),
    (RequiredDiffers, "response"): Judgement(
        kind="required", severity="error", says=_may_omit, help=_ALWAYS_SEND
    ),
    (RequiredDiffers, "request"): Judgement(
        kind="required", severity="error", says=_insists, help=_ACCEPT_ABSENCE
    ),
    (RequiredDiffers, "model"): Judgement(
        kind="required", severity="error", says=_may_omit, help=_ALWAYS_SEND
    ),
    (NullableDiffers, "response"): Judgement(
        kind="nullable", severity="error", says=_null_sent, help=_NO_NULL
    ),
    (NullableDiffers, "request"): Judgement(
        kind="nullable", severity="error", says=_null_refused, help=_TAKE_NULL
    ),
    (NullableDiffers, "consumer"): Judgement(
        kind="nullable", severity="error", says=_null_refused, help=_TAKE_NULL
    ),
    (NullableDiffers, "model"): Judgement(
        kind="nullable", severity="error", weak="warning", says=_null_in_model, help=_NO_NULL
    ),
    (EnumDiffers, "response"): Judgement(
        kind="enum", severity="error", says=_values_sent, help=_VALUES
    ),
    (EnumDiffers, "request"): Judgement(
        kind="enum", severity="error", weak="warning", says=_values_refused, help=_VALUES
    ),
    (EnumDiffers, "consumer"): Judgement(
        kind="enum", severity="error", weak="warning", says=_values_read, help=_VALUES
    ),
    (EnumDiffers, "model"): Judgement(
        kind="enum", severity="error", says=_values_sent, help=_VALUES
    ),
}
"""Every sort of difference in every direction it can arise in."""
