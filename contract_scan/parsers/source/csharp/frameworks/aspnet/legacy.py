"""Controllers of ASP.NET before Core: Web API 2 (`System.Web.Http`) and MVC 5."""

from __future__ import annotations

from typing import Literal, TypeAlias

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, LibrarySymbol
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import FileFacts, NamedType

Legacy: TypeAlias = Literal["", "api", "mvc"]
"""What a controller is of: Web API 2, MVC 5, or neither."""

_API = "System.Web.Http"
_MVC = "System.Web.Mvc"


def legacy_kind(program: Program, symbol: ClassSymbol) -> Legacy:
    """Whether a controller is one of Web API 2 or MVC 5."""
    for owner in (symbol, *program.bases(symbol)):
        for part in parts(program, owner):
            for base in part.decl.bases:
                if not isinstance(base, NamedType) or not unqualified_name(base.name).endswith(
                    "Controller"
                ):
                    continue
                scope = program.class_scope(part)
                if isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol):
                    return _kind(part.file, base.name)
    return ""


def _kind(file: FileFacts, name: str) -> Legacy:
    modules = {entry.module for entry in file.imports}
    if any(module.startswith("Microsoft.AspNetCore") for module in modules):
        return ""
    whole, simple = name.rpartition(".")[0], unqualified_name(name)
    if simple == "ApiController" or whole == _API or (_API in modules and simple != "Controller"):
        return "api"
    return "mvc" if whole == _MVC or _MVC in modules else ""
