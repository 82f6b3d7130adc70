"""Statements that refuse a request, and what tests say of the parts of it that are not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from contract_scan.parsers.source.analysis.syntax.null_checks import ALL, ANY, NOT, OTHER, SAME
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Evaluate,
    Expr,
    Index,
    LiteralExpr,
    Name,
    ObjectLiteral,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.typescript.web.body_parts import BodyPart
from contract_scan.parsers.source.web.status_names import status_named

_STATUSES = frozenset({"status", "sendStatus", "code", "writeHead", "throw", "createError"})
_SENDS = frozenset({"json", "text", "html", "body"})
"""Functions whose second argument says the status: Hono's, and those of the Fetch standard."""
_REFUSALS = frozenset({"next", "reject"})
_NONE: frozenset[BodyPart] = frozenset()


def refuses(block: tuple[Statement, ...]) -> bool:
    """Whether a block that is run ends in an error: it throws, hands one on, or answers with such a
    status. What stands in blocks inside it is not sure to run."""
    return any(_refuses(statement) for statement in block)


def _refuses(statement: Statement) -> bool:
    match statement:
        case Throw():
            return True
        case Return(value=value) | Evaluate(value=value) if value is not None:
            return _answers_with_an_error(value)
        case Assign(target=Attribute(name="status" | "statusCode"), value=value):
            return value is not None and _is_error(value)
        case _:
            return False


def _answers_with_an_error(expr: Expr) -> bool:
    """`res.status(400).json(…)`, `next(new Error())`, `Promise.reject(…)`."""
    current: Expr = expr
    while True:
        match current:
            case Call(callee=callee, args=args):
                name = callee.name if isinstance(callee, Attribute) else ""
                name = callee.id if isinstance(callee, Name) else name
                if name in _STATUSES and args and _is_error(args[0].value):
                    return True
                if name in _SENDS and len(args) > 1 and _is_error(_status_of(args[1].value)):
                    return True
                if args and (name in _REFUSALS or _is_of_errors(name)):
                    return True
                current = callee
            case Attribute(value=value):
                current = value
            case _:
                return False


def _status_of(expr: Expr) -> Expr:
    """`404`, or that of `{ status: 404 }`."""
    entries = expr.entries if isinstance(expr, ObjectLiteral) else ()
    return next((entry.value for entry in entries if entry.key == "status"), expr)


def _is_error(expr: Expr) -> bool:
    """A status of 400 and more, as it is written."""
    match expr:
        case LiteralExpr(value=int(status)):
            return status >= 400
        case Choice(options=options):
            return any(_is_error(option) for option in options)
        case Attribute(name=name):
            return (status_named(name) or "") >= "400"
        case _:
            return False


def _is_of_errors(name: str) -> bool:
    """`handleError(res, error)`, `errorResponse(res, 400)`; `console.error(…)` answers nothing."""
    return "error" in name.lower() and name != "error"


def absent_leads_to(
    test: Expr, holds: bool, names: Mapping[str, BodyPart], asked: Mapping[str, frozenset[BodyPart]]
) -> frozenset[BodyPart]:
    """The parts of which each makes a test hold (or, with `holds` False, fail) by not being
    there."""
    match test:
        case Cast(value=value):
            return absent_leads_to(value, holds, names, asked)
        case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
            return absent_leads_to(operand, not holds, names, asked)
        case OperationExpr(operator="falsy", operands=(operand,)):
            return absent_leads_to(operand, holds, names, asked)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME | OTHER:
            if (operator in SAME) is not holds:
                return _of_other_kind(left, right, names)
            return _missing_in_comparison(operator, left, right, names) | _missing_in_comparison(
                operator, right, left, names
            )
        case OperationExpr(operator=operator, operands=operands) if operator in ALL | ANY:
            return _combine_operands(operands, operator in ALL, holds, names, asked)
        case Choice(options=options, given=()):
            conjunction = all(
                isinstance(o, OperationExpr) and o.operator == "falsy" for o in options[:-1]
            )
            return _combine_operands(options, conjunction, holds, names, asked)
        case Name(id=name) if name in asked and name not in names:
            return _NONE if holds else asked[name]
        case Call(callee=Name(id="Boolean"), args=(Argument(value=value),)):
            return absent_leads_to(value, holds, names, asked)
        case OperationExpr(operator="in", operands=(LiteralExpr(value=str()) as key, owner)):
            return _NONE if holds else _without_value(Index(value=owner, index=key), names)
        case (
            OperationExpr(
                operator=">" | "!==" | "!=",
                operands=(Attribute(value=Name(id=name), name="length"), LiteralExpr(value=0)),
            )
            | Attribute(value=Name(id=name), name="length")
        ) if filled_without(name) in asked:
            return asked[filled_without(name)] if holds else _NONE
        case _:
            return _NONE if holds else _without_value(test, names)


def filled_without(name: str) -> str:
    """Under which name the parts stand of which each fills a list by not being there: `if (!email)
    errors.push("email")`."""
    return f"+{name}"


def lists_filled_by(block: tuple[Statement, ...]) -> Iterator[str]:
    """The lists that a block puts something into."""
    for statement in block:
        match statement:
            case Evaluate(value=Call(callee=Attribute(value=Name(id=name), name="push"))):
                yield name
            case _:
                continue


def demands(test: Expr, names: Mapping[str, BodyPart]) -> Iterator[tuple[BodyPart, str]]:
    """What a test that refuses requests demands of parts: `typeof part !== "string"`,
    `!Array.isArray(part)`, alone or beside others."""
    match test:
        case OperationExpr(
            operator=operator,
            operands=(OperationExpr(operator="typeof", operands=(asked,)), LiteralExpr(value=kind)),
        ) if operator in OTHER and isinstance(kind, str):
            part = _part(asked, names)
            if part is not None:
                yield part, kind
        case OperationExpr(
            operator="!",
            operands=(
                Call(callee=Attribute(value=Name(id="Array"), name="isArray"), args=(asked,)),
            ),
        ):
            part = _part(asked.value, names)
            if part is not None:
                yield part, "array"
        case OperationExpr(operator=operator, operands=operands) if operator in ANY:
            for operand in operands:
                yield from demands(operand, names)
        case Choice(options=options, given=(), fallback=True):
            for option in options:
                yield from demands(option, names)
        case _:
            return


def _combine_operands(
    operands: tuple[Expr, ...],
    conjunction: bool,
    holds: bool,
    names: Mapping[str, BodyPart],
    asked: Mapping[str, frozenset[BodyPart]],
) -> frozenset[BodyPart]:
    """One failing operand makes `a && b` fail, one that holds makes `a || b` hold; else all have
    to."""
    each = [absent_leads_to(operand, holds, names, asked) for operand in operands]
    if conjunction is not holds:
        return _NONE.union(*each)
    return each[0].intersection(*each[1:]) if each else _NONE


def _missing_in_comparison(
    operator: str, left: Expr, right: Expr, names: Mapping[str, BodyPart]
) -> frozenset[BodyPart]:
    """`part === undefined`, `part == null`, `typeof part === "undefined"`."""
    match left, right:
        case OperationExpr(operator="typeof", operands=(operand,)), LiteralExpr(value="undefined"):
            return _without_value(operand, names)
        case OperationExpr(operator="typeof"), _:
            return _NONE
        case _, Name(id="undefined"):
            return _without_value(left, names)
        case _, LiteralExpr(value=None) if len(operator) == 2:  # `== null`, not `=== null`
            return _without_value(left, names)
        case _:
            return _NONE


def _of_other_kind(left: Expr, right: Expr, names: Mapping[str, BodyPart]) -> frozenset[BodyPart]:
    """`typeof part !== "string"`."""
    match left, right:
        case OperationExpr(operator="typeof", operands=(operand,)), LiteralExpr(value=str(kind)):
            return _NONE if kind == "undefined" else _without_value(operand, names)
        case _:
            return _NONE


def _without_value(expr: Expr, names: Mapping[str, BodyPart]) -> frozenset[BodyPart]:
    """The parts of which each leaves an expression without a value by not being there: `email`,
    `body.user`, `email?.trim()`."""
    current = expr
    found: set[BodyPart] = set()
    while True:
        part = _part(current, names)
        if part is not None:
            found.add(part)
        match current:
            case Cast(value=value):
                current = value
            case Call(callee=Attribute(value=value, optional=True)):
                current = value
            case Call(callee=Attribute(name="isArray"), args=(asked,)):
                current = asked.value
            case Attribute(value=value, optional=True):
                current = value
            case _:
                return frozenset(found)


def _part(expr: Expr, names: Mapping[str, BodyPart]) -> BodyPart | None:
    """The part that an expression gives, noting nothing."""
    match expr:
        case Name(id=name):
            return names.get(name)
        case (
            Attribute(value=value, name=name)
            | Index(value=value, index=LiteralExpr(value=str(name)))
        ):
            owner = _part(value, names)
            return None if owner is None else owner.known_part(name)
        case _:
            return None
