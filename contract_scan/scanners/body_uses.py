"""What the uses of a request body settle that its declared type leaves open.

A type that nothing checks refuses no request: that it names a field, or allows no null, proves
nothing. What the handler does with the body does: a part that is taken apart fails on null, a key
without which the request is answered with an error is needed, and one that is read behind guards
alone is not. `Body.uses` is that, as a shape in which every type will do.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from contract_scan.ir.evidence import at_least
from contract_scan.ir.schema import Array, Object, Schema
from contract_scan.scanners.differences import (
    Comparison,
    Difference,
    FieldExtra,
    NullableDiffers,
    RequiredDiffers,
)
from contract_scan.scanners.finding_builder import Subject, grade_of

_STEP = re.compile(r"\[\]|\{\}|[^.\[\]{}]+")


def without_settled(comparison: Comparison, uses: Schema, subject: Subject) -> Comparison:
    """The comparison with the declared type, without what the uses of the body prove or refute: if
    they prove it, they are compared on their own."""
    left = tuple(
        item
        for item in comparison.differences
        if at_least(grade_of(subject, item), "checked") or _is_needed(item, uses) is None
    )
    return replace(comparison, differences=left)


def needs_body(uses: Schema) -> bool | None:
    """Whether requests without any body fail: a server makes an empty object of none, so some key
    has to be needed. None: neither that nor the contrary is proved."""
    match uses:
        case Object(fields=fields, incomplete_reason=partial):
            needs = [field.required for field in fields]
            if any(needs):
                return True
            return None if partial or None in needs else False
        case _:
            return False if uses.nullable else None


def proved_differences(comparison: Comparison) -> Comparison:
    """Of the comparison with the uses of a body the differences that they prove: fields the code
    needs, and where null fails."""
    needs = tuple(
        replace(item, evidence="enforced")
        for item in comparison.differences
        if _is_a_need(item) and item.path
    )
    return Comparison(differences=needs)


def _is_a_need(difference: Difference) -> bool:
    return isinstance(difference, RequiredDiffers | NullableDiffers) or (
        isinstance(difference, FieldExtra) and difference.needed
    )


def _is_needed(difference: Difference, uses: Schema) -> bool | None:
    """Whether requests without the field, or with null in its place, fail; None: neither that they
    do nor that they do not is proved, or the difference is about something else."""
    if not _is_a_need(difference):
        return None
    about_null = isinstance(difference, NullableDiffers)
    current: Schema = uses
    required: bool | None = None
    for step in _STEP.findall(difference.path):
        if isinstance(current, Array) and step == "[]":
            current, required = current.items, None
        elif isinstance(current, Object) and step not in ("[]", "{}"):
            field = next((field for field in current.fields if field.name == step), None)
            if field is None:
                return None if current.incomplete_reason else False  # nothing reads it
            current, required = field.schema, field.required
        else:
            return None
    if about_null:
        return None if current.nullable is None else not current.nullable
    return required
