"""Which types of libraries a type of the project is or extends.

`interface Client extends WebSocket { user: string }` and `type Client = WebSocket & { … }` are the
usual way to keep something on a socket.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ClassValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    IntersectionType,
    NamedType,
    TypeExpr,
    UnionType,
)

MAX_TYPES = 20
"""How many types are looked at for one."""


def library_types(
    program: Program, type: TypeExpr, scope: Scope
) -> Iterator[tuple[LibrarySymbol, NamedType, Scope]]:
    """The types of libraries behind a type, each as it is written and where."""
    pending = [(type, scope)]
    for _ in range(MAX_TYPES):
        if not pending:
            return
        current, place = pending.pop(0)
        if isinstance(current, IntersectionType | UnionType):
            pending += [(option, place) for option in current.options]
        if not isinstance(current, NamedType):
            continue
        found = program.names.lookup_type(current.name, place)
        if isinstance(found, LibrarySymbol):
            yield found, current, place
        elif isinstance(found, AliasSymbol):
            pending.append((found.alias.type, program.names.classes.alias_scope(found)))
        elif isinstance(found, ClassValue):
            outside = program.module_scope(found.symbol.file)
            pending += [(base, outside) for base in found.symbol.decl.bases]
