"""The walk that finds which keys of something are read, through a function and what it calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Record,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Comprehension,
    Define,
    Expr,
    Index,
    Jump,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.messaging.kinds import TESTS, Kinds
from contract_scan.parsers.source.python.messaging.part_reader import (
    ADDRESSES,
    LEVELS,
    KeyRead,
    MessageReads,
    function_scope,
)
from contract_scan.parsers.source.python.messaging.parts import (
    FollowedFunction,
    Known,
    MessagePart,
    WalkState,
)
from contract_scan.parsers.source.python.messaging.syntax import (
    VALIDATORS,
    asks_for_body,
    children,
    does_nothing,
    keys_missed,
    leaves_in_order,
)
from contract_scan.parsers.source.python.messaging.taint_sources import is_given

_PARSERS = frozenset({"loads", "unpackb", "json_decode"})
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

_ALL_VALUES = frozenset({"getlist", "getall"})
"""Methods of dictionaries with several values of a key: werkzeug's and multidict's."""
_KEY_READERS = frozenset({"get", "pop", "setdefault", "getone"}) | _ALL_VALUES
_RAISING = frozenset({"pop", "getone", "getall"})
"""They raise KeyError where there is no such key and no default is given."""
_WEBOB = (b"pyramid", b"webob")
_LEAVES = (Return, Throw, Jump)
_DEEPEST = 40
"""How deep expressions and blocks are looked into."""


class Reader:
    """Walks a handler, and the functions of the project that it hands the message to."""

    def __init__(
        self,
        program: Program,
        parsed: str = "",
        begins: Callable[[Expr, Scope], bool] | None = None,
        kinds: Kinds | None = None,
        parses: bool = True,
        is_request: bool = False,
        holds: Callable[[Expr, Scope], bool | None] | None = None,
    ) -> None:
        """`parsed`: what a library that has parsed a message calls it; `begins`: whether an
        expression is what is looked for itself; `kinds`: which messages are supposed; `parses`:
        whether what the handler parses is looked for as well; `is_request`: whether what is looked
        for is a part of a request, which is there before the handler asks for it; `holds`: whether
        a test holds for the requests that are looked at, as far as that is known."""
        self._program = program
        self._parsed = parsed
        self._begins = begins
        self._parses_any = parses
        self._is_request = is_request
        self._holds = holds
        self._seen: set[tuple[object, ...]] = set()
        self._levels = 0
        """How many functions deep the handler itself is followed."""
        self.reads = MessageReads(program, kinds)

    def function(self, scope: Scope, names: Known, depth: int, levels: int) -> MessagePart | None:
        """Read a function in which names hold parts of the message; the part that it returns."""
        function = scope.function
        if function is None:
            return None
        key = (scope.file.path, function.span, tuple(sorted(names)), depth > self.reads.root_depth)
        if key in self._seen or not levels:
            return None
        self._seen.add(key)
        self._levels = max(self._levels, levels)
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
        before, outside = self.reads.on_this_way, depth
        left_by = False
        guarded: list[tuple[MessagePart, str]] = []
        for statement in statements:
            left_by = self._statement(statement, walk, depth, left - 1)
            if left_by and self._is_one_kind:
                break
            if isinstance(statement, Branch) and self._parts_ways(statement, walk):
                depth += 1
                self.reads.on_this_way = {}
            if isinstance(statement, Branch):
                guarded.extend(self._guard_keys(statement, walk))
        for part, name in guarded:
            part.guarded.discard(name)
        self.reads.on_this_way = before
        self.reads.leave(outside)
        return left_by and self._is_one_kind

    def _guard_keys(self, branch: Branch, walk: WalkState) -> list[tuple[MessagePart, str]]:
        """The keys without which a message leaves here and is none the worse for it: `if "a" not in
        data: return data`. What comes behind needs them of no message."""
        block = branch.blocks[0] if branch.kind == "if" and len(branch.blocks) == 1 else ()
        if branch.condition is None or not block or not leaves_in_order(block):
            return []
        if isinstance(block[-1], Return) and walk.levels >= self._levels:
            return []  # the handler itself ends: such a message is not handled
        found: list[tuple[MessagePart, str]] = []
        for holder, key in keys_missed(branch.condition):
            part = self._part(holder, walk)
            name = None if part is None else self.reads.constant(key, walk.scope)
            if part is not None and name is not None and name not in part.guarded:
                part.guarded.add(name)
                found.append((part, name))
        return found

    @property
    def _is_one_kind(self) -> bool:
        """Whether messages, or requests, of one kind are looked at."""
        return bool(self.reads.kinds.supposed) or self._holds is not None

    def _branch(self, branch: Branch, walk: WalkState, depth: int, left: int) -> bool:
        if branch.condition is not None:
            part = self._expr(branch.condition, walk, depth, left)
            for case in branch.cases:
                self._expr(case, walk, depth, left)
                if part is not None:
                    self.reads.note_comparison(part, case, walk)
        entered = self._entered_block(branch, walk)
        if entered is not None:
            return self._block(entered, walk, depth, left)
        if branch.kind == "try":
            return self._try(branch.blocks, walk, depth, left)
        ways: list[dict[tuple[int, str], KeyRead]] = []
        leaves: list[bool] = []
        inside = depth if self._asks_for_body(branch.condition) else depth + 1
        for block in branch.blocks:
            with self.reads.conditional_reads() as way:
                leaves.append(self._block(block, walk, inside, left))
            if not block or not isinstance(block[-1], Throw):
                ways.append(way)
        self.reads.leave(depth)
        if branch.exhaustive and ways:
            self._read_on_all(ways, depth)
        return branch.exhaustive and all(leaves)

    def _entered_block(self, branch: Branch, walk: WalkState) -> tuple[Statement, ...] | None:
        """The block that the supposed messages enter; None if it is undetermined."""
        asked = branch.condition
        if branch.kind == "if" and asked is not None and len(branch.blocks) <= 2:
            held = self._test_holds(asked, walk)
            if held is not None:
                return branch.blocks[0] if held else (*branch.blocks, ())[1]
        return self.reads.kinds.entered_block(
            branch, lambda e: self._part(e, walk), lambda e: self.reads.texts(e, walk)
        )

    def _test_holds(self, test: Expr, walk: WalkState) -> bool | None:
        return None if self._holds is None else self._holds(test, walk.scope)

    def _try(
        self, blocks: tuple[tuple[Statement, ...], ...], walk: WalkState, depth: int, left: int
    ) -> bool:
        before = self.reads.tolerant
        self.reads.tolerant = before or self._goes_on(blocks)
        leaves = [self._block(blocks[0], walk, depth, left)] if blocks else []
        self.reads.tolerant = before
        with self.reads.conditional_reads():
            leaves += [self._block(block, walk, depth + 1, left) for block in blocks[1:]]
        return bool(leaves) and all(leaves)

    def _read_on_all(self, ways: list[dict[tuple[int, str], KeyRead]], depth: int) -> None:
        """What is read on each of the ways is read in any case."""
        for key, reading in ways[0].items():
            each = [way.get(key) for way in ways]
            if all(each):
                needed = all(one.required for one in each if one is not None)
                walk = WalkState(reading.scope, {}, 0, [])
                self.reads.key(reading.part, reading.name, needed, reading.expr, walk, depth)

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
                    if value is not None and self.reads.kinds.supposed:
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
        if not isinstance(iterable, ArrayLiteral | Name | Attribute):
            return
        texts = self.reads.texts(iterable, walk)
        if texts:
            values = union_of(tuple(Constant(text) for text in texts))
            walk.scope = replace(walk.scope, bindings={**walk.scope.bindings, name: values})

    def _suppose(self, name: str, part: MessagePart | None, given: Expr, walk: WalkState) -> None:
        """Give a local what it holds for the supposed kind of message."""
        value: Value
        if self.reads.kinds.is_supposed(part):
            value = Constant(self.reads.kinds.supposed)
        else:
            value = self._evaluate(given, walk)
        if isinstance(value, Constant | ClassValue | FunctionValue):
            walk.scope = replace(walk.scope, bindings={**walk.scope.bindings, name: value})

    def _asks_for_body(self, condition: Expr | None) -> bool:
        """Whether a test asks a request whether it has a body, before that is read: what is read of
        it then is read of every body."""
        unread = self._is_request and self._parses_any and not self.reads.roots
        return unread and condition is not None and asks_for_body(condition)

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
        return isinstance(expr, ArrayLiteral) or self.reads.constant(expr, walk.scope) is not None

    def _read_target(self, target: Expr, walk: WalkState, depth: int, left: int) -> None:
        """`data["x"] = 1` reads nothing of `data`, but may read what is before and in the
        brackets."""
        match target:
            case Index(value=value, index=index):
                part = self._expr(value, walk, depth, left)
                self._expr(index, walk, depth, left)
                if part is not None:
                    part.filled.add(self.reads.constant(index, walk.scope) or "")
            case Attribute(value=value):
                self._expr(value, walk, depth, left)
            case _:
                return

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
                    self.reads.note_comparison(key, value, walk)
                return None if part is None else self._read_index(part, index, expr, walk, depth)
            case Call():
                return self._call(expr, walk, depth, left)
            case Choice(options=[one, other], given=[test, _]) if (
                held := self._test_holds(test, walk)
            ) is not None:
                return self._expr(one if held else other, walk, depth, left)
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
                    for name in self.reads.texts(operands[0], walk):
                        if depth <= self.reads.root_depth:
                            parts[1].look_for(name, expr, walk.scope)
                elif operator in TESTS:
                    for part, other in zip(parts, reversed(operands), strict=False):
                        if part is not None:
                            self.reads.note_comparison(part, other, walk)
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
                return self.reads.address
            case _:
                for child in children(expr):
                    self._expr(child, walk, depth, left)
                return None

    def _read_index(
        self, part: MessagePart, index: Expr, expr: Expr, walk: WalkState, depth: int
    ) -> MessagePart | None:
        name = self.reads.constant(index, walk.scope)
        if name is not None:
            return self.reads.key(part, name, True, expr, walk, depth)
        match index:
            case LiteralExpr(value=int()):
                return part.item()
            case UnsupportedSyntax(description="slice"):
                return part
            case _:
                names = self.reads.texts(index, walk)
                for each in names:
                    self.reads.key(part, each, True, expr, walk, depth)
                if not names:
                    part.leave_open(Reason("key-computed"))
                return None

    def _call(self, call: Call, walk: WalkState, depth: int, left: int) -> MessagePart | None:
        callee = call.callee
        if isinstance(callee, Attribute):
            part = self._expr(callee.value, walk, depth, left)
            if part is not None:
                return self._method(part, callee.name, call, walk, depth, left)
            if not call.args and callee.name == self._parsed:
                return self._whole(callee.value, walk, depth)
            if not call.args and callee.name in ADDRESSES:
                return self._expr(callee, walk, depth, left)
        elif isinstance(callee, Index):
            self._expr(callee, walk, depth, left)
        parts = [self._expr(argument.value, walk, depth, left) for argument in call.args]
        if call.args and self._parses(call, walk):
            self.reads.roots += 1
            if not self._is_request or self.reads.roots == 1:
                self.reads.root_depth = depth
            return self.reads.root
        if call.args and self._is_parser(call):
            return self._parsed_part(parts[0], call.args[0].value)
        if len(parts) == 1 and parts[0] is not None and getattr(callee, "id", "") == "str":
            return parts[0]
        if parts and parts[0] is not None and getattr(callee, "id", "") == "isinstance":
            parts[0].tested = parts[0] is not self.reads.root
        given = {position: part for position, part in enumerate(parts) if part is not None}
        if 0 in given and isinstance(callee, Attribute) and callee.name in ("get", "pop"):
            self.reads.note_comparison(given[0], callee.value, walk)
        raw = not self.reads.roots and any(
            is_given(self._program, a.value, walk.scope, LEVELS) for a in call.args
        )
        if raw or any(part is self.reads.root for part in given.values()):
            model = self._model(call, walk)
            if model is not None:
                self.reads.models.append(model)
                self._hand_on(call.callee)
                return None
        if given or raw or (not self.reads.roots and self._begins is not None):
            followed = self._follow(call, given, walk, depth)
            if followed is not None:
                return followed.part
            if any(part is self.reads.root for part in given.values()):
                self._hand_on(call.callee)
        return None

    def _hand_on(self, callee: Expr) -> None:
        """Note that what cannot be looked into is given the whole message."""
        match callee:
            case Name(id=name) | Attribute(name=name):
                if name not in _HARMLESS:
                    self.reads.root.leave_open(Reason("passed-whole", name=name))
            case _:
                self.reads.root.leave_open(Reason("passed-whole-to-function"))

    def _whole(self, message: Expr, walk: WalkState, depth: int) -> MessagePart | None:
        """The content of a message that the library has parsed."""
        given = is_given(self._program, message, walk.scope, LEVELS)
        return self._begin_root(depth) if given else None

    def _begin_root(self, depth: int) -> MessagePart:
        if not self.reads.roots:
            self.reads.roots = 1
            # A request is there from the beginning, whatever the handler asks before it reads it.
            self.reads.root_depth = 0 if self._is_request else depth
        return self.reads.root

    def _parsed_part(self, part: MessagePart | None, text: Expr) -> MessagePart | None:
        """Text inside a message that is itself parsed: in the envelope of SNS, the message."""
        if part is None:
            return None
        if part is self.reads.root and self._begins is not None:
            return part
        match text:
            case Index(index=LiteralExpr(value="Message")):
                if self.reads.root.keys.keys() <= _SNS_KEYS:
                    self.reads.root = MessagePart()
                    return self.reads.root
            case _:
                pass
        return MessagePart()

    def _method(
        self, part: MessagePart, name: str, call: Call, walk: WalkState, depth: int, left: int
    ) -> MessagePart | None:
        for argument in call.args:
            self._expr(argument.value, walk, depth, left)
        if name in _KEY_READERS and call.args:
            keys = self.reads.texts(call.args[0].value, walk)
            needed = name in _RAISING and len(call.args) == 1
            if name == "getall" and self._program.any_file_contains(*_WEBOB):
                needed = False  # an empty list, where multidict raises a KeyError
            found = [self.reads.key(part, key, needed, call, walk, depth) for key in keys]
            part.filled.update(keys if name == "setdefault" else ())
            if not keys:
                part.leave_open(Reason("key-computed"))
            return found[0] if len(found) == 1 and name not in _ALL_VALUES else None
        if name in ("items", "keys", "values"):
            part.leave_open(Reason("keys-iterated"))
        if name == "update":
            part.filled.add("")
        return part if name == "copy" else None

    def _follow(
        self, call: Call, given: dict[int, MessagePart], walk: WalkState, depth: int
    ) -> FollowedFunction | None:
        """Go into a function of the project that is handed parts of the message, or (as long as
        no message has been parsed) what holds it; None where there is nothing to go into."""
        callee = self._evaluate(call.callee, walk)
        if not isinstance(callee, FunctionValue) or walk.levels <= 1:
            return None
        params = [p for p in callee.function.params if p.name not in ("self", "cls", "this")]
        names: Known = {}
        values: dict[str, Value] = {}
        for position, argument in enumerate(call.args):
            if argument.spread or (not argument.name and position >= len(params)):
                continue
            name = argument.name or params[position].name
            if position in given:
                names[name] = given[position]
            if self.reads.kinds.supposed:
                values.update(self._value(name, given.get(position), argument.value, walk.scope))
        inner = function_scope(self._program, callee, values)
        if all(does_nothing(statement) for statement in inner.statements or ()):
            return None
        return FollowedFunction(self.function(inner, names, depth, walk.levels - 1))

    def _value(
        self, name: str, part: MessagePart | None, given: Expr, scope: Scope
    ) -> Iterator[tuple[str, Value]]:
        """What a parameter holds for messages of the supposed kind."""
        if self.reads.kinds.is_supposed(part):
            yield name, Constant(self.reads.kinds.supposed)
        elif part is None:
            value = self._program.evaluate(given, scope)
            if isinstance(value, ClassValue | FunctionValue | Constant):
                yield name, value

    def _model(self, call: Call, walk: WalkState) -> ClassSymbol | None:
        """The class that a call makes of the message: `Order.model_validate(data)`,
        `Order(**data)`."""
        callee: Expr = call.callee
        if isinstance(callee, Attribute) and callee.name in VALIDATORS:
            callee = callee.value
        elif all(argument.spread != "**" for argument in call.args):
            return None
        value = self._evaluate(callee, walk)
        return value.symbol if isinstance(value, ClassValue) else None

    def _is_parser(self, call: Call) -> bool:
        callee = call.callee
        last = callee.id if isinstance(callee, Name) else getattr(callee, "name", "")
        return last in _PARSERS

    def _parses(self, call: Call, walk: WalkState) -> bool:
        """Whether a call parses what the handler was given."""
        given = call.args[0].value
        if not self._parses_any:
            return False
        return self._is_parser(call) and is_given(self._program, given, walk.scope, LEVELS)

    def _evaluate(self, expr: Expr, walk: WalkState) -> Value:
        """The value of an expression; of a table that is indexed by the kind of the message, its
        entry for the supposed kind."""
        match expr:
            case (
                Index(value=table, index=key)
                | Call(callee=Attribute(value=table, name="get"), args=[Argument(value=key), *_])
            ) if self.reads.kinds.is_supposed(self._part(key, walk)):
                table_value = self._program.evaluate(table, walk.scope)
                if isinstance(table_value, Record):
                    for entry in table_value.entries:
                        if entry.name == self.reads.kinds.supposed:
                            return entry.value
            case _:
                pass
        return self._program.evaluate(expr, walk.scope)

    def _part(self, expr: Expr, walk: WalkState) -> MessagePart | None:
        """The part of the message that an expression is, without noting anything anew."""
        return self._expr(expr, walk, self.reads.root_depth + 1, LEVELS)

    def _read_conditionally(
        self, expr: Expr, walk: WalkState, depth: int, left: int
    ) -> MessagePart | None:
        """Read what is looked at in some cases only."""
        with self.reads.conditional_reads():
            part = self._expr(expr, walk, depth + 1, left)
        self.reads.leave(depth)
        return part
