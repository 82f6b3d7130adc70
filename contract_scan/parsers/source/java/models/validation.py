"""Whether what is read is validated (`@Valid`): only then must constrained properties be given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.parsers.source.java.annotations import has

if TYPE_CHECKING:
    from contract_scan.parsers.source.facts import Annotation
    from contract_scan.parsers.source.link.type_use import TypeUse

_MARK = "valid"


def validated_variant(variant: str, annotations: Iterable[Annotation]) -> str:
    """The variant of a body that is read, by the annotations of its parameter."""
    if not has(annotations, "Valid", "Validated"):
        return variant
    return f"{variant};{_MARK}" if variant else _MARK


def is_validated(variant: str) -> bool:
    """Whether constraints count."""
    return _MARK in variant.split(";")


def without_validation(use: TypeUse) -> TypeUse:
    """The same use for a property whose value is not validated in turn."""
    parts = [part for part in use.variant.split(";") if part != _MARK]
    variant = ";".join(parts)
    return use if variant == use.variant else replace(use, variant=variant)
