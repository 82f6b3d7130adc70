"""The walk that finds which keys of something are read, through a function and what it calls."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    FunctionValue,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Define,
    Expr,
    Index,
    Jump,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.python.messaging.expression_reader import ExpressionReader
from contract_scan.parsers.source.python.messaging.kinds import TESTS
from contract_scan.parsers.source.python.messaging.part_reader import KeyRead
from contract_scan.parsers.source.python.messaging.parts import Known, MessagePart, WalkState
from contract_scan.parsers.source.python.messaging.syntax import children

_LEAVES = (Return, Throw, Jump)
_DEEPEST = 40
"""How deep expressions and blocks are looked into."""


class Reader(ExpressionReader):
    """Walks a handler, and the functions of the project that it hands the message to."""

    def function(self, scope: Scope, names: Known, depth: int, levels: int) -> MessagePart | None:
        """Read a function in which names hold parts of the message; the part that it returns."""
        function = scope.function
        if function is None:
            return None
        key = (scope.file.path, function.span, tuple(sorted(names)), depth > self._root_depth)
        if key in self._seen or not levels:
            return None
        self._seen.add(key)
        returned: list[MessagePart] = []
        walk = WalkState(scope, dict(names), levels, returned)
        self._block(scope.statements or (), walk, depth, _DEEPEST)
        return returned[0] if len(returned) == 1 else None

    # ------------------------------------------------------------------ statements

    def _block(
        self, statements: tuple[Statement, ...], walk: WalkState, depth: int, left: int
    ) -> bool:
        """Read a block; whether the messages that are supposed are seen to leave in it."""
        if not left:
            return False
        before = self._on_this_way
        left_by = False
        for statement in statements:
            left_by = self._statement(statement, walk, depth, left - 1)
            if left_by and self.kinds.supposed:
                break
            if isinstance(statement, Branch) and self._parts_ways(statement, walk):
                depth += 1
                self._on_this_way = {}
        self._on_this_way = before
        return left_by and bool(self.kinds.supposed)

    def _branch(self, branch: Branch, walk: WalkState, depth: int, left: int) -> bool:
        if branch.condition is not None:
            part = self._expr(branch.condition, walk, depth, left)
            for case in branch.cases:
                self._expr(case, walk, depth, left)
                if part is not None:
                    self._note_comparison(part, case, walk)
        entered = self._entered_block(branch, walk)
        if entered is not None:
            return self._block(entered, walk, depth, left)
        if branch.kind == "try":
            return self._try(branch.blocks, walk, depth, left)
        ways: list[dict[tuple[int, str], KeyRead]] = []
        leaves: list[bool] = []
        for block in branch.blocks:
            with self._conditional_reads() as way:
                leaves.append(self._block(block, walk, depth + 1, left))
            if not block or not isinstance(block[-1], Throw):
                ways.append(way)
        if branch.exhaustive and ways:
            self._read_on_all(ways, depth)
        return branch.exhaustive and all(leaves)

    def _entered_block(self, branch: Branch, walk: WalkState) -> tuple[Statement, ...] | None:
        """The block that the supposed messages enter; None if it is undetermined."""
        return self.kinds.entered_block(
            branch, lambda e: self._part(e, walk), lambda e: self._texts(e, walk)
        )

    def _try(
        self, blocks: tuple[tuple[Statement, ...], ...], walk: WalkState, depth: int, left: int
    ) -> bool:
        before = self._tolerant
        self._tolerant = before or self._goes_on(blocks)
        leaves = [self._block(blocks[0], walk, depth, left)] if blocks else []
        self._tolerant = before
        with self._conditional_reads():
            leaves += [self._block(block, walk, depth + 1, left) for block in blocks[1:]]
        return bool(leaves) and all(leaves)

    def _read_on_all(self, ways: list[dict[tuple[int, str], KeyRead]], depth: int) -> None:
        """What is read on each of the ways is read in any case."""
        for key, reading in ways[0].items():
            each = [way.get(key) for way in ways]
            if all(each):
                needed = all(one.required for one in each if one is not None)
                walk = WalkState(reading.scope, {}, 0, [])
                self._key(reading.part, reading.name, needed, reading.expr, walk, depth)

    def _statement(self, statement: Statement, walk: WalkState, depth: int, left: int) -> bool:
        """Read a statement; whether what follows it is not reached."""
        match statement:
            case Branch():
                return self._branch(statement, walk, depth, left)
            case Loop(body=body, variable=variable, iterable=iterable):
                if iterable is not None:
                    part = self._expr(iterable, walk, depth, left)
                    if isinstance(variable, Name):
                        walk.names.pop(variable.id, None)
                        if part is not None:
                            walk.names[variable.id] = part.item()
                        else:
                            self._go_through(variable.id, iterable, walk)
                self._block(body, walk, depth, left)
            case Assign(target=target, value=value):
                if not isinstance(target, Name):
                    self._read_target(target, walk, depth, left)
                part = None if value is None else self._expr(value, walk, depth, left)
                if isinstance(target, Name):
                    walk.names.pop(target.id, None)
                    if part is not None and not statement.operator:
                        walk.names[target.id] = part
                    if value is not None and self.kinds.supposed:
                        self._suppose(target.id, part, value, walk)
            case Define():
                return False
            case Jump():
                return True
            case _:
                if statement.value is not None:
                    part = self._expr(statement.value, walk, depth, left)
                    if part is not None and isinstance(statement, Return):
                        walk.returned.append(part)
                return isinstance(statement, Return | Throw)
        return False

    def _go_through(self, name: str, iterable: Expr, walk: WalkState) -> None:
        """Give the variable of a loop over constants all of them: `for key in ("a", "b"): …`."""
        texts = self._texts(iterable, walk)
        if texts and isinstance(iterable, ArrayLiteral | Name | Attribute):
            values = union_of(tuple(Constant(text) for text in texts))
            walk.scope = replace(walk.scope, bindings={**walk.scope.bindings, name: values})

    def _suppose(self, name: str, part: MessagePart | None, given: Expr, walk: WalkState) -> None:
        """Give a local what it holds for the supposed kind of message."""
        value: Value
        if self.kinds.is_supposed(part):
            value = Constant(self.kinds.supposed)
        else:
            value = self._evaluate(given, walk)
        if isinstance(value, Constant | ClassValue | FunctionValue):
            walk.scope = replace(walk.scope, bindings={**walk.scope.bindings, name: value})

    def _goes_on(self, blocks: tuple[tuple[Statement, ...], ...]) -> bool:
        """Whether a request is answered all the same after something went wrong with it."""
        return self._begins is not None and any(
            not block or not isinstance(block[-1], Return | Throw) for block in blocks[1:]
        )

    def _parts_ways(self, branch: Branch, walk: WalkState) -> bool:
        """Whether only some kinds of messages come past a test: `if data["type"] != "paid":
        return`."""
        if branch.kind == "try" or branch.condition is None:
            return False
        if self._entered_block(branch, walk) is not None:
            return False
        leaves = [not block or isinstance(block[-1], _LEAVES) for block in branch.blocks]
        return any(leaves) and self._tells_kinds(branch.condition, walk)

    def _tells_kinds(self, condition: Expr, walk: WalkState) -> bool:
        """Whether a condition compares a part of the message with a constant."""
        pending = [condition]
        while pending:
            expr = pending.pop()
            if isinstance(expr, OperationExpr) and expr.operator in TESTS:
                parts = [self._part(operand, walk) for operand in expr.operands]
                looks_for_key = expr.operator in ("in", "not in") and parts[-1] is not None
                constants = [self._is_constant(operand, walk) for operand in expr.operands]
                about_message = any(part is not None for part in parts)
                if about_message and any(constants) and not looks_for_key:
                    return True
            pending.extend(children(expr))
        return False

    def _is_constant(self, expr: Expr, walk: WalkState) -> bool:
        if isinstance(expr, LiteralExpr):
            return expr.value is not None
        return isinstance(expr, ArrayLiteral) or self._constant(expr, walk.scope) is not None

    def _read_target(self, target: Expr, walk: WalkState, depth: int, left: int) -> None:
        """`data["x"] = 1` reads nothing of `data`, but may read what is before and in the
        brackets."""
        match target:
            case Index(value=value, index=index):
                part = self._expr(value, walk, depth, left)
                self._expr(index, walk, depth, left)
                if part is not None:
                    part.filled.add(self._constant(index, walk.scope) or "")
            case Attribute(value=value):
                self._expr(value, walk, depth, left)
            case _:
                return
