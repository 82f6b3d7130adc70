"""Navigations of Entity Framework Core: members of entities that hold other entities.

A navigation holds what a query has loaded into it (`Include`), or what the same context has loaded
or was given otherwise. One that nothing has loaded holds what it begins with
(https://learn.microsoft.com/ef/core/querying/related-data/).
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.analysis.typing.assigned_members import instance_member
from contract_scan.parsers.source.csharp.serialization.library_types import CONTAINERS
from contract_scan.parsers.source.csharp.serialization.members import WireMember
from contract_scan.parsers.source.facts.nodes import NamedType, NullableType, TypeExpr

_NAMESPACE = b"Microsoft.EntityFrameworkCore"
_LOADED_OTHERWISE = (b"UseLazyLoadingProxies", b"ILazyLoader", b"AutoInclude(")
"""What loads navigations that no query names."""
_TABLE = re.compile(
    rb"\b(?:DbSet|Entity|IEntityTypeConfiguration)<\s{0,9}(?>[\w.]{0,200}\.)?(\w+)>"
)


@memoised
def queries_tell(program: Program) -> bool:
    """Whether queries alone say which navigations are loaded."""
    found = program.any_file_contains(_NAMESPACE)
    return found and not program.any_file_contains(*_LOADED_OTHERWISE)


@memoised
def _tables(program: Program) -> frozenset[str]:
    """The names of the classes whose objects are rows of a table."""
    return frozenset(
        name.decode()
        for path in program.files_containing(b"DbSet<", b"Entity<", b"IEntityTypeConfiguration<")
        for name in program.files.find(path, _TABLE)
    )


def is_entity(program: Program, symbol: ClassSymbol) -> bool:
    """Whether objects of a class are rows of a table."""
    return symbol.decl.name.partition("`")[0] in _tables(program)


def class_within(program: Program, type: TypeExpr | None, scope: Scope) -> ClassSymbol | None:
    """The class of the project that a member holds an object of, or a list of such."""
    inner = type.item if isinstance(type, NullableType) else type
    if isinstance(inner, NamedType) and inner.args:
        position = CONTAINERS.get(inner.name.rpartition(".")[2])
        inner = None if position is None else inner.args[position]
    return program.names.declared_class(inner, scope)


def navigation(program: Program, symbol: ClassSymbol, name: str) -> ClassSymbol | None:
    """The entity that a navigation of an entity leads to; None for any other member."""
    found = instance_member((symbol, *program.bases(symbol)), name)
    if found is None:
        return None
    target = class_within(program, found[1].type, program.class_scope(found[0]))
    return target if target is not None and is_entity(program, target) else None


def navigations(program: Program, symbol: ClassSymbol) -> dict[str, ClassSymbol]:
    """The navigations of an entity, with the entities that they lead to."""
    names = {
        member.name
        for owner in (symbol, *program.bases(symbol))
        for member in owner.decl.members
        if member.kind in ("property", "field") and "static" not in member.modifiers
    }
    found = ((name, navigation(program, symbol, name)) for name in sorted(names))
    return {name: target for name, target in found if target is not None}


def member_use(use: TypeUse, member: WireMember) -> TypeUse:
    """The use of what a member holds."""
    if not use.view:
        return use
    return replace(use, view=loaded_relations.nested_view(use.view, member.name))


def as_loaded(use: TypeUse, member: WireMember, schema: Schema) -> Schema:
    """The shape of a member as a query has loaded it: what is in a navigation that it has not is
    undetermined."""
    if not use.view or loaded_relations.is_loaded(use.view, member.name) is not False:
        return schema
    if f"{member.name}-" not in loaded_relations.paths(use.view):
        target = class_within(use.program, member.type, member.scope)
        if target is None or not is_entity(use.program, target):
            return schema
    reason = Reason("navigation-not-loaded", member=member.name)
    flat = use.program.types.flat(schema)
    if isinstance(flat, Array):
        return replace(flat, items=Unknown(reason=reason, origin=member.origin), prefix=())
    if isinstance(flat, Object):
        return replace(flat, fields=(), additional=None, incomplete_reason=reason)
    return schema
