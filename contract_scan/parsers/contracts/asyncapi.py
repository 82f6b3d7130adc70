"""AsyncAPI 2.x and 3.x -> channels.

The two versions say the same thing from opposite sides: where version 2 says `publish`, others
publish and the described application *receives*; version 3 says `receive`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.event import Channel, ChannelOperation, Direction, Message
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.contracts.dialects import ASYNCAPI
from contract_scan.parsers.contracts.located_tree import Node, Sequence
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.schema import SchemaReader
from contract_scan.parsers.contracts.servers import socket_paths

_VERBS_OF_VERSION_2: tuple[tuple[str, Direction], ...] = (
    ("publish", "receive"),
    ("subscribe", "send"),
)
_OPPOSITE: dict[str, Direction] = {"send": "receive", "receive": "send"}
_NAMES_IN_BINDINGS = (
    ("amqp", "exchange", "name"),
    ("amqp", "queue", "name"),
    ("amqp1", "exchange", "name"),
    ("amqp1", "queue", "name"),
    ("kafka", "topic"),
    ("jms", "destination"),
    ("anypointmq", "destination"),
    ("ibmmq", "queue", "objectName"),
    ("ibmmq", "topic", "objectName"),
    ("ibmmq", "topic", "string"),
    ("googlepubsub", "topic"),
    ("sns", "name"),
    ("sqs", "queue", "name"),
)
"""Where bindings name what a channel is called at the broker."""
_SEPARATORS = "_./:-"
_Follow: TypeAlias = Callable[[Node], Node | None]

_FAMILIES = {
    "amqp": "amqp",
    "amqp1": "amqp",
    "amqps": "amqp",
    "googlepubsub": "googlepubsub",
    "http": "http",
    "https": "http",
    "jms": "jms",
    "kafka": "kafka",
    "kafka-secure": "kafka",
    "mqtt": "mqtt",
    "mqtt5": "mqtt",
    "mqtts": "mqtt",
    "nats": "nats",
    "pubsub": "googlepubsub",
    "rabbitmq": "amqp",
    "redis": "redis",
    "rediss": "redis",
    "secure-mqtt": "mqtt",
    "sns": "sns",
    "socket.io": "ws",
    "socketio": "ws",
    "sqs": "sqs",
    "stomp": "stomp",
    "stomps": "stomp",
    "websocket": "ws",
    "websockets": "ws",
    "ws": "ws",
    "wss": "ws",
}
"""Protocol as documents write it -> the name that variants of it share."""


_REQUEST = "HTTP requests"
"""What a channel bound to HTTP alone is: servers of web sockets may be said to speak `http`, and
none of their messages is a request."""


class _Item(Struct, frozen=True):
    """A channel as a document writes it: the channel itself, and the place its key stands at."""

    root: Node
    node: Node
    given: Node
    version_2: bool


class _Operation(Struct, frozen=True):
    """An operation before its channel is put together."""

    operation: ChannelOperation
    aliases: tuple[str, ...] = ()


def read_asyncapi(root: Node, documents: Documents, version: str) -> ContractDocument:
    """Lower a document whose root is `root`.

    Raises `ContractError` where `channels` or `operations` is no mapping; anything wrong with one
    channel, message or schema is a `Problem` of the result.
    """
    problems = Problems()
    schemas = SchemaReader(documents, ASYNCAPI, problems)
    context = _Context(schemas, problems, root.text("defaultContentType"))
    for word in ("channels", "operations"):
        place = root.get(word)
        if place is not None and not place.is_mapping:
            raise ContractError(f"`{word}` must be a mapping", place.file.path, place.line)
    if not root.has("channels") and not root.has("components"):
        problems.add(root, "has no `channels`, so there is no event to check")
    if version.startswith("2."):
        channels = _channels_2(root, context)
    else:
        channels = _channels_3(root, context)
    info = root.get("info")
    return ContractDocument(
        path=root.file.path,
        kind="asyncapi",
        version=version,
        title=info.text("title") if info is not None else "",
        channels=_without_shared_aliases(channels),
        schemas=schemas.schemas(),
        problems=problems.all(),
    )


# Version 2


def _channels_2(root: Node, context: _Context) -> list[Channel]:
    found: list[Channel] = []
    for address, item, given in _channel_items(root, context):
        operations: list[_Operation] = []
        for verb, direction in _VERBS_OF_VERSION_2:
            node = item.get(verb)
            if node is None:
                continue
            if not node.is_mapping:
                context.problems.add(node, f"`{verb}` must be a mapping")
                continue
            messages = tuple(_messages(node.get("message"), context))
            operation = ChannelOperation(
                direction=direction,
                messages=messages,
                name=node.text("operationId"),
                origin=node.origin,
            )
            named = _names_at_broker(address, node, context)
            operations.append(_Operation(operation, (*named, *_routing_keys(node, context))))
        found.append(
            _channel(
                _Item(root, item, given, version_2=True),
                address,
                address,
                operations,
                tuple(message for one in operations for message in one.operation.messages),
                context,
            )
        )
    return found


def _messages(node: Node | None, context: _Context) -> Iterator[Message]:
    """The messages of a version 2 operation: one, or those under `oneOf`."""
    if node is None:
        return
    target = context.schemas.follow(node)
    if target is None:
        yield Message(
            name="",
            payload=Unknown(
                reason=Reason("message-reference-not-followed"), nullable=None, origin=node.origin
            ),
            origin=node.origin,
        )
        return
    alternatives = target.get("oneOf")
    if alternatives is not None and isinstance(alternatives.value, Sequence):
        for alternative in alternatives.elements():
            yield from _messages_once(alternative, context)
    else:
        yield _message_of(target, key_of(target), context)


def _messages_once(node: Node, context: _Context) -> Iterator[Message]:
    target = context.schemas.follow(node)
    if target is not None:
        yield _message_of(target, key_of(target), context)


# Version 3


def _channels_3(root: Node, context: _Context) -> list[Channel]:
    channels: dict[str, tuple[str, Node, Node]] = {}
    messages: dict[str, list[tuple[str, Message]]] = {}
    for key, item, given in _channel_items(root, context):
        channels[item.id] = (key, item, given)
        messages[item.id] = list(_channel_messages(item, context))
    operations: dict[str, list[_Operation]] = {identity: [] for identity in channels}
    listed = root.get("operations")
    for name, given in listed.members() if listed is not None else ():
        for identity, operation in _operation_3(name, given, messages, context):
            operations[identity].append(operation)
    found: list[Channel] = []
    for identity, (key, item, given) in channels.items():
        found.append(
            _channel(
                _Item(root, item, given, version_2=False),
                key,
                item.text("address"),
                operations[identity],
                tuple(message for _, message in messages[identity]),
                context,
            )
        )
    return found


def _channel_messages(item: Node, context: _Context) -> Iterator[tuple[str, Message]]:
    """The messages of a channel, each with the id of the place it really stands at."""
    listed = item.get("messages")
    for key, given in listed.members() if listed is not None else ():
        target = context.schemas.follow(given)
        if target is not None:
            yield target.id, _message_of(target, key, context)
    # Written as in version 2, beside `operations` of version 3: what is meant is plain.
    for verb, _ in _VERBS_OF_VERSION_2 if listed is None else ():
        node = item.get(verb)
        for message in _messages(node.get("message"), context) if node is not None else ():
            yield message.origin.pointer, message


def _operation_3(
    name: str,
    given: Node,
    messages: dict[str, list[tuple[str, Message]]],
    context: _Context,
) -> Iterator[tuple[str, _Operation]]:
    node = context.schemas.follow(given)
    if node is None or not node.is_mapping:
        return
    action = node.text("action")
    direction: Direction
    if action == "send":
        direction = "send"
    elif action == "receive":
        direction = "receive"
    else:
        context.problems.add(node, "`action` must be `send` or `receive`")
        return
    keys = _routing_keys(node, context)
    yield from _use_of_channel(name, direction, node, given, messages, keys, context)
    reply = node.get("reply")
    target = context.schemas.follow(reply) if reply is not None else None
    if target is not None and target.has("channel"):
        yield from _use_of_channel(
            f"{name} (reply)", _OPPOSITE[direction], target, target, messages, (), context
        )


def _use_of_channel(
    name: str,
    direction: Direction,
    node: Node,
    given: Node,
    messages: dict[str, list[tuple[str, Message]]],
    aliases: tuple[str, ...],
    context: _Context,
) -> Iterator[tuple[str, _Operation]]:
    place = node.get("channel")
    channel = context.schemas.follow(place) if place is not None else None
    if place is None:
        context.problems.add(node, f"the operation `{name}` names no channel")
    if channel is None:
        return
    if channel.id not in messages:
        context.problems.add(node, f"the operation `{name}` uses a channel that is not listed")
        return
    known = messages[channel.id]
    chosen = [message for _, message in known]
    selection = node.get("messages")
    if selection is not None:
        targets = [context.schemas.follow(one) for one in selection.elements()]
        wanted = {target.id for target in targets if target is not None}
        chosen = [message for identity, message in known if identity in wanted]
        missing = wanted - {identity for identity, _ in known}
        for target in targets:
            if target is not None and target.id in missing:
                chosen.append(_message_of(target, key_of(target), context))
    operation = ChannelOperation(
        direction=direction, messages=tuple(chosen), name=name, origin=given.origin
    )
    yield channel.id, _Operation(operation, aliases)


# Both versions


def _channel_items(root: Node, context: _Context) -> Iterator[tuple[str, Node, Node]]:
    """Key, the channel itself, and the place its key stands at."""
    listed = root.get("channels")
    for key, given in listed.members() if listed is not None else ():
        if key.startswith("x-"):
            continue
        item = context.schemas.follow(given)
        if item is None:
            continue
        if not item.is_mapping:
            context.problems.add(given, f"the channel `{key}` must be a mapping")
            continue
        yield key, item, given


def _channel(
    item: _Item,
    key: str,
    address: str,
    operations: list[_Operation],
    messages: tuple[Message, ...],
    context: _Context,
) -> Channel:
    names = _names_at_broker(address, item.node, context)
    names += (alias for one in operations for alias in one.aliases)
    distinct = {message.origin: message for message in messages}
    reached = (item.root, item.node, item.version_2, context.schemas.follow)
    return Channel(
        key=key,
        address=address,
        operations=tuple(one.operation for one in operations),
        messages=tuple(distinct.values()),
        aliases=tuple(dict.fromkeys(name for name in names if name and name != address)),
        mounts=tuple(dict.fromkeys(_channel_mounts(*reached))),
        protocols=tuple(_channel_protocols(*reached)),
        unplaced=_unplaced_parameters(address, item.node),
        origin=item.given.origin,
        document=item.root.file.path,
    )


def _unplaced_parameters(address: str, item: Node) -> tuple[str, ...]:
    """Declared parameters for which an address has no place."""
    declared = item.get("parameters")
    names = [name for name, _ in declared.members()] if declared is not None else []
    return tuple(name for name in names if address and "{" + name + "}" not in address)


def _without_shared_aliases(channels: list[Channel]) -> tuple[Channel, ...]:
    """A name that several channels bear (one exchange for all) tells none of them."""
    bearers: dict[str, int] = {}
    for channel in channels:
        for name in {channel.address, *channel.aliases}:
            bearers[name] = bearers.get(name, 0) + 1
    return tuple(
        replace(
            channel,
            aliases=tuple(alias for alias in channel.aliases if bearers[alias] == 1),
            shared=tuple(alias for alias in channel.aliases if bearers[alias] > 1),
        )
        for channel in channels
    )


def _names_at_broker(address: str, item: Node, context: _Context) -> list[str]:
    found: list[str] = []
    bindings = _bindings(item, context)
    for path in _NAMES_IN_BINDINGS:
        place: Node | None = bindings
        for key in path:
            place = place.get(key) if place is not None else None
        if place is None or not isinstance(place.value, str):
            continue
        name = place.value
        found.append(name)
        rest = address.removeprefix(name)
        if rest != address and path[1] == "exchange" and rest[:1] in tuple(_SEPARATORS):
            found.append(rest[1:])  # exchange and routing key in one address
    return found


def _routing_keys(operation: Node, context: _Context) -> tuple[str, ...]:
    """Further routing keys that an AMQP operation names."""
    bindings = _bindings(operation, context)
    amqp = bindings.get("amqp") if bindings is not None else None
    copies = amqp.get("cc") if amqp is not None else None
    if copies is None:
        return ()
    return tuple(one.value for one in copies.elements() if isinstance(one.value, str))


def _bindings(node: Node, context: _Context) -> Node | None:
    """The bindings of a channel or operation, else those of its first trait that has any."""
    for holder in with_traits(node, context.schemas.follow):
        bindings = holder.get("bindings")
        if bindings is not None:
            return context.schemas.follow(bindings)
    return None


def _channel_protocols(root: Node, channel: Node, version_2: bool, follow: _Follow) -> list[str]:
    """The protocols a channel may be used by, sorted; none where the document does not say, or
    names one that is not known. A channel that is bound to HTTP alone is a request, whatever the
    servers speak beside it."""
    bound = _bound_protocols(channel, follow)
    if bound == {"http"}:
        return [_REQUEST]
    found: set[str] = set()
    for server in _servers(root, channel, version_2, follow):
        family = _FAMILIES.get(server.text("protocol").lower())
        if family is None:
            return []
        found.add(family)
    return sorted(found | bound)


def _channel_mounts(root: Node, channel: Node, version_2: bool, follow: _Follow) -> list[str]:
    """The paths that a channel's servers of web sockets have, where they have any."""
    return [
        path
        for server in _servers(root, channel, version_2, follow)
        if _FAMILIES.get(server.text("protocol").lower()) == "ws"
        for path in socket_paths(server, version_2)
        if path
    ]


def _bound_protocols(channel: Node, follow: _Follow) -> set[str]:
    bindings = channel.get("bindings")
    target = follow(bindings) if bindings is not None else None
    members = target.members() if target is not None else ()
    return {_FAMILIES[name] for name, _ in members if name in _FAMILIES}


def _servers(root: Node, channel: Node, version_2: bool, follow: _Follow) -> Iterator[Node]:
    """The servers of a channel: those that it lists, otherwise all of the document's."""
    declared = root.get("servers")
    listed = channel.get("servers")
    chosen: list[Node | None] = []
    if listed is not None and any(True for _ in listed.elements()):
        for one in listed.elements():
            named = version_2 and isinstance(one.value, str) and declared is not None
            chosen.append(declared.get(str(one.value)) if named and declared is not None else one)
    elif declared is not None:
        chosen.extend(server for _, server in declared.members())
    for given in chosen:
        target = follow(given) if given is not None else None
        if target is not None and target.is_mapping:
            yield target


# -------------------------------------------------------------------------------------- messages
# Messages of AsyncAPI documents, and what objects take from their traits.


_MAX_TRAITS = 100

Follow: TypeAlias = Callable[[Node], Node | None]
"""Where a node's `$ref`s lead in the end; None where they lead nowhere."""


class _Context(Struct, frozen=True):
    schemas: SchemaReader
    problems: Problems
    default_content_type: str


def _message_of(node: Node, key: str, context: _Context) -> Message:
    """A message; `key` names it where it does not say its name itself."""
    follow = context.schemas.follow
    payload = node.get("payload")
    if payload is None:
        schema: Schema = Unknown(
            reason=Reason("contract-message-without-payload"),
            nullable=None,
            origin=node.origin,
        )
    elif text_with_traits(node, "schemaFormat", follow):
        schema = context.schemas.read_formatted(
            node, "payload", text_with_traits(node, "schemaFormat", follow)
        )
    else:
        schema = context.schemas.read(payload)
    words = [text_with_traits(node, word, follow) for word in ("name", "messageId")]
    names = [name for name in (*words, key, text_with_traits(node, "title", follow)) if name]
    return Message(
        name=names[0] if names else "",
        aliases=tuple(dict.fromkeys(names[1:])),
        payload=schema,
        content_type=text_with_traits(node, "contentType", follow) or context.default_content_type,
        origin=node.origin,
    )


def key_of(message: Node) -> str:
    """The key of a message among the components; empty for one written on the spot."""
    above = message.pointer.rpartition("/")[0]
    return message.name if above.endswith("/messages") else ""


def text_with_traits(node: Node, word: str, follow: Follow) -> str:
    """The text of an object's own keyword, else that of the first of its traits which has it."""
    for holder in with_traits(node, follow):
        text = holder.text(word)
        if text:
            return text
    return ""


def with_traits(node: Node, follow: Follow) -> list[Node]:
    """An object and its traits, in the order in which they speak."""
    holders = [node]
    traits = node.get("traits")
    for trait in islice(traits.elements(), _MAX_TRAITS) if traits is not None else ():
        target = follow(trait)
        if target is not None:
            holders.append(target)
    return holders
