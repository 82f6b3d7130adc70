"""What calls in a handler read of a message, also through functions that are handed it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Index, LiteralExpr, Name
from contract_scan.parsers.source.python.messaging.given import is_given
from contract_scan.parsers.source.python.messaging.part_reader import (
    ADDRESSES,
    LEVELS,
    PartReader,
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
    does_nothing,
)

if TYPE_CHECKING:
    pass

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


class CallReader(PartReader):
    """Finds what calls read of a message."""

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
            self.roots += 1
            self._root_depth = depth
            return self.root
        if call.args and self._is_parser(call):
            return self._parsed_part(parts[0], call.args[0].value)
        if len(parts) == 1 and parts[0] is not None and getattr(callee, "id", "") == "str":
            return parts[0]
        if parts and parts[0] is not None and getattr(callee, "id", "") == "isinstance":
            parts[0].tested = parts[0] is not self.root
        given = {position: part for position, part in enumerate(parts) if part is not None}
        if 0 in given and isinstance(callee, Attribute) and callee.name in ("get", "pop"):
            self._note_comparison(given[0], callee.value, walk)
        raw = any(is_given(self._program, a.value, walk.scope, LEVELS) for a in call.args)
        if any(part is self.root for part in given.values()) or (raw and not self.roots):
            model = self._model(call, walk)
            if model is not None:
                self.models.append(model)
                self._hand_on(call.callee)
                return None
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
                    self.root.leave_open(Reason("passed-whole", name=name))
            case _:
                self.root.leave_open(Reason("passed-whole-to-function"))

    def _whole(self, message: Expr, walk: WalkState, depth: int) -> MessagePart | None:
        """The content of a message that the library has parsed."""
        given = is_given(self._program, message, walk.scope, LEVELS)
        return self._begin_root(depth) if given else None

    def _begin_root(self, depth: int) -> MessagePart:
        if not self.roots:
            self.roots = 1
            self._root_depth = depth
        return self.root

    def _parsed_part(self, part: MessagePart | None, text: Expr) -> MessagePart | None:
        """Text inside a message that is itself parsed: in the envelope of SNS, the message."""
        if part is None:
            return None
        if part is self.root and self._begins is not None:
            return part
        match text:
            case Index(index=LiteralExpr(value="Message")):
                if self.root.keys.keys() <= _SNS_KEYS:
                    self.root = MessagePart()
                    return self.root
            case _:
                pass
        return MessagePart()

    def _method(
        self, part: MessagePart, name: str, call: Call, walk: WalkState, depth: int, left: int
    ) -> MessagePart | None:
        for argument in call.args:
            self._expr(argument.value, walk, depth, left)
        if name in _KEY_READERS and call.args:
            keys = self._texts(call.args[0].value, walk)
            needed = name in _RAISING and len(call.args) == 1
            found = [self._key(part, key, needed, call, walk, depth) for key in keys]
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
            if self.kinds.supposed:
                values.update(self._value(name, given.get(position), argument.value, walk.scope))
        inner = function_scope(self._program, callee, values)
        if all(does_nothing(statement) for statement in inner.statements or ()):
            return None
        return FollowedFunction(self.function(inner, names, depth, walk.levels - 1))

    def _value(
        self, name: str, part: MessagePart | None, given: Expr, scope: Scope
    ) -> Iterator[tuple[str, Value]]:
        """What a parameter holds for messages of the supposed kind."""
        if self.kinds.is_supposed(part):
            yield name, Constant(self.kinds.supposed)
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
