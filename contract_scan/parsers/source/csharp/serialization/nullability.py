"""Whether a value of a declared C# type may be null."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ClassValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.configuration import is_switched_on
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.serialization.library_types import is_value
from contract_scan.parsers.source.facts.nodes import (
    FileFacts,
    NamedType,
    NullableType,
    TupleType,
    TypeExpr,
    TypeParam,
)

_MAX_HOPS = 5
_STRUCT = NamedType(name="struct")
"""What a type parameter is bound by in `where T : struct`."""


_NOTHING_IMPLIED = b"SuppressImplicitRequiredAttributeForNonNullableReferenceTypes"
INVALID_PASSES = b"SuppressModelStateInvalidFilter"
"""What switches the refusal of invalid requests off, by controllers of APIs."""


def validates(program: Program) -> bool:
    """Whether nothing keeps controllers from looking for null where a type does not allow it."""
    return not is_switched_on(program, INVALID_PASSES) and implies_required(program)


def implies_required(program: Program) -> bool:
    """Whether types that allow no null count as `[Required]` in model validation."""
    return not is_switched_on(program, _NOTHING_IMPLIED)


def may_be_null(program: Program, type: TypeExpr, scope: Scope) -> bool | None:
    """True: written with `?`. False: a value type, or a reference type where the compiler checks
    for null. None: a reference type where nothing says so."""
    for _ in range(_MAX_HOPS):
        if isinstance(type, NullableType):
            if adds_null(program, type.item, scope):
                return True
            type = type.item
        if not isinstance(type, NamedType):
            return False if isinstance(type, TupleType) else _of_references(program, type, scope)
        if type.name.rsplit(".", 1)[-1] == "Nullable`1":
            return True
        found = program.names.lookup_type(type.name, scope)
        match found:
            case BoundType(type=inner, scope=inside):
                type, scope = inner, inside
                continue
            case ClassValue(symbol=symbol) if _is_value(symbol.decl.kind, symbol.decl.modifiers):
                return False
            case LibrarySymbol(name=name) if is_value(program, name, scope.file):
                return False
            case _:
                return _of_references(program, type, scope)
    return None


def adds_null(program: Program, item: TypeExpr, scope: Scope) -> bool:
    """Whether `T?` may be null although `T` may not. Of a type parameter that stands for values it
    is the type itself (`bool` where `T` is `bool`), unless `T` is constrained to structs."""
    if not isinstance(item, NamedType) or item.name not in scope.types:
        return True
    if any(param.bound == _STRUCT for param in _parameters(scope) if param.name == item.name):
        return True
    return not is_value_type(program, item, scope)


def is_null_by_default(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether `default` is null where a type is expected."""
    if isinstance(type, NullableType):
        return adds_null(program, type.item, scope)
    return not is_value_type(program, type, scope)


def _parameters(scope: Scope) -> Iterator[TypeParam]:
    current: Scope | None = scope
    while current is not None:
        if current.function is not None:
            yield from current.function.type_params
        if current.owner is not None:
            yield from current.owner.decl.type_params
        current = current.parent


def is_value_type(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether values of a type are never references (numbers, structs, enums, dates)."""
    if isinstance(type, NullableType):
        return is_value_type(program, type.item, scope)
    if not isinstance(type, NamedType):
        return isinstance(type, TupleType)
    found = program.names.lookup_type(type.name, scope)
    match found:
        case ClassValue(symbol=symbol):
            return _is_value(symbol.decl.kind, symbol.decl.modifiers)
        case BoundType(type=inner, scope=inside):
            return inner != type and is_value_type(program, inner, inside)
        case LibrarySymbol(name=name):
            return is_value(program, name, scope.file)
        case _:
            return False


def is_plain_value_type(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether no value of a type is null because of its kind: `int`, not `int?`."""
    return not isinstance(type, NullableType) and is_value_type(program, type, scope)


def is_generic_reference(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether a type is a type parameter that stands for references."""
    if not isinstance(type, NamedType) or type.name not in scope.types:
        return False
    return not is_value_type(program, type, scope)


def _is_value(kind: str, modifiers: tuple[str, ...]) -> bool:
    return kind in ("struct", "enum") or (kind == "record" and "struct" in modifiers)


def _of_references(program: Program, type: TypeExpr, scope: Scope) -> bool | None:
    return False if is_nullable_enabled(program, scope.file, type.span.line) else None


def is_nullable_enabled(program: Program, file: FileFacts, line: int) -> bool:
    """Whether nullable reference types are enabled at a line of a file."""
    setting = ""
    for at, word in file.nullability:
        if at <= line:
            setting = word
    if setting in ("enable", "disable"):
        return setting == "enable"
    project = project_of(program, file.path)
    if project.nullable is not None:
        return project.nullable
    # They are off unless a project file switches them on; the compiler warns of `string?` then.
    return not project.name and project.folder in _annotated_projects(program)


@memoised
def _annotated_projects(program: Program) -> frozenset[str]:
    """Folders of the projects in which a reference type is written with `?`."""
    return frozenset(
        project_of(program, path).folder
        for path in program.files_containing(b"string? ", b"object? ")
    )
