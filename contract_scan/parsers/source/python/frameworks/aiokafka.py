"""aiokafka: `AIOKafkaProducer.send` and `send_and_wait`, topics of an `AIOKafkaConsumer`."""

from contract_scan.parsers.source.python.messaging.interpreter import framework
from contract_scan.parsers.source.python.messaging.kafka import kafka_client

FRAMEWORK = framework(
    kafka_client(
        "aiokafka",
        markers=(b"aiokafka", b"AIOKafka", b"send_and_wait"),
        sends=frozenset({"send", "send_and_wait"}),
        producers=("aiokafka.AIOKafkaProducer", "aiokafka.producer.AIOKafkaProducer"),
        consumers=("aiokafka.AIOKafkaConsumer", "aiokafka.consumer.AIOKafkaConsumer"),
    )
)
