"""Where the objects of a class are made: what its constructor is given is what its fields hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Instance, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import FileFacts, New

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_MEMORY = "java.constructions"


def only_construction(program: Program, symbol: ClassSymbol) -> Instance | None:
    """The object of a class that the code makes in one place alone: `new Server(BASE)`. None where
    it is made in several, with no arguments, or where none is seen."""
    known = cast("dict[str, Instance | None]", program.memory.setdefault(_MEMORY, {}))
    if symbol.key not in known:
        known[symbol.key] = None  # a constructor that leads back here tells no more
        known[symbol.key] = _only_construction(program, symbol)
    return known[symbol.key]


def _only_construction(program: Program, symbol: ClassSymbol) -> Instance | None:
    if not any("constructor" in method.modifiers for method in symbol.decl.methods):
        return None
    name = symbol.decl.name
    found: list[Instance] = []
    for path in program.files_containing(f"new {name}(".encode()):
        for made, scope in _constructions_in(program, program.facts(path)):
            if getattr(made.type, "name", "") != name:
                continue
            value = program.evaluate(made, scope)
            if isinstance(value, Instance) and value.symbol.key == symbol.key:
                found.append(value)
    return found[0] if len(found) == 1 and found[0].site and found[0].site.args else None


def _constructions_in(program: Program, file: FileFacts) -> Iterator[tuple[New, Scope]]:
    """Every `new` in the methods, fields and initialisers of a file."""
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        written = [member.value for member in symbol.decl.members if member.value is not None]
        places: list[tuple[tuple[Struct, ...], Scope]] = [(tuple(written), inside)]
        for method in symbol.decl.methods:
            within = program.function_scope(method, inside)
            places.append((within.statements or (), within))
        for nodes, scope in places:
            for made, place in calls_in(program, nodes, scope):
                if isinstance(made, New):
                    yield made, place
