"""Routers that a project writes itself: classes with a method for each verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.origin import NO_SPAN
from contract_scan.parsers.source.analysis.domain.values import Instance, Value
from contract_scan.parsers.source.typescript.web.routers import Node

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

OWN: Node = ("<own router>", NO_SPAN)
"""Stands for all routers of a project's own."""
_NEEDED = ("get", "post")
_FURTHER = ("put", "delete", "del", "patch", "use", "all", "route")


def own_router(program: Program, value: Value) -> str:
    """The name of the class where a value is a router of the project's own; empty otherwise."""
    if not isinstance(value, Instance):
        return ""
    methods = {
        method.name
        for symbol in (value.symbol, *program.bases(value.symbol))
        for method in symbol.decl.methods
    }
    known = methods.issuperset(_NEEDED) and not methods.isdisjoint(_FURTHER)
    return value.symbol.decl.name if known else ""
