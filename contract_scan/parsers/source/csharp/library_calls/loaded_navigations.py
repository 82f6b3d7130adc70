"""Which navigations the entities have that queries of Entity Framework Core give, and the objects
that AutoMapper and Mapster make of such entities.

What the code of a function hands to the context fills navigations too, of whatever the context
gives from then on: see `tracked_entities`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Instance,
    Items,
    OneOf,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.csharp.library_calls.mapped_members import source_of_member
from contract_scan.parsers.source.csharp.library_calls.member_paths import lambda_path
from contract_scan.parsers.source.csharp.library_calls.tracked_entities import ANY, entities_added
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.serialization.navigations import (
    class_within,
    is_entity,
    navigations,
    queries_tell,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, NamedType

_TABLES = frozenset({"DbSet`1"})
_UNDETERMINED = loaded_relations.view((), "open")
_NOTHING_LOADED = loaded_relations.view((), "plain")


def _with_views(value: Value, change: Callable[[ByType | Instance], Value]) -> Value:
    """A value with another view of each object, or list of objects, that it may be."""
    match value:
        case ByType() | Instance():
            return change(value)
        case Items(values=values):
            changed = tuple(_with_views(one, change) for one in values)
            same = all(one is other for one, other in zip(changed, values, strict=True))
            return value if same else replace(value, values=changed)
        case OneOf(options=options):
            each = tuple(_with_views(one, change) for one in options)
            same = all(one is other for one, other in zip(each, options, strict=True))
            return value if same else union_of(each)
        case _:
            return value


# ------------------------------------------------------------------ queries


def rows(program: Program, value: Value | None) -> Value | None:
    """What a query begins with: a table, of whose rows nothing is loaded but their columns."""

    def with_table_view(table: ByType | Instance) -> Value:
        if not isinstance(table, ByType) or table.view or not isinstance(table.type, NamedType):
            return table
        is_table = table.type.name.rpartition(".")[2] in _TABLES and queries_tell(program)
        return replace(table, view=_NOTHING_LOADED) if is_table else table

    return None if value is None else _with_views(value, with_table_view)


def table_rows(site: CallSite) -> Value | None:
    """`db.Set<T>()`: the rows of a table."""
    bound = None if site.call.args else site.type_argument()
    if bound is None:
        return None
    view = _NOTHING_LOADED if queries_tell(site.program) else ""
    return Items((ByType(bound.type, bound.scope, view=view),), repeated=True)


def include(site: CallSite) -> Value | None:
    """`query.Include(o => o.Lines)`, `query.Include("Lines.Product")`, `….ThenInclude(l =>
    l.Product)`: the same rows, with more loaded."""
    query = rows(site.program, site.receiver)
    path = (
        _included_path(site.program, site.call, site.scope) if isinstance(site.call, Call) else None
    )

    def with_path(row: ByType | Instance) -> Value:
        if not row.view or not path:
            return replace(row, view=_UNDETERMINED) if row.view else row
        return replace(row, view=loaded_relations.with_paths(row.view, (path,)))

    return None if query is None else _with_views(query, with_path)


def _included_path(program: Program, call: Call, scope: Scope) -> str | None:
    """The path of what a call of `Include` or `ThenInclude` loads."""
    own = _path_named(program, call.args[0].value, scope) if call.args else None
    if own is None or not isinstance(call.callee, Attribute):
        return None
    if call.callee.name == "Include":
        return own
    before = call.callee.value
    above = _included_path(program, before, scope) if isinstance(before, Call) else None
    return f"{above}.{own}" if above and _includes(before) else None


def _includes(expr: Expr) -> bool:
    return isinstance(expr, Call) and getattr(expr.callee, "name", "") in ("Include", "ThenInclude")


def _path_named(program: Program, expr: Expr, scope: Scope) -> str | None:
    path = lambda_path(expr)
    return program.text(expr, scope) if path is None else path


def without_views(value: Value) -> Value:
    """A value of which it is undetermined what is loaded."""
    return _with_views(value, lambda one: replace(one, view="") if one.view else one)


# ------------------------------------------------------------------ what a context was given


def as_tracked(program: Program, value: Value, scope: Scope) -> Value:
    """What a query gives, or a function that makes one, at a place in a function: whether
    something is in a navigation is undetermined if the function has handed such entities to the
    context."""

    def opened_object(one: ByType | Instance) -> Value:
        if not one.view:
            return one
        added = entities_added(program, scope)
        if added is ANY:
            return replace(one, view="")
        symbol = _class_of(program, one) if added else None
        view = one.view if symbol is None else _opened_view(program, symbol, one.view, added)
        return one if view == one.view else replace(one, view=view)

    return _with_views(value, opened_object)


def _class_of(program: Program, value: ByType | Instance) -> ClassSymbol | None:
    """The class of an object, or of the objects of a list."""
    held = program.evaluator.unwrap(value)
    if isinstance(held, ByType):
        return class_within(program, held.type, held.scope) or symbol_of(program, held)
    return held.symbol if isinstance(held, Instance) else None


def _opened_view(program: Program, symbol: ClassSymbol, view: str, added: frozenset[str]) -> str:
    if not is_entity(program, symbol):
        return _opened_copy(program, symbol, view, added)
    return loaded_relations.with_paths(view, _openings(program, symbol, view, added))


def _openings(
    program: Program, symbol: ClassSymbol, view: str, added: frozenset[str]
) -> Iterator[str]:
    """The navigations that may hold some of what was added."""
    for name, target in navigations(program, symbol).items():
        loaded = loaded_relations.is_loaded(view, name)
        if loaded is False and target.key in added:
            yield f"{name}?"
        elif loaded:
            inner = loaded_relations.nested_view(view, name)
            if inner:
                yield from (f"{name}.{one}" for one in _openings(program, target, inner, added))


def _opened_copy(program: Program, symbol: ClassSymbol, view: str, added: frozenset[str]) -> str:
    """The view of an object that a mapper has made."""
    listed = {
        path
        for path in loaded_relations.paths(view)
        if not path.endswith("-") or not _may_hold(program, symbol, path.removesuffix("-"), added)
    }
    return loaded_relations.view(listed, "open") if listed else ""


def _may_hold(program: Program, symbol: ClassSymbol, path: str, added: frozenset[str]) -> bool:
    """Whether a member of an object that a mapper has made may be made of what was added."""
    target = source_of_member(program, symbol, path.split("."))
    return target is None or target.key in added
