"""What is read of a message: its keys and items, and the shape that they say."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Anything, Array, Field, Object, Schema
from contract_scan.parsers.source.analysis.domain.values import Scope, origin_at
from contract_scan.parsers.source.facts.nodes import Expr

ADDRESS = "@"
"""Path of the address that a message came to."""
FILLED = "="
"""Path of what the handler itself wrote into the message."""
_TOLERANT = Reason("field-optional-in-handler")


class MessagePart:
    """A message, or a part of it, and what is read of it."""

    def __init__(self, path: str = "") -> None:
        self.path = path
        """Where in the message it stands."""
        self.keys: dict[str, tuple[MessagePart, bool, Expr, Scope]] = {}
        """Part, whether it is needed, and the place, by key."""
        self.items: MessagePart | None = None
        self.sometimes: dict[str, tuple[MessagePart, Expr, Scope]] = {}
        """Part and place of keys that are read in some cases only."""
        self.tested = False
        """Whether the code asks what kind of value it is, so that it may be another."""
        self.open = NO_REASON
        """Why more may be read of it than is known; empty: that is all."""
        self.filled: set[str] = set()
        """Keys that are written, and so are there when they are read; an empty one: any."""
        self.guarded: set[str] = set()
        """Keys without which the code has left before, in good order."""
        self._looked_for: set[str] = set()
        """What `"a" in part` asks for and nothing reads: a key, a piece of a text, or an item."""

    def look_for(self, name: str, expr: Expr, scope: Scope) -> None:
        """Note that the code asks whether a name is in it."""
        if name not in self.keys:
            self.key(name, False, expr, scope)
            self._looked_for.add(name)

    def may_be_text(self) -> bool:
        """Whether nothing says that it is an object rather than a text or a list: nothing is read
        of it, but names are looked for in it."""
        return not self.sometimes and self.keys.keys() <= self._looked_for

    def key(self, name: str, needed: bool, expr: Expr, scope: Scope) -> MessagePart:
        """Note that a key is read."""
        self._looked_for.discard(name)
        known = self.keys.get(name)
        if known is None and name in self.filled:
            return MessagePart(FILLED)
        needed = needed and not {name, ""} & self.filled and name not in self.guarded
        if known is None:
            seen = self.sometimes.pop(name, None)
            known = (seen[0] if seen else MessagePart(self._child_path(name)), needed, expr, scope)
        elif needed and not known[1]:
            known = (known[0], True, expr, scope)
        self.keys[name] = known
        return known[0]

    def sometimes_key(self, name: str, expr: Expr, scope: Scope) -> MessagePart:
        """Note that a key is read in some cases: what is below it belongs to some messages only,
        too."""
        if name in self.keys:
            self._looked_for.discard(name)
            return self.keys[name][0]
        known = self.sometimes.setdefault(name, (MessagePart(self._child_path(name)), expr, scope))
        return known[0]

    def _child_path(self, name: str) -> str:
        return f"{self.path}.{name}"

    def leave_open(self, reason: Reason) -> None:
        """Note that more may be read."""
        self.open = self.open or reason

    def item(self) -> MessagePart:
        """Any item of a list."""
        if self.items is None:
            self.items = MessagePart(f"{self.path}[]")
        return self.items


Known = dict[str, MessagePart]
"""Names of locals that hold (a part of) the message."""


class WalkState(Struct, eq=False):
    """Where the reader stands."""

    scope: Scope
    """With the values of locals that the supposed kind of message gives them."""
    names: Known
    levels: int
    returned: list[MessagePart]
    """Parts of the message that the function is seen to return."""


class FollowedFunction(Struct, frozen=True, eq=False):
    """A function that was gone into."""

    part: MessagePart | None
    """The part of the message that it returns."""


def shape(read: MessagePart) -> Schema | None:
    """What is read as a shape without a name: keys that are read are needed (or looked for), of
    all others nothing is said, and nothing of what the keys hold where no keys of that are read."""
    if not read.keys and not read.sometimes:
        items = None if read.items is None else shape(read.items)
        return None if items is None else Array(items=items, nullable=None)
    if not read.keys and (read.open or read.tested):
        return None
    if read.path and read.may_be_text():
        return None
    fields = [
        _field(
            name,
            shape(part),
            needed,
            NO_REASON if needed else _TOLERANT,
            origin_at(scope, expr.span),
        )
        for name, (part, needed, expr, scope) in read.keys.items()
    ]
    for name, (_, expr, scope) in read.sometimes.items():
        if name not in read.keys:
            doubt = Reason("field-read-conditionally", name=name)
            fields.append(_field(name, None, False, doubt, origin_at(scope, expr.span)))
    origin = fields[0].origin
    return Object(fields=tuple(fields), incomplete_reason=read.open, nullable=None, origin=origin)


def _field(name: str, held: Schema | None, needed: bool, doubt: Reason, origin: Origin) -> Field:
    held = held or Anything(nullable=None, origin=origin)
    return Field(name=name, schema=held, required=needed, undetermined_reason=doubt, origin=origin)
