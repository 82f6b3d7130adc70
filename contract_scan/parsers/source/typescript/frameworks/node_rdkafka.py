"""node-rdkafka, and that API of `@confluentinc/kafka-javascript`: `produce`, `subscribe`."""

from contract_scan.parsers.source.messaging.brokers import KAFKA
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Each,
    Listener,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)
from contract_scan.parsers.source.typescript.messaging.interpreter import framework

_ON_DATA = Listener("on", Slot(1), frozenset({"data"}), address=(AddressOfMessage(("topic",)),))
FRAMEWORK = framework(
    MessagingLibrary(
        name="node-rdkafka",
        broker=KAFKA,
        markers=(b"node-rdkafka", b"@confluentinc/kafka-javascript"),
        calls=(b".produce(", b".subscribe(", b".on('data", b'.on("data'),
        receiver=Receiver(("node-rdkafka", "@confluentinc/kafka-javascript")),
        sends=(Send(methods=frozenset({"produce"}), min_args=3, address=Slot(0), payload=Slot(2)),),
        receives=(
            Receive(
                methods=frozenset({"subscribe"}),
                address=Slot(0, (Each("literal", only_lists=True),)),
                handlers=(_ON_DATA,),
                pattern="regular expression",
            ),
        ),
    )
)
