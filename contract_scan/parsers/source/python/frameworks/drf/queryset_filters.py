"""What the queryset of a view lets be null: nothing that it is filtered by.

`filter(owner__team=team)` joins the owner, so that no row without one is found
(https://docs.djangoproject.com/en/5.2/topics/db/queries/#lookups-that-span-relationships).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Record,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Argument, Attribute, Call, Expr, Name, Return
from contract_scan.parsers.source.python.serialization.fields import is_false, is_null, is_true

_LOOKUPS: Final = frozenset(
    {"exact", "iexact", "contains", "icontains", "in", "gt", "gte", "lt", "lte", "range", "date"}
    | {"startswith", "istartswith", "endswith", "iendswith", "regex", "iregex", "year", "pk", "id"}
)
"""What stands behind a column in a condition, and names none itself.
https://docs.djangoproject.com/en/5.2/ref/models/querysets/#field-lookups"""
_DEEPEST: Final = 6
"""How many variables and methods above are gone through."""


def filled_paths(program: Program, symbol: ClassSymbol) -> frozenset[str]:
    """The columns and relations (`owner`, `order.owner`) of the rows of a view that are never null,
    since each of its querysets is filtered by them."""
    return _of_class(program, symbol, (symbol, *program.bases(symbol)), _DEEPEST)


def _of_class(
    program: Program, view: ClassSymbol, owners: tuple[ClassSymbol, ...], levels: int
) -> frozenset[str]:
    """What holds for what the first `get_queryset` among some classes gives, the library's last."""
    for position, owner in enumerate(owners):
        inside = program.class_scope(owner)
        for method in owner.decl.methods:
            if method.name != "get_queryset":
                continue
            scope = program.function_scope(method, inside)
            above = owners[position + 1 :]
            found = [
                _of_chain(program, view, statement.value, scope, above, levels)
                for statement in reaching_definitions.returns(scope.statements or ())
                if isinstance(statement, Return) and statement.value is not None
            ]
            return frozenset.intersection(*found) if found else frozenset()
    for owner in (view, *program.bases(view)):
        for member in owner.decl.members:
            if member.name == "queryset" and member.value is not None:
                inside = program.class_scope(owner)
                return _of_chain(program, view, member.value, inside, (), levels)
    return frozenset()


def _of_chain(
    program: Program,
    view: ClassSymbol,
    expr: Expr,
    scope: Scope,
    above: tuple[ClassSymbol, ...],
    levels: int,
) -> frozenset[str]:
    """What holds for `rows.filter(…).exclude(…)`, whatever else stands in the chain."""
    found: set[str] = set()
    while levels:
        match expr:
            case Call(callee=Attribute(value=Name(id="super"), name="get_queryset")):
                return frozenset(found) | _of_class(program, view, above, levels - 1)
            case Call(callee=Attribute(value=inner, name="filter"), args=args):
                found.update(_of_conditions(program, args, scope))
                expr = inner
            case Call(
                callee=Attribute(value=inner, name="exclude"),
                args=(Argument(name=name, value=value),),
            ):
                given = program.evaluate(value, scope)
                path = name.removesuffix("__isnull")
                if (path == name and is_null(given)) or (path != name and is_true(given)):
                    found.add(path.replace("__", "."))
                expr = inner
            case Call(callee=Attribute(value=inner)):
                expr = inner
            case Attribute(value=Name(id="this"), name="queryset"):
                return frozenset(found) | _of_class(program, view, (), levels - 1)
            case Name():
                values = reaching_definitions.possible_values(expr, scope)
                if len(values) != 1:
                    break
                (expr,) = values
                levels -= 1
            case _:
                break
    return frozenset(found)


def _of_conditions(program: Program, args: tuple[Argument, ...], scope: Scope) -> Iterator[str]:
    for argument in args:
        value = program.evaluate(argument.value, scope)
        conditions = [(argument.name, value)] if argument.name else []
        if argument.spread and isinstance(value, Record):
            conditions = [(entry.name, entry.value) for entry in value.entries]
        for name, wanted in conditions:
            *path, last = name.split("__")
            if program.schema_of(wanted).nullable or (last == "isnull" and not is_false(wanted)):
                continue  # `filter(owner=None)` finds those without one
            if last not in _LOOKUPS and last != "isnull":
                path.append(last)
            yield from (".".join(path[: end + 1]) for end in range(len(path)))
