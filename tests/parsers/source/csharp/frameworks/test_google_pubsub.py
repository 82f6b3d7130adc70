"""Google Cloud Pub/Sub."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import (
    ITEM,
    ORDER,
    READ_ORDER,
)
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "Google.Cloud.PubSub.V1 Google.Protobuf System.Text.Json"


def test_topics(tmp_path: Path) -> None:
    source = """
        public class P(PublisherServiceApiClient service, PublisherClient given)
        {
            private PublisherClient _publisher;
            async Task A(Order order)
            {
                var publisher = await PublisherClient.CreateAsync(
                    TopicName.FromProjectTopic("shop", Names.Orders));
                await publisher.PublishAsync(JsonSerializer.Serialize(order));
            }
            async Task B(Item item)
            {
                var name = new TopicName("shop", "items");
                _publisher = await new PublisherClientBuilder { TopicName = name }.BuildAsync();
                var data = ByteString.CopyFromUtf8(JsonSerializer.Serialize(item));
                await _publisher.PublishAsync(new PubsubMessage { Data = data });
            }
            void C(Order order)
            {
                var message = new PubsubMessage
                {
                    Data = ByteString.CopyFromUtf8(JsonSerializer.Serialize(order)),
                };
                service.Publish("projects/shop/topics/all", new[] { message });
            }
            Task D(Item item) => given.PublishAsync("key", JsonSerializer.Serialize(item));
            Task E() => given.PublishAsync(new PubsubMessage { Attributes = { { "a", "b" } } });
        }
    """
    why = "?what the client was made for cannot be followed"
    assert read(tmp_path, LIBRARY, source) == [
        f"-> {why} ?the message carries no data?",
        f"-> {why} {ITEM}",
        f"-> all {ORDER}",
        f"-> items {ITEM}",
        f"-> orders {ORDER}",
    ]


def test_subscriptions(tmp_path: Path) -> None:
    source = """
        public class L
        {
            async Task A()
            {
                var subscriber = await SubscriberClient.CreateAsync(
                    SubscriptionName.FromProjectSubscription("shop", "billing"));
                await subscriber.StartAsync((message, token) =>
                {
                    var order = JsonSerializer.Deserialize<Order>(message.Data.ToStringUtf8());
                    return Task.FromResult(SubscriberClient.Reply.Ack);
                });
            }
        }
    """
    why = "?the topic of subscription `billing` is not in the code"
    assert read(tmp_path, LIBRARY, source) == [f"<- {why} (billing) {READ_ORDER}"]


def test_buses_of_the_project_are_no_topics(tmp_path: Path) -> None:
    source = """
        public class PublisherClient { public Task PublishAsync(string text) => Send(text); }
        public class P(PublisherClient bus) { Task A() => bus.PublishAsync("x"); }
    """
    assert read(tmp_path, "", source) == []
