"""What brokers have in common whatever the client: protocols, wildcards, names of resources."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Broker(Struct, frozen=True, kw_only=True):
    """A messaging system that several libraries talk to."""

    protocols: tuple[str, ...]
    """As AsyncAPI calls them."""
    wildcards: frozenset[str] = frozenset()
    """Segments of an address that stand for any."""
    separator: str = "."
    """Between the segments of an address."""
    name_is: Literal["address", "last segment"] = "address"
    """Which part of the full name of a resource contracts list."""

    def is_pattern(self, address: str) -> bool:
        """Whether an address holds wildcards."""
        return any(part in self.wildcards for part in address.split(self.separator))

    def short_name(self, address: str) -> str:
        """The part of an address that contracts list."""
        match self.name_is:
            case "last segment":
                return address.rpartition("/")[2]
            case "address":
                return address


AMQP = Broker(protocols=("amqp",), wildcards=frozenset("*#"))
AZURE = Broker(protocols=())
"""Services whose channels contracts put on servers of several protocols."""
GOOGLE_PUBSUB = Broker(protocols=("googlepubsub",), name_is="last segment")
KAFKA = Broker(protocols=("kafka",))
MQTT = Broker(protocols=("mqtt",), wildcards=frozenset("+#"), separator="/")
NATS = Broker(protocols=("nats",), wildcards=frozenset("*>"))
REDIS = Broker(protocols=("redis",))
SERVICE_BUS = Broker(protocols=("amqp",))
