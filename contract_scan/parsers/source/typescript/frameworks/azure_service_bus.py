"""Azure Service Bus: senders and receivers of queues and topics."""

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

_ENTITY = Slot(
    0,
    made_by=("createSender", "createReceiver", "acceptSession", "acceptNextSession"),
    noun="queue or topic name",
    noun_of_given="queue or topic of a given sender or receiver",
)
_MESSAGES = Each(filled_by_calls_of="createMessageBatch")
FRAMEWORK = framework(
    MessagingLibrary(
        name="Azure Service Bus",
        broker=SERVICE_BUS,
        protocols=("amqp", "http"),
        markers=(b"@azure/service-bus",),
        calls=(b".sendMessages(", b".scheduleMessages(", b".tryAdd", b".subscribe("),
        receiver=Receiver(("@azure/service-bus",)),
        sends=(
            Send(
                methods=frozenset({"sendMessages", "scheduleMessages", "tryAddMessage", "tryAdd"}),
                address=_ENTITY,
                payload=Slot(0, (_MESSAGES, Key(("body",), is_required=False))),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"subscribe"}),
                address=_ENTITY,
                handlers=(Callback(Slot(0, (Key(("processMessage",)),))),),
                message_part="body",
                untyped=Reason("message-body-untyped"),
            ),
        ),
    )
)
