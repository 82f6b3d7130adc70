"""kafkajs: `producer.send({ topic, messages })`, `consumer.subscribe` with `consumer.run`."""

from contract_scan.parsers.source.messaging.brokers import KAFKA
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Each,
    Key,
    Listener,
    MessagingLibrary,
    Receive,
    Send,
    Slot,
)
from contract_scan.parsers.source.typescript.messaging.interpreter import framework

_TOPIC = Slot(0, (Key(("topic",)),))
_VALUES = Slot(0, (Key(("messages",)), Each("any"), Key(("value",), is_required=False)))
_HANDLER = Slot(0, (Key(("eachMessage", "eachBatch")),))
_TOPICS = (AddressOfMessage(("topic",)), AddressOfMessage(("batch", "topic")))
FRAMEWORK = framework(
    MessagingLibrary(
        name="kafkajs",
        broker=KAFKA,
        markers=(
            *(b"kafkajs", b"messages:", b"messages }"),
            *(b"eachMessage", b"eachBatch", b".subscribe({"),
        ),
        calls=(b".send(", b".sendBatch(", b".subscribe(", b"eachMessage", b"eachBatch"),
        sends=(
            Send(methods=frozenset({"send"}), address=_TOPIC, payload=_VALUES),
            Send(
                methods=frozenset({"sendBatch"}),
                batch=Slot(0, (Key(("topicMessages",)), Each("literal", only_lists=True))),
                address=_TOPIC,
                payload=_VALUES,
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"subscribe"}),
                address=Slot(0, (Key(("topic", "topics")), Each("literal"))),
                handlers=(Listener("run", _HANDLER, address=_TOPICS),),
                pattern="regular expression",
            ),
        ),
    )
)
