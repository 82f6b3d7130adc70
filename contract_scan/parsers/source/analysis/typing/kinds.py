"""What type a value or a declaration is of, to tell which method takes it."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassSymbol,
    ClassValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)

_MAX_DEPTH = 4


def class_of(program: Program, value: Value | None) -> ClassSymbol | None:
    """The class of the project that a value is of."""
    match value:
        case Instance(symbol=symbol):
            return symbol
        case ByType(type=type, scope=scope):
            return program.names.declared_class(type, scope)
        case _:
            return None


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
                case LibrarySymbol(name=qualified):
                    simple = qualified.rsplit(".", 1)[-1]
                    if simple in program.language.containers and args:
                        held = kind_of_type(program, args[-1], scope, own, depth + 1)
                        is_map = program.language.containers[simple] > 0
                        return _in_map(held) if is_map else _in_list(held)
                    if simple in program.language.transparent and args:
                        return kind_of_type(program, args[0], scope, own, depth + 1)
                    return (0, simple)
                case _:
                    return None
        case _:
            return None


def _in_list(inner: tuple[int, str] | None) -> tuple[int, str] | None:
    return None if inner is None else (inner[0] + 1, inner[1])


MAP = "map of "
"""What stands before the kind of the values of a map: a list of the same is none."""


def _in_map(inner: tuple[int, str] | None) -> tuple[int, str] | None:
    return None if inner is None else (inner[0] + 1, f"{MAP}{inner[1]}")


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
        case Record() if program.language.name == "java":
            return (1, [f"{MAP}*"])
        case Items(values=values) if values:
            inner = kind_of(program, values[0], depth + 1)
            return None if inner is None else (inner[0] + 1, inner[1])
        case ByType(type=type, scope=scope):
            found = kind_of_type(program, type, scope, set())
            if found is None:
                return None
            return (found[0], [found[1], *_bases(program, value, found[0])])
        case LibraryResult(site=New(type=NamedType() as type), scope=scope):
            known = program.language.containers.keys() | program.language.transparent.keys()
            if not type.args and type.name.rsplit(".", 1)[-1] in known:
                return None  # what it holds is left to the compiler
            made = kind_of_type(program, type, scope, set())
            return None if made is None else (made[0], [made[1]])
        case _:
            return None


def _bases(program: Program, value: ByType, lists: int) -> list[str]:
    item: Value = value
    for _ in range(lists):
        item = program.evaluator.item(item)
    key = program.evaluator.qualified_name(program.evaluator.unwrap(item))
    path, _, qualified = key.partition("#")
    if not qualified:
        return []
    for symbol in program.classes(program.facts(path)):
        if symbol.qualified_name == qualified:
            return [base.key for base in program.bases(symbol)]
    return []
