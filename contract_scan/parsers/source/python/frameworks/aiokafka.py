"""aiokafka: `AIOKafkaProducer.send` and `send_and_wait`, topics of an `AIOKafkaConsumer`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging import kafka

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_CLIENT = kafka.Client(
    markers=(b"aiokafka", b"AIOKafka", b"send_and_wait"),
    send=frozenset({"send", "send_and_wait"}),
    producers=("aiokafka.AIOKafkaProducer", "aiokafka.producer.AIOKafkaProducer"),
    consumers=("aiokafka.AIOKafkaConsumer", "aiokafka.consumer.AIOKafkaConsumer"),
)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent or consumed."""
    yield from kafka.events(program, framework, _CLIENT)


FRAMEWORK = Framework(
    name="aiokafka",
    markers=_CLIENT.markers,
    calls=(b".send(", b".send_and_wait(", b".subscribe(", b"AIOKafkaConsumer("),
    protocols=("kafka",),
    events=events,
)
