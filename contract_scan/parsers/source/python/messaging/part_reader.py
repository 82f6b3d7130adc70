"""What is read of a message: where a walk through a handler notes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Items,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Choice,
    Expr,
    LiteralExpr,
    Name,
)
from contract_scan.parsers.source.python.messaging.kinds import Kinds
from contract_scan.parsers.source.python.messaging.parts import (
    ADDRESS,
    FILLED,
    MessagePart,
    WalkState,
)

ADDRESSES = frozenset({"routing_key", "topic", "subject"})
"""What messages call the address that they came to."""
LEVELS = 6
"""How many functions deep a message is followed."""
_STEPS = 1000
"""How many expressions are looked at to tell a table of constants, which stands near; what a
program puts together in many functions is none."""


def function_scope(
    program: Program, handler: FunctionValue, values: Mapping[str, Value] | None = None
) -> Scope:
    """Inside a function, on the object that it is called on; `values`: what parameters hold."""
    scope = program.function_scope(handler.function, handler.scope, values or None)
    return scope if handler.receiver is None else replace(scope, receiver=handler.receiver)


def _texts_of(value: Value) -> tuple[str, ...]:
    match value:
        case Constant(value=str(text)):
            return (text,)
        case OneOf(options=options):
            found = [_texts_of(option) for option in options]
            return tuple(text for texts in found for text in texts) if all(found) else ()
        case Items(values=values, repeated=False) if all(
            isinstance(v, Constant) and isinstance(v.value, str) for v in values
        ):
            return tuple(str(v.value) for v in values if isinstance(v, Constant))
        case Record(entries=entries, partial="", values=None):
            return tuple(entry.name for entry in entries)
        case _:
            return ()


class KeyRead(Struct, frozen=True, eq=False):
    """A key that is read on one of several ways through the code."""

    part: MessagePart
    name: str
    required: bool
    expr: Expr
    scope: Scope


class MessageReads:
    """The parts of a message that are read, and how surely."""

    def __init__(self, program: Program, kinds: Kinds | None) -> None:
        self._program = program
        self.tolerant = False
        """Whether what is not there is made up for."""
        self.on_this_way: dict[tuple[int, str], KeyRead] = {}
        """Keys that are read between here and the last place where the ways part."""
        self.kinds = kinds or Kinds()
        self.models: list[ClassSymbol] = []
        """Classes that are made of the whole message."""
        self.root = MessagePart()
        self.address = MessagePart(ADDRESS)
        self.roots = 0
        self.root_depth = 0
        """Where what is read unconditionally of the message is read."""

    def key(
        self, part: MessagePart, name: str, needed: bool, expr: Expr, walk: WalkState, depth: int
    ) -> MessagePart | None:
        """Note that a key of a part is read; what is under it."""
        needed = needed and not self.tolerant
        if depth > self.root_depth:
            before = self.on_this_way.get((id(part), name))
            if before is None or (needed and not before.required):
                self.on_this_way[id(part), name] = KeyRead(part, name, needed, expr, walk.scope)
            return part.sometimes_key(name, expr, walk.scope)
        return part.key(name, needed, expr, walk.scope)

    def leave(self, depth: int) -> None:
        """Note that a block is left: what it held of the message is asked again outside, so that
        a test there parts the ways of it (`if "x" in data: data["x"]`)."""
        self.root_depth = min(self.root_depth, depth)

    def note_comparison(self, part: MessagePart, other: Expr, walk: WalkState) -> None:
        """Note the texts that code compares a part with, or looks it up in."""
        if part is not self.root and not part.path.startswith(FILLED):
            self.kinds.note(part.path, self.texts(other, walk))

    def texts(self, expr: Expr, walk: WalkState) -> tuple[str, ...]:
        """The texts that a constant, or a list or table of constants, holds; none where one of them
        is undetermined."""
        match expr:
            case LiteralExpr(value=value):
                return (value,) if isinstance(value, str) else ()
            case ArrayLiteral(items=options) | Choice(options=options, given=()):
                found = [self.constant(option, walk.scope) for option in options]
                return tuple(f for f in found if f is not None) if None not in found else ()
            case Name(id=id) if walk.names.get(id) is not None:
                return ()
            case Name() | Attribute() | Call():
                with self._program.evaluator.budget.limit_steps(_STEPS):
                    return _texts_of(self._program.evaluate(expr, walk.scope))
            case _:
                return ()

    def constant(self, expr: Expr, scope: Scope) -> str | None:
        """The text that an expression always is."""
        if isinstance(expr, LiteralExpr):
            return expr.value if isinstance(expr.value, str) else None
        value = self._program.evaluate(expr, scope)
        known = isinstance(value, Constant) and isinstance(value.value, str)
        return str(value.value) if known and isinstance(value, Constant) else None

    @contextmanager
    def conditional_reads(self) -> Iterator[dict[tuple[int, str], KeyRead]]:
        """What is read on one of several ways, apart from what is read before they part."""
        before, self.on_this_way = self.on_this_way, {}
        try:
            yield self.on_this_way
        finally:
            self.on_this_way = before
