"""StackExchange.Redis."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER, READ_ITEM, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "StackExchange.Redis System.Text.Json"


def test_published_messages(tmp_path: Path) -> None:
    source = """
        public class P(ISubscriber subscriber, IConnectionMultiplexer redis, IDatabase database)
        {
            Task A(Order order) =>
                subscriber.PublishAsync("orders", JsonSerializer.Serialize(order));
            void B(Item item) => redis.GetSubscriber()
                .Publish(RedisChannel.Literal("items"), JsonSerializer.SerializeToUtf8Bytes(item));
            Task C(int id, Item item)
            {
                var channel = new RedisChannel($"shops:{id}", RedisChannel.PatternMode.Literal);
                return database.PublishAsync(channel, JsonSerializer.Serialize(item));
            }
            Task D(Item item) => Send("wrapped", item);
            Task Send<T>(string channel, T what)
            {
                var subscriber = redis.GetSubscriber();
                return subscriber.PublishAsync(channel, JsonSerializer.Serialize(what));
            }
            Task E() => subscriber.PublishAsync("texts", "reload");
            Task F(Item item) =>
                subscriber.PublishAsync(Channels.Status, JsonSerializer.Serialize(item));
        }
        public static class Channels
        {
            public static readonly RedisChannel Status =
                new("status", RedisChannel.PatternMode.Literal);
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> items {ITEM}",
        f"-> orders {ORDER}",
        f"-> shops:{{}} {ITEM}",
        f"-> status {ITEM}",
        "-> texts 'reload'",
        f"-> wrapped {ITEM}",
    ]


def test_subscriptions(tmp_path: Path) -> None:
    source = """
        public class L(ISubscriber subscriber)
        {
            void A() => subscriber.Subscribe(RedisChannel.Literal("orders"), (channel, message) =>
            {
                var order = JsonSerializer.Deserialize<Order>(message!);
            });
            async Task B()
            {
                var queue = await subscriber.SubscribeAsync(RedisChannel.Pattern("items:*"));
                queue.OnMessage(m => Handle(JsonSerializer.Deserialize<Item>(m.Message)));
            }
            void Handle(Item item) { }
        }
        public class M(ISubscriber subscriber)
        {
            void A() => subscriber.Subscribe("texts", (channel, message) => Refresh());
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"<- items:* {READ_ITEM}",
        f"<- orders {READ_ORDER}",
        "<- texts ?what is made of the messages cannot be followed?",
    ]


def test_clients_of_the_project_are_none_of_the_library(tmp_path: Path) -> None:
    source = """
        public interface ISubscriber { Task PublishAsync(string channel, string message); }
        public class P(ISubscriber subscriber)
        { Task A() => subscriber.PublishAsync("a", "b"); }
    """
    assert read(tmp_path, LIBRARY, source) == []
