"""Constant strings and qualified names of values; the lowest level of evaluation.

Evaluation is built in levels, each a class that uses those below and, through methods declared
here, the whole: `Texts` < `Nulls` < `Containers` < `Patterns` < `Members` < `Attributes` <
`Fitting` < `Generics` < `Results` < `Bindings` < `Bodies` < `Calls` < `Changed` <
`Comprehensions` < `Operations` < `Assignments` < `Evaluator`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.origin import Origin, Span
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Scope,
    Template,
    Value,
    symbol_name,
)
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    Expr,
    NamedType,
    NullableType,
    NullType,
    UnionType,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    from contract_scan.parsers.source.analysis.domain.program import Program


_DEEPEST_ALIAS = 8

MAX_STEPS = 20_000
"""How many expressions may be looked at, and later changes of stored objects, to tell one. What
programs send takes some hundred; libraries that are kept in a repository, whose variables all hang
together, take any number."""


class Texts:
    """What a value is as text."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.cuts = 0
        """How often a ring or a limit has cut an evaluation short. What was found meanwhile holds
        only there, and is not remembered."""
        self.ring_cuts: list[Hashable] = []
        """Those of the cuts that were made where a ring came back to what was being followed, by
        what that was."""
        self._steps = 0
        """How many were looked at since the outermost expression was begun."""
        self._limit = MAX_STEPS

    def cut_ring(self, followed: Hashable) -> None:
        """Note that evaluation came back to what is being followed, and stopped there."""
        self.cuts += 1
        self.ring_cuts.append(followed)

    def close_ring(self, followed: Hashable, before: int) -> None:
        """Take back the cuts that rest on what has been followed to its end: it gives the same
        wherever it is followed from. `before` is the length of `ring_cuts` at its start."""
        since = self.ring_cuts[before:]
        if since:
            others = [each for each in since if each != followed]
            self.cuts -= len(since) - len(others)
            self.ring_cuts[before:] = others

    # Defined by the levels above.
    def evaluate(self, expr: Expr, scope: Scope) -> Value:
        """What an expression means at a place."""
        raise NotImplementedError

    def apply(self, function: Value | None, args: tuple[Value, ...], scope: Scope) -> Value:
        """What calling a function value gives."""
        raise NotImplementedError

    def attribute(self, value: Value, name: str, scope: Scope, span: Span) -> Value:
        """`value.name`."""
        raise NotImplementedError

    def text(self, value: Value) -> str | None:
        """The constant string of a value."""
        match value:
            case Constant(value=str(text)):
                return text
            case Constant(value=bool()) | Constant(value=None):
                return None
            case Constant(value=number):
                return str(number)
            case Instance():
                return self.enum_text(value)
            case _:
                return None

    def template(self, value: Value) -> str | None:
        """The string with `{}` for each part that is not constant."""
        match value:
            case Template(parts=parts):
                return "".join(self.template(part) or "{}" for part in parts)
            case _:
                return self.text(value)

    def texts(self, value: Value) -> tuple[str | None, ...]:
        """The strings of one string or of a list of strings."""
        match value:
            case Items(values=values):
                return tuple(text for item in values for text in self.texts(item))
            case OneOf(options=options):
                return tuple(text for item in options for text in self.texts(item))
            case _:
                return (self.text(value),)

    def qualified_name(self, value: Value, depth: int = 0) -> str:
        """Qualified name of what a value is or was made by, aliases of types followed."""
        match value:
            case LibrarySymbol(name=name) | LibraryResult(name=name):
                return name
            case ClassValue(symbol=symbol) | Instance(symbol=symbol):
                return symbol.key
            case FunctionValue(function=function, scope=scope):
                return f"{scope.file.path}#{function.name}"
            case ModuleValue(path=path):
                return path
            case ByType(type=NamedType(name=name), scope=scope):
                found = self._program.names.lookup_type(name, scope)
                if isinstance(found, ClassValue):
                    return found.symbol.key
                if isinstance(found, AliasSymbol) and depth < _DEEPEST_ALIAS:
                    inside = self._program.names.alias_scope(found)
                    return self.qualified_name(ByType(found.alias.type, inside), depth + 1)
                return found.name if isinstance(found, LibrarySymbol) else ""
            case ByType(type=NullableType(item=item) | AnnotatedType(item=item), scope=scope):
                return self.qualified_name(ByType(item, scope), depth)
            case ByType(type=UnionType(options=options), scope=scope):
                left = [o for o in options if not isinstance(o, NullType)]
                return self.qualified_name(ByType(left[0], scope), depth) if len(left) == 1 else ""
            case _:
                return ""

    def _origin(self, span: Span, scope: Scope) -> Origin:
        return Origin(scope.file.path, span, "", symbol_name(scope))

    def enum_text(self, value: Instance) -> str | None:
        """The text of an enum constant that has one string of its own."""
        if value.site is None or value.scope is None or value.symbol.decl.kind != "enum":
            return None
        texts = [
            self._program.evaluator.text(self.evaluate(a.value, value.scope))
            for a in value.site.args
        ]
        known = [text for text in texts if text is not None]
        return known[0] if len(known) == 1 else None


def unless_begun(value: Value) -> Value:
    """A part of a text: that a member begins as an empty text says nothing of what it will hold."""
    match value:
        case Constant(value="", declared_type=ByType() as declared):
            return declared
        case _:
            return value
