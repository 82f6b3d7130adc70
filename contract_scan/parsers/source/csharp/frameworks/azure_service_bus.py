"""Azure Service Bus: senders, processors and receivers of queues and topics."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.csharp.messaging.interpreter import framework
from contract_scan.parsers.source.messaging.brokers import AZURE
from contract_scan.parsers.source.messaging.records import (
    Assigned,
    Made,
    MessagingLibrary,
    Nearby,
    Receive,
    Send,
    Slot,
)

_SENDS = frozenset(
    {"SendMessageAsync", "SendMessagesAsync", "ScheduleMessageAsync", "ScheduleMessagesAsync"}
    | {"TryAddMessage"}
)
_RECEIVERS = frozenset(
    {"CreateProcessor", "CreateSessionProcessor", "CreateReceiver"}
    | {"AcceptSessionAsync", "AcceptNextSessionAsync"}
)
FRAMEWORK = framework(
    MessagingLibrary(
        name="Azure Service Bus",
        broker=AZURE,
        markers=(b"Azure.Messaging.ServiceBus", b"ServiceBusSender", b"ServiceBusClient"),
        calls=tuple(f".{name}(".encode() for name in sorted(_SENDS | _RECEIVERS)),
        serialization_mode="bare",
        sends=(
            Send(
                methods=_SENDS,
                of=(
                    *("ServiceBusSender", "ServiceBusMessageBatch"),
                    *("CreateSender", "CreateMessageBatchAsync"),
                ),
                address=Slot(
                    0,
                    made_by=("CreateSender",),
                    missing=Reason("sender-destination-not-followed"),
                ),
                payload=Slot(
                    0,
                    made=Made(("ServiceBusMessage",), 0, ("Body",)),
                    missing=Reason("message-content-not-followed"),
                ),
            ),
        ),
        receives=(
            Receive(
                methods=_RECEIVERS,
                of=("ServiceBusClient",),
                address=Slot(0),
                handlers=(Assigned("ProcessMessageAsync"), Nearby()),
            ),
        ),
    )
)
