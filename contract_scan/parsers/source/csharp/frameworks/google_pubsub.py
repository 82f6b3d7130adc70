"""Google Cloud Pub/Sub: what publishers send to topics, and what takes the messages of
subscriptions.

A channel is a topic, by its id. Of which topic a subscription is stands in the cloud alone: it is
known by its own id, where a contract lists that.
"""

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.csharp.messaging.interpreter import framework
from contract_scan.parsers.source.messaging.brokers import GOOGLE_PUBSUB
from contract_scan.parsers.source.messaging.records import (
    Callback,
    Made,
    MessagingLibrary,
    Nearby,
    Receive,
    Send,
    Slot,
)

_NAME = Made(
    (
        *("TopicName", "SubscriptionName", "FromProjectTopic", "FromProjectSubscription"),
        *("FormatProjectTopic", "FormatProjectSubscription", "Parse", "FromUnparsed"),
    ),
    -1,
    is_required=False,
)
_CLIENT = Slot(
    0,
    names=("TopicName", "SubscriptionName"),
    made_by=("CreateAsync", "Create", "PublisherClientBuilder", "SubscriberClientBuilder"),
    made=_NAME,
    missing=Reason("client-destination-not-followed"),
)
_CONTENT = Made(("PubsubMessage", "CopyFromUtf8", "CopyFrom"), 0, ("Data",), is_required=False)
_NO_DATA = Reason("message-without-data")
FRAMEWORK = framework(
    MessagingLibrary(
        name="Google Cloud Pub/Sub",
        broker=GOOGLE_PUBSUB,
        markers=(b"Google.Cloud.PubSub", b"PublisherClient", b"SubscriberClient"),
        calls=(b".PublishAsync(", b".Publish(", b".StartAsync("),
        serialization_mode="bare",
        sends=(
            Send(
                methods=frozenset({"PublishAsync", "Publish"}),
                of=("PublisherClient", "PublisherClientBuilder"),
                address=_CLIENT,
                # With a key for the order of messages in front, the message comes last.
                payload=Slot(-1, made=_CONTENT, missing=_NO_DATA),
            ),
            Send(
                methods=frozenset({"PublishAsync", "Publish"}),
                of=("PublisherServiceApiClient", "PublisherServiceApiClientBuilder"),
                min_args=2,
                address=Slot(0, made=_NAME),
                payload=Slot(1, made=_CONTENT, missing=_NO_DATA),
            ),
        ),
        receives=(
            Receive(
                methods=frozenset({"StartAsync"}),
                of=("SubscriberClient", "SubscriberClientBuilder"),
                address=_CLIENT,
                handlers=(Callback(Slot(0)), Nearby()),
                is_subscription=True,
            ),
        ),
    )
)
