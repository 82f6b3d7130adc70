"""nats-py: subjects that are published to and subscribed to, in core NATS and in JetStream."""

from contract_scan.parsers.source.messaging.brokers import NATS
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Callback,
    Enclosing,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)
from contract_scan.parsers.source.python.messaging.interpreter import framework

_IMPORTS = (b"import nats", b"from nats")
_CALLS = (b".publish(", b".request(", b".subscribe(", b".pull_subscribe(", b".publish_async(")
FRAMEWORK = framework(
    MessagingLibrary(
        name="nats-py",
        broker=NATS,
        markers=(*_IMPORTS, *_CALLS),
        calls=_CALLS,
        imports=_IMPORTS,
        receiver=Receiver(
            ("nats.*",),
            variables=("nc", "js", "nats", "jetstream"),
            variables_elsewhere=("nats", "jetstream"),
        ),
        sends=(
            Send(
                methods=frozenset({"publish", "publish_async", "request"}),
                address=Slot(0, names=("subject",)),
                payload=Slot(1, names=("payload",)),
                replies_to=frozenset({"reply", "reply_to"}),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"subscribe", "pull_subscribe"}),
                address=Slot(0, names=("subject",)),
                handlers=(
                    Callback(Slot(2, names=("cb",)), (AddressOfMessage(("subject",)),)),
                    Enclosing((AddressOfMessage(("subject",), None),)),
                ),
                pattern="wildcards",
            ),
        ),
    )
)
