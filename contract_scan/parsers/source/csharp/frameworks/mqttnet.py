"""MQTTnet: messages made by builders, subscriptions by topic or filter, managed clients."""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.csharp.messaging.interpreter import framework
from contract_scan.parsers.source.messaging.brokers import MQTT
from contract_scan.parsers.source.messaging.records import (
    Made,
    MessagingLibrary,
    Nearby,
    Receive,
    Send,
    Slot,
)

_TOPIC = Made(("WithTopic", "MqttApplicationMessage"), 0, ("Topic",))
_PAYLOAD = Slot(
    0,
    made=Made(
        ("WithPayload", "WithPayloadSegment", "MqttApplicationMessage"),
        0,
        ("Payload", "PayloadSegment"),
    ),
    missing=Reason("message-content-not-followed"),
)
_FILTERS = Made(("WithTopic", "WithTopicFilter", "MqttTopicFilter"), 0, ("Topic",), False)
FRAMEWORK = framework(
    MessagingLibrary(
        name="MQTTnet",
        broker=MQTT,
        markers=(b"MQTTnet",),
        calls=(
            *(b".EnqueueAsync(", b".PublishAsync(", b".PublishBinaryAsync("),
            *(b".PublishStringAsync(", b".SubscribeAsync(", b".ApplicationMessageReceivedAsync"),
        ),
        serialization_mode="bare",
        sends=(
            Send(
                methods=frozenset({"PublishStringAsync", "PublishBinaryAsync"}),
                min_args=2,
                address=Slot(0),
                payload=Slot(1),
            ),
            Send(
                methods=frozenset({"PublishAsync", "EnqueueAsync"}),
                address=Slot(0, made=_TOPIC, missing=Reason("message-constructor-not-followed")),
                payload=_PAYLOAD,
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"SubscribeAsync"}),
                address=Slot(0, made=_FILTERS),
                handlers=(Nearby(("ApplicationMessage", "Topic")),),
                handles_all=True,
            ),
        ),
    )
)
