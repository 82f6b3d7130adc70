"""Whether what is read is validated (`@Valid`): only then must constrained properties be given,
and only those that have no value of their own."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from contract_scan.ir.evidence import Grade
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    New,
)
from contract_scan.parsers.source.java.resolution.annotations import argument, find, flag, has
from contract_scan.parsers.source.java.serialization.jackson.properties import Chain, Property
from contract_scan.parsers.source.java.serialization.nullness import forbids_null

_MARK = "valid"
_SUGGEST = frozenset({"NotNull", "Nonnull", "NotBlank", "NotEmpty", "Column", "JoinColumn"})
"""Annotations that say that there is no null, and see to nothing by themselves."""


def validated_variant(variant: str, annotations: Iterable[Annotation]) -> str:
    """The variant of a body that is read, by the annotations of its parameter."""
    if not has(annotations, "Valid", "Validated"):
        return variant
    return f"{variant};{_MARK}" if variant else _MARK


def must_be_given(use: TypeUse, chain: Chain, found: Property) -> bool:
    """Whether input without the property is refused: constraints count where it is validated, and
    where the object does not come with a value that satisfies them."""
    annotations = found.annotations()
    if flag(argument(find(annotations, "JsonProperty"), "required")):
        return True
    if not is_validated(use.variant) or not forbids_null(annotations):
        return False
    if found.of_kind("creator"):
        return True  # it is handed null
    initial = _initial(use, chain, found.name)
    return initial is None or not _satisfies(initial, annotations)


def null_known(use: TypeUse, annotations: Iterable[Annotation]) -> Grade | None:
    """How it is known that a property which is read takes no null, where an annotation says so:
    only what is validated is held against it. Lombok writes a check for `@NonNull`."""
    written = tuple(annotations)
    if not has(written, *_SUGGEST) or has(written, "NonNull"):
        return None
    return "enforced" if is_validated(use.variant) else "declared"


def _initial(use: TypeUse, chain: Chain, name: str) -> Expr | None:
    """What a field holds in an object that was just made without arguments."""
    for symbol, scope in chain:
        member = next((m for m in symbol.decl.members if m.name == name), None)
        if member is None:
            continue
        # A builder knows the values of fields only that are marked as its defaults.
        is_built = has(symbol.decl.annotations, "Jacksonized") and not has(
            member.annotations, "Default"
        )
        if is_built or "static" in member.modifiers:
            return None
        for method in symbol.decl.methods:
            if "constructor" in method.modifiers and not method.params:
                for statement in use.program.body(method, scope.file):
                    if isinstance(statement, Assign) and _names(statement.target, name):
                        return statement.value
        return member.value
    return None


def _names(target: Expr, name: str) -> bool:
    match target:
        case Name(id=written):
            return written == name
        case Attribute(value=Name(id="this"), name=written):
            return written == name
        case _:
            return False


def _satisfies(initial: Expr, annotations: Iterable[Annotation]) -> bool:
    """Whether a first value keeps the constraints that null would break."""
    written = tuple(annotations)
    if isinstance(initial, LiteralExpr):
        if initial.value is None:
            return False
        text = initial.value if isinstance(initial.value, str) else "set"
        return bool(text.strip()) or not has(written, "NotBlank", "NotEmpty")
    # A collection that was just made is seldom anything but empty.
    return not has(written, "NotEmpty", "NotBlank") or not isinstance(initial, New | Call)


def is_validated(variant: str) -> bool:
    """Whether constraints count."""
    return _MARK in variant.split(";")


def without_validation(use: TypeUse) -> TypeUse:
    """The same use for a property whose value is not validated in turn."""
    parts = [part for part in use.variant.split(";") if part != _MARK]
    variant = ";".join(parts)
    return use if variant == use.variant else replace(use, variant=variant)
