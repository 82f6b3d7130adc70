"""Whether values of a Java member may be null: what its type and annotations say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.analysis.typing.object_shapes import is_never_null
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Attribute,
    Call,
    Evaluate,
    Expr,
    Function,
    Member,
    Name,
    NamedType,
    NullableType,
    Param,
    Statement,
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


def never_given_null(program: Program, owner: ClassSymbol, name: str) -> bool:
    """Whether a member that is set once is null in no object of a class, since every constructor
    throws where it would be (`Objects.requireNonNull(name)`), or sets it to something else then."""
    member = next((one for one in owner.decl.members if one.name == name), None)
    if member is None or not (member.kind == "parameter" or "final" in member.modifiers):
        return False
    if program.language.implicit_constructors(program, owner):
        return False  # Lombok's
    makers = [one for one in owner.decl.methods if "constructor" in one.modifiers]
    bodies = [(one, program.body(one, owner.file)) for one in makers]
    ends = [_set_last(owner, one, body, name) for one, body in bodies if not _hands_on(body)]
    inside = program.class_scope(owner)
    return bool(ends) and all(
        end is not None
        and is_never_null(program, program.evaluate(end[1], program.function_scope(end[0], inside)))
        for end in ends
    )


def _hands_on(body: tuple[Statement, ...]) -> bool:
    """Whether a constructor begins with a call of another one of its class."""
    match body[:1]:
        case (Evaluate(value=Call(callee=Name(id="this"))),):
            return True
        case _:
            return False


def _set_last(
    owner: ClassSymbol, maker: Function, body: tuple[Statement, ...], name: str
) -> tuple[Function, Expr] | None:
    """What a constructor sets a member to, with the constructor: a compact one of a record with the
    parameters that it has, the last value of the one of that name."""
    if owner.decl.kind == "record" and not maker.params:
        params = tuple(
            Param(name=one.name, type=one.type, span=one.span)
            for one in owner.decl.members
            if one.kind == "parameter"
        )
        end = Span(line=maker.span.end_line, column=0, end_line=maker.span.end_line, end_column=0)
        return replace(maker, params=params), Name(id=name, span=end)
    hidden = any(one.name == name for one in maker.params)
    found = [one for one in body if isinstance(one, Assign) and _is_own(one.target, name, hidden)]
    value = found[-1].value if found else None
    return None if value is None else (maker, value)


def _is_own(target: Expr, name: str, hidden: bool) -> bool:
    match target:
        case Attribute(value=Name(id="this"), name=written):
            return written == name
        case Name(id=written):
            return written == name and not hidden
        case _:
            return False


def forbids_null(annotations: Iterable[Annotation]) -> bool:
    """Whether an annotation says that a value must be there: of constraints those that count
    always, not in some groups alone."""
    return any(
        has([annotation], *NEVER_NULL) and argument(annotation, "groups") is None
        for annotation in annotations
    )
