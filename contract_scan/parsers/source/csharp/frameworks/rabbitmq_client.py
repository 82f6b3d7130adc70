"""RabbitMQ.Client: `BasicPublish`, `BasicConsume`, `QueueBind`."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.csharp.messaging.interpreter import framework
from contract_scan.parsers.source.messaging.brokers import AMQP
from contract_scan.parsers.source.messaging.records import (
    Bindings,
    MessagingLibrary,
    Nearby,
    Receive,
    Send,
    Slot,
)

FRAMEWORK = framework(
    MessagingLibrary(
        name="RabbitMQ.Client",
        broker=AMQP,
        markers=(b"RabbitMQ.Client", b".BasicPublish", b".BasicConsume"),
        calls=(b".BasicPublish", b".BasicConsume", b".QueueBind"),
        sends=(
            Send(
                methods=frozenset({"BasicPublish", "BasicPublishAsync"}),
                min_args=2,
                exchange=Slot(0, names=("exchange",)),
                address=Slot(1, names=("routingKey",)),
                payload=Slot(-1, names=("body",)),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"BasicConsume", "BasicConsumeAsync"}),
                address=Slot(0, names=("queue",), missing=Reason("queue-named-by-broker")),
                handlers=(Nearby(),),
            ),
        ),
        bindings=Bindings(
            methods=frozenset({"QueueBind", "QueueBindAsync"}),
            queue=Slot(0, names=("queue",)),
            exchange=Slot(1, names=("exchange",)),
            key=Slot(2, names=("routingKey",)),
        ),
    )
)
