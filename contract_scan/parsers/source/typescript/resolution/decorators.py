"""Decorators by what they are, those composed with `applyDecorators` taken apart."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Items,
    LibraryResult,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.forward_interpreter import interpret
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    Attribute,
    Call,
    Choice,
    Expr,
    LiteralExpr,
    Name,
    ObjectLiteral,
)

MAX_COMPOSED = 5
COMMON = "@nestjs/common."
_COMPOSES = COMMON + "applyDecorators"
_DOCUMENTING = "@nestjs/swagger."
"""Decorators of this library change nothing of what is taken and sent."""


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
            match returned.value:
                case Call(args=args) as made if not any(argument.spread for argument in args):
                    yield from _composed_decorators(program, made, inside, depth + 1)
                case Call() | Choice() as chosen:
                    found = _results(program, value, call, scope)
                    results = (program.evaluate(chosen, inside),) if found is None else found
                    for result in results:
                        yield from _of_value(program, result, scope, depth + 1)
        return
    yield Decorator(program.evaluator.qualified_name(value), call.args, scope)


def _results(
    program: Program, composing: FunctionValue, call: Call, scope: Scope
) -> tuple[Value | None, ...] | None:
    """What a function gives that puts decorators together at run time, where it can be run through
    with the arguments of a call."""
    if any(argument.spread for argument in call.args):
        return None
    outcome = interpret(
        program, composing, tuple(program.evaluate(argument.value, scope) for argument in call.args)
    )
    return None if outcome is None else tuple(outcome.results)


def _of_value(
    program: Program, value: Value | None, scope: Scope, depth: int
) -> Iterator[Decorator]:
    """The decorators that a value is or composes; one without a name where it is undetermined."""
    match value:
        case LibraryResult(name=name, site=Call(args=args), scope=inside):
            if name != _COMPOSES or depth >= MAX_COMPOSED:
                yield Decorator(name, args, inside)
                return
            for argument in args:
                held = program.evaluate(argument.value, inside)
                for each in _items(held) if argument.spread else (held,):
                    yield from _of_value(program, each, inside, depth + 1)
        case OneOf(options=options):
            # Which of several decorators that only document it is makes no difference.
            for option in options:
                for found in _of_value(program, option, scope, depth):
                    documents = found.name.startswith(_DOCUMENTING)
                    yield found if documents else Decorator("", (), scope)
        case _:
            yield Decorator("", (), scope)


def _items(value: Value) -> Iterator[Value | None]:
    """What a list holds, None for what is undetermined. Of decorators that only document, it makes
    no difference whether and how often they are there."""
    if isinstance(value, Items) and not value.repeated:
        yield from value.values
        return
    for option in value.options if isinstance(value, OneOf) else (value,):
        for held in option.values if isinstance(option, Items) else (None,):
            for kind in held.options if isinstance(held, OneOf) else (held,):
                documents = isinstance(kind, LibraryResult) and kind.name.startswith(_DOCUMENTING)
                yield kind if documents else None


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
