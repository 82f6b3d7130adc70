"""pika: `basic_publish`, `basic_consume` and the bindings of the queues that are consumed."""

from contract_scan.parsers.source.messaging.brokers import AMQP
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Bindings,
    Callback,
    MessagingLibrary,
    Receive,
    Send,
    Slot,
)
from contract_scan.parsers.source.python.messaging.interpreter import framework

_CALLS = (b"basic_publish", b"basic_consume")
_QUEUE = Slot(0, names=("queue",))
FRAMEWORK = framework(
    MessagingLibrary(
        name="pika",
        broker=AMQP,
        markers=_CALLS,
        calls=_CALLS,
        sends=(
            Send(
                methods=frozenset({"basic_publish"}),
                exchange=Slot(0, names=("exchange",)),
                address=Slot(1, names=("routing_key",)),
                payload=Slot(2, names=("body",)),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"basic_consume"}),
                address=_QUEUE,
                handlers=(
                    Callback(
                        Slot(1, names=("on_message_callback", "callback")),
                        (AddressOfMessage(("routing_key",), 1),),
                    ),
                ),
            ),
        ),
        bindings=Bindings(
            methods=frozenset({"queue_bind"}),
            queue=_QUEUE,
            key=Slot(2, names=("routing_key",)),
        ),
    )
)
