"""MQTTnet."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "MQTTnet MQTTnet.Client MQTTnet.Extensions.ManagedClient System.Text System.Text.Json"


def test_published_messages(tmp_path: Path) -> None:
    source = """
        public class P(IMqttClient client, IManagedMqttClient managed)
        {
            async Task A(Order order)
            {
                var message = new MqttApplicationMessageBuilder()
                    .WithTopic(Names.Orders)
                    .WithPayload(JsonSerializer.Serialize(order))
                    .WithRetainFlag()
                    .Build();
                await client.PublishAsync(message, CancellationToken.None);
            }
            Task B(Item item) => client.PublishStringAsync("items", JsonSerializer.Serialize(item));
            async Task C(string id, Order order) => await managed.EnqueueAsync(
                new MqttApplicationMessage
                {
                    Topic = $"shops/{id}/orders",
                    Payload = JsonSerializer.SerializeToUtf8Bytes(order)
                });
            Task D(Item item) => Send("wrapped", item);
            Task Send<T>(string topic, T what) => client.PublishAsync(
                new MqttApplicationMessageBuilder().WithTopic(topic)
                    .WithPayload(JsonSerializer.Serialize(what)).Build());
            Task E() => client.PublishAsync(Library.Message());
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "-> ?what the message was made with cannot be followed "
        "?what the message holds cannot be followed?",
        f"-> items {ITEM}",
        f"-> orders {ORDER}",
        f"-> shops/{{}}/orders {ORDER}",
        f"-> wrapped {ITEM}",
    ]


def test_subscriptions(tmp_path: Path) -> None:
    source = """
        public class L(IMqttClient client)
        {
            async Task A()
            {
                client.ApplicationMessageReceivedAsync += e =>
                {
                    var text = Encoding.UTF8.GetString(e.ApplicationMessage.PayloadSegment);
                    var order = JsonSerializer.Deserialize<Order>(text);
                    return Task.CompletedTask;
                };
                var options = new MqttFactory().CreateSubscribeOptionsBuilder()
                    .WithTopicFilter(f => { f.WithTopic("shops/+/orders"); })
                    .Build();
                await client.SubscribeAsync(options, CancellationToken.None);
            }
        }
    """
    assert read(tmp_path, LIBRARY, source) == [f"<- shops/+/orders {READ_ORDER}"]


def test_several_topics(tmp_path: Path) -> None:
    source = """
        public class L(IMqttClient client)
        {
            async Task A(string other)
            {
                await client.SubscribeAsync("a/#");
                await client.SubscribeAsync(new MqttTopicFilterBuilder().WithTopic("b").Build());
                await client.SubscribeAsync(new MqttClientSubscribeOptionsBuilder()
                    .WithTopicFilter("c").WithTopicFilter("d").Build());
            }
        }
    """
    shared = "?several topics share one handler?"
    assert read(tmp_path, LIBRARY, source) == [
        f"<- a/# {shared}",
        f"<- b {shared}",
        f"<- c {shared}",
        f"<- d {shared}",
    ]


def test_methods_of_the_project_are_no_methods_of_the_library(tmp_path: Path) -> None:
    source = """
        public class Bus { public Task PublishAsync(string name, Order order) => null; }
        public class P(Bus bus) { Task A(Order order) => bus.PublishAsync("orders", order); }
    """
    assert read(tmp_path, LIBRARY, source) == []
