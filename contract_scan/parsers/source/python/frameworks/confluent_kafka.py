"""confluent-kafka: producers with `produce`, consumers with `subscribe`."""

from contract_scan.parsers.source.python.messaging.interpreter import framework
from contract_scan.parsers.source.python.messaging.kafka import kafka_client

FRAMEWORK = framework(
    kafka_client(
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
    )
)
