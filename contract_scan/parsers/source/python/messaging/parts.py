"""What is read of a message: its keys and items, and the shape that they say."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.schema import Anything, Array, Field, Object, Schema
from contract_scan.parsers.source.facts import Expr
from contract_scan.parsers.source.link.values import Scope
from contract_scan.parsers.source.python.web.common import place

_UNTYPED = "the handler reads keys, which says nothing of their types"
_TOLERANT = "the handler looks for the field, and can do without it"


class Read:
    """A message, or a part of it, and what is read of it."""

    def __init__(self) -> None:
        self.keys: dict[str, tuple[Read, bool, Expr, Scope]] = {}
        """Part, whether it is needed, and the place, by key."""
        self.items: Read | None = None
        self.sometimes: set[str] = set()
        """Keys that are read in some cases only."""

    def key(self, name: str, needed: bool, expr: Expr, scope: Scope) -> Read:
        """Note that a key is read."""
        known = self.keys.get(name)
        if known is None:
            known = (Read(), needed, expr, scope)
        elif needed and not known[1]:
            known = (known[0], True, expr, scope)
        self.keys[name] = known
        return known[0]

    def item(self) -> Read:
        """Any item of a list."""
        if self.items is None:
            self.items = Read()
        return self.items


def shape(read: Read) -> Schema | None:
    """What is read as a shape without a name. It is never whole: of no field the type is said."""
    schema = _shape(read)
    if isinstance(schema, Object) and not schema.partial:
        return replace(schema, partial=_UNTYPED)
    return schema


def _shape(read: Read) -> Schema | None:
    if not read.keys and read.items is None:
        return None
    if not read.keys:
        assert read.items is not None
        items = _shape(read.items)
        return None if items is None else Array(items=items, nullable=None)
    fields = []
    for name, (part, needed, expr, scope) in read.keys.items():
        origin = place(scope, expr.span)
        fields.append(
            Field(
                name=name,
                schema=_shape(part) or Anything(nullable=None, origin=origin),
                required=needed,
                doubt="" if needed else _TOLERANT,
                origin=origin,
            )
        )
    sometimes = sorted(read.sometimes - set(read.keys))
    partial = f"the handler reads `{sometimes[0]}` in some cases only" if sometimes else ""
    return Object(fields=tuple(fields), partial=partial, nullable=None, origin=fields[0].origin)
