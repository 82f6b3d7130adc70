"""What expressions of a handler read of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Cast,
    Choice,
    Comprehension,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    OperationExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.messaging.call_reader import CallReader
from contract_scan.parsers.source.python.messaging.given import is_given
from contract_scan.parsers.source.python.messaging.kinds import TESTS
from contract_scan.parsers.source.python.messaging.part_reader import ADDRESSES, LEVELS
from contract_scan.parsers.source.python.messaging.parts import (
    MessagePart,
    WalkState,
)
from contract_scan.parsers.source.python.messaging.syntax import (
    children,
)

if TYPE_CHECKING:
    pass


class ExpressionReader(CallReader):
    """Finds what expressions read of a message, and which part of it they give."""

    def _expr(self, expr: Expr, walk: WalkState, depth: int, left: int) -> MessagePart | None:
        """Note what an expression reads; the part of the message that it gives, if it does."""
        if not left:
            return None
        left -= 1
        if self._begins is not None and self._begins(expr, walk.scope):
            return self._begin_root(depth)
        match expr:
            case Name(id=id):
                return walk.names.get(id)
            case Cast(value=value):
                return self._expr(value, walk, depth, left)
            case Index(value=value, index=index):
                key = self._expr(index, walk, depth, left)
                part = self._expr(value, walk, depth, left)
                if part is None and key is not None:
                    self._note_comparison(key, value, walk)
                return None if part is None else self._read_index(part, index, expr, walk, depth)
            case Call():
                return self._call(expr, walk, depth, left)
            case Choice(options=options, given=given):
                for test in given:
                    self._expr(test, walk, depth, left)
                parts = [
                    self._read_conditionally(option, walk, depth, left)
                    if given or position
                    else self._expr(option, walk, depth, left)
                    for position, option in enumerate(options)
                ]
                known = [part for part in parts if part is not None]
                return known[0] if len(known) == 1 and not given else None
            case OperationExpr(operator=operator, operands=operands):
                parts = [
                    self._read_conditionally(operand, walk, depth, left)
                    if position and operator in ("and", "&&")
                    else self._expr(operand, walk, depth, left)
                    for position, operand in enumerate(operands)
                ]
                if operator in ("in", "not in") and len(parts) == 2 and parts[1] is not None:
                    for name in self._texts(operands[0], walk):
                        if depth <= self._root_depth:
                            parts[1].key(name, False, expr, walk.scope)
                elif operator in TESTS:
                    for part, other in zip(parts, reversed(operands), strict=False):
                        if part is not None:
                            self._note_comparison(part, other, walk)
                return None
            case Comprehension(element=element, variable=variable, source=source, key=key):
                part = self._expr(source, walk, depth, left)
                inner = dict(walk.names)
                if isinstance(variable, Name):
                    inner.pop(variable.id, None)
                    if part is not None:
                        inner[variable.id] = part.item()
                nested = WalkState(walk.scope, inner, walk.levels, [])
                for each in (element, key):
                    if each is not None:
                        self._expr(each, nested, depth, left)
                return None
            case Lambda():
                return None
            case Attribute(name=name, value=value) if name == self._parsed:
                return self._whole(value, walk, depth)
            case Attribute(name=name, value=value) if name in ADDRESSES and is_given(
                self._program, value, walk.scope, LEVELS
            ):
                return self.address
            case _:
                for child in children(expr):
                    self._expr(child, walk, depth, left)
                return None

    def _read_index(
        self, part: MessagePart, index: Expr, expr: Expr, walk: WalkState, depth: int
    ) -> MessagePart | None:
        name = self._constant(index, walk.scope)
        if name is not None:
            return self._key(part, name, True, expr, walk, depth)
        match index:
            case LiteralExpr(value=int()):
                return part.item()
            case UnsupportedSyntax(description="slice"):
                return part
            case _:
                names = self._texts(index, walk)
                for each in names:
                    self._key(part, each, True, expr, walk, depth)
                if not names:
                    part.leave_open(Reason("key-computed"))
                return None
