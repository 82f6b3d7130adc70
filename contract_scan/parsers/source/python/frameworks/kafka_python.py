"""kafka-python: `KafkaProducer.send`, topics of a `KafkaConsumer`."""

from contract_scan.parsers.source.python.messaging.interpreter import framework
from contract_scan.parsers.source.python.messaging.kafka import kafka_client

FRAMEWORK = framework(
    kafka_client(
        "kafka-python",
        markers=(b"KafkaProducer", b"KafkaConsumer"),
        sends=frozenset({"send"}),
        producers=("kafka.KafkaProducer", "kafka.producer.KafkaProducer"),
        consumers=("kafka.KafkaConsumer", "kafka.consumer.KafkaConsumer"),
    )
)
