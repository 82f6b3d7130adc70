"""Decorators by what they are, those composed with `applyDecorators` taken apart."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Items,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.forward_interpreter import interpret
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    ObjectLiteral,
)

MAX_COMPOSED = 5
COMMON = "@nestjs/common."


class Decorator(Struct, frozen=True):
    """One decorator of a class, method or parameter."""

    name: str
    """Qualified name: `@nestjs/common.Get`; empty where it is undetermined which one it is."""
    args: tuple[Argument, ...]
    scope: Scope
    """Where the arguments are to be read."""

    @property
    def simple(self) -> str:
        """The last part of the name."""
        return self.name.rsplit(".", 1)[-1]

    def argument(self, position: int) -> Expr | None:
        """An argument by position."""
        return self.args[position].value if position < len(self.args) else None

    def option(self, name: str) -> Expr | None:
        """A property of an argument that is an object literal."""
        for argument in self.args:
            if isinstance(argument.value, ObjectLiteral):
                for entry in argument.value.entries:
                    if entry.key == name and not entry.spread:
                        return entry.value
        return None

    def flag(self, name: str) -> bool:
        """Whether such a property is written as `true`."""
        value = self.option(name)
        return isinstance(value, LiteralExpr) and value.value is True


def decorators(
    program: Program, annotations: tuple[Annotation, ...], scope: Scope
) -> list[Decorator]:
    """Decorators in order; each composed one as its parts."""
    found: list[Decorator] = []
    for annotation in annotations:
        if annotation.callee is not None:
            call = Call(callee=annotation.callee, args=annotation.args, span=annotation.span)
            found.extend(_taken_apart(program, call, scope, 0))
    return found


def _taken_apart(program: Program, call: Call, scope: Scope, depth: int) -> Iterator[Decorator]:
    value = program.evaluate(call.callee, scope)
    if isinstance(value, FunctionValue) and depth < MAX_COMPOSED:
        bindings = program.evaluator.arguments(value.function.params, call, scope, value.scope)
        inside = program.function_scope(value.function, value.scope, bindings)
        for returned in program.function_exits(value):
            if not isinstance(returned.value, Call):
                continue
            if any(argument.spread for argument in returned.value.args):
                yield from _listed_decorators(program, value, call, scope)
            else:
                yield from _composed_decorators(program, returned.value, inside, depth + 1)
        return
    yield Decorator(program.evaluator.qualified_name(value), call.args, scope)


def _listed_decorators(
    program: Program, composing: FunctionValue, call: Call, scope: Scope
) -> Iterator[Decorator]:
    """`applyDecorators(...list)`: those that the function puts into the list in a call; one without
    a name where that is undetermined."""
    given = tuple(program.evaluate(argument.value, scope) for argument in call.args)
    spread = any(argument.spread for argument in call.args)
    outcome = None if spread else interpret(program, composing, given)
    for result in outcome.results if outcome else (None,):
        for value in _arguments(program, result):
            if isinstance(value, LibraryResult) and isinstance(value.site, Call):
                yield Decorator(value.name, value.site.args, value.scope)
            else:
                yield Decorator("", (), scope)


def _arguments(program: Program, result: Value | None) -> Iterator[Value | None]:
    """What a library's function was called with; None for what is not followed."""
    if not isinstance(result, LibraryResult):
        yield None
        return
    for argument in result.site.args:
        value = program.evaluate(argument.value, result.scope)
        if not argument.spread:
            yield value
        elif isinstance(value, Items) and not value.repeated:
            yield from value.values
        else:
            yield None


def _composed_decorators(
    program: Program, call: Call, scope: Scope, depth: int
) -> Iterator[Decorator]:
    name = call.callee.name if isinstance(call.callee, Attribute) else ""
    name = call.callee.id if isinstance(call.callee, Name) else name
    if name != "applyDecorators":
        yield from _taken_apart(program, call, scope, depth)
        return
    for argument in call.args:
        inner = argument.value
        if isinstance(inner, Call):
            yield from _taken_apart(program, inner, scope, depth)
        else:
            yield Decorator(program.qualified_name(inner, scope), (), scope)


def address(program: Program, found: tuple[Decorator, ...], verb: str) -> str | None:
    """The path of a handler as far as its decorators say it; None where they do not tell."""
    parts = []
    for decorator in found:
        if decorator.name in (COMMON + "Controller", COMMON + verb):
            first = decorator.argument(0)
            text = "" if first is None else program.text(first, decorator.scope)
            if text is None:
                return None
            parts.append(text.strip("/"))
    return "/" + "/".join(parts)
