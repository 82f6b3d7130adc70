"""Queues, exchanges and bindings that a Spring application declares as beans."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    New,
    Return,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.resolution.annotations import has, type_name
from contract_scan.parsers.source.java.resolution.dependencies import everywhere

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_NAMED = frozenset(
    {"Queue", "TopicExchange", "DirectExchange", "FanoutExchange", "HeadersExchange", "Exchange"}
)


@memoised
def bindings(program: Program) -> dict[str, tuple[str, ...]]:
    """Queue -> routing keys and exchanges that beans bind it to."""
    return _binding_aliases(program)


def bean_name(program: Program, expression: str) -> str:
    """The queue that `#{bean.name}` or `#{@bean}` means; empty where it is undetermined."""
    inner = expression.removeprefix("#{").removesuffix("}").strip().lstrip("@")
    name = inner.split(".")[0].removesuffix("()")
    return _beans(program).get(name, "")


def _beans(program: Program) -> dict[str, str]:
    """Bean -> name of the queue or exchange that it is."""
    known = cast("dict[str, str] | None", program.memory.get("java.amqp.beans"))
    if known is None:
        known = {}
        for symbol, method, scope in _bean_methods(program):
            if type_name(method.returns) in _NAMED:
                text = _made_name(program, symbol, method, scope)
                if text:
                    known[method.name] = text
        program.memory["java.amqp.beans"] = known
    return known


def _bean_methods(program: Program) -> list[tuple[ClassSymbol, Function, Scope]]:
    found: list[tuple[ClassSymbol, Function, Scope]] = []
    for path in everywhere(program, b"org.springframework.amqp.core"):
        for symbol in program.classes(program.facts(path)):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                if not has(method.annotations, "Bean"):
                    continue
                scope = program.function_scope(method, inside)
                found.append((symbol, method, scope))
    return found


def _made_name(program: Program, symbol: ClassSymbol, method: Function, scope: Scope) -> str:
    """The name in `new Queue("orders")` or `QueueBuilder.durable("orders").build()`."""
    for statement in program.body(method, symbol.file):
        if not isinstance(statement, Return) or statement.value is None:
            continue
        expr: Expr = statement.value
        while isinstance(expr, Call) and isinstance(expr.callee, Attribute):
            if expr.args and isinstance(expr.callee.value, Name):
                return address(program, expr.args[0].value, scope).text
            expr = expr.callee.value
        if isinstance(expr, New) and expr.args:
            return address(program, expr.args[0].value, scope).text
    return ""


def _binding_aliases(program: Program) -> dict[str, tuple[str, ...]]:
    """`BindingBuilder.bind(queue).to(exchange).with(key)`."""
    found: dict[str, list[str]] = {}
    for _, method, scope in _bean_methods(program):
        if type_name(method.returns) != "Binding":
            continue
        steps: dict[str, Expr] = {}
        for call, _ in calls_in(program, scope.statements or (), scope):
            if isinstance(call, Call) and isinstance(call.callee, Attribute) and call.args:
                steps.setdefault(call.callee.name, call.args[0].value)
        queue = _bean(program, steps.get("bind"))
        if queue:
            names = found.setdefault(queue, [])
            if "with" in steps:
                names.append(address(program, steps["with"], scope).text)
            names.append(_bean(program, steps.get("to")))
    return {queue: tuple(name for name in names if name) for queue, names in found.items()}


def _bean(program: Program, expr: Expr | None) -> str:
    """The name of the queue or exchange that a parameter or a call of a bean method means."""
    match expr:
        case Name(id=name) | Call(callee=Name(id=name)):
            return _beans(program).get(name, "")
        case _:
            return ""
