"""Whether what is read is validated (`@Valid`): only then must constrained properties be given,
and only those that have no value of their own."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from contract_scan.ir.evidence import Grade
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
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
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    find,
    flag,
    has,
    items,
    type_name,
)
from contract_scan.parsers.source.java.serialization.constraints import (
    GROUPS,
    in_groups,
    refuses_null,
    whole_refuses_absence,
)
from contract_scan.parsers.source.java.serialization.jackson.properties import Chain, Property
from contract_scan.parsers.source.java.serialization.nullness import forbids_null, is_primitive

_MARK = "valid"
_OPEN_MARK = "valid?"
_SUGGEST = frozenset({"NotNull", "Nonnull", "NotBlank", "NotEmpty", "Column", "JoinColumn"})
"""Annotations that say that there is no null, and see to nothing by themselves."""


def validated_variant(
    program: Program, variant: str, written: Iterable[tuple[Annotation, Scope]]
) -> str:
    """The variant of a body that is read, by the annotations of its parameter. `@Validated` may
    name groups: constraints of these count, and of those that they extend."""
    found = [each for each in written if has(each[:1], "Valid", "Validated")]
    groups: set[str] = set()
    for annotation, scope in found:
        for type in map(class_argument, items(argument(annotation, "value", "groups"))):
            symbol = program.names.declared_class(type, scope)
            groups.add(type_name(type))
            for each in (symbol, *program.bases(symbol)) if symbol is not None else ():
                groups |= {type_name(base) for base in each.decl.bases}
    variant = f"{variant};{GROUPS}{'+'.join(sorted(groups))}" if groups else variant
    return with_validation(variant, bool(found))


def with_validation(variant: str, validated: bool | None) -> str:
    """The variant of what is read and then validated, or not, or perhaps (None)."""
    if validated is False:
        return variant
    mark = _MARK if validated else _OPEN_MARK
    return f"{variant};{mark}" if variant else mark


def must_be_given(use: TypeUse, chain: Chain, found: Property) -> tuple[bool, Reason]:
    """Whether input without the property is refused, or why that is undetermined: constraints count
    where it is validated, and where the object does not come with a value that satisfies them."""
    annotations = found.annotations()
    if flag(argument(find(annotations, "JsonProperty"), "required")):
        return True, NO_REASON
    if is_validated(use.variant):
        return _is_refused(use, chain, found)
    if _OPEN_MARK in use.variant.split(";") and _is_refused(use, chain, found) != (
        False,
        NO_REASON,
    ):
        return False, Reason("method-may-require", method="validate")
    return False, NO_REASON


def _is_refused(use: TypeUse, chain: Chain, found: Property) -> tuple[bool, Reason]:
    """Whether validation refuses an object that was read without the property, or why that is
    undetermined."""
    annotations = in_groups(found.annotations(), use.variant)
    is_number = is_primitive(found.accessors[0].type)
    # What a creator takes is handed null.
    initial = None if found.of_kind("creator") else _initial(use, chain, found.name)
    if is_number and initial is None:
        if _forbids_zero(annotations):
            return True, NO_REASON
    elif forbids_null(annotations) and (initial is None or not _satisfies(initial, annotations)):
        return True, NO_REASON
    refused, by = whole_refuses_absence(use.program, chain, found.name, use.variant)
    is_null = initial is None or (isinstance(initial, LiteralExpr) and initial.value is None)
    if refused is not True and is_null and not is_number:
        for accessor in found.accessors:
            counting = in_groups(accessor.annotations, use.variant)
            own, name = refuses_null(use.program, counting, accessor.scope)
            refused = own or (refused if own is False else None)
            by = name or by
            if refused:
                break
    if refused is None:
        return False, Reason("method-may-require", method=by)
    return refused, NO_REASON


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


def _forbids_zero(annotations: Iterable[Annotation]) -> bool:
    """Whether constraints refuse what a primitive holds that nothing sets: 0 or false. Null, which
    it never is, they may forbid."""
    written = tuple(annotations)
    least = argument(find(written, "Min"), "value")
    above_zero = isinstance(least, LiteralExpr) and isinstance(least.value, int) and least.value > 0
    return above_zero or has(written, "Positive", "AssertTrue")


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
    parts = [
        part
        for part in use.variant.split(";")
        if part not in (_MARK, _OPEN_MARK) and not part.startswith(GROUPS)
    ]
    variant = ";".join(parts)
    return use if variant == use.variant else replace(use, variant=variant)
