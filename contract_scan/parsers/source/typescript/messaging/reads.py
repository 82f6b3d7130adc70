"""Which keys of a message a handler reads that declares no type for what it parses.

JavaScript says what it takes a message for by what it reads of it. A key that is read in any case
is one that the handler counts on being a part of the message, though it may do without a value; one
that is read in some cases only, tested for, or has something that stands in for it, may be of other
messages. Of keys that nothing reads, nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Anything, Array, Field, Object, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Expr,
    Function,
    Name,
    OperationExpr,
)
from contract_scan.parsers.source.typescript.web.body_parts import MAX_DEPTH, BodyPart, only_kind
from contract_scan.parsers.source.typescript.web.body_uses import LEVELS, BodyUses
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.part_reader import WalkState


def keys_read(program: Program, handler: FunctionValue) -> Schema | None:
    """What a handler reads of the text that it parses; None where it parses none, or several, or
    what it reads is a text inside of the message."""
    uses = _MessageUses(program)
    uses.message(handler)
    return uses.message_schema()


def keys_read_of(program: Program, handler: FunctionValue, position: int) -> Schema | None:
    """What a handler reads of a parameter that is handed the message parsed."""
    uses = _MessageUses(program)
    uses.read_handler(handler, position)
    return uses.message_schema()


def keys_read_of_part(program: Program, handler: FunctionValue, part: str) -> Schema | None:
    """What a handler reads of `message.part`, where the library has parsed that."""
    uses = _MessageUses(program)
    uses.read_nested_handler(handler, part)
    return uses.message_schema()


class _Raw(BodyPart):
    """What the library hands a handler, or a piece of it: the message is a text somewhere in it."""

    def key(self, name: str, place: object) -> BodyPart:
        return self

    def item(self) -> BodyPart:
        return self

    def leave_open(self, reason: Reason) -> None:
        """Says nothing of the message."""

    def take(self, schema: Schema) -> None:
        """Says nothing of the message."""


class _HandlerEnvelope(BodyPart):
    """What the library hands a handler, with the parsed message under a key of it."""

    def __init__(self, name: str, message: BodyPart) -> None:
        super().__init__(made=True)
        self.keys[name] = message

    def leave_open(self, reason: Reason) -> None:
        """Says nothing of the message."""

    def take(self, schema: Schema) -> None:
        """Says nothing of the message."""


class _MessageUses(BodyUses):
    """Collects what the functions of one handler read of the message."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._raw = _Raw()
        self._parsed_at: set[Span] = set()
        self._sure: set[BodyPart] = set()
        """Parts that are read in any case."""
        self._looked_for: Expr | None = None
        self._at = 0
        """How deep in cases the reader is."""
        self._is_nested = False
        """Whether a part of the message is a text that is parsed in its turn."""

    def message(self, handler: FunctionValue) -> None:
        """Read a handler that is given the message as a text."""
        given = dict.fromkeys(range(len(handler.function.params)), self._raw)
        self._function(handler.function, scope_of(self._program, handler), given, 0, LEVELS)

    def read_handler(self, handler: FunctionValue, position: int) -> None:
        """Read a handler whose argument is the parsed message."""
        given = {position: self.body}
        self._function(handler.function, scope_of(self._program, handler), given, 0, LEVELS)

    def read_nested_handler(self, handler: FunctionValue, part: str) -> None:
        """Read a handler whose argument holds the parsed message under a key."""
        given = {0: _HandlerEnvelope(part, self.body)}
        self._function(handler.function, scope_of(self._program, handler), given, 0, LEVELS)

    def message_schema(self) -> Schema | None:
        """The keys that are read of the message, as a schema; None where undetermined."""
        if self._is_nested or len(self._parsed_at) > 1 or not self.body.keys:
            return None
        return self._record(self.body, MAX_DEPTH)

    def _part_schema(self, part: BodyPart, levels: int) -> Schema:
        if part.keys and levels:
            return self._record(part, levels)
        known = only_kind(part)
        if known is not None:
            return known
        if part.items is not None and levels and not part.open:
            items = self._part_schema(part.items, levels - 1)
            return Array(items=items, nullable=None, origin=part.place)
        return Anything(nullable=None, origin=part.place)

    def _record(self, part: BodyPart, levels: int) -> Object:
        fields = tuple(
            Field(
                name=name,
                schema=self._part_schema(inner, levels - 1),
                required=False,
                undetermined_reason=NO_REASON
                if inner in self._sure
                else Reason("field-read-conditionally", name=name),
                origin=inner.place,
            )
            for name, inner in part.keys.items()
        )
        return Object(
            fields=fields, incomplete_reason=part.open, nullable=None, origin=fields[0].origin
        )

    # ------------------------------------------------------------------ how surely a key is read

    def _function(
        self,
        function: Function,
        scope: Scope,
        given: Mapping[int, BodyPart],
        depth: int,
        levels: int,
    ) -> BodyPart | None:
        self._at = depth
        return super()._function(function, scope, given, depth, levels)

    def _expr(self, expr: Expr, walk: WalkState, depth: int, left: int) -> BodyPart | None:
        if expr is self._looked_for:
            depth += 1
        self._at = depth
        part = super()._expr(expr, walk, depth, left)
        self._at = depth
        return part

    def _key(self, part: BodyPart, name: str, span: Span, walk: WalkState) -> BodyPart:
        found = super()._key(part, name, span, walk)
        if not self._at:
            self._sure.add(found)
        return found

    def _branch(self, branch: Branch, walk: WalkState, depth: int, left: int) -> None:
        test = branch.condition if branch.kind == "if" else None
        before, self._looked_for = self._looked_for, _tested_part(test)
        super()._branch(branch, walk, depth, left)
        self._looked_for = before

    def _choice(
        self,
        options: tuple[Expr, ...],
        given: tuple[Expr, ...],
        walk: WalkState,
        depth: int,
        left: int,
    ) -> BodyPart | None:
        return super()._choice(options, given, walk, depth + 1, left)

    def _operation(
        self, operator: str, operands: tuple[Expr, ...], walk: WalkState, depth: int, left: int
    ) -> None:
        later = depth + 1 if operator in ("&&", "||", "!", "in") else depth
        super()._operation(operator, operands, walk, later, left)

    # ------------------------------------------------------------------ from text to message

    def _method(
        self, owner: BodyPart, callee: Attribute, call: Call, walk: WalkState, depth: int, left: int
    ) -> BodyPart | None:
        found = super()._method(owner, callee, call, walk, depth, left)
        return self._raw if owner is self._raw else found

    def _handed_on(
        self, call: Call, name: str, given: dict[int, BodyPart], walk: WalkState, depth: int
    ) -> BodyPart | None:
        if _is_parse(call):
            if given.get(0) is self._raw:
                self._parsed_at.add(call.span)
                return self.body
            self._is_nested = True
            return None
        found = super()._handed_on(call, name, given, walk, depth)
        library = not isinstance(self._program.evaluate(call.callee, walk.scope), FunctionValue)
        return self._raw if library and self._raw in given.values() else found


def _tested_part(condition: Expr | None) -> Expr | None:
    """A test that asks no more of a part than whether it is there: `data.note`, `!data.note`."""
    while isinstance(condition, OperationExpr) and condition.operator == "!":
        condition = condition.operands[0]
    return condition if isinstance(condition, Attribute) else None


def _is_parse(call: Call) -> bool:
    callee = call.callee
    return (
        isinstance(callee, Attribute)
        and callee.name == "parse"
        and isinstance(callee.value, Name)
        and callee.value.id == "JSON"
    )
