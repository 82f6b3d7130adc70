"""Types of parameters that a project's own `HandlerMethodArgumentResolver` fills in."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from contract_scan.parsers.source.analysis.evaluation.call_sites import type_values
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.build import module_of
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_RESOLVER = "HandlerMethodArgumentResolver"


def resolver_supplied_classes(program: Program, near: str) -> frozenset[str]:
    """Simple names of the classes that resolvers ask for in the modules that a file belongs to:
    what they read of a request is not declared."""
    known = cast("dict[str, frozenset[str]]", program.memory.setdefault("java.resolvers", {}))
    module = module_of(program, near)
    if module not in known:
        known[module] = frozenset(_asked_for(program, near))
    return known[module]


def _asked_for(program: Program, near: str) -> set[str]:
    found: set[str] = set()
    for path in related_files_containing(program, near, _RESOLVER.encode()):
        file = program.facts(path)
        for symbol in program.classes(file):
            if not any(type_name(base) == _RESOLVER for base in symbol.decl.bases):
                continue
            for method in symbol.decl.methods:
                if method.name == "supportsParameter":
                    found.update(type_name(v.type) for v in type_values(program.body(method, file)))
    return found
