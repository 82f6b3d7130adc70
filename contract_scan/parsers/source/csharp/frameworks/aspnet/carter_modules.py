"""Modules of Carter: classes whose `AddRoutes` is handed what routes are mapped on."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, LibrarySymbol
from contract_scan.parsers.source.csharp.resolution.inherited_members import base_arguments
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.prefixes import constant_text
from contract_scan.parsers.source.facts.nodes import NamedType

MAP_CARTER = b"MapCarter("
_MODULES = frozenset({"ICarterModule", "CarterModule"})


def is_module(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class is a module of Carter."""
    return _module_base(program, symbol) is not None


def base_path(program: Program, symbol: ClassSymbol) -> str | None:
    """The path in front of all routes of a module; None where it is not constant."""
    found = _module_base(program, symbol)
    if found is None or found[1] != "CarterModule":
        return ""
    owner = found[0]
    for args, scope in base_arguments(program, owner):
        return "" if not args else constant_text(program, args[0].value, scope)
    return ""


def _module_base(program: Program, symbol: ClassSymbol) -> tuple[ClassSymbol, str] | None:
    """The class of the project that names a module of the library as its base, and which one."""
    for owner in (symbol, *program.bases(symbol)):
        for part in parts(program, owner):
            for base in part.decl.bases:
                if not isinstance(base, NamedType) or unqualified_name(base.name) not in _MODULES:
                    continue
                scope = program.class_scope(part)
                if isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol):
                    return part, unqualified_name(base.name)
    return None
