"""What the three Kafka clients have in common: producers that send, consumers that subscribe."""

from __future__ import annotations

from contract_scan.parsers.source.messaging.brokers import KAFKA
from contract_scan.parsers.source.messaging.records import (
    Enclosing,
    MessagingLibrary,
    Receive,
    Send,
    Slot,
)


def kafka_client(
    name: str,
    *,
    markers: tuple[bytes, ...],
    sends: frozenset[str],
    producers: tuple[str, ...],
    consumers: tuple[str, ...],
    topics_in_constructor: bool = True,
) -> MessagingLibrary:
    """The record of one client; producers and consumers are qualified names of classes."""
    constructors = frozenset(consumer.rpartition(".")[2] for consumer in consumers)
    subscribe = Receive(
        methods=frozenset({"subscribe"}),
        of=consumers,
        address=Slot(0, names=("topics",)),
        pattern_argument="pattern",
        handlers=(Enclosing(),),
        message_part="value",
        parsed_if=("value_deserializer", "DeserializingConsumer"),
    )
    construct = Receive(
        constructors=constructors,
        of=consumers,
        address=Slot(0, to_end=True),
        handlers=(Enclosing(),),
        message_part="value",
        parsed_if=("value_deserializer", "DeserializingConsumer"),
    )
    made = sorted(constructors) if topics_in_constructor else ()
    return MessagingLibrary(
        name=name,
        broker=KAFKA,
        markers=markers,
        calls=(
            *(f".{method}(".encode() for method in (*sorted(sends), "subscribe")),
            *(f"{constructor}(".encode() for constructor in made),
        ),
        sends=(
            Send(
                methods=sends,
                of=producers,
                address=Slot(0, names=("topic",)),
                payload=Slot(1, names=("value",)),
            ),
        ),
        receives=(subscribe, construct) if topics_in_constructor else (subscribe,),
    )
