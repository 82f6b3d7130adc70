"""EasyNetQ."""

from __future__ import annotations

import re
from pathlib import Path

from contract_scan.parsers.source.csharp.frameworks.easynetq import FRAMEWORK
from tests.parsers.source.csharp.frameworks.events import ITEM_A, ORDER, READ_ITEM, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as all_said
from tests.parsers.source.csharp.project import CSPROJ, Project

LIBRARY = "EasyNetQ EasyNetQ.AutoSubscribe"
ALIASES = re.compile(r" \([^)]*Shop\.[^)]*\)")
DYNAMIC_SEGMENT = "?messages are not written as JSON?"


def read(folder: Path, usings: str, source: str, **others: str) -> list[str]:
    """What is sent and received, without the further names of each message."""
    return [ALIASES.sub("", said) for said in all_said(folder, usings, source, **others)]


def test_published_and_subscribed_messages(tmp_path: Path) -> None:
    source = """
        public class P(IBus bus, IPubSub pubSub)
        {
            Task A(Order order) => bus.PubSub.PublishAsync(order);
            Task B() => pubSub.PublishAsync(new Item("a"), "shop.items");
            void C(Order order) => bus.Publish(order, x => x.WithTopic("a"));
            Task D(Order order) => bus.Scheduler.FuturePublishAsync(order, TimeSpan.FromHours(1));
            Task E() => bus.PubSub.SubscribeAsync<Order>("mail", order => Handle(order));
            void F() => bus.Subscribe<Item>("mail", Handle);
        }
        public class Consumer : IConsumeAsync<Item>
        {
            public Task ConsumeAsync(Item message, CancellationToken token) => Task.CompletedTask;
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> Shop.Item, App {ITEM_A}",
        f"-> Shop.Order, App {ORDER}",
        f"-> Shop.Order, App {ORDER}",
        f"-> Shop.Order, App {ORDER}",
        f"<- Shop.Item, App {READ_ITEM}",
        f"<- Shop.Item, App {READ_ITEM}",
        f"<- Shop.Order, App {READ_ORDER}",
    ]


def test_queues_and_requests(tmp_path: Path) -> None:
    source = """
        public class P(IBus bus)
        {
            Task A(Order order) => bus.SendReceive.SendAsync("work", order);
            Task B() => Put("more", new Item("a"));
            Task Put<T>(string queue, T what) => bus.SendReceive.SendAsync(queue, what);
            Task C() => bus.SendReceive.ReceiveAsync<Order>(Names.Orders, order => Handle(order));
            Task<Item> D(Order order) => bus.Rpc.RequestAsync<Order, Item>(order);
            Task E() => bus.Rpc.RespondAsync<Order, Item>(order => Answer(order));
            Task F(string queue) => bus.SendReceive.SendAsync(queue, new Item("a"));
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> ?the address is not a constant that can be followed {ITEM_A}",
        f"-> Shop.Order, App {ORDER}",
        f"-> more {ITEM_A}",
        f"-> work {ORDER}",
        f"<- Shop.Order, App {READ_ORDER}",
        f"<- orders {READ_ORDER}",
    ]


def test_names_that_attributes_give(tmp_path: Path) -> None:
    source = """
        [Exchange("shop.paid")] public record Paid(int Id);
        [Queue("sent", ExchangeName = "shop.sent")] public record Sent(int Id);
        public class P(IBus bus)
        {
            Task A(Paid paid) => bus.PubSub.PublishAsync(paid);
            Task B(Sent sent) => bus.PubSub.PublishAsync(sent);
        }
    """
    assert read(tmp_path, LIBRARY, source) == [f"-> shop.paid {ORDER}", f"-> shop.sent {ORDER}"]


def test_messages_bear_the_names_that_contracts_give_them(tmp_path: Path) -> None:
    source = """
        using EasyNetQ;
        namespace Shop;
        [Queue("paid")] public record OrderPaid(int Id);
        public class P(IBus bus) { Task A(OrderPaid paid) => bus.PubSub.PublishAsync(paid); }
    """
    named = CSPROJ.replace("<Nullable>", "<AssemblyName>Shop.Core</AssemblyName><Nullable>")
    found = Project(tmp_path, {"App.csproj": named, "P.cs": source})
    [use] = found.code.events
    assert (use.address, use.aliases) == (
        "paid",
        (
            *("Shop.OrderPaid, Shop.Core", "Shop.OrderPaid", "OrderPaid"),
            *("order-paid", "order_paid", "order.paid"),
        ),
    )


def test_topics_and_queues_that_calls_name(tmp_path: Path) -> None:
    source = """
        public class P(IBus bus)
        {
            Task A(Order order) => bus.PubSub.PublishAsync(order, "shop.orders");
            Task B(Order order) => bus.PubSub.PublishAsync(order, x => x.WithTopic(Names.Orders));
            Task C() => bus.PubSub.SubscribeAsync<Order>("mail", order => Handle(order),
                x => x.WithTopic("shop.*").WithQueueName("mails"));
        }
    """
    named = "Shop.Order, Order, order"
    assert all_said(tmp_path, LIBRARY, source) == [
        f"-> Shop.Order, App ({named}, orders) {ORDER}",
        f"-> Shop.Order, App ({named}, shop.orders) {ORDER}",
        f"<- Shop.Order, App ({named}, mails) {READ_ORDER}",
    ]


def test_what_serialises(tmp_path: Path) -> None:
    source = """
        public record Priced([property: JsonPropertyName("p")] int Price);
        public class P(IBus bus) { Task A(Priced order) => bus.PubSub.PublishAsync(order); }
    """
    usings = f"{LIBRARY} System.Text.Json.Serialization"
    now = read(tmp_path / "a", usings, source)
    chosen = read(
        tmp_path / "b", usings, source, S="class S { void A() { services.UseNewtonsoftJson(); } }"
    )
    own = "class S { void A() { services.Register<ISerializer>(); } }"
    other = read(tmp_path / "c", usings, source, S=own)
    assert now == ["-> Shop.Priced, App {p: integer(int32)}"]
    assert chosen == ["-> Shop.Priced, App {Price: integer(int32)}"]
    assert other == [f"-> Shop.Priced, App {DYNAMIC_SEGMENT}"]


def test_a_bus_of_the_project_is_none_of_the_library(tmp_path: Path) -> None:
    source = """
        public interface IBus { Task PublishAsync<T>(T message); }
        public class P(IBus bus) { Task A(Order order) => bus.PublishAsync(order); }
    """
    assert read(tmp_path, LIBRARY, source) == []
    assert FRAMEWORK.protocols == ("amqp",)
