"""MQTT: `mqtt` (MQTT.js) and `async-mqtt`."""

from contract_scan.parsers.source.messaging.brokers import MQTT
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Each,
    Keys,
    Listener,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)
from contract_scan.parsers.source.typescript.messaging.interpreter import framework

_ON_MESSAGE = Listener("on", Slot(1), frozenset({"message"}), address=(AddressOfMessage(()),))
FRAMEWORK = framework(
    MessagingLibrary(
        name="MQTT.js",
        broker=MQTT,
        markers=(
            *(b"'mqtt'", b'"mqtt"', b"async-mqtt"),
            *(b"qtt.publish(", b"qttClient.publish(", b"qtt.subscribe(", b"qttClient.subscribe("),
        ),
        calls=(
            *(b".publish(", b".publishAsync(", b"ubscribe(", b"ubscribeAsync("),
            *(b".on('message", b'.on("message'),
        ),
        receiver=Receiver(("mqtt", "async-mqtt"), variables=("mqtt",)),
        sends=(
            Send(
                methods=frozenset({"publish", "publishAsync"}),
                min_args=2,
                address=Slot(0),
                payload=Slot(1),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"subscribe", "subscribeAsync"}),
                address=Slot(0, (Keys(), Each("literal"))),
                handlers=(_ON_MESSAGE,),
            ),
        ),
    )
)
