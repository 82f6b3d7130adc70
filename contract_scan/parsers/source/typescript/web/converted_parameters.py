"""Parameters that code makes numbers of, and their defaults: `Number(request.query.page ?? 1)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Entry,
    Expr,
    Index,
    LiteralExpr,
    Name,
    ObjectLiteral,
    OperationExpr,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of

_CONVERSIONS = frozenset(
    {"Number", "parseInt", "parseFloat", "BigInt", "Number.parseInt", "Number.parseFloat"}
)


def parameter_uses(
    statements: tuple[Statement, ...], is_params: Callable[[Expr | None], bool]
) -> Mapping[str, Expr | None]:
    """The parameters of path or query that statements use, with a use where each is made a number
    of, None where one is used as text. All that are read are used under the name "" where the
    object that holds them is handed on as a whole."""
    held: dict[str, str] = {}
    passed: set[int] = set()
    converted: set[int] = set()
    uses: list[tuple[str, Expr]] = []
    for node in nodes_of(statements):
        match node:
            case Assign(target=target, value=value) if is_params(value):
                names = _names_of(target)
                held |= names
                if names:
                    passed |= {id(part) for part in nodes_of((target, value))}
            case Assign(target=Name(id=variable) as target, value=value) if name := _parameter(
                _without_fallback(value), is_params
            ):
                held[variable] = name
                passed |= {id(part) for part in nodes_of((target, value))}
            case Call(callee=callee, args=(first, *_)) if dotted_name_of(callee) in _CONVERSIONS:
                converted.add(id(_without_fallback(first.value)))
            case OperationExpr(operator="+", operands=(operand,)):
                converted.add(id(without_casts(operand)))
            case Attribute() | Index() if id(node) not in passed:
                if name := _parameter(node, is_params):
                    uses.append((name, node))
                    passed.add(id(node.value))
                elif is_params(node):
                    uses.append(("", node))
            case Name(id=variable) if variable in held and id(node) not in passed:
                uses.append((held[variable], node))
            case _:
                pass
    found: dict[str, Expr | None] = {}
    for name, use in uses:
        found[name] = use if id(use) in converted and found.get(name, use) is not None else None
    return found


def parameter_defaults(
    statements: tuple[Statement, ...], is_params: Callable[[Expr | None], bool]
) -> Mapping[str, LiteralValue]:
    """What counts where a parameter is left out that is read with a fallback: `query.page ?? 1`,
    `Number(query.page) || 1`, `const { page = 1 } = query`. None where that is more than one."""
    found: dict[str, LiteralValue] = {}
    for node in nodes_of(statements):
        match node:
            case Choice(given=(), options=(read, LiteralExpr(value=value))) if value:
                name = _parameter(_before_conversion(read), is_params)
                if name:
                    found[name] = value if found.get(name, value) == value else None
            case _:
                pass
    return found


def _before_conversion(expr: Expr) -> Expr:
    """`query.page` of `Number(query.page)`."""
    expr = without_casts(expr)
    if isinstance(expr, Call) and expr.args and dotted_name_of(expr.callee) in _CONVERSIONS:
        return without_casts(expr.args[0].value)
    return expr


def _without_fallback(expr: Expr | None) -> Expr | None:
    """`query.page` of `query.page ?? 1`."""
    while isinstance(expr, Cast):
        expr = expr.value
    match expr:
        case Choice(given=(), options=(read, LiteralExpr())):
            return without_casts(read)
        case _:
            return expr


def _parameter(expr: Expr | None, is_params: Callable[[Expr | None], bool]) -> str:
    match expr:
        case Attribute(value=value, name=name) if is_params(value):
            return name
        case Index(value=value, index=LiteralExpr(value=str(name))) if is_params(value):
            return name
        case _:
            return ""


def _names_of(pattern: Expr) -> dict[str, str]:
    """The variables that a pattern binds, with the keys that they are taken from; none where it
    takes more than keys."""
    entries: tuple[Entry, ...] = pattern.entries if isinstance(pattern, ObjectLiteral) else ()
    names = {e.value.id: e.key for e in entries if isinstance(e.value, Name) and e.key}
    return names if len(names) == len(entries) and not any(e.spread for e in entries) else {}
