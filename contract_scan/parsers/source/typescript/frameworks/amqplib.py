"""amqplib: `publish`, `sendToQueue`, `consume`, with the bindings of queues."""

from contract_scan.parsers.source.messaging.brokers import AMQP
from contract_scan.parsers.source.messaging.records import (
    Bindings,
    Callback,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)
from contract_scan.parsers.source.typescript.messaging.interpreter import framework

FRAMEWORK = framework(
    MessagingLibrary(
        name="amqplib",
        broker=AMQP,
        markers=(b"amqplib", b"amqp-connection", b".sendToQueue(", b".publish(", b".consume("),
        calls=(b".sendToQueue(", b".publish(", b".consume(", b".bindQueue("),
        receiver=Receiver(
            ("amqplib", "amqplib/callback_api", "amqp-connection-manager", "callback_api"),
            variable_endings=("channel", "ch"),
        ),
        sends=(
            Send(
                methods=frozenset({"sendToQueue"}),
                is_known_by_name=True,
                min_args=2,
                address=Slot(0),
                payload=Slot(1),
            ),
            Send(
                methods=frozenset({"publish"}),
                min_args=3,
                exchange=Slot(0),
                address=Slot(1),
                payload=Slot(2),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"consume"}),
                min_args=2,
                address=Slot(0),
                handlers=(Callback(Slot(1)),),
                pattern="wildcards",
            ),
        ),
        bindings=Bindings(
            methods=frozenset({"bindQueue"}), queue=Slot(0), exchange=Slot(1), key=Slot(2)
        ),
    )
)
