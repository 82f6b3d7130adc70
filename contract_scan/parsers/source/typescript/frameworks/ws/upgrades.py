"""Which path of the HTTP server a place in the code is for, by the tests around it.

`if (pathname === "/chat") chat.handleUpgrade(…)` takes what comes to `/chat`; so does what stands
behind `if (pathname !== "/chat") return;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON
from contract_scan.parsers.source.analysis.domain.values import (
    LibraryResult,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.typescript.resolution import walker

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

MAX_DEPTH = 50
"""How deep blocks are looked into."""

_EQUAL = frozenset({"===", "=="})
_UNEQUAL = frozenset({"!==", "!="})
_MATCHES = frozenset({"exec", "test", "match"})
_GROUP = re.compile(r"\((?:\?<(?P<name>\w+)>|\?:)?(?:\[\^?[^\[\]]*+\]|\\w|\\d|\.)[+*]\??\)")
_BARE = re.compile(r"(?:\[\^/\]|\\w|\\d|\.)[+*]\??")
_LEFT = re.compile(r"[\[\](){}*+?|\\^$]")
_LITERAL = re.compile(r"[^/]*+/(.*)/[a-z]*$", re.DOTALL)


def path_at(program: Program, span: Span, scope: Scope) -> str:
    """The path that the tests around a place demand; empty where they demand none that is
    constant."""
    current: Scope | None = scope
    while current is not None:
        for test, holds in _tests(current.statements or (), span, 0):
            path = _required_path(program, test, holds, current)
            if path:
                return path
        current = current.parent
    return ""


def is_tested(span: Span, scope: Scope) -> bool:
    """Whether a place depends on any test at all."""
    current: Scope | None = scope
    while current is not None:
        if any(_tests(current.statements or (), span, 0)):
            return True
        current = current.parent
    return False


def template_of(pattern: str) -> str:
    """The path template that a regular expression for whole paths stands for; empty where it is
    more than words and parameters."""
    if not pattern.startswith("^") or not pattern.endswith("$"):
        return ""
    text = pattern[1:-1].replace("\\/", "/").removesuffix("/?").replace("(?:/)?", "")
    names: list[str] = []

    def parameter(match: re.Match[str]) -> str:
        name = match.groupdict().get("name") or f"value{len(names) or ''}"
        names.append(name)
        return f"\0{len(names) - 1}\0"

    text = _BARE.sub(parameter, _GROUP.sub(parameter, text))
    text = text.replace("\\.", ".").replace("\\-", "-")
    if not text.startswith("/") or _LEFT.search(text):
        return ""
    for position, name in enumerate(names):
        text = text.replace(f"\0{position}\0", f"{{{name}}}")
    return text


def _tests(
    statements: tuple[Statement, ...], span: Span, depth: int
) -> Iterator[tuple[Expr, bool]]:
    """(test, whether it holds) for each test that a place depends on, inner ones first."""
    left: list[tuple[Expr, bool]] = []
    for statement in statements:
        if not _covers(statement.span, span):
            if isinstance(statement, Branch) and statement.condition is not None:
                leaves = bool(statement.blocks) and _ends_function(statement.blocks[0])
                if leaves and statement.kind == "if" and _ends_before(statement.span, span):
                    left.append((statement.condition, False))
            continue
        if isinstance(statement, Branch) and depth < MAX_DEPTH:
            for position, block in enumerate(statement.blocks):
                if any(_covers(inner.span, span) for inner in block):
                    yield from _tests(block, span, depth + 1)
                    yield from _of_block(statement, position)
    yield from left


def _of_block(branch: Branch, position: int) -> Iterator[tuple[Expr, bool]]:
    if branch.condition is None:
        return
    if branch.kind == "if":
        yield branch.condition, position == 0
    elif branch.kind == "switch" and position < len(branch.cases):
        operands = (branch.condition, branch.cases[position])
        yield OperationExpr(operator="===", operands=operands, span=branch.span), True


def _required_path(program: Program, test: Expr, holds: bool, scope: Scope) -> str:
    if isinstance(test, OperationExpr):
        if test.operator in ("!", "not") and test.operands:
            return _required_path(program, test.operands[0], not holds, scope)
        if test.operator in ("&&", "and") and holds:
            found = [_required_path(program, operand, True, scope) for operand in test.operands]
            return next(filter(None, found), "")
        if test.operator in (_EQUAL if holds else _UNEQUAL):
            texts = [program.text(operand, scope) for operand in test.operands]
            paths = [text for text in texts if text is not None and text.startswith("/")]
            return paths[0] if len(paths) == 1 else ""
        return ""
    return _matched_path(program, test, scope) if holds else ""


def _matched_path(program: Program, test: Expr, scope: Scope) -> str:
    r"""The path of `/^\\/chat$/.test(path)`, also where a variable holds the result."""
    if isinstance(test, Call):
        return _of_call(program, test, scope)
    current: Scope | None = scope if isinstance(test, Name) else None
    while current is not None:
        for node in walker.nested_nodes(current.statements or ()):
            if isinstance(node, Assign) and isinstance(node.value, Call):
                target = node.target
                if isinstance(target, Name) and target.id == getattr(test, "id", ""):
                    return _of_call(program, node.value, current)
        current = current.parent
    return ""


def _of_call(program: Program, call: Call, scope: Scope) -> str:
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name not in _MATCHES or not call.args:
        return ""
    first = call.args[0].value
    expr = first if callee.name == "match" else callee.value
    return template_of(_pattern(program, expr, program.evaluate(expr, scope)))


def _pattern(program: Program, expr: Expr, value: Value) -> str:
    """The text of a regular expression: a literal, or what `new RegExp` is given."""
    if isinstance(value, LibraryResult) and value.name == "RegExp" and value.site.args:
        return program.text(value.site.args[0].value, value.scope) or ""
    written: str = value.reason if isinstance(value, Unresolved) else NO_REASON
    if isinstance(expr, UnsupportedSyntax):
        written = expr.description
    found = _LITERAL.match(written) if written.startswith("regular expression") else None
    return found[1] if found is not None else ""


def _ends_function(block: tuple[Statement, ...]) -> bool:
    return bool(block) and isinstance(block[-1], Return | Throw)


def _covers(outer: Span, inner: Span) -> bool:
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    return starts and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def _ends_before(one: Span, other: Span) -> bool:
    return (one.end_line, one.end_column) <= (other.line, other.column)
