"""confluent-kafka: producers with `produce`, consumers with `subscribe`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging import kafka

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_CLIENT = kafka.Client(
    markers=(b"confluent_kafka", b".produce("),
    send=frozenset({"produce"}),
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
)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is produced or subscribed to."""
    yield from kafka.events(program, framework, _CLIENT)


FRAMEWORK = Framework(
    name="confluent-kafka",
    markers=_CLIENT.markers,
    calls=(b".produce(", b".subscribe("),
    protocols=("kafka",),
    events=events,
)
