"""The parts of `partial` types of C#."""

from __future__ import annotations

from typing import cast

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.csharp.resolution.modules import plain_name
from contract_scan.parsers.source.facts.nodes import Annotation


def parts(program: Program, symbol: ClassSymbol) -> list[ClassSymbol]:
    """All parts of a `partial` type, the given one first."""
    if "partial" not in symbol.decl.modifiers:
        return [symbol]
    known = cast("dict[str, list[ClassSymbol]]", program.memory.setdefault("csharp.parts", {}))
    if symbol.key not in known:
        home = namespace_of(symbol)
        found = [symbol]
        for path in program.files_defining(plain_name(symbol.decl.name)):
            for other in program.classes(program.facts(path)):
                same = other.qualified_name == symbol.qualified_name and namespace_of(other) == home
                if same and other.decl is not symbol.decl and "partial" in other.decl.modifiers:
                    found.append(other)
        known[symbol.key] = found
    return known[symbol.key]


def namespace_of(symbol: ClassSymbol) -> str:
    """The namespace that a class is declared in."""
    return symbol.file.namespaces.get(symbol.qualified_name, symbol.file.package)


def merged_annotations(program: Program, symbol: ClassSymbol) -> tuple[Annotation, ...]:
    """The attributes of all parts of a type."""
    return tuple(a for part in parts(program, symbol) for a in part.decl.annotations)
