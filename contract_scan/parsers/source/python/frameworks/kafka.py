"""confluent-kafka, kafka-python and aiokafka: producers that send, consumers that subscribe."""

from __future__ import annotations

from contract_scan.parsers.source.messaging.brokers import KAFKA
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Enclosing,
    MessagingLibrary,
    Receive,
    Send,
    Slot,
)
from contract_scan.parsers.source.python.messaging.interpreter import framework


def _kafka_client(
    name: str,
    *,
    markers: tuple[bytes, ...],
    sends: frozenset[str],
    producers: tuple[str, ...],
    consumers: tuple[str, ...],
    topics_in_constructor: bool = True,
    topic: str = "topic",
) -> MessagingLibrary:
    """The record of one client; producers and consumers are qualified names of classes,
    `topic` is the member of a message that gives its topic."""
    constructors = frozenset(consumer.rpartition(".")[2] for consumer in consumers)
    subscribe = Receive(
        methods=frozenset({"subscribe"}),
        of=consumers,
        address=Slot(0, names=("topics",)),
        pattern_argument="pattern",
        handlers=(Enclosing((AddressOfMessage((topic,), None),)),),
        message_part="value",
        parsed_if=("value_deserializer", "DeserializingConsumer"),
    )
    construct = Receive(
        constructors=constructors,
        of=consumers,
        address=Slot(0, to_end=True),
        handlers=(Enclosing((AddressOfMessage((topic,), None),)),),
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


FRAMEWORKS = (
    framework(
        _kafka_client(
            "confluent-kafka",
            markers=(b"confluent_kafka", b".produce("),
            sends=frozenset({"produce"}),
            producers=(
                "confluent_kafka.Producer",
                "confluent_kafka.SerializingProducer",
                "confluent_kafka.avro.AvroProducer",
                "confluent_kafka.aio.AIOProducer",
            ),
            consumers=(
                "confluent_kafka.Consumer",
                "confluent_kafka.DeserializingConsumer",
                "confluent_kafka.aio.AIOConsumer",
            ),
            topics_in_constructor=False,
            topic="topic()",
        )
    ),
    framework(
        _kafka_client(
            "kafka-python",
            markers=(b"KafkaProducer", b"KafkaConsumer"),
            sends=frozenset({"send"}),
            producers=("kafka.KafkaProducer", "kafka.producer.KafkaProducer"),
            consumers=("kafka.KafkaConsumer", "kafka.consumer.KafkaConsumer"),
        )
    ),
    framework(
        _kafka_client(
            "aiokafka",
            markers=(b"aiokafka", b"AIOKafka", b"send_and_wait"),
            sends=frozenset({"send", "send_and_wait"}),
            producers=("aiokafka.AIOKafkaProducer", "aiokafka.producer.AIOKafkaProducer"),
            consumers=("aiokafka.AIOKafkaConsumer", "aiokafka.consumer.AIOKafkaConsumer"),
        )
    ),
)
