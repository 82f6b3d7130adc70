"""ffc-messaging: senders and receivers over Azure Service Bus, made from objects of settings."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.messaging.brokers import SERVICE_BUS
from contract_scan.parsers.source.messaging.records import (
    Callback,
    Each,
    Key,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)
from contract_scan.parsers.source.typescript.messaging.interpreter import framework

_NOUN = "queue or topic name"
_ENTITY = (Key(("topic", "address")),)
"""What the settings of a connection name: of a subscription, its topic."""
_ENTITY_OF_SENDER = Slot(0, _ENTITY, made_by=("MessageSender", "MessageBatchSender"), noun=_NOUN)
_BODY = Key(("body",), is_required=False)
FRAMEWORK = framework(
    MessagingLibrary(
        name="ffc-messaging",
        broker=SERVICE_BUS,
        protocols=("amqp", "http"),
        markers=(b"ffc-messaging",),
        calls=(b".sendMessage(", b".sendBatchMessages(", b"MessageReceiver("),
        receiver=Receiver(("ffc-messaging",)),
        sends=(
            Send(
                methods=frozenset({"sendMessage"}),
                address=_ENTITY_OF_SENDER,
                payload=Slot(0, (_BODY,)),
            ),
            Send(
                methods=frozenset({"sendBatchMessages"}),
                address=_ENTITY_OF_SENDER,
                payload=Slot(0, (Each("any"), _BODY)),
            ),
        ),
        receives=(
            Receive(
                constructors=frozenset({"MessageReceiver"}),
                min_args=2,
                address=Slot(0, _ENTITY, noun=_NOUN),
                handlers=(Callback(Slot(1)),),
                message_part="body",
                untyped=Reason("message-body-untyped"),
            ),
        ),
    )
)
