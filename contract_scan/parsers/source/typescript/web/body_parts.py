"""A request body, or a part of it, as the code that reads it takes it: which keys are read, which
of them it cannot do without, and what it takes their values for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from contract_scan.ir.evidence import DECLARED, Evidence
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Union,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.schemas import describe

MAX_DEPTH = 6
"""Levels of keys that a shape has."""
_SCALARS: tuple[Schema, ...] = (
    Scalar(type="string"),
    Scalar(type="numeric"),
    Scalar(type="boolean"),
)
_DEMANDED: dict[str, Schema] = {
    "string": Scalar(type="string"),
    "number": Scalar(type="numeric"),
    "boolean": Scalar(type="boolean"),
}
_WHOLE = Reason("object-passed-whole")


class BodyPart:
    """A body or a part of it. Also an object that code makes of parts (`made`): what it gives under
    a key is the part that was put there."""

    def __init__(self, *, made: bool = False) -> None:
        self.made = made
        self.keys: dict[str, BodyPart] = {}
        self.items: BodyPart | None = None
        self.place: Origin = NOWHERE
        self.needed = False
        """Whether every request without it fails."""
        self.refuses_null = False
        """Whether every request with null in its place fails."""
        self.may_refuse_null = False
        """Whether some do: it is taken apart where nothing has made sure that it is there."""
        self.shapes: list[Schema] = []
        """What declared types take it for."""
        self.used: list[Schema] = []
        """What the methods that are called on it take it for."""
        self.any_type = False
        """Whether the code asks what it is, or converts it."""
        self.demanded = ""
        """What the code refuses it for not being: `string`, `number`, `boolean`, `array`."""
        self.open = NO_REASON
        """Why more of its keys may be read; empty: these are all that were seen to be read."""
        self.filled: set[str] = set()
        """Keys that code has written: what is read of them then is its own."""

    def key(self, name: str, place: Origin) -> BodyPart:
        """The part under a key that is read."""
        if name in self.filled:
            return BodyPart()
        known = self.keys.get(name)
        if known is None:
            known = BodyPart()
            known.place = place
            if not self.made:
                self.keys[name] = known
        return known

    def known_part(self, name: str) -> BodyPart | None:
        """The part under a key, if it is read."""
        return None if name in self.filled else self.keys.get(name)

    def item(self) -> BodyPart:
        """Any item of a list."""
        if self.items is None:
            self.items = BodyPart()
        return self.items

    def copy(self, written: Iterable[str] = ()) -> BodyPart:
        """The same part as a new object (`{ ...body, id }`), some keys of which code has written:
        what is read of the others is read of the part."""
        other = _Copy(self)
        other.filled = {*self.filled, *written}
        return other

    def accept_any(self) -> None:
        """Note that the code asks what it is, or converts it."""
        self.any_type = True

    def leave_open(self, reason: Reason) -> None:
        """Note that more of its keys, or of the parts it is made of, may be read."""
        self.open = self.open or reason
        if self.made:
            for part in self.keys.values():
                part.leave_open(reason)

    def take(self, schema: Schema) -> None:
        """Note what code takes it for, or what code takes the parts for that it is made of."""
        if self.made:
            fields = schema.fields if isinstance(schema, Object) else ()
            for field in fields:
                if field.name in self.keys:
                    self.keys[field.name].take(field.schema)
        else:
            self.shapes.append(schema)


class Request(BodyPart):
    """A request, whose `body` is a part. Who is given it may read the body or not."""

    def __init__(self, body: BodyPart) -> None:
        super().__init__(made=True)
        self.keys["body"] = body

    def leave_open(self, reason: Reason) -> None:
        """Says nothing of the body."""

    def take(self, schema: Schema) -> None:
        """Says nothing of the body."""


class _Copy(BodyPart):
    """See `BodyPart.copy`."""

    def __init__(self, of: BodyPart) -> None:
        super().__init__(made=True)
        self._of = of

    def key(self, name: str, place: Origin) -> BodyPart:
        """The part under a key."""
        return BodyPart() if name in self.filled else self._of.key(name, place)

    def known_part(self, name: str) -> BodyPart | None:
        """The part under a key, if it is read."""
        return None if name in self.filled else self._of.known_part(name)

    def item(self) -> BodyPart:
        """Any item of a list."""
        return self._of.item()

    def accept_any(self) -> None:
        """Note that the code asks what the part is."""
        self._of.accept_any()

    def leave_open(self, reason: Reason) -> None:
        """Note that more of its keys may be read."""
        self._of.leave_open(reason)

    def take(self, schema: Schema) -> None:
        """Note what code takes it for, without the keys that it has written."""
        if isinstance(schema, Object):
            left = tuple(field for field in schema.fields if field.name not in self.filled)
            schema = replace(schema, fields=left)
        self._of.take(schema)


def as_unchecked_input(schema: Schema, stored: Callable[[Schema], Schema] | None = None) -> Schema:
    """The schema of unchecked input of a declared type: any field may be missing or null,
    since nothing rejects the request. Where it is just `stored`, whose function gives what a schema
    stands for, it may also be no value that the type lists."""
    match schema:
        case Object(fields=fields):
            lenient = (
                replace(field, has_default=True, schema=as_unchecked_input(field.schema, stored))
                for field in fields
            )
            return replace(schema, fields=tuple(lenient), nullable=schema.nullable or None)
        case Array(items=items):
            inner = as_unchecked_input(items, stored)
            return replace(schema, items=inner, nullable=schema.nullable or None)
        case Union(options=options):
            unchecked = tuple(as_unchecked_input(option, stored) for option in options)
            return replace(schema, options=unchecked, nullable=schema.nullable or None)
        case _:
            whole = stored(schema) if stored is not None else schema
            if stored is not None and isinstance(whole, Scalar):
                kind = "numeric" if whole.type == "integer" else whole.type
                return replace(whole, type=kind, values=None, nullable=whole.nullable or None)
            return with_nullable(schema, schema.nullable or None)


def proven_schema(part: BodyPart, levels: int = MAX_DEPTH) -> Schema:
    """The requirements and the nullability that the uses of a part prove, whatever its
    declared type: the schema accepts any type. Where more may be read than is visible, it is
    unproven that nothing is required."""
    nullable: bool | None = None
    if part.refuses_null:
        nullable = False
    elif not (part.open or part.needed or part.may_refuse_null):
        nullable = True
    if levels and part.items is not None and not part.keys:
        return Array(
            items=proven_schema(part.items, levels - 1), nullable=nullable, origin=part.place
        )
    if not levels or not part.keys:
        every = (*_SCALARS, Array(items=Anything()), Object(additional=Anything()))
        return Union(options=every, nullable=nullable, origin=part.place)
    fields = (_proved_field(name, inner, levels - 1) for name, inner in part.keys.items())
    return Object(
        fields=tuple(fields), incomplete_reason=part.open, nullable=nullable, origin=part.place
    )


def _proved_field(name: str, part: BodyPart, levels: int) -> Field:
    needed = part.needed or part.refuses_null
    unsure = part.open or part.may_refuse_null
    return Field(
        name=name,
        schema=proven_schema(part, levels),
        required=True if needed else None if unsure else False,
        has_default=not needed,
        origin=part.place,
    )


def shape(part: BodyPart) -> Schema | None:
    """What is read as a shape without a name; None where no keys are read and nothing else says
    what it is."""
    nothing = not part.shapes and (part.items is None or part.open)
    if not part.keys and nothing:
        return None
    return _shape(part, MAX_DEPTH)


def _shape(part: BodyPart, levels: int) -> Schema:
    declared = only_kind(part)
    if declared is not None and part.shapes:
        declared = replace(declared, evidence=DECLARED)
    if part.demanded in _DEMANDED:
        known = _DEMANDED[part.demanded]
        return replace(known, nullable=None, origin=part.place)
    asked = part.any_type and part.demanded != "array"
    if (asked and not part.keys) or not levels:
        return Anything(nullable=None, origin=part.place)
    if part.keys:
        schema = _object(part, declared, levels)
        # Whether it is an object may be asked for something else to be taken as well.
        return Union(options=(*_SCALARS, schema), nullable=None) if asked else schema
    if declared is not None and (part.shapes or part.items is None):
        return declared
    is_list = part.items is not None and not part.shapes
    if part.demanded == "array" or (is_list and not part.used):
        return Array(items=_shape(part.item(), levels - 1), nullable=None, origin=part.place)
    if part.shapes or part.used:
        return Anything(nullable=None, origin=part.place)  # each case takes it for something else
    return _any_value(part)


def only_kind(part: BodyPart) -> Schema | None:
    """The one thing that code takes a part for."""
    kinds = {describe(schema): schema for schema in part.shapes or part.used}
    if len(kinds) != 1:
        return None
    (schema,) = kinds.values()
    return with_nullable(schema, None) if schema.nullable is False else schema


def _object(part: BodyPart, declared: Schema | None, levels: int) -> Schema:
    known = {f.name: f for f in declared.fields} if isinstance(declared, Object) else {}
    for name, inner in part.keys.items():
        field = known.get(name)
        if field is None:
            held = _shape(inner, levels - 1)
            proof = Evidence(required="enforced")
            field = Field(
                name=name,
                schema=held,
                required=inner.needed,
                evidence=proof,
                origin=inner.place,
            )
        elif inner.needed:
            proof = Evidence(required="enforced")
            field = replace(field, required=True, has_default=False, evidence=proof)
        known[name] = field
    fields = tuple(known.values())
    if isinstance(declared, Object):
        return replace(declared, fields=fields, nullable=None)
    return Object(fields=fields, incomplete_reason=part.open, nullable=None, origin=part.place)


def _any_value(part: BodyPart) -> Schema:
    """A value that is read and not looked into: any plain value is taken as it is; which keys an
    object needs is undetermined."""
    whole = Object(incomplete_reason=part.open or _WHOLE, origin=part.place)
    items = Union(options=(*_SCALARS, whole))
    return Union(options=(*_SCALARS, Array(items=items), whole), nullable=None, origin=part.place)
