"""The walk that finds which keys of something are read, through a function and what it calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.parsers.source.facts import (
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Define,
    Each,
    Expr,
    Index,
    Jump,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    Opaque,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.link.values import Constant, FunctionValue, Scope
from contract_scan.parsers.source.python.messaging.given import is_given
from contract_scan.parsers.source.python.messaging.parts import Followed, Known, Read, Walk
from contract_scan.parsers.source.python.messaging.syntax import children, does_nothing

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_PARSERS = frozenset({"loads", "unpackb"})
"""Last names of library functions that parse a message."""
_SNS_KEYS = frozenset(
    {"Type", "MessageId", "TopicArn", "Subject", "Message", "Timestamp", "MessageAttributes"}
)
"""What SNS puts around a message that it hands to a queue."""
_HARMLESS = frozenset(
    {"print", "str", "repr", "len", "isinstance", "type", "bool", "dumps", "pformat", "pprint"}
    | {"log", "debug", "info", "warning", "warn", "error", "exception", "critical"}
)
"""Last names of what needs nothing of a message that it is given."""
_TESTS = frozenset({"==", "!=", "in", "not in", "is", "is not"})
LEVELS = 4
"""How many functions deep a message is followed."""
_DEEPEST = 40
"""How deep expressions and blocks are looked into."""


def function_scope(program: Program, handler: FunctionValue) -> Scope:
    """Inside a function, on the object that it is called on."""
    scope = program.function_scope(handler.function, handler.scope)
    return scope if handler.receiver is None else replace(scope, receiver=handler.receiver)


class Reader:
    """Walks a handler, and the functions of the project that it hands the message to."""

    def __init__(
        self,
        program: Program,
        parsed: str = "",
        begins: Callable[[Expr, Scope], bool] | None = None,
    ) -> None:
        """`parsed`: what a library that has parsed a message calls it; `begins`: whether an
        expression is what is looked for itself."""
        self._program = program
        self._parsed = parsed
        self._begins = begins
        self._tolerant = False
        """Whether what is not there is made up for."""
        self.root = Read()
        self.roots = 0
        self._root_depth = 0
        self._seen: set[tuple[object, ...]] = set()

    def function(self, scope: Scope, names: Known, depth: int, levels: int) -> Read | None:
        """Read a function in which names hold parts of the message; the part that it returns."""
        function = scope.function
        if function is None:
            return None
        key = (scope.file.path, function.span, tuple(sorted(names)), depth > self._root_depth)
        if key in self._seen or not levels:
            return None
        self._seen.add(key)
        returned: list[Read] = []
        walk = Walk(scope, dict(names), levels, returned)
        self._block(scope.statements or (), walk, depth, _DEEPEST)
        return returned[0] if len(returned) == 1 else None

    # ------------------------------------------------------------------ statements

    def _block(self, statements: tuple[Statement, ...], walk: Walk, depth: int, left: int) -> None:
        if not left:
            return
        for statement in statements:
            self._statement(statement, walk, depth, left - 1)
            if isinstance(statement, Branch) and self._parts_ways(statement, walk):
                depth += 1

    def _statement(self, statement: Statement, walk: Walk, depth: int, left: int) -> None:
        match statement:
            case Branch(blocks=blocks, condition=condition, kind=kind, cases=cases):
                if condition is not None:
                    self._expr(condition, walk, depth, left)
                for case in cases:
                    self._expr(case, walk, depth, left)
                for position, block in enumerate(blocks):
                    sure = kind == "try" and position == 0
                    before = self._tolerant
                    self._tolerant = before or (sure and self._goes_on(blocks))
                    self._block(block, walk, depth if sure else depth + 1, left)
                    self._tolerant = before
            case Loop(body=body, variable=variable, iterable=iterable):
                if iterable is not None:
                    part = self._expr(iterable, walk, depth, left)
                    if isinstance(variable, Name):
                        walk.names.pop(variable.id, None)
                        if part is not None:
                            walk.names[variable.id] = part.item()
                self._block(body, walk, depth, left)
            case Assign(target=target, value=value):
                if not isinstance(target, Name):
                    self._written(target, walk, depth, left)
                part = None if value is None else self._expr(value, walk, depth, left)
                if isinstance(target, Name):
                    walk.names.pop(target.id, None)
                    if part is not None and not statement.operator:
                        walk.names[target.id] = part
            case Define() | Jump():
                return
            case _:
                if statement.value is not None:
                    part = self._expr(statement.value, walk, depth, left)
                    if part is not None and isinstance(statement, Return):
                        walk.returned.append(part)

    def _goes_on(self, blocks: tuple[tuple[Statement, ...], ...]) -> bool:
        """Whether a request is answered all the same after something went wrong with it."""
        return self._begins is not None and any(
            not block or not isinstance(block[-1], Return | Throw) for block in blocks[1:]
        )

    def _parts_ways(self, branch: Branch, walk: Walk) -> bool:
        """Whether only some kinds of messages come past a test: `if data["type"] != "paid":
        return`."""
        if branch.kind == "try" or branch.condition is None:
            return False
        leaves = [not block or isinstance(block[-1], Return | Throw) for block in branch.blocks]
        return any(leaves) and self._tells_kinds(branch.condition, walk)

    def _tells_kinds(self, condition: Expr, walk: Walk) -> bool:
        """Whether a condition compares a part of the message with a constant."""
        pending = [condition]
        while pending:
            expr = pending.pop()
            if isinstance(expr, OperationExpr) and expr.operator in _TESTS:
                parts = [self._part(operand, walk) for operand in expr.operands]
                looks_for_key = expr.operator in ("in", "not in") and parts[-1] is not None
                constants = [self._is_constant(operand, walk) for operand in expr.operands]
                about_message = any(part is not None for part in parts)
                if about_message and any(constants) and not looks_for_key:
                    return True
            pending.extend(children(expr))
        return False

    def _is_constant(self, expr: Expr, walk: Walk) -> bool:
        if isinstance(expr, LiteralExpr):
            return expr.value is not None
        return isinstance(expr, ArrayLiteral) or self._constant(expr, walk.scope) is not None

    def _part(self, expr: Expr, walk: Walk) -> Read | None:
        """The part of the message that an expression is, without noting anything anew."""
        return self._expr(expr, walk, self._root_depth + 1, LEVELS)

    def _written(self, target: Expr, walk: Walk, depth: int, left: int) -> None:
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

    # ------------------------------------------------------------------ expressions

    def _expr(self, expr: Expr, walk: Walk, depth: int, left: int) -> Read | None:
        """Note what an expression reads; the part of the message that it gives, if it does."""
        if not left:
            return None
        left -= 1
        if self._begins is not None and self._begins(expr, walk.scope):
            return self._begun(depth)
        match expr:
            case Name(id=id):
                return walk.names.get(id)
            case Cast(value=value):
                return self._expr(value, walk, depth, left)
            case Index(value=value, index=index):
                self._expr(index, walk, depth, left)
                part = self._expr(value, walk, depth, left)
                return None if part is None else self._indexed(part, index, expr, walk, depth)
            case Call():
                return self._call(expr, walk, depth, left)
            case Choice(options=options, given=given):
                for test in given:
                    self._expr(test, walk, depth, left)
                parts = [
                    self._expr(option, walk, depth + 1 if given or position else depth, left)
                    for position, option in enumerate(options)
                ]
                known = [part for part in parts if part is not None]
                return known[0] if len(known) == 1 and not given else None
            case OperationExpr(operator=operator, operands=operands):
                later = depth + 1 if operator in ("and", "&&") else depth
                parts = [
                    self._expr(operand, walk, later if position else depth, left)
                    for position, operand in enumerate(operands)
                ]
                if operator in ("in", "not in") and len(parts) == 2 and parts[1] is not None:
                    name = self._constant(operands[0], walk.scope)
                    if name is not None and depth <= self._root_depth:
                        parts[1].key(name, False, expr, walk.scope)
                return None
            case Each(element=element, variable=variable, source=source, key=key):
                part = self._expr(source, walk, depth, left)
                inner = dict(walk.names)
                if isinstance(variable, Name):
                    inner.pop(variable.id, None)
                    if part is not None:
                        inner[variable.id] = part.item()
                nested = Walk(walk.scope, inner, walk.levels, [])
                for each in (element, key):
                    if each is not None:
                        self._expr(each, nested, depth, left)
                return None
            case Lambda():
                return None
            case Attribute(name=name, value=value) if name == self._parsed:
                return self._whole(value, walk, depth)
            case _:
                for child in children(expr):
                    self._expr(child, walk, depth, left)
                return None

    def _indexed(self, part: Read, index: Expr, expr: Expr, walk: Walk, depth: int) -> Read | None:
        name = self._constant(index, walk.scope)
        if name is not None:
            return self._key(part, name, True, expr, walk, depth)
        match index:
            case LiteralExpr(value=int()):
                return part.item()
            case Opaque(what="slice"):
                return part
            case _:
                part.leave_open("a key is computed")
                return None

    def _key(
        self, part: Read, name: str, needed: bool, expr: Expr, walk: Walk, depth: int
    ) -> Read | None:
        if depth > self._root_depth:
            known = part.keys.get(name)
            if known is None:
                part.sometimes.setdefault(name, (expr, walk.scope))
                return Read()  # what is below it belongs to some messages only, too
            return known[0]
        return part.key(name, needed and not self._tolerant, expr, walk.scope)

    def _constant(self, expr: Expr, scope: Scope) -> str | None:
        if isinstance(expr, LiteralExpr):
            return expr.value if isinstance(expr.value, str) else None
        value = self._program.evaluate(expr, scope)
        known = isinstance(value, Constant) and isinstance(value.value, str)
        return str(value.value) if known and isinstance(value, Constant) else None

    def _call(self, call: Call, walk: Walk, depth: int, left: int) -> Read | None:
        callee = call.callee
        if isinstance(callee, Attribute):
            part = self._expr(callee.value, walk, depth, left)
            if part is not None:
                return self._method(part, callee.name, call, walk, depth, left)
            if not call.args and callee.name == self._parsed:
                return self._whole(callee.value, walk, depth)
        parts = [self._expr(argument.value, walk, depth, left) for argument in call.args]
        if call.args and self._parses(call, walk):
            self.roots += 1
            self._root_depth = depth
            return self.root
        if call.args and self._is_parser(call):
            return self._parsed_part(parts[0], call.args[0].value)
        given = {position: part for position, part in enumerate(parts) if part is not None}
        raw = any(is_given(self._program, a.value, walk.scope, LEVELS) for a in call.args)
        if given or (not self.roots and (raw or self._begins is not None)):
            followed = self._follow(call, given, walk, depth)
            if followed is not None:
                return followed.part
            if any(part is self.root for part in given.values()):
                self._hand_on(call.callee)
        return None

    def _hand_on(self, callee: Expr) -> None:
        """Note that what cannot be looked into is given the whole message."""
        match callee:
            case Name(id=name) | Attribute(name=name):
                if name not in _HARMLESS:
                    self.root.leave_open(f"`{name}` is given the whole of it")
            case _:
                self.root.leave_open("a function is given the whole of it")

    def _whole(self, message: Expr, walk: Walk, depth: int) -> Read | None:
        """The content of a message that the library has parsed."""
        given = is_given(self._program, message, walk.scope, LEVELS)
        return self._begun(depth) if given else None

    def _begun(self, depth: int) -> Read:
        if not self.roots:
            self.roots = 1
            self._root_depth = depth
        return self.root

    def _parsed_part(self, part: Read | None, text: Expr) -> Read | None:
        """Text inside a message that is itself parsed: in the envelope of SNS, the message."""
        if part is None:
            return None
        if part is self.root and self._begins is not None:
            return part
        match text:
            case Index(index=LiteralExpr(value="Message")):
                if self.root.keys.keys() <= _SNS_KEYS:
                    self.root = Read()
                    return self.root
            case _:
                pass
        return Read()

    def _method(
        self, part: Read, name: str, call: Call, walk: Walk, depth: int, left: int
    ) -> Read | None:
        for argument in call.args:
            self._expr(argument.value, walk, depth, left)
        if name in ("get", "pop", "setdefault") and call.args:
            key = self._constant(call.args[0].value, walk.scope)
            if key is not None:
                needed = name == "pop" and len(call.args) == 1
                found = self._key(part, key, needed, call, walk, depth)
                part.filled.update({key} if name == "setdefault" else ())
                return found
            part.leave_open("a key is computed")
        if name in ("items", "keys", "values"):
            part.leave_open("all of its keys are gone through")
        if name == "update":
            part.filled.add("")
        return part if name == "copy" else None

    def _follow(
        self, call: Call, given: dict[int, Read], walk: Walk, depth: int
    ) -> Followed | None:
        """Go into a function of the project that is handed parts of the message, or (as long as
        no message has been parsed) what holds it; None where there is nothing to go into."""
        callee = self._program.evaluate(call.callee, walk.scope)
        if not isinstance(callee, FunctionValue) or walk.levels <= 1:
            return None
        params = [p for p in callee.function.params if p.name not in ("self", "cls", "this")]
        names: Known = {}
        for position, part in given.items():
            argument = call.args[position]
            if argument.spread:
                continue
            if argument.name:
                names[argument.name] = part
            elif position < len(params):
                names[params[position].name] = part
        inner = function_scope(self._program, callee)
        if all(does_nothing(statement) for statement in inner.statements or ()):
            return None
        return Followed(self.function(inner, names, depth, walk.levels - 1))

    def _is_parser(self, call: Call) -> bool:
        callee = call.callee
        last = callee.id if isinstance(callee, Name) else getattr(callee, "name", "")
        return last in _PARSERS

    def _parses(self, call: Call, walk: Walk) -> bool:
        """Whether a call parses what the handler was given."""
        given = call.args[0].value
        return self._is_parser(call) and is_given(self._program, given, walk.scope, LEVELS)
