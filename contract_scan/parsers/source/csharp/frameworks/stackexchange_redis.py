"""StackExchange.Redis: channels that are published to and subscribed to."""

from contract_scan.parsers.source.csharp.messaging.interpreter import framework
from contract_scan.parsers.source.messaging.brokers import REDIS
from contract_scan.parsers.source.messaging.records import (
    Callback,
    Enclosing,
    Made,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)

_CHANNEL = Made(("RedisChannel", "Literal", "Pattern"), is_required=False)
FRAMEWORK = framework(
    MessagingLibrary(
        name="StackExchange.Redis",
        broker=REDIS,
        markers=(b"StackExchange.Redis", b"IConnectionMultiplexer", b"ConnectionMultiplexer."),
        calls=(b".Publish(", b".PublishAsync(", b".Subscribe(", b".SubscribeAsync("),
        receiver=Receiver(
            ("ISubscriber", "IDatabase", "IDatabaseAsync", "GetSubscriber", "GetDatabase")
        ),
        sends=(
            Send(
                methods=frozenset({"Publish", "PublishAsync"}),
                min_args=2,
                address=Slot(0, names=("channel",), made=_CHANNEL),
                payload=Slot(1, names=("message",)),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"Subscribe", "SubscribeAsync"}),
                address=Slot(0, made=_CHANNEL),
                handlers=(Callback(Slot(1, to_end=True)), Enclosing()),
                pattern="with *",
                pattern_words={"Literal": False, "Pattern": True},
            ),
        ),
    )
)
