"""NATS.Net and the older NATS.Client, which takes and gives bytes: subjects that are published to,
asked and subscribed to, in core NATS and in JetStream."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.csharp.messaging.interpreter import framework
from contract_scan.parsers.source.messaging.brokers import NATS
from contract_scan.parsers.source.messaging.records import (
    Callback,
    Enclosing,
    MessagingLibrary,
    Receive,
    Send,
    Slot,
)

_CLIENTS = (
    *("INatsConnection", "NatsConnection", "INatsClient", "NatsClient"),
    *("INatsJSContext", "NatsJSContext", "CreateJetStreamContext"),
)
_OLD_CLIENTS = ("IConnection", "IJetStream", "CreateConnection")
_SUBJECT = Slot(0, names=("subject",))
_DATA = Slot(1, names=("data",), missing=Reason("no-message"))
_INBOXES = frozenset({"ReplyTo", "Reply"})
FRAMEWORK = framework(
    MessagingLibrary(
        name="NATS.Net",
        broker=NATS,
        markers=(
            b"NATS.Client",
            b"NATS.Net",
            b"INatsConnection",
            b"INatsClient",
            b"INatsJSContext",
        ),
        calls=(
            *(b".Publish", b".TryPublish", b".Request", b".Subscribe"),
            *(b".PushSubscribe", b".PullSubscribe"),
        ),
        serialization_mode="nats",
        other_serializers=(b": INatsSerializerRegistry", b"NatsJsonContextSerializer"),
        serializer_arguments=("serializer", "requestSerializer"),
        sends=(
            Send(
                methods=frozenset(
                    {"PublishAsync", "TryPublishAsync", "RequestAsync", "RequestManyAsync"}
                ),
                of=_CLIENTS,
                address=_SUBJECT,
                payload=_DATA,
                replies_to=_INBOXES,
            ),
            Send(
                methods=frozenset({"Publish", "PublishAsync", "Request", "RequestAsync"}),
                of=_OLD_CLIENTS,
                address=_SUBJECT,
                payload=_DATA,
                replies_to=_INBOXES,
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"SubscribeAsync", "SubscribeCoreAsync"}),
                of=_CLIENTS,
                address=_SUBJECT,
                type_argument=0,
                handlers=(Enclosing(),),
                pattern="wildcards",
                min_args=0,
            ),
            Receive(
                methods=frozenset(
                    {
                        *("SubscribeAsync", "SubscribeSync", "PullSubscribe"),
                        *("PushSubscribeAsync", "PushSubscribeSync"),
                    }
                ),
                of=_OLD_CLIENTS,
                address=_SUBJECT,
                handlers=(Callback(Slot(1, to_end=True)), Enclosing()),
                pattern="wildcards",
            ),
        ),
    )
)
