"""NATS Streaming: `publish` and `subscribe` of `node-nats-streaming`."""

from contract_scan.parsers.source.messaging.brokers import NATS
from contract_scan.parsers.source.messaging.records import (
    Listener,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)
from contract_scan.parsers.source.typescript.messaging.interpreter import framework

_MESSAGES = Listener("on", Slot(1), frozenset({"message"}), of="subscription")
FRAMEWORK = framework(
    MessagingLibrary(
        name="NATS Streaming",
        broker=NATS,
        markers=(b"node-nats-streaming",),
        calls=(b".publish(", b".subscribe(", b'.on("message', b".on('message"),
        receiver=Receiver(("node-nats-streaming",)),
        sends=(Send(methods=frozenset({"publish"}), address=Slot(0), payload=Slot(1)),),
        receives=(
            Receive(methods=frozenset({"subscribe"}), address=Slot(0), handlers=(_MESSAGES,)),
        ),
    )
)
