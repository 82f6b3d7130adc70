"""kafka-python: `KafkaProducer.send`, topics of a `KafkaConsumer`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging import kafka

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_CLIENT = kafka.Client(
    markers=(b"KafkaProducer", b"KafkaConsumer"),
    send=frozenset({"send"}),
    producers=("kafka.KafkaProducer", "kafka.producer.KafkaProducer"),
    consumers=("kafka.KafkaConsumer", "kafka.consumer.KafkaConsumer"),
)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent or consumed."""
    yield from kafka.events(program, framework, _CLIENT)


FRAMEWORK = Framework(
    name="kafka-python",
    markers=_CLIENT.markers,
    calls=(b".send(", b".subscribe(", b"KafkaConsumer("),
    protocols=("kafka",),
    events=events,
)
