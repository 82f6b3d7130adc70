"""Google Cloud Pub/Sub: messages that are published to topics, and subscriptions to them."""

from contract_scan.parsers.source.messaging.brokers import GOOGLE_PUBSUB
from contract_scan.parsers.source.messaging.records import (
    Callback,
    Key,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)
from contract_scan.parsers.source.typescript.messaging.interpreter import framework

_TOPIC = Slot(0, made_by=("topic",), noun="topic name")
FRAMEWORK = framework(
    MessagingLibrary(
        name="Google Pub/Sub",
        broker=GOOGLE_PUBSUB,
        protocols=("googlepubsub", "http"),
        markers=(b"@google-cloud/pubsub",),
        calls=(
            *(b".publish(", b".publishMessage(", b".publishJSON("),
            *(b".on('message", b'.on("message'),
        ),
        receiver=Receiver(("@google-cloud/pubsub",)),
        sends=(
            Send(methods=frozenset({"publish", "publishJSON"}), address=_TOPIC, payload=Slot(0)),
            Send(
                methods=frozenset({"publishMessage"}),
                address=_TOPIC,
                payload=Slot(0, (Key(("json", "data")),)),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"on"}),
                event="message",
                min_args=2,
                address=Slot(0, made_by=("topic",), noun="topic of the subscription"),
                handlers=(Callback(Slot(1)),),
            ),
        ),
    )
)
