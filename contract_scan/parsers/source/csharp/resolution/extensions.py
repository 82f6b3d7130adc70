"""Extension methods: `value.ToDto()` that a static class of the project declares."""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Template,
    Value,
)
from contract_scan.parsers.source.analysis.typing.kinds import kind_of, kind_of_type
from contract_scan.parsers.source.csharp.resolution.modules import (
    imported_namespaces,
    namespaces_around,
)
from contract_scan.parsers.source.csharp.resolution.partial_classes import namespace_of
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.facts.nodes import FileFacts, NamedType, Param

_DECLARATION = re.compile(
    rb"(?<![\w\x80-\xff])([\w\x80-\xff]++)\s*+(?:<[^()<>]{0,200}+>\s*+)?\(\s*+this\s",
)
"""A name with its type parameters, of which none has arguments of its own: those of the type that
the method returns stand before its name."""
THIS = (b"(this ", b"  this ", b"\tthis ")
"""What the text of a file that declares extension methods holds."""


@memoised
def extension_named(program: Program, name: str) -> list[FunctionValue]:
    """The project's extension methods of a name, in path order."""
    return [
        FunctionValue(method, program.class_scope(symbol), symbol)
        for path in _index(program).get(name, ())
        for symbol in program.classes(program.facts(path))
        for method in symbol.decl.methods
        if method.name == name and method.params and "this" in method.params[0].modifiers
    ]


@memoised
def _index(program: Program) -> dict[str, tuple[str, ...]]:
    """Name -> files whose text looks as if it declares an extension method of that name."""
    index: dict[str, dict[str, None]] = {}
    for path in program.files_containing(*THIS):
        for name in program.files.find(path, _DECLARATION):
            index.setdefault(name.decode("utf-8", "replace"), {})[path] = None
    return {name: tuple(paths) for name, paths in index.items()}


def extension_for(
    program: Program, name: str, receiver: Value, arity: int, file: FileFacts
) -> FunctionValue | None:
    """The extension method that `receiver.name(…)` calls in a file; None where none fits for
    certain."""
    candidates = [
        found
        for found in extension_named(program, name)
        if accepts_arity(found.function.params, arity)
    ]
    if not candidates:
        return None
    kind = _constant_kind(receiver) or kind_of(program, receiver)
    if kind is None:
        return None
    if len(candidates) > 1:
        candidates = _in_scope(program, candidates, file)
    depth, names = kind
    if names[-1].endswith("Exception"):
        names = [*names, "Exception"]  # whatever a library calls so inherits from it
    elif not depth:
        names = [*names, *_library_bases(program, receiver)]
    ranked: list[tuple[int, FunctionValue]] = []
    for found in candidates:
        wanted = _extended_kind(program, found)
        if wanted is None or wanted[0] != depth:
            continue
        if wanted[1] == "*":
            ranked.append((1_000, found))
        elif wanted[1] in names:
            ranked.append((names.index(wanted[1]), found))
    if not ranked:
        return None
    best = min(rank for rank, _ in ranked)
    fitting = [found for rank, found in ranked if rank == best]
    return fitting[0] if len(fitting) == 1 or best < 1_000 else None


def _library_bases(program: Program, receiver: Value) -> list[str]:
    """The classes and interfaces of libraries that the class of a value inherits from."""
    symbol = symbol_of(program, receiver)
    if symbol is None:
        return []
    lineage = [symbol, *(base for base, _ in program.names.classes.ancestors(symbol))]
    project = {each.decl.name for each in lineage}
    written = [b.name for each in lineage for b in each.decl.bases if isinstance(b, NamedType)]
    plain = [name.rpartition(".")[2] for name in written if name not in project]
    return [*plain, "ControllerBase"] if "Controller" in plain else plain


_CONSTANTS: dict[type, list[str]] = {
    str: ["string", "String"],
    bool: ["bool", "Boolean"],
    int: ["int", "Int32"],
    float: ["double", "Double"],
}
"""Names of the types that constants are of."""


def _constant_kind(receiver: Value) -> tuple[int, list[str]] | None:
    """The kind of a constant, or of a text with parts: `"Order".ToMessage()`."""
    if isinstance(receiver, Template):
        return 0, _CONSTANTS[str]
    if not isinstance(receiver, Constant) or receiver.declared_type is not None:
        return None
    names = _CONSTANTS.get(type(receiver.value))
    return None if names is None else (0, names)


def visible_extensions(program: Program, name: str, file: FileFacts) -> list[FunctionValue]:
    """The project's extension methods of a name whose namespace stands around a file or is imported
    into it."""
    visible = {*namespaces_around(file), *imported_namespaces(program, file)}
    return [found for found in extension_named(program, name) if _namespace(found) in visible]


def _in_scope(
    program: Program, candidates: list[FunctionValue], file: FileFacts
) -> list[FunctionValue]:
    """Those whose namespace stands around a file or is imported into it, the nearest first; all
    where that is said of none, since a build may import namespaces that nobody sees."""
    names = (*namespaces_around(file), *imported_namespaces(program, file))
    order = {name: place for place, name in reversed(list(enumerate(names)))}
    found = [one for one in candidates if _namespace(one) in order]
    return sorted(found, key=lambda one: order[_namespace(one)]) or candidates


def _namespace(found: FunctionValue) -> str:
    symbol = found.owner
    return "" if symbol is None else namespace_of(symbol)


def accepts_arity(params: tuple[Param, ...], arity: int) -> bool:
    """Whether an extension method may be called with so many arguments behind its receiver."""
    required = sum(p.default is None and p.kind == "" for p in params[1:])
    return required <= arity and (arity < len(params) or any(p.kind for p in params))


def _extended_kind(program: Program, found: FunctionValue) -> tuple[int, str] | None:
    """(how many lists around it, key or name) of the type that an extension extends."""
    declared = found.function.params[0].type
    if declared is None:
        return None
    own = {parameter.name for parameter in found.function.type_params}
    return kind_of_type(program, declared, found.scope, own)
