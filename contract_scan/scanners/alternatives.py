"""The messages of a channel by the names that tell them apart on the wire."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.event import Channel, EventUse, Message
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Field, Object, Reference, Scalar, Schema, Union
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.pairing.addresses import canonical

MAX_LINKS = 20
"""How many references are followed to a schema."""


_NOTIFICATION = frozenset(
    {"type", "messageid", "topicarn", "message", "timestamp", "subject", "messageattributes"}
    | {"signatureversion", "signature", "signingcerturl", "unsubscribeurl"}
)


class Alternative(Struct, frozen=True):
    """One message that a channel may carry."""

    name: str
    spellings: frozenset[str]
    """Folded names by which code may call it."""
    message: Message
    """The message as if it were this alternative alone."""

    @property
    def origin(self) -> Origin:
        """Where the contract says it."""
        return self.message.origin


def alternatives(messages: Iterable[Message], contract: Resolver) -> tuple[Alternative, ...]:
    """The messages, each that is one of several named objects (`oneOf`) as those."""
    found: list[Alternative] = []
    for message in messages:
        payload = resolve_references(message.payload, contract)
        options: list[Alternative] = []
        if isinstance(payload, Union):
            objects = [resolve_references(option, contract) for option in payload.options]
            options = [
                _alternative(o, "", replace(message, payload=o, origin=o.origin))
                for o in objects
                if isinstance(o, Object) and o.name
            ]
            if len(options) < len(objects):
                options = []
        found.extend(options or [_alternative(payload, message.name, message, message.aliases)])
    return tuple(found)


def unused_alternatives(
    known: Iterable[Alternative], uses: Iterable[EventUse]
) -> tuple[Alternative, ...]:
    """The alternatives that no use names; none if the uses do not name them all in the same way."""
    known, uses = tuple(known), tuple(uses)
    if not uses or not all(use.has_wire_name for use in uses):
        return ()
    named = {fold(use.message) for use in uses}
    unnamed = tuple(one for one in known if not named & one.spellings)
    return unnamed if len(unnamed) < len(known) else ()


def of_name(use: EventUse, messages: Sequence[Message], contract: Resolver) -> list[Message]:
    """The messages that bear the name of a use."""
    if use.has_wire_name:
        spelled = fold(use.message)
        known = alternatives(messages, contract)
        return [one.message for one in known if spelled in one.spellings]
    return [m for m in messages if use.message and _stands_for(use.message, m)]


def _stands_for(name: str, message: Message) -> bool:
    names = {fold(message.name), *map(fold, message.aliases)}
    if isinstance(message.payload, Object) and message.payload.name:
        names.add(fold(message.payload.name))
    return fold(name.rpartition(".")[2]) in names


def is_other(
    use: EventUse, channel: Channel, messages: Sequence[Message], contract: Resolver
) -> bool:
    """Whether the name of a use is that of a message, not of the channel itself, and none of the
    channel's messages bears it."""
    own = set(map(canonical, (channel.address or channel.key, *channel.aliases)))
    names = {canonical(use.address), canonical(use.message)}
    if use.case_insensitive:
        own, names = ({name.casefold() for name in some} for some in (own, names))
    if names <= own:
        return False
    spelled = {s for one in alternatives(messages, contract) for s in one.spellings}
    return bool(spelled) and fold(use.message) not in spelled


def _alternative(
    payload: Schema, name: str, message: Message, also: tuple[str, ...] = ()
) -> Alternative:
    shown = name
    spellings = {fold(name), *map(fold, also)}
    if isinstance(payload, Object):
        shown = name or payload.name
        spellings.add(fold(payload.name))
        spellings.update(map(fold, _constants(payload)))
    return Alternative(shown, frozenset(spellings - {""}), message)


def _constants(payload: Object) -> Iterator[str]:
    """The constant texts of an object: its `type`, its `event`."""
    for field in payload.fields:
        values = field.schema.values if isinstance(field.schema, Scalar) else None
        if values is not None and len(values) == 1 and isinstance(values[0], str):
            yield values[0]


def resolve_references(schema: Schema, contract: Resolver) -> Schema:
    """The schema that references lead to."""
    for _ in range(MAX_LINKS):
        if not isinstance(schema, Reference):
            break
        schema = contract.resolve(schema)
    return schema


def enveloped_payload(
    use: EventUse, message: Message, contract: Resolver, own: Collection[str]
) -> Schema | None:
    """The payload of a use as the contract writes it, where the contract puts the name of an
    event and its payload into one object: `{event: "moved", data: …}`. None if it does not, or
    if the code (with the fields `own`) does so itself."""
    payload = resolve_references(message.payload, contract)
    if not use.has_wire_name or not isinstance(payload, Object):
        return None
    for name in payload.fields:
        schema = resolve_references(name.schema, contract)
        values = schema.values if isinstance(schema, Scalar) else None
        carried = _payload_field(payload, name, contract, own)
        if values is not None and carried and use.message in values and name.name not in own:
            origin = use.payload.origin
            constant = Scalar(type="string", values=(use.message,), origin=origin)
            inner = Field(name=carried.name, schema=use.payload, origin=origin)
            return Object(fields=(Field(name=name.name, schema=constant), inner), origin=origin)
    return None


def _payload_field(
    payload: Object, name: Field, contract: Resolver, own: Collection[str]
) -> Field | None:
    """The field for the payload next to an event's name: the only one, or the only object among
    others, unless the code sends one of them itself."""
    others = [field for field in payload.fields if field is not name]
    if len(others) > 1:
        if any(fold(field.name) in own for field in others):
            return None
        others = [f for f in others if isinstance(resolve_references(f.schema, contract), Object)]
    return others[0] if len(others) == 1 else None


def is_notification(use: EventUse, own: Collection[str], contracted: Collection[str]) -> bool:
    """Whether a queue carries what SNS puts around its messages (`{"Message": "…", …}`) where the
    contract speaks of the messages themselves; both by the folded names of their fields."""
    return (
        "sqs" in use.protocols
        and "message" in own
        and _NOTIFICATION.issuperset(own)
        and not _NOTIFICATION.intersection(contracted)
    )
