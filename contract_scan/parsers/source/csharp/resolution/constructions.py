"""Where the objects of a class are made, and what each of them is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Call,
    Expr,
    FileFacts,
    Function,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)

_MEMORY = "csharp.constructions"


def initial_values(
    program: Program, symbol: ClassSymbol, member: str
) -> list[tuple[Expr | None, Scope]]:
    """What the project gives a member wherever it makes an object of a class (`new Error { Code =
    code }`), None where it gives nothing. Empty where others may make objects too, or may set the
    member later."""
    found: list[tuple[Expr | None, Scope]] = []
    for made, scope in _constructions(program, symbol):
        values = [entry.value for entry in made.entries if entry.key == member]
        found.append((values[0] if values else None, scope))
    # All files are searched for it, so what is known without that is asked first.
    may_be_set = bool(found) and all(value is not None for value, _ in found)
    if may_be_set and program.any_file_contains(
        f".{member} = ".encode(), f".{member} ??= ".encode()
    ):
        return []
    return found


def _constructions(program: Program, symbol: ClassSymbol) -> tuple[tuple[New, Scope], ...]:
    known = cast("dict[str, tuple[tuple[New, Scope], ...]]", program.memory.setdefault(_MEMORY, {}))
    if symbol.key not in known:
        known[symbol.key] = tuple(_all_constructions(program, symbol) or ())
    return known[symbol.key]


def _all_constructions(program: Program, symbol: ClassSymbol) -> list[tuple[New, Scope]] | None:
    """Every `new` of a class; None where not all of them are seen."""
    if symbol.decl.kind != "class" or program.names.classes.implementations(symbol):
        return None
    found: list[tuple[New, Scope]] = []

    def makes(call: Call | New, scope: Scope) -> bool:
        if isinstance(call, Call):  # `Deserialize<Error>(text)`, `mapper.Map<Error>(row)`
            return any(_means(program, type, scope, symbol) for type in call.type_args)
        if call.type is None:  # `new()`: of what is told by where it goes
            return _may_make(call, symbol)
        return _means(program, call.type, scope, symbol)

    for path in program.files_with_word(symbol.decl.name):
        file = program.facts(path)
        if _is_made_by_others(program, file, symbol):
            return None
        name = symbol.decl.name.encode()
        for call, scope in calls_of(program, file, b"new", name, wanted=makes):
            if makes(call, scope):
                if isinstance(call, Call) or call.type is None:
                    return None
                found.append((call, scope))
    return found


def _is_made_by_others(program: Program, file: FileFacts, symbol: ClassSymbol) -> bool:
    """Whether a file hands a class to what may make objects of it: as the parameter of a handler,
    or as the type argument of a library's class that is a member (`DbSet<Error>`)."""
    for owner in program.classes(file):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            for type in _arguments(program, member.type, scope):
                if _means(program, type, scope, symbol):
                    return True
        if any(_is_parameter(program, method, scope, symbol) for method in owner.decl.methods):
            return True
    module = program.module_scope(file)
    return any(_is_parameter(program, function, module, symbol) for function in file.functions)


def _may_make(made: New, symbol: ClassSymbol) -> bool:
    """Whether `new()` may make an object of a class: one without constructors takes no arguments,
    and an initialiser sets members that are there."""
    takes = any("constructor" in method.modifiers for method in symbol.decl.methods)
    members = {member.name for member in symbol.decl.members}
    keys = {entry.key for entry in made.entries if entry.key is not None}
    is_open = bool(symbol.decl.bases) or "partial" in symbol.decl.modifiers
    return is_open or ((takes or not made.args) and keys <= members)


def _is_parameter(program: Program, function: Function, scope: Scope, symbol: ClassSymbol) -> bool:
    """Whether a class is that of a parameter which others than the project may give."""
    if "constructor" in function.modifiers or not any(
        parameter.type is not None and _means(program, parameter.type, scope, symbol)
        for parameter in function.params
    ):
        return False
    name = function.name.encode()
    called = (before + name + b"(" for before in (b".", b" = ", b"return ", b"await "))
    return bool(function.annotations) or not name or not program.any_file_contains(*called)


_LISTS = ("List", "IList", "IEnumerable", "IReadOnlyList", "ICollection", "IReadOnlyCollection")


def _arguments(program: Program, type: TypeExpr | None, scope: Scope) -> Iterator[TypeExpr]:
    """The type arguments of a type that is no plain list."""
    inner = type.item if isinstance(type, NullableType) else type
    if isinstance(inner, NamedType) and inner.name.rpartition(".")[2].partition("`")[0] not in (
        _LISTS
    ):
        yield from inner.args


def _means(program: Program, type: TypeExpr, scope: Scope, symbol: ClassSymbol) -> bool:
    """Whether a type is a class, or a list of it."""
    while isinstance(type, NullableType | ArrayType):
        type = type.item
    if not isinstance(type, NamedType):
        return False
    if any(_means(program, argument, scope, symbol) for argument in type.args):
        return True
    found = program.names.declared_class(type, scope)
    return found is not None and found.key == symbol.key
