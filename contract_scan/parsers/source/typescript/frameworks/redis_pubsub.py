"""Redis publish and subscribe: `redis` (node-redis) and `ioredis`."""

from msgspec.structs import replace

from contract_scan.parsers.source.messaging.brokers import REDIS
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Callback,
    Each,
    Listener,
    MessagingLibrary,
    Receive,
    Receiver,
    Send,
    Slot,
)
from contract_scan.parsers.source.typescript.messaging.interpreter import framework

_NODE_REDIS = ("redis", "@redis/client", "async-redis", "handy-redis")
_ON_MESSAGE = Listener(
    "on",
    Slot(1),
    frozenset({"message", "pmessage", "messageBuffer", "smessage"}),
    address=(AddressOfMessage(()),),
)
_SUBSCRIBE = Receive(
    methods=frozenset({"subscribe", "sSubscribe", "ssubscribe"}),
    of=_NODE_REDIS,
    address=Slot(0, (Each("literal"),)),
    handlers=(Callback(Slot(1), address=(AddressOfMessage((), 1),)), _ON_MESSAGE),
)
# ioredis takes channels one by one, and tells its callback that the subscription stands.
_SUBSCRIBE_IOREDIS = replace(
    _SUBSCRIBE,
    of=("ioredis",),
    address=Slot(0, (Each("literal"),), to_end=True),
    handlers=(_ON_MESSAGE,),
)
_BY_PATTERN = frozenset({"pSubscribe", "psubscribe"})
FRAMEWORK = framework(
    MessagingLibrary(
        name="Redis",
        broker=REDIS,
        markers=(
            *(b"redis'", b'redis"', b"@redis/client", b"pSubscribe(", b"psubscribe("),
            *(b"edis.publish(", b"edisClient.publish(", b"edis.subscribe("),
            b"edisClient.subscribe(",
        ),
        calls=(
            *(b".publish(", b"ubscribe(", b".on('message", b'.on("message'),
            *(b".on('pmes", b'.on("pmes'),
        ),
        receiver=Receiver((*_NODE_REDIS, "ioredis"), variables=("redis",)),
        sends=(
            Send(
                methods=frozenset({"publish", "sPublish", "spublish"}),
                min_args=2,
                address=Slot(0),
                payload=Slot(1),
            ),
        ),
        receives=(
            _SUBSCRIBE,
            _SUBSCRIBE_IOREDIS,
            replace(_SUBSCRIBE, methods=_BY_PATTERN, pattern="always"),
            replace(_SUBSCRIBE_IOREDIS, methods=_BY_PATTERN, pattern="always"),
        ),
    )
)
