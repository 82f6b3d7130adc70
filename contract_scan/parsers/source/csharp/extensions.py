"""Extension methods: `value.ToDto()` that a static class of the project declares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from contract_scan.parsers.source.facts import (
    ArrayType,
    NamedType,
    NullableType,
    Param,
    TypeExpr,
)
from contract_scan.parsers.source.link.values import (
    BoundType,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Items,
    OneOf,
    Scope,
    Typed,
    Value,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_DECLARATION = re.compile(
    rb"\b([\w\x80-\xff]+)\s*(?:<[^()]{0,200}>\s*)?\(\s*this\s",
)
THIS = (b"(this ", b"  this ", b"\tthis ")
"""What the text of a file that declares extension methods holds."""
_MEMORY = "csharp.extensions"
_MAX_DEPTH = 4


def extension_named(program: Program, name: str) -> list[FunctionValue]:
    """The project's extension methods of a name, in path order."""
    known = cast("dict[str, list[FunctionValue]]", program.memory.setdefault(_MEMORY, {}))
    if name not in known:
        known[name] = [
            FunctionValue(method, program.class_scope(symbol), symbol)
            for path in _index(program).get(name, ())
            for symbol in program.classes(program.facts(path))
            for method in symbol.decl.methods
            if method.name == name and method.params and "this" in method.params[0].modifiers
        ]
    return known[name]


def _index(program: Program) -> dict[str, tuple[str, ...]]:
    """Name -> files whose text looks as if it declares an extension method of that name."""
    key = f"{_MEMORY}.index"
    if key not in program.memory:
        index: dict[str, dict[str, None]] = {}
        for path in program.holding(*THIS):
            for name in _DECLARATION.findall(program.files.read(path) or b""):
                index.setdefault(name.decode("utf-8", "replace"), {})[path] = None
        program.memory[key] = {name: tuple(paths) for name, paths in index.items()}
    return cast("dict[str, tuple[str, ...]]", program.memory[key])


def extension_for(program: Program, name: str, receiver: Value, arity: int) -> FunctionValue | None:
    """The extension method that `receiver.name(…)` calls; None where none fits for certain."""
    candidates = [
        found for found in extension_named(program, name) if _takes(found.function.params, arity)
    ]
    if not candidates:
        return None
    kind = kind_of(program, receiver)
    if kind is None:
        return None
    depth, names = kind
    ranked: list[tuple[int, FunctionValue]] = []
    for found in candidates:
        wanted = _wanted(program, found)
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


def _takes(params: tuple[Param, ...], arity: int) -> bool:
    required = sum(p.default is None and p.kind == "" for p in params[1:])
    return required <= arity and (arity < len(params) or any(p.kind for p in params))


def _wanted(program: Program, found: FunctionValue) -> tuple[int, str] | None:
    """(how many lists around it, key or name) of the type that an extension extends."""
    declared = found.function.params[0].type
    if declared is None:
        return None
    own = {parameter.name for parameter in found.function.type_params}
    return kind_of_type(program, declared, found.scope, own)


def kind_of_type(
    program: Program, type: TypeExpr, scope: Scope, own: set[str], depth: int = 0
) -> tuple[int, str] | None:
    """(how many lists around it, key or name) of a declared type; `*` for type parameters in
    `own`."""
    if depth > _MAX_DEPTH:
        return None
    match type:
        case NullableType(item=item):
            return kind_of_type(program, item, scope, own, depth + 1)
        case ArrayType(item=item):
            return _in_list(kind_of_type(program, item, scope, own, depth + 1))
        case NamedType(name=name) if name in own:
            return (0, "*")
        case NamedType(name=name, args=args):
            found = program.names.lookup_type(name, scope)
            match found:
                case ClassValue(symbol=symbol):
                    return (0, symbol.key)
                case BoundType(type=inner, scope=inside):
                    return kind_of_type(program, inner, inside, own, depth + 1)
                case External(name=qualified):
                    simple = qualified.rsplit(".", 1)[-1]
                    if simple in program.language.containers and args:
                        return _in_list(kind_of_type(program, args[-1], scope, own, depth + 1))
                    if simple in program.language.transparent and args:
                        return kind_of_type(program, args[0], scope, own, depth + 1)
                    return (0, simple)
                case _:
                    return None
        case _:
            return None


def _in_list(inner: tuple[int, str] | None) -> tuple[int, str] | None:
    return None if inner is None else (inner[0] + 1, inner[1])


def kind_of(program: Program, value: Value, depth: int = 0) -> tuple[int, list[str]] | None:
    """(how many lists around it, keys of its type and of those it inherits from) of a value."""
    if depth > _MAX_DEPTH:
        return None
    match value:
        case OneOf(options=options):
            kinds = [k for o in options if (k := kind_of(program, o, depth + 1)) is not None]
            return kinds[0] if kinds and all(k == kinds[0] for k in kinds) else None
        case Instance(symbol=symbol):
            return (0, [symbol.key, *(base.key for base in program.bases(symbol))])
        case Items(values=values) if values:
            inner = kind_of(program, values[0], depth + 1)
            return None if inner is None else (inner[0] + 1, inner[1])
        case Typed(type=type, scope=scope):
            found = kind_of_type(program, type, scope, set())
            if found is None:
                return None
            return (found[0], [found[1], *_bases(program, value, found[0])])
        case _:
            return None


def _bases(program: Program, value: Typed, lists: int) -> list[str]:
    item: Value = value
    for _ in range(lists):
        item = program.evaluator.item(item)
    key = program.evaluator.qualified(program.evaluator.unwrapped(item))
    path, _, qualified = key.partition("#")
    if not qualified:
        return []
    for symbol in program.classes(program.facts(path)):
        if symbol.qualified_name == qualified:
            return [base.key for base in program.bases(symbol)]
    return []
