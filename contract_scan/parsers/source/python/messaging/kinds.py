"""Kinds of messages that a handler tells apart: by a key of the message that it compares with
constants, or by the address that the message came to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.syntax.null_checks import evaluate_boolean
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    OperationExpr,
    Statement,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.messaging.parts import MessagePart

MOST = 60
"""How many kinds of messages a handler is read for."""
_EQUAL = frozenset({"==", "is"})
_UNEQUAL = frozenset({"!=", "is not"})
_INSIDE = frozenset({"in", "not in"})
TESTS = _EQUAL | _UNEQUAL | _INSIDE
_DEEPEST = 20

ValuesByPath: TypeAlias = Mapping[str, Iterable[str]]
"""Texts that parts of a message are compared with, by the path of the part."""
PartOf: TypeAlias = Callable[[Expr], MessagePart | None]
TextsOf: TypeAlias = Callable[[Expr], tuple[str, ...]]


class Kinds:
    """The texts that a handler compares parts of a message with, and one that is supposed: every
    part that is compared with it is then taken to be it."""

    def __init__(self, values: ValuesByPath | None = None, supposed: str = "") -> None:
        self.values: dict[str, dict[str, None]] = {}
        for path, texts in (values or {}).items():
            self.note(path, texts)
        self.supposed = supposed

    def note(self, path: str, texts: Iterable[str]) -> None:
        """Note that a part is compared with texts."""
        found = [text for text in texts if text]
        if found:
            self.values.setdefault(path, {}).update(dict.fromkeys(found))

    def names(self) -> tuple[str, ...]:
        """All the texts; none where they are more than a handler is read for."""
        found = tuple({text: None for texts in self.values.values() for text in texts})
        return found if len(found) <= MOST else ()

    def is_supposed(self, part: MessagePart | None) -> bool:
        """Whether a part of the message is supposed to be a certain text."""
        return part is not None and self.supposed in self.values.get(part.path, ())

    def holds(
        self, condition: Expr, part_of: PartOf, texts_of: TextsOf, left: int = _DEEPEST
    ) -> bool | None:
        """Whether a condition holds for messages of the supposed kind; None: it is undetermined."""
        if not left or not self.supposed:
            return None

        def each(operands: Iterable[Expr]) -> Iterator[bool | None]:
            return (self.holds(operand, part_of, texts_of, left - 1) for operand in operands)

        match condition:
            case OperationExpr(operator="not" | "and" as operator, operands=operands):
                return evaluate_boolean(operator, each(operands))
            case Choice(options=options, fallback=True):
                return any_of(each(options))
            case OperationExpr(operator=operator, operands=(one, other)) if operator in TESTS:
                return self._comparison_holds(operator, one, other, part_of, texts_of)
            case Call(
                callee=Attribute(name="startswith" | "endswith" as name, value=value),
                args=[Argument(value=end)],
            ) if self.is_supposed(part_of(value)):
                ends = texts_of(end)
                found = getattr(self.supposed, name)(ends)
                return bool(found) if ends else None
            case _:
                return None

    def _comparison_holds(
        self, operator: str, one: Expr, other: Expr, part_of: PartOf, texts_of: TextsOf
    ) -> bool | None:
        if operator not in _INSIDE and not self.is_supposed(part_of(one)):
            one, other = other, one
        if not self.is_supposed(part_of(one)):
            return None
        texts = texts_of(other)
        if not texts:
            return None
        return (self.supposed in texts) == (operator in _EQUAL or operator == "in")

    def entered_block(
        self, branch: Branch, part_of: PartOf, texts_of: TextsOf
    ) -> tuple[Statement, ...] | None:
        """The block of a branch that messages of the supposed kind enter; None if it is
        undetermined."""
        condition = branch.condition
        if condition is None or not self.supposed:
            return None
        if branch.kind == "switch":
            return self._case(branch, texts_of) if self.is_supposed(part_of(condition)) else None
        if branch.kind != "if" or len(branch.blocks) > 2:
            return None
        verdict = self.holds(condition, part_of, texts_of)
        if verdict is None:
            return None
        return branch.blocks[0] if verdict else (*branch.blocks, ())[1]

    def _case(self, branch: Branch, texts_of: TextsOf) -> tuple[Statement, ...] | None:
        for case, block in zip(branch.cases, branch.blocks, strict=False):
            if case == UnsupportedSyntax("any", span=case.span):
                return block
            texts = texts_of(case)
            if not texts:
                return None
            if self.supposed in texts:
                return block
        return ()
