"""One channel of a contract and the places in code that use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import CodeModel, ContractDocument, Resolver
from contract_scan.ir.event import Channel, Direction, EventUse, Message, MessageKind
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Anything,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.alternatives import (
    Alternative,
    alternatives,
    enveloped_payload,
    is_notification,
    is_other,
    of_name,
    resolve_references,
    unused_alternatives,
)
from contract_scan.scanners.differences import Comparer, Comparison
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.union_members import alternatives as shapes
from contract_scan.scanners.differences.union_members import field_names, is_record
from contract_scan.scanners.finding_builder import Subject as ComparisonSubject
from contract_scan.scanners.finding_builder import (
    findings,
    undetermined_because,
    undetermined_entries,
)
from contract_scan.scanners.media import is_avro, is_json
from contract_scan.scanners.pairing.addresses import canonical, may_be_same
from contract_scan.scanners.pairing.channels import ChannelPair
from contract_scan.scanners.pairing.document_direction import View

ID: Final = "CONTRACT-003"

NO_MESSAGE = Reason("channel-without-message")
"""Reason given where there is nothing that a payload could be compared with."""

_SUBJECTS: dict[Direction, str] = {"send": "the message to", "receive": "the consumer of"}
"""Who breaks a promise, by what code does with the messages of a channel."""
_OTHER: dict[Direction, Direction] = {"send": "receive", "receive": "send"}


class Tools(Struct, frozen=True):
    """What a channel is compared with the code by, in both directions."""

    code: CodeModel
    sending: Comparer
    receiving: Comparer


class ChannelCheck:
    """What is to be said of one channel and its uses."""

    def __init__(self, pair: ChannelPair, view: View, tools: Tools) -> None:
        self.pair, self.view, self.tools = pair, view, tools
        self.channel = pair.channel
        self.untyped: list[Undetermined | None] = []
        """For each payload that was compared: what is not known of its types."""
        self.messages: dict[Direction, tuple[Message, ...]] = {}
        for operation in self.channel.operations:
            direction = operation.direction
            direction = _OTHER[direction] if view == "other side" else direction
            known = self.messages.get(direction, ())
            self.messages[direction] = known + (operation.messages or self.channel.messages)
        named = {m.origin for group in self.messages.values() for m in group}
        self.either = tuple(m for m in self.channel.messages if m.origin not in named)
        """Messages of the channel that no operation names: they may go either way."""

    def entries(self) -> Iterator[Finding | Undetermined]:
        seen: set[tuple[str, ...]] = set()
        for direction in self.messages:
            yield from self._unused_direction(direction)
        yield from self._by_binding()
        if not self.messages and not self.pair.uses and self.channel.messages:
            yield undetermined_channel(self.pair, Reason("channel-without-operation"))
        for use in self.pair.uses:
            for said in self._compare(use):
                key = _identity(said)
                if key not in seen:
                    seen.add(key)
                    yield said
        if self.untyped and None not in self.untyped:
            # No other place says what the keys hold that a handler was seen to read.
            yield from [one for one in self.untyped if one is not None][:1]

    def _unused_direction(self, direction: Direction) -> Iterator[Finding | Undetermined]:
        either = self.view == "either side"
        used = [use for use in self.pair.uses if either or use.direction == direction]
        if used:
            if not any(_may_be_named(use) for use in self.pair.possible):
                yield from self._unused_messages(direction, used)
            for one in _unreceived_messages(
                used, self.channel, self.messages[direction], self.pair.document
            ):
                yield undetermined_channel(
                    self.pair, Reason("message-handler-undetermined", one=one.name)
                )
            yield from self._unseen_messages(direction, used)
            return
        for use in self.pair.possible:
            if either or use.direction == direction:
                reason = use.unresolved or _open_address(use, self.channel)
                yield undetermined_channel(
                    self.pair, Reason("channel-use-undetermined", reason=reason)
                )
                return
        others = [use for use in self.pair.uses if use.direction != direction]
        if others and len(self.messages) > 1:  # the other end may be a program of another sort
            yield undetermined_channel(self.pair, Reason("document-describes-both-sides"))
            return
        named = () if others else self._named_in()
        if named:
            yield undetermined_channel(self.pair, Reason("address-only-mentioned", path=named[0]))
            return
        address = self.channel.address or self.channel.key
        verb = "sends to" if direction == "send" else "receives from"
        message = f"nothing in the code {verb} channel `{address}`"
        if others:
            message += (
                f"; the code only {'receives from' if direction == 'send' else 'sends to'} it"
            )
        yield Finding(
            rule=ID,
            kind="missing-channel",
            evidence="inferred",
            severity="error",
            message=message,
            origin=others[0].origin if others else self.channel.origin,
            channel=self.channel.key,
            expected=direction,
            found=_OTHER[direction] if others else "",
            contract=self.channel.origin,
            help="use the channel as the contract says, or correct the contract",
        )

    def _named_in(self) -> tuple[str, ...]:
        """Files in which the address stands, though nothing that is read uses it: what libraries
        that are not read are given. A single word may stand for anything."""
        address = self.channel.address or self.channel.key
        is_word = address.isalnum()
        return () if is_word else self.tools.code.with_literal(address)

    def _unseen_messages(
        self, direction: Direction, used: Sequence[EventUse]
    ) -> Iterator[Undetermined]:
        """That a message of several was not seen to be used: others being right says nothing of
        it."""
        tools = self.tools
        comparer = tools.sending if direction == "send" else tools.receiving
        own = [use for use in used if use.direction == direction]
        document, messages = self.pair.document, self.messages[direction]
        for one in _unused_messages(own, messages, self.either, document, tools.code, comparer)[:1]:
            verb = "sends" if direction == "send" else "takes"
            yield undetermined_channel(
                self.pair, Reason("message-use-not-found", verb=verb, one=one.name)
            )

    def _unused_messages(
        self, direction: Direction, used: Sequence[EventUse]
    ) -> Iterator[Finding | Undetermined]:
        """Messages of the channel that code which tells them by name has no word for."""
        known = alternatives(self.messages[direction], self.pair.document)
        for one in unused_alternatives(known, used):
            verb, preposition = ("sends", "to") if direction == "send" else ("receives", "from")
            address = self.channel.address or self.channel.key
            yield Finding(
                rule=ID,
                kind="missing-channel",
                evidence="inferred",
                severity="error",
                message=f"nothing in the code {verb} the message `{one.name}` "
                f"{preposition} `{address}`",
                origin=used[0].origin,
                channel=self.channel.key,
                expected=one.name,
                contract=one.origin if one.origin.path else self.channel.origin,
                help="use the message as the contract says, or correct the contract",
            )

    def _compare(self, use: EventUse) -> Iterator[Finding | Undetermined]:
        every = [m for group in self.messages.values() for m in group]
        every += [m for m in self.channel.messages if all(m is not known for known in every)]
        # Without messages in its direction it is the other end, seen in the same code.
        candidates = list(self.messages.get(use.direction) or every)
        candidates += [m for m in self.either if all(m is not known for known in candidates)]
        if not candidates:
            yield undetermined_channel(self.pair, NO_MESSAGE)
            return
        for part, only in _of_channel(use, self.channel, candidates, self.pair.document):
            yield from self._compare_with(part, every, candidates, only)

    def _compare_with(
        self,
        use: EventUse,
        every: list[Message],
        candidates: list[Message],
        only: Message | None,
    ) -> Iterator[Finding | Undetermined]:
        if use.direction not in self.messages and self._is_by_another_name(use):
            # It is sent under a name of its own, and this channel is contracted the other way.
            subject = self._subject(use, candidates[0])
            yield undetermined_because(
                subject, Reason("channel-identity-undetermined", address=use.address)
            )
            return
        if self._is_connection(use) and self.messages and use.direction not in self.messages:
            yield undocumented_use(use, self.channel)
            return
        named = of_name(use, every, self.pair.document)
        known = [m for group in self.messages.values() for m in group] or self.channel.messages
        if (
            use.has_wire_name
            and not named
            and is_other(use, self.channel, known, self.pair.document)
        ):
            yield undocumented_use(use, self.channel)
            return
        own_way = (*self.messages.get(use.direction, ()), *self.either)
        if (
            use.has_wire_name
            and named
            and self._is_connection(use)
            and not self._has_message(named, own_way)
        ):
            yield undocumented_use(use, self.channel)
            return
        if only is not None:
            candidates = [only]
        elif len(named) == 1:
            candidates = named
        json = [m for m in candidates if self._is_comparable(m, use)]
        subject = self._subject(use, (json or candidates)[0])
        if not json:
            form = candidates[0].content_type
            form = "Avro" if is_json(form) else form
            yield undetermined_because(subject, Reason("message-format-not-compared", form=form))
            return
        if len(json) == 1:
            own = field_names(use.payload, self.tools.code)
            inside = enveloped_payload(use, json[0], self.pair.document, own)
            use = use if inside is None else replace(use, payload=inside)
        own = field_names(use.payload, self.tools.code)
        theirs = (field_names(m.payload, self.pair.document) for m in json)
        if is_notification(use, own, set().union(*theirs)):
            yield undetermined_because(subject, Reason("message-in-sns-notification"))
            return
        key = _unnamed_contents(use.payload, self.tools.code)
        self.untyped.append(
            undetermined_because(subject, Reason("read-field-type-undetermined", key=key))
            if key
            else None
        )
        comparison = self._best(use, json)
        yield from findings(subject, comparison)
        yield from undetermined_entries(subject, comparison)

    def _is_comparable(self, message: Message, use: EventUse) -> bool:
        """Whether a message has the form that the shape of a use tells of: JSON, or that of Avro
        where it is what Avro makes classes of, or a map that is written down on the spot."""
        if is_avro(message.content_type) or is_record(message.payload, self.pair.document):
            return is_record(use.payload, self.tools.code, nameless=True)
        return is_json(message.content_type)

    def _is_by_another_name(self, use: EventUse) -> bool:
        """Whether a use is known by another name than the address: one exchange carries what many
        routing keys tell apart."""
        if "amqp" not in self.channel.protocols:
            return False
        own = self.channel.address or self.channel.key
        return not may_be_same(own, use.address, use.pattern)

    def _by_binding(self) -> Iterator[Undetermined]:
        """A queue or exchange that a binding names, where nothing uses the address: the two may
        be one channel, or have been one before the address was changed."""
        address = self.channel.address
        if not address or not self.pair.uses or "amqp" not in self.channel.protocols:
            return
        names = {name for use in self.pair.uses for name in (use.address, *use.aliases)}
        bound = [name for name in self.channel.aliases if name in names]
        if not bound or any(may_be_same(address, name) for name in names):
            return
        yield undetermined_channel(
            self.pair,
            Reason("address-named-by-binding", address=address, bound=bound[0]),
        )

    def _has_message(self, named: Sequence[Message], way: Sequence[Message]) -> bool:
        """Whether one of the messages is contracted for one way, by itself or as an alternative."""
        known = [*way, *(one.message for one in alternatives(way, self.pair.document))]
        return any(message in known for message in named)

    def _is_connection(self, use: EventUse) -> bool:
        """Whether a use is one end of a connection, so that the other end stands elsewhere: it
        sends nothing that it is contracted to receive."""
        return "ws" in use.protocols and self.view != "either side"

    def _best(self, use: EventUse, messages: Sequence[Message]) -> Comparison:
        payloads = tuple(message.payload for message in messages)
        contract: Schema = payloads[0] if len(payloads) == 1 else Union(options=payloads)
        if use.direction == "send":
            return self.tools.sending.compare(contract=contract, code=use.payload)
        read = use.payload
        while isinstance(read, Reference):
            read = self.tools.code.resolve(read)
        tag = read.discriminator if isinstance(read, Union) else ""
        if tag and _lists_values_of(tag, contract, self.pair.document):
            # It tells messages apart by the field, and refuses those of another kind.
            return self.tools.receiving.compare(contract=contract, code=use.payload)
        # A handler need not take every message of a channel: the one it is made for counts.
        own = field_names(use.payload, self.tools.code)
        comparisons = [
            (
                self.tools.receiving.compare(contract=message.payload, code=use.payload),
                len(own & field_names(message.payload, self.pair.document)),
            )
            for message in messages
        ]
        likest, _ = min(
            comparisons, key=lambda entry: (bool(entry[0].differences), -entry[1], _size(entry[0]))
        )
        return likest

    def _subject(self, use: EventUse, message: Message) -> ComparisonSubject:
        address = self.channel.address or self.channel.key
        origin = message.origin if message.origin.path else self.channel.origin
        return ComparisonSubject(
            rule=ID,
            words=f"{_SUBJECTS[use.direction]} `{address}`",
            direction="response" if use.direction == "send" else "consumer",
            contract=origin,
            code=use.origin,
            channel=self.channel.key,
            evidence=use.evidence,
        )


def _lists_values_of(name: str, payload: Schema, resolver: Resolver) -> bool:
    """Whether each alternative of a payload lists the values of a field."""
    return all(
        isinstance(one.shape, Object)
        and any(
            field.name == name and isinstance(field.schema, Scalar) and bool(field.schema.values)
            for field in one.shape.fields
        )
        for one in shapes(payload, resolver).options
    )


def _size(comparison: Comparison) -> tuple[int, int]:
    return len(comparison.differences), len(comparison.undetermined)


def _open_address(use: EventUse, channel: Channel) -> Reason:
    """Why an address that is told does not tell the channel."""
    if use.address in channel.shared:
        return Reason("several-channels-with-address", address=use.address)
    return (
        Reason("address-only-parameter", address=use.address)
        if use.address
        else Reason("address-empty")
    )


def _may_be_named(use: EventUse) -> bool:
    """Whether a place whose address is undetermined may be one that sends or takes a message."""
    return bool(use.unresolved) or use.pattern


def _identity(said: Finding | Undetermined) -> tuple[str, ...]:
    origin = said.origin
    place = (origin.path, origin.symbol, said.field)
    if not isinstance(said, Finding):
        return (*place, "", said.reason)
    # Each message that is in no contract counts, however many one function sends.
    what = said.message if said.kind == "undocumented-channel" else ""
    return (*place, said.kind, what)


def undetermined_channel(pair: ChannelPair, reason: Reason) -> Undetermined:
    """That something of a channel is undetermined."""
    return Undetermined(
        rule=ID, reason=reason, origin=pair.channel.origin, channel=pair.channel.key
    )


def _shown_address(use: EventUse, channel: Channel | None) -> str:
    return use.address if channel is None else channel.address or channel.key


def undocumented_use(use: EventUse, channel: Channel | None = None) -> Finding:
    """The finding for a use that no contract has; `channel` is the channel of a use whose
    direction no contract has."""
    verb = "sends to" if use.direction == "send" else "receives from"
    what = f"`{use.message}` " if use.has_wire_name and channel is not None else ""
    which = "which" if channel is None or what else "which, in this direction,"
    return Finding(
        rule=ID,
        kind="undocumented-channel",
        severity="warning",
        message=f"the code {verb.replace(' ', f' {what}')} `{_shown_address(use, channel)}`, "
        f"{which} is in no contract",
        origin=use.origin,
        channel=use.address if channel is None else channel.key,
        found=use.direction,
        help="add the channel to the contract, or remove the use",
    )


def _of_channel(
    use: EventUse, channel: Channel, messages: Sequence[Message], contract: Resolver
) -> list[tuple[EventUse, Message | None]]:
    """A use as the contract can be compared with it: what it takes the kind of message for that is
    called like the channel, else each message of the contract that is called like a kind; as it
    is where neither is there. With each the only message that it stands for."""
    if not use.kinds:
        return [(use, None)]
    own = {canonical(name) for name in (channel.address or channel.key, *channel.aliases)}
    for kind in use.kinds:
        if canonical(kind.name) in own:
            return [(_use_of_kind(use, kind), None)]
    found: list[tuple[EventUse, Message | None]] = []
    for one in alternatives(messages, contract):
        kinds = _kinds_of_alternative(use, one)
        if len(kinds) == 1:
            found.append((_use_of_kind(use, kinds[0]), one.message))
    return found or [(use, None)]


def _unreceived_messages(
    uses: Sequence[EventUse], channel: Channel, messages: Sequence[Message], contract: Resolver
) -> list[Alternative]:
    """The messages that no receiver has a kind for, where they tell kinds by the names of the
    others."""
    known = alternatives(messages, contract)
    if not all(_is_by_message(use, channel, messages, contract) for use in uses):
        return []
    return [one for one in known if not any(_kinds_of_alternative(use, one) for use in uses)]


def _is_by_message(
    use: EventUse, channel: Channel, messages: Sequence[Message], contract: Resolver
) -> bool:
    return any(only is not None for _, only in _of_channel(use, channel, messages, contract))


def _kinds_of_alternative(use: EventUse, one: Alternative) -> list[MessageKind]:
    return [kind for kind in use.kinds if fold(kind.name) in one.spellings]


def _use_of_kind(use: EventUse, kind: MessageKind) -> EventUse:
    return replace(use, payload=kind.payload, message=kind.message, kinds=())


def _unnamed_contents(payload: Schema, code: Resolver) -> str:
    """A key of which a handler that declares no type was only seen to read it; empty where there
    is none."""
    read = resolve_references(payload, code)
    if not isinstance(read, Object) or read.name:
        return ""
    seen = (f.name for f in read.fields if f.schema == Anything(nullable=None, origin=f.origin))
    return next(seen, "")


def _unused_messages(
    uses: Sequence[EventUse],
    messages: Sequence[Message],
    others: Sequence[Message],
    contract: ContractDocument,
    code: CodeModel,
    comparer: Comparer,
) -> list[Alternative]:
    """The messages, of several, that what uses carry is not meant for: each use is meant for the
    ones that it fits, else for the one it is most like. `others`: further messages that it may be
    meant for. None where what a use carries is undetermined, or where names tell messages."""
    own = alternatives(messages, contract)
    known = (*own, *alternatives(others, contract))
    carried = [option for use in uses for option in shapes(use.payload, code).options]
    if len(own) < 2 or not carried or any(use.has_wire_name or use.kinds for use in uses):
        return []
    if any(isinstance(option.shape, Unknown | Anything) for option in carried):
        return []
    meant: set[int] = set()
    for option in carried:
        called = {i for i, one in enumerate(known) if fold(option.name) in one.spellings}
        meant |= called or _nearest_alternatives(option.shape, known, comparer)
    return [one for position, one in enumerate(own) if position not in meant]


def _nearest_alternatives(
    carried: Schema, known: Sequence[Alternative], comparer: Comparer
) -> set[int]:
    differing = [
        len(comparer.compare(contract=one.message.payload, code=carried).differences)
        for one in known
    ]
    fitting = {position for position, number in enumerate(differing) if not number}
    return fitting or {differing.index(min(differing))}
