"""Which names of properties a class that changes them mentions for which classes.

`if (Order.class.isAssignableFrom(bean.getBeanClass())) { … "lines" … }` says nothing of the lines
of any other class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
)
from contract_scan.parsers.source.java.resolution.annotations import class_argument, constant_name

Mentioned: TypeAlias = dict[str, frozenset[str]]
"""Key of a class -> the texts that are mentioned for it and what is derived from it; the empty key
for every class."""

_ASKS_FOR_CLASS = frozenset({"getBeanClass", "getRawClass", "handledType"})


def mentioned_texts(program: Program, symbol: ClassSymbol) -> Mentioned:
    """The constant texts in the methods of a class, by the classes that they are about."""
    found: dict[str, set[str]] = defaultdict(set)
    found[""] = {
        str(member.value.value)
        for member in symbol.decl.members
        if isinstance(member.value, LiteralExpr)
    }
    reader = _Reader(program, symbol)
    called = {name for method in symbol.decl.methods for name in reader.calls(method.name)}
    for method in symbol.decl.methods:
        if method.name not in called or "public" in method.modifiers:
            for key, text in reader.texts_of_method(method.name, "", frozenset()):
                found[key].add(text)
    return {key: frozenset(texts) for key, texts in found.items()}


class _Reader:
    def __init__(self, program: Program, symbol: ClassSymbol) -> None:
        self._program = program
        self._inside = program.class_scope(symbol)
        self._own = {method.name for method in symbol.decl.methods}
        self._scopes: dict[str, list[Scope]] = defaultdict(list)
        for method in symbol.decl.methods:
            self._scopes[method.name].append(program.function_scope(method, self._inside))

    def calls(self, name: str) -> set[str]:
        """The methods of the same class that one of them calls."""
        return {
            called
            for scope in self._scopes[name]
            for call, _ in calls_in(self._program, scope.statements or (), scope)
            if isinstance(call, Call)
            and (called := self._own_method_called(call)) not in ("", name)
        }

    def texts_of_method(
        self, name: str, key: str, above: frozenset[str]
    ) -> Iterator[tuple[str, str]]:
        """(key of a class, text) of everything that a method mentions, itself or through methods of
        the same class."""
        if name in above:
            return
        for scope in self._scopes[name]:
            for region, statement in _regions(scope.statements or (), key, self._program, scope):
                for call, place in calls_in(self._program, (statement,), scope):
                    yield from ((region, text) for text in self._texts(call, place))
                    if isinstance(call, Call) and (called := self._own_method_called(call)):
                        yield from self.texts_of_method(called, region, above | {name})

    def _texts(self, call: object, place: Scope) -> Iterator[str]:
        exprs: list[Expr] = [argument.value for argument in getattr(call, "args", ())]
        if isinstance(call, Call) and isinstance(call.callee, Attribute):
            exprs.append(call.callee.value)
        for expr in exprs:
            text = self._program.text(expr, place)
            if text is not None:
                yield text

    def _own_method_called(self, call: Call) -> str:
        name = constant_name(call.callee)
        own = isinstance(call.callee, Name) or (
            isinstance(call.callee, Attribute)
            and isinstance(call.callee.value, Name)
            and call.callee.value.id == "this"
        )
        return name if own and name in self._own else ""


def _regions(
    statements: tuple[Statement, ...], key: str, program: Program, scope: Scope
) -> Iterator[tuple[str, Statement]]:
    """Each statement with the key of the class it is about. Statements that hold others come apart
    only where a class is asked for in them."""
    for statement in statements:
        if isinstance(statement, Branch) and statement.kind == "if" and statement.condition:
            condition = statement.condition
            if wanted := _required_class(condition, program, scope):
                yield wanted, Evaluate(value=condition, span=statement.span)
                yield from _regions(statement.blocks[0], wanted, program, scope)
                for block in statement.blocks[1:]:
                    yield from _regions(block, key, program, scope)
                continue
            refused = _excluded_class(condition, program, scope)
            (first, *rest) = statement.blocks
            if refused and not rest and first and isinstance(first[-1], Return):
                yield key, statement
                key = refused
                continue
        if isinstance(statement, Loop):
            yield from _regions(statement.body, key, program, scope)
            if statement.iterable is not None:
                yield key, Evaluate(value=statement.iterable, span=statement.span)
            continue
        yield key, statement


def _required_class(condition: Expr, program: Program, scope: Scope) -> str:
    """The class that a condition requires."""
    match condition:
        case OperationExpr(operator="&&", operands=operands):
            found = (_required_class(operand, program, scope) for operand in operands)
            return next(filter(None, found), "")
        case OperationExpr(operator="==", operands=(one, other)):
            return _compared_class(one, other, program, scope)
        case Call(
            callee=Attribute(value=one, name="isAssignableFrom" | "equals"), args=(argument,)
        ):
            return _compared_class(one, argument.value, program, scope)
        case _:
            return ""


def _excluded_class(condition: Expr, program: Program, scope: Scope) -> str:
    """The class that a condition excludes."""
    match condition:
        case OperationExpr(operator="!", operands=(operand,)):
            return _required_class(operand, program, scope)
        case OperationExpr(operator="!=", operands=(one, other)):
            return _compared_class(one, other, program, scope)
        case _:
            return ""


def _compared_class(one: Expr, other: Expr, program: Program, scope: Scope) -> str:
    for named, asked in ((one, other), (other, one)):
        target = class_argument(named)
        if target is None or not _asks_for_class(asked):
            continue
        found = program.names.declared_class(target, scope)
        if found is not None:
            return found.key
    return ""


def _asks_for_class(expr: Expr) -> bool:
    return isinstance(expr, Call) and constant_name(expr.callee) in _ASKS_FOR_CLASS
