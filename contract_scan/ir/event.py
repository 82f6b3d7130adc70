"""Events: the channels of an AsyncAPI document, and the places that send and receive in code."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.evidence import Evidence
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema

Direction: TypeAlias = Literal["send", "receive"]
"""As seen from the application that the document describes (AsyncAPI 3 `action`)."""


class Message(Struct, frozen=True, kw_only=True):
    name: str
    payload: Schema
    aliases: tuple[str, ...] = ()
    """What else the document calls it: its id, its key, its title."""
    content_type: str = ""
    origin: Origin = NOWHERE


class ChannelOperation(Struct, frozen=True, kw_only=True):
    """What the application does with a channel."""

    direction: Direction
    messages: tuple[Message, ...] = ()
    name: str = ""
    origin: Origin = NOWHERE


class Channel(Struct, frozen=True, kw_only=True):
    """A channel of a contract."""

    key: str
    """Its key in the document."""
    address: str
    """Topic, queue, routing key … with `{name}` for parameters."""
    operations: tuple[ChannelOperation, ...] = ()
    messages: tuple[Message, ...] = ()
    """Every message of the channel, also those no operation names."""
    aliases: tuple[str, ...] = ()
    """Further addresses that stand for the channel in code (AMQP exchange or queue bindings)."""
    shared: tuple[str, ...] = ()
    """Names at the broker that other channels of the document bear as well."""
    unplaced: tuple[str, ...] = ()
    """Parameters that the channel declares and its address has no place for."""
    mounts: tuple[str, ...] = ()
    """Paths of the web socket servers that it is reached by, without a slash at their end."""
    protocols: tuple[str, ...] = ()
    """What its servers and bindings speak (`kafka`, `ws`, `amqp` …); none: the document does not
    say."""
    origin: Origin = NOWHERE
    document: str = ""


class MessageKind(Struct, frozen=True, kw_only=True):
    """What a receiver takes one kind of message for, where it tells kinds apart."""

    name: str
    """The text that it compares a part of the message, or its address, with."""
    payload: Schema
    message: str = ""
    """Name of the payload's type, where it has one."""


class EventUse(Struct, frozen=True, kw_only=True):
    """One place in code that sends to or receives from a channel."""

    direction: Direction
    address: str
    """Empty when it is undetermined: see `unresolved`."""
    payload: Schema
    message: str = ""
    """Name of the payload's type, where it has one; the message's own name where it is `named`."""
    has_wire_name: bool = False
    """The message bears its name on the wire (an event of Socket.IO, a `type` that the receiver
    looks at): a contracted message of another name is another one."""
    kinds: tuple[MessageKind, ...] = ()
    """Of a receiver that tells kinds of messages apart: what it takes each of them for."""
    aliases: tuple[str, ...] = ()
    """Further names under which a contract may list what is used here: the exchange and the routing
    key beside a queue (AMQP)."""
    pattern: bool = False
    """The address is a pattern of the broker (wildcards)."""
    case_insensitive: bool = False
    """The library tells its names apart by their letters alone, not by their case (SignalR)."""
    internal: bool = False
    """Jobs that an application gives itself (a task queue): a contract may list them, need not."""
    unresolved: Reason = NO_REASON
    is_default_address: bool = False
    """The address is only what stands in where a setting gives none."""
    evidence: Evidence = Evidence()
    """How the payload is known, where its shape does not say."""
    protocols: tuple[str, ...] = ()
    """What the library speaks, named as for a `Channel`; none: any protocol."""
    framework: str = ""
    origin: Origin = NOWHERE
