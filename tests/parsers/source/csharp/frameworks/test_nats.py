"""NATS.Net and NATS.Client."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ITEM_A, ORDER, READ_ITEM, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "NATS.Net NATS.Client.Core NATS.Client.JetStream System.Text System.Text.Json"
OLD = "NATS.Client System.Text System.Text.Json"


def test_published_messages(tmp_path: Path) -> None:
    source = """
        public record Note(int Id, string? Text);
        public class Slip { public string Of { get; set; } = ""; }
        public class P(INatsConnection nats, INatsJSContext js, NatsClient client)
        {
            async Task A(Order order) => await nats.PublishAsync("shop.orders", order);
            async Task B(string id) => await js.PublishAsync($"shop.{id}.items", new Item("a"));
            Task C(Note note) => client.PublishAsync(subject: "notes", data: note).AsTask();
            Task D(Order order) => client.RequestAsync<Order, Item>(Names.Orders, order).AsTask();
            Task E(Item item) => Send("wrapped", item);
            Task Send<T>(string subject, T what) => nats.PublishAsync(subject, what).AsTask();
            Task F(Item item) =>
                nats.PublishAsync("texts", JsonSerializer.Serialize(item)).AsTask();
            Task F2(Slip slip) => nats.PublishAsync($"slips.{slip.Of}", slip).AsTask();
            Task G() => nats.PublishAsync("empty").AsTask();
            Task H(NatsMsg<Order> to) => nats.PublishAsync(to.ReplyTo, new Item("a")).AsTask();
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "-> empty ?no message is given?",
        "-> notes {Id: integer(int32), Text?: string}",
        f"-> orders {ORDER}",
        f"-> shop.orders {ORDER}",
        f"-> shop.{{}}.items {ITEM_A}",
        "-> slips.{} {Of: string}",
        f"-> texts {ITEM}",
        f"-> wrapped {ITEM}",
    ]


def test_subscriptions(tmp_path: Path) -> None:
    source = """
        public class L(INatsConnection nats, INatsClient client)
        {
            async Task A()
            { await foreach (var message in nats.SubscribeAsync<Order>("shop.orders")) { } }
            async Task B()
            { await foreach (var message in client.SubscribeAsync<Item>("shop.*.items", "q")) { } }
            async Task C()
            {
                await foreach (var message in nats.SubscribeAsync<string>("texts"))
                {
                    var order = JsonSerializer.Deserialize<Order>(message.Data);
                }
            }
            async Task D()
            { await foreach (var message in nats.SubscribeAsync<byte[]>("bytes.>")) { } }
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "<- bytes.> ?what is made of the messages cannot be followed?",
        f"<- shop.*.items {READ_ITEM}",
        f"<- shop.orders {READ_ORDER}",
        f"<- texts {READ_ORDER}",
    ]


def test_the_older_client_takes_bytes(tmp_path: Path) -> None:
    source = """
        public class P(IConnection connection)
        {
            void A(Order order) =>
                connection.Publish("orders", JsonSerializer.SerializeToUtf8Bytes(order));
            void B() => connection.SubscribeAsync("items", (sender, args) =>
            {
                var text = Encoding.UTF8.GetString(args.Message.Data);
                var item = JsonSerializer.Deserialize<Item>(text);
            });
            void C() => connection.Publish("blobs", Library.Bytes());
        }
    """
    assert read(tmp_path, OLD, source) == [
        "-> blobs ?the result of `Library.Bytes` comes from a library?",
        f"-> orders {ORDER}",
        f"<- items {READ_ITEM}",
    ]


def test_serializers_of_the_project_are_undetermined(tmp_path: Path) -> None:
    source = """
        public class P(INatsConnection nats)
        {
            async Task A(Order order) => await nats.PublishAsync("orders", order);
            async Task B() { await foreach (var m in nats.SubscribeAsync<Order>("orders")) { } }
        }
    """
    own = "public class R : INatsSerializerRegistry { }"
    assert read(tmp_path / "a", LIBRARY, source, R=own) == [
        "-> orders ?a registry of serializers decides how messages are written?",
        "<- orders ?a registry of serializers decides how messages are read?",
    ]
    given = """
        public class P(INatsConnection nats)
        {
            async Task A(Order order) => await nats.PublishAsync("o", order, serializer: Own.Order);
        }
    """
    assert read(tmp_path / "b", LIBRARY, given) == [
        "-> o ?the message is written by a serializer that the call is given?"
    ]
