"""Filters of the application that may change what controllers answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contract_scan.parsers.source.csharp.settings_values import plain
from contract_scan.parsers.source.csharp.texts import function_text
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Branch,
    Expr,
    FileFacts,
    Function,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.link.per_program import per_program

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program
    from contract_scan.parsers.source.link.values import ClassSymbol

_FILTERS = frozenset(
    {
        "IResultFilter",
        "IAsyncResultFilter",
        "IAlwaysRunResultFilter",
        "ResultFilterAttribute",
        "IActionFilter",
        "IAsyncActionFilter",
        "ActionFilterAttribute",
    }
)
_AFTER = frozenset({"OnResultExecuting", "OnResultExecutionAsync", "OnActionExecuted"})
"""Methods that run when the action has answered."""
_AROUND = "OnActionExecutionAsync"
"""The method that runs the action itself. What it sets in its own context keeps the action from
running; what the action answered is in what `await next()` gives."""
_CHANGE = re.compile(rb"\.(?:Result|Value)\s*=[^=]")
_CHANGED = frozenset({"Result", "Value"})
_MAX_DEPTH = 40


@per_program
def wrapping_filter(program: Program) -> str:
    """Why bodies may be other than the actions give them; empty: nothing is seen to change them."""
    return _find(program)


def _find(program: Program) -> str:
    for path in program.holding(*(name.encode() for name in sorted(_FILTERS))):
        file = program.facts(path)
        for symbol in program.classes(file):
            if _changes_results(program, file, symbol) and _is_global(program, symbol.decl.name):
                return f"the filter `{plain(symbol.decl.name)}` may change what is sent"
    return ""


def _changes_results(program: Program, file: FileFacts, symbol: ClassSymbol) -> bool:
    if not any(
        isinstance(base, NamedType) and plain(base.name) in _FILTERS for base in symbol.decl.bases
    ):
        return False
    return any(
        _CHANGE.search(function_text(program, file.path, method))
        and _changes(program.body(method, file), _untouched(method), 0)
        for method in symbol.decl.methods
        if method.name in _AFTER or method.name == _AROUND
    )


def _untouched(method: Function) -> str:
    """The parameter in which a method sets nothing that changes what the action answered."""
    return method.params[0].name if method.name == _AROUND and method.params else ""


def _changes(statements: tuple[Statement, ...], untouched: str, depth: int) -> bool:
    """Whether statements set another result where the action has thrown nothing."""
    for statement in statements if depth < _MAX_DEPTH else ():
        match statement:
            case Assign(target=Attribute(name=name, value=holder)) if name in _CHANGED:
                if not (isinstance(holder, Name) and holder.id == untouched):
                    return True
            case Branch(condition=Attribute(name="Exception"), kind="switch"):
                pass
            case Branch(condition=test, blocks=blocks, kind="if"):
                if any(
                    _changes(block, untouched, depth + 1)
                    for block, holds in zip(blocks, (True, False), strict=False)
                    if not _has_thrown(test, holds)
                ):
                    return True
                if _ends(blocks[0]) and _has_thrown(test, False):
                    return False
            case Branch(blocks=blocks):
                if any(_changes(block, untouched, depth + 1) for block in blocks):
                    return True
            case Loop(body=body):
                if _changes(body, untouched, depth + 1):
                    return True
            case _:
                pass
    return False


def _ends(block: tuple[Statement, ...]) -> bool:
    return bool(block) and isinstance(block[-1], Return | Throw)


def _has_thrown(test: Expr | None, holds: bool) -> bool:
    """Whether the action has certainly thrown where a test holds (or does not hold):
    `context.Exception is NotFoundException`, `context.Exception != null`."""
    match test:
        case OperationExpr(operator="!", operands=(operand,)):
            return _has_thrown(operand, not holds)
        case OperationExpr(operator="is", operands=(Attribute(name="Exception"), _)):
            return holds
        case OperationExpr(operator="==" | "!=" as operator, operands=(one, other)):
            asked = isinstance(one, Attribute) and one.name == "Exception"
            null = isinstance(other, LiteralExpr) and other.value is None
            return asked and null and holds is (operator == "!=")
        case OperationExpr(operator="&&", operands=operands):
            return (any if holds else all)(_has_thrown(o, holds) for o in operands)
        case OperationExpr(operator="||", operands=operands):
            return (all if holds else any)(_has_thrown(o, holds) for o in operands)
        case _:
            return False


def _is_global(program: Program, name: str) -> bool:
    """Whether start-up code adds the filter for all controllers."""
    added = (f"Filters.Add<{name}>", f"Filters.Add(new {name}", f"Filters.Add(typeof({name})")
    return program.mentions(*(text.encode() for text in added))
