"""The vocabulary of differences between two revisions of a contract: facts, no judgement."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import Origin

Direction: TypeAlias = Literal["request", "response", "model"]
"""Who makes the values: the users of the contract (`request`), its owner (`response`), or either
(`model`, a JSON Schema of which nothing says who writes and who reads)."""

Effect: TypeAlias = Literal["narrowed", "widened", "changed", "none"]
"""What a difference does to the set of values that fit: fewer, more, others, the same."""


class Difference(Struct, frozen=True, kw_only=True):
    """One fact that two revisions state differently."""

    kind: str
    """A key of `KINDS` of the judgements."""
    base: Origin
    revision: Origin
    """Where each says it; where it says nothing, what is around that."""
    path: str = ""
    """Wire path below the body or parameter: `.a.b`, `[]`, `{}`."""
    before: str = ""
    after: str = ""


EFFECTS: dict[str, Effect] = {
    "type-changed": "changed",
    "type-narrowed": "narrowed",
    "type-widened": "widened",
    "null-forbidden": "narrowed",
    "null-allowed": "widened",
    "format-added": "narrowed",
    "format-removed": "widened",
    "format-changed": "changed",
    "format-narrowed": "narrowed",
    "format-widened": "widened",
    "const-added": "narrowed",
    "const-removed": "widened",
    "const-changed": "changed",
    "enum-added": "narrowed",
    "enum-removed": "widened",
    "enum-value-removed": "narrowed",
    "enum-value-added": "widened",
    "extensible-value-removed": "narrowed",
    "extensible-value-added": "none",
    "lower-bound-raised": "narrowed",
    "lower-bound-lowered": "widened",
    "lower-bound-added": "narrowed",
    "lower-bound-removed": "widened",
    "upper-bound-lowered": "narrowed",
    "upper-bound-raised": "widened",
    "upper-bound-added": "narrowed",
    "upper-bound-removed": "widened",
    "min-length-raised": "narrowed",
    "min-length-lowered": "widened",
    "max-length-lowered": "narrowed",
    "max-length-raised": "widened",
    "max-length-added": "narrowed",
    "max-length-removed": "widened",
    "min-items-raised": "narrowed",
    "min-items-lowered": "widened",
    "max-items-lowered": "narrowed",
    "max-items-raised": "widened",
    "max-items-added": "narrowed",
    "max-items-removed": "widened",
    "min-properties-raised": "narrowed",
    "min-properties-lowered": "widened",
    "max-properties-lowered": "narrowed",
    "max-properties-raised": "widened",
    "max-properties-added": "narrowed",
    "max-properties-removed": "widened",
    "min-contains-raised": "narrowed",
    "min-contains-lowered": "widened",
    "max-contains-lowered": "narrowed",
    "max-contains-raised": "widened",
    "max-contains-added": "narrowed",
    "max-contains-removed": "widened",
    "multiple-of-added": "narrowed",
    "multiple-of-removed": "widened",
    "multiple-of-changed": "changed",
    "pattern-added": "narrowed",
    "pattern-removed": "widened",
    "pattern-changed": "changed",
    "unique-items-added": "narrowed",
    "unique-items-removed": "widened",
    "required-property-added": "narrowed",
    "optional-property-added": "none",
    "property-admitted": "widened",
    "required-property-removed": "widened",
    "optional-property-removed": "none",
    "property-refused": "narrowed",
    "property-became-required": "narrowed",
    "property-became-optional": "widened",
    "property-became-read-only": "none",
    "property-no-longer-read-only": "none",
    "required-property-no-longer-read-only": "narrowed",
    "property-became-write-only": "none",
    "required-property-became-write-only": "widened",
    "property-no-longer-write-only": "none",
    "further-properties-forbidden": "narrowed",
    "further-properties-allowed": "widened",
    "pattern-property-added": "narrowed",
    "pattern-property-removed": "widened",
    "property-names-added": "narrowed",
    "property-names-removed": "widened",
    "tuple-item-added": "changed",
    "tuple-item-removed": "changed",
    "further-items-forbidden": "narrowed",
    "further-items-allowed": "widened",
    "contains-added": "narrowed",
    "contains-removed": "widened",
    "alternative-removed": "narrowed",
    "alternative-added": "widened",
    "choice-added": "narrowed",
    "choice-removed": "widened",
    "choice-became-exclusive": "narrowed",
    "choice-no-longer-exclusive": "widened",
    "discriminator-added": "none",
    "discriminator-removed": "none",
    "discriminator-changed": "changed",
    "discriminator-value-added": "none",
    "discriminator-value-removed": "none",
    "discriminator-value-changed": "none",
    "condition-added": "narrowed",
    "condition-removed": "widened",
    "condition-changed": "changed",
    "dependent-required-added": "narrowed",
    "dependent-required-removed": "widened",
    "dependent-schema-added": "narrowed",
    "dependent-schema-removed": "widened",
    "content-encoding-changed": "changed",
    "content-media-type-changed": "changed",
    "content-schema-added": "narrowed",
    "content-schema-removed": "widened",
    "default-added": "none",
    "default-removed": "none",
    "default-changed": "none",
    "deprecated": "none",
    "no-longer-deprecated": "none",
    "sunset-added": "none",
    "sunset-removed": "none",
    "sunset-changed": "none",
}
"""Kinds of differences between schemas -> what they do to the values that fit."""
