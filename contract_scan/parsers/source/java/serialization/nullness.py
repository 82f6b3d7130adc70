"""Whether values of a Java member may be null: what its type and annotations say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Member,
    NamedType,
    NullableType,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import argument, find, flag, has

PRIMITIVES = frozenset({"boolean", "byte", "short", "int", "long", "float", "double", "char"})
NEVER_NULL = frozenset({"NotNull", "NonNull", "Nonnull", "NotBlank", "NotEmpty"})
"""Simple names of the annotations of all libraries that forbid null."""
MAY_BE_NULL = frozenset({"Nullable", "CheckForNull"})
_OPTIONALS = frozenset(
    {"Optional", "OptionalInt", "OptionalLong", "OptionalDouble", "JsonNullable"}
)


def is_primitive(type: TypeExpr | None) -> bool:
    """Whether a type is one of the eight that know no null."""
    return isinstance(type, NamedType) and type.name in PRIMITIVES


def is_optional(type: TypeExpr | None) -> bool:
    """Whether a type is `Optional` or one of its kin."""
    return isinstance(type, NamedType) and type.name.rpartition(".")[2] in _OPTIONALS


def nullness(type: TypeExpr | None, annotations: Iterable[Annotation]) -> bool | None:
    """True: null is foreseen. False: it cannot be. None: nothing is said."""
    written = tuple(annotations)
    if is_primitive(type):
        return False
    if is_optional(type) or isinstance(type, NullableType) or has(written, *MAY_BE_NULL):
        return True
    return False if forbids_null(written) else _null_in_column(written)


def _null_in_column(annotations: Iterable[Annotation]) -> bool | None:
    """Whether it is written down that a database takes null for a member; None: it is not."""
    column = find(annotations, "Column", "JoinColumn")
    relation = find(annotations, "ManyToOne", "OneToOne", "Basic")
    told = [argument(column, "nullable"), argument(relation, "optional")]
    stated = [flag(each) for each in told if each is not None]
    return all(stated) if stated else None


_BOUND = frozenset({"PathVariable", "RequestParam", "RequestHeader", "CookieValue", "RequestBody"})
"""Annotations of parameters that Spring gives no null unless it is told that they may lack."""


def annotated_null(annotations: Sequence[Annotation]) -> bool | None:
    """Whether the parameter, the field or the result of a method that bears annotations may be
    null, or never is; None: they do not say. A path always has its parameters."""
    if has(annotations, *MAY_BE_NULL):
        return True
    if has(annotations, "PathParam") or forbids_null(annotations):
        return False
    bound = find(annotations, *_BOUND)
    is_bound = bound is not None and flag(argument(bound, "required"), default=True)
    return False if is_bound else True if _null_in_column(annotations) else None


def kept_not_null(program: Program, owner: ClassSymbol, member: Member) -> bool:
    """Whether no object that was read from a database has null in a member: in its key, or in a
    column that is declared not to take null (`Id` and `Column` of Jakarta Persistence, `Id` of
    Spring Data); or in one that does not say that it may be null, of a class of which others do or
    which is marked so, with its package (`@NullMarked` of JSpecify, `@NonNullApi` of Spring).
    What a client may send as such an object may have null there."""
    is_kept = has(member.annotations, *_KEYS) or _null_in_column(member.annotations) is False
    others = (each for each in owner.decl.members if each is not member)
    says_all = any(has(each.annotations, *MAY_BE_NULL) for each in others) or (
        owner.file.package in _null_marked_packages(program) or has(owner.decl.annotations, *_MARKS)
    )
    if not is_kept and says_all:
        is_kept = annotated_null(member.annotations) is None
    return is_kept and owner.decl.name not in _types_of_bodies(program)


_KEYS = frozenset({"Id", "EmbeddedId"})
_MARKS = ("NullMarked", "NonNullApi", "NonNullFields", "NonNullByDefault")
"""Annotations by which types are without null unless they say otherwise."""


@memoised
def _null_marked_packages(program: Program) -> frozenset[str]:
    """The packages whose `package-info.java` bears one of the marks."""
    return frozenset(
        program.facts(path).package
        for mark in _MARKS
        for path in program.files_with_word(mark)
        if path.endswith("package-info.java")
    )


@memoised
def _types_of_bodies(program: Program) -> frozenset[str]:
    """The simple names of all types that handlers read bodies as."""
    return frozenset(
        node.name.rpartition(".")[2]
        for path in program.files_with_word("RequestBody")
        for symbol in program.names.classes.of_file(program.facts(path))
        for method in symbol.decl.methods
        for parameter in method.params
        if has(parameter.annotations, "RequestBody")
        for node in nodes_of(parameter.type)
        if isinstance(node, NamedType)
    )


def forbids_null(annotations: Iterable[Annotation]) -> bool:
    """Whether an annotation says that a value must be there: of constraints those that count
    always, not in some groups alone."""
    return any(
        has([annotation], *NEVER_NULL) and argument(annotation, "groups") is None
        for annotation in annotations
    )
