"""Which places in code send to or receive from which channel of a contract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.event import Channel, EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.pairing.addresses import canonical, is_open, may_be_same
from contract_scan.scanners.unit import Unit


class ChannelPair(Struct, frozen=True):
    """A channel and the places in code that use it (none: nothing was found)."""

    document: ContractDocument
    channel: Channel
    uses: tuple[EventUse, ...]
    possible: tuple[EventUse, ...] = ()
    """Places whose address is undetermined, so that they may stand for the channel."""
    recognised: bool = True
    """Whether the code uses a protocol of the channel at all, as far as it was read."""


class ChannelPairing(Struct, frozen=True):
    """Everything that pairing a unit's channels gave."""

    pairs: tuple[ChannelPair, ...] = ()
    undocumented: tuple[EventUse, ...] = ()
    """One place for each address that no document mentions."""
    foreign: tuple[EventUse, ...] = ()
    """One place for each set of protocols that no document speaks of."""


def pair_channels(unit: Unit) -> ChannelPairing:
    """Pair every channel of a unit's documents with the places that use it."""
    channels = [
        (document, channel)
        for document in unit.documents
        if document.kind == "asyncapi"
        for channel in document.channels
    ]
    if not channels:
        return ChannelPairing()
    every = [channel for _, channel in channels]
    events = tuple(_with_known_address(use, every) for use in unit.code.events)
    open_uses = tuple(use for use in events if _is_open(use, every))
    connections: list[EventUse] = []
    skipped = set(map(id, open_uses))
    uses_of: dict[int, list[EventUse]] = {id(channel): [] for _, channel in channels}
    undocumented: dict[str, EventUse] = {}
    foreign: dict[tuple[str, ...], EventUse] = {}
    for use in events:
        fitting = [channel for channel in every if may_travel_by(channel, use)]
        if id(use) in skipped:
            found = _exact(use, fitting) if use.unresolved else []
        else:
            found = _channels_for(use, fitting, every)
        for channel in found:
            uses_of[id(channel)].append(use)
        if found or use.internal or any(use.address in one.shared for one in fitting):
            continue
        if id(use) not in skipped and any(_is_at_mount(use, channel) for channel in fitting):
            # One connection for what several channels list: which of them is undetermined.
            connections.append(use)
        elif not fitting:
            foreign.setdefault(use.protocols, use)
        elif id(use) not in skipped:
            undocumented.setdefault(use.address, use)
    pairs = tuple(
        ChannelPair(
            document,
            channel,
            tuple(uses_of[id(channel)]),
            (
                *(use for use in open_uses if may_travel_by(channel, use)),
                *(use for use in connections if _is_at_mount(use, channel)),
                *(use for use in events if use.address and use.address in channel.shared),
            ),
            any(may_travel_by(channel, use) for use in events if not use.internal),
        )
        for document, channel in channels
    )
    return ChannelPairing(pairs, tuple(undocumented.values()), tuple(foreign.values()))


def _with_known_address(use: EventUse, channels: list[Channel]) -> EventUse:
    """A use of an address that is only a default counts where a channel has that address; else a
    deployment may set any other."""
    if not use.is_default_address or use.unresolved:
        return use
    fitting = [channel for channel in channels if may_travel_by(channel, use)]
    if _channels_for(use, fitting, channels):
        return use
    return replace(
        use, address="", unresolved=Reason("address-is-default-of-setting", address=use.address)
    )


def _is_open(use: EventUse, channels: list[Channel]) -> bool:
    """Whether a use may stand for any channel. A server that takes every address serves the only
    channel of its protocol; of several, which one a message is of is undetermined."""
    if use.pattern and use.address == "*":
        return sum(may_travel_by(channel, use) for channel in channels) > 1
    return bool(use.unresolved) or is_open(use.address)


def may_travel_by(channel: Channel, use: EventUse) -> bool:
    """Whether what a library speaks may be what the channel's servers and bindings speak."""
    theirs, ours = channel.protocols, use.protocols
    return not theirs or not ours or any(protocol in theirs for protocol in ours)


def _channels_for(use: EventUse, fitting: list[Channel], channels: list[Channel]) -> list[Channel]:
    """The channels that a use stands for: one of its very name counts even where the document
    says that it travels by another protocol."""
    return (
        _exact(use, fitting)
        or _exact(use, channels)
        or _channels_by_address(use, fitting)
        or _channel_of_message(use, fitting)
        or _but_for_slash(use, fitting)
        or _channels_by_server_path(use, fitting)
        or _but_for_case(use, fitting)
    )


def _but_for_slash(use: EventUse, channels: Iterable[Channel]) -> list[Channel]:
    """Channels whose address has a slash at its front that the code's has not, or the reverse:
    sockets have paths, which documents write either way."""
    if not {"ws", "stomp"}.intersection(use.protocols):
        return []
    ours = canonical(use.address).removeprefix("/")
    return [
        channel
        for channel in channels
        if any(address.removeprefix("/") == ours for address in _canonical(channel))
    ]


def _channels_by_server_path(use: EventUse, channels: Iterable[Channel]) -> list[Channel]:
    """Channels whose server's path and own path together are the address of a socket; else the
    only one on a server whose path is the whole address."""
    if not _is_socket(use):
        return []
    ours = canonical(use.address).strip("/")
    found = [channel for channel in channels if ours in _socket_paths(channel)]
    if found:
        return found
    found = [channel for channel in channels if _is_at_mount(use, channel)]
    return found if len(found) == 1 else []


def _is_socket(use: EventUse) -> bool:
    return "ws" in use.protocols and bool(use.address) and not use.has_wire_name


def _is_at_mount(use: EventUse, channel: Channel) -> bool:
    """Whether a socket is served at the very path of a channel's server."""
    ours = canonical(use.address).strip("/")
    return _is_socket(use) and any(canonical(m).strip("/") == ours for m in channel.mounts)


def _socket_paths(channel: Channel) -> Iterator[str]:
    """The whole paths of a channel: those of its servers with its own behind them. A document may
    write its own into the server's already."""
    for mount in channel.mounts:
        before = canonical(mount).strip("/")
        for address in _canonical(channel):
            own = address.strip("/")
            written = not own or f"/{before}".endswith(f"/{own}")
            yield before if written else f"{before}/{own}"


def _but_for_case(use: EventUse, channels: Iterable[Channel]) -> list[Channel]:
    """Channels of a library that takes `placeOrder` for `PlaceOrder`."""
    if not use.case_insensitive:
        return []
    ours = {canonical(name).casefold() for name in (use.address, *use.aliases)}
    return [
        channel
        for channel in channels
        if any(address.casefold() in ours for address in _canonical(channel))
    ]


def _channel_of_message(use: EventUse, channels: Iterable[Channel]) -> list[Channel]:
    """The only channel with a message of the name that a use has on the wire."""
    if not use.has_wire_name:
        return []
    name = fold(use.message)
    found = [
        channel
        for channel in channels
        if any(name in map(fold, (m.name, *m.aliases)) for m in channel.messages)
    ]
    return found if len(found) == 1 else []


def _exact(use: EventUse, channels: Iterable[Channel]) -> list[Channel]:
    exact = [
        [channel for channel in channels if canonical(name) in _canonical(channel)]
        for name in (use.address, *use.aliases)
        if name
    ]
    # Several channels may bear names of one use (a queue, its exchange): the one that is used in
    # this direction is meant.
    for found in exact:
        used = [channel for channel in found if _has_direction(channel, use)]
        if used:
            return used
    return next((found for found in exact if found), [])


def _channels_by_address(use: EventUse, channels: Iterable[Channel]) -> list[Channel]:
    return [
        channel
        for channel in channels
        if any(may_be_same(address, use.address, use.pattern) for address in _addresses(channel))
        or _same_but_unplaced(channel, use)
    ]


def _same_but_unplaced(channel: Channel, use: EventUse) -> bool:
    """Whether a use has, beside the words of the channel's address, just the parameters that the
    channel declares and its address forgot."""
    left = len(channel.unplaced)
    if not left:
        return False
    code, contract = (canonical(address).split("/") for address in (use.address, channel.address))
    if len(code) != len(contract) + left:
        return False
    words = iter(contract)
    following = next(words, None)
    for part in code:
        if part == following:
            following = next(words, None)
        elif part != canonical("{}"):
            return False
    return following is None


def _has_direction(channel: Channel, use: EventUse) -> bool:
    return any(operation.direction == use.direction for operation in channel.operations)


def _canonical(channel: Channel) -> set[str]:
    return {canonical(address) for address in _addresses(channel)}


def _addresses(channel: Channel) -> tuple[str, ...]:
    return tuple(
        address for address in (channel.address or channel.key, *channel.aliases) if address
    )
