"""The methods that Wolverine finds by their names, with the messages that they take and give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.values import ByType, ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Function,
    NamedType,
    NullableType,
    TupleType,
    TypeExpr,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_SUFFIXES = ("Handler", "Consumer")
_METHODS = frozenset({"Handle", "Handles", "Consume", "Consumes", "Orchestrate", "Start", "Starts"})
_MARKS = ("WolverineHandler",)
_SAGA = "Saga"


class HandledMessage(Struct, frozen=True):
    """A message that a method takes, and those that it gives."""

    method: Function
    scope: Scope
    symbol: ClassSymbol
    message: ClassSymbol
    produced: tuple[ByType, ...]


@memoised
def handlers(program: Program) -> tuple[HandledMessage, ...]:
    """Every method that handles a message of the project."""
    found: list[HandledMessage] = []
    for path in program.files_containing(b"Handle", b"Consume", b"WolverineHandler"):
        for symbol in program.classes(program.facts(path)):
            if _is_handler(symbol):
                found.extend(_of_class(program, symbol))
    return tuple(found)


def _is_handler(symbol: ClassSymbol) -> bool:
    if symbol.decl.kind == "interface" or "abstract" in symbol.decl.modifiers:
        return False
    if find(symbol.decl.annotations, "WolverineIgnore") is not None:
        return False
    name = symbol.decl.name.partition("`")[0]
    bases = [unqualified_name(b.name) for b in symbol.decl.bases if isinstance(b, NamedType)]
    marked = find(symbol.decl.annotations, *_MARKS) is not None or "IWolverineHandler" in bases
    return marked or name.endswith(_SUFFIXES) or _SAGA in bases


def _of_class(program: Program, symbol: ClassSymbol) -> Iterator[HandledMessage]:
    scope = program.class_scope(symbol)
    for method in symbol.decl.methods:
        if method.name.removesuffix("Async") not in _METHODS or not method.params:
            continue
        first = method.params[0].type
        message = symbol_of(program, ByType(first, scope)) if first is not None else None
        if message is None or message.decl.kind == "interface":
            continue
        gives = tuple(ByType(type, scope, type.span) for type in _returned_types(method.returns))
        yield HandledMessage(method, scope, symbol, message, gives)


def _returned_types(type: TypeExpr | None) -> Iterator[TypeExpr]:
    """The parts of the type that a method returns: Wolverine publishes each as a message."""
    match type:
        case None:
            return
        case NullableType(item=item):
            yield from _returned_types(item)
        case TupleType(items=items):
            for item in items:
                yield from _returned_types(item)
        case NamedType(name=name, args=(inner,)) if unqualified_name(name) in ("Task", "ValueTask"):
            yield from _returned_types(inner)
        case _:
            yield type
