"""Confluent.Kafka: `ProduceAsync(topic, message)`, `Subscribe(topic)` with what is read there."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.csharp.messaging.interpreter import framework
from contract_scan.parsers.source.messaging.brokers import KAFKA
from contract_scan.parsers.source.messaging.records import (
    Each,
    Made,
    MessagingLibrary,
    Nearby,
    Receive,
    Receiver,
    Send,
    Slot,
)

_CALLS = (b".ProduceAsync(", b".Produce(", b".Subscribe(")
FRAMEWORK = framework(
    MessagingLibrary(
        name="Confluent.Kafka",
        broker=KAFKA,
        markers=_CALLS,
        calls=_CALLS,
        receiver=Receiver(type_argument=1, types_without_content=("Null", "Ignore")),
        sends=(
            Send(
                methods=frozenset({"ProduceAsync", "Produce"}),
                of=("IProducer", "IDependentProducer", "ProducerBuilder"),
                is_known_by_payload=True,
                min_args=2,
                address=Slot(0, made=Made(("TopicPartition",), is_required=False)),
                payload=Slot(
                    1,
                    made=Made(("Message",), None, ("Value",)),
                    missing=Reason("message-content-not-followed"),
                ),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"Subscribe"}),
                of=("IConsumer", "ConsumerBuilder"),
                address=Slot(0, steps=(Each(),)),
                handlers=(Nearby(("Topic",)),),
                pattern="after ^",
            ),
        ),
    )
)
