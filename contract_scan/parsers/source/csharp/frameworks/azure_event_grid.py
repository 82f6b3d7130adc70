"""Azure Event Grid: events that are made to be sent, in its own form or as CloudEvents."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.csharp.messaging.interpreter import framework
from contract_scan.parsers.source.messaging.brokers import AZURE
from contract_scan.parsers.source.messaging.records import (
    MessagingLibrary,
    Send,
    Slot,
)

_KIND = Slot(1, names=("eventType", "type"), missing=Reason("event-untyped"))
_DATA = ("data", "jsonSerializableData")
_NO_DATA = Reason("event-no-data")
FRAMEWORK = framework(
    MessagingLibrary(
        name="Azure Event Grid",
        broker=AZURE,
        markers=(b"Azure.Messaging.EventGrid", b"EventGridPublisherClient"),
        calls=(b"new EventGridEvent(", b"new CloudEvent("),
        serialization_mode="bare",
        sends=(
            Send(
                constructors=frozenset({"EventGridEvent"}),
                address=_KIND,
                payload=Slot(3, names=_DATA, missing=_NO_DATA),
                names_message=True,
            ),
            Send(
                constructors=frozenset({"CloudEvent"}),
                address=_KIND,
                payload=Slot(2, names=_DATA, missing=_NO_DATA),
                names_message=True,
            ),
        ),
    )
)
