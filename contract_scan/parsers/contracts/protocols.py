"""What the servers and bindings of an AsyncAPI document say of its channels: protocols, paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from contract_scan.parsers.contracts.located_tree import Node
from contract_scan.parsers.contracts.servers import socket_paths

Follow: TypeAlias = Callable[[Node], Node | None]

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


REQUEST = "HTTP requests"
"""What a channel bound to HTTP alone is: servers of web sockets may be said to speak `http`, and
none of their messages is a request."""


def channel_protocols(root: Node, channel: Node, version_2: bool, follow: Follow) -> list[str]:
    """The protocols a channel may be used by, sorted; none where the document does not say, or
    names one that is not known. A channel that is bound to HTTP alone is a request, whatever the
    servers speak beside it."""
    bound = _bound_protocols(channel, follow)
    if bound == {"http"}:
        return [REQUEST]
    found: set[str] = set()
    for server in _servers(root, channel, version_2, follow):
        family = _FAMILIES.get(server.text("protocol").lower())
        if family is None:
            return []
        found.add(family)
    return sorted(found | bound)


def channel_mounts(root: Node, channel: Node, version_2: bool, follow: Follow) -> list[str]:
    """The paths that a channel's servers of web sockets have, where they have any."""
    return [
        path
        for server in _servers(root, channel, version_2, follow)
        if _FAMILIES.get(server.text("protocol").lower()) == "ws"
        for path in socket_paths(server, version_2)
        if path
    ]


def _bound_protocols(channel: Node, follow: Follow) -> set[str]:
    bindings = channel.get("bindings")
    target = follow(bindings) if bindings is not None else None
    members = target.members() if target is not None else ()
    return {_FAMILIES[name] for name, _ in members if name in _FAMILIES}


def _servers(root: Node, channel: Node, version_2: bool, follow: Follow) -> Iterator[Node]:
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
