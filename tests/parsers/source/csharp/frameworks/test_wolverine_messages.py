"""Messages of Wolverine."""

from __future__ import annotations

import re
from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import (
    READ_WEB_ITEM,
    READ_WEB_ORDER,
    WEB_ITEM,
    WEB_ITEM_A,
    WEB_ORDER,
)
from tests.parsers.source.csharp.frameworks.events import events as all_said

LIBRARY = "Wolverine Wolverine.RabbitMQ Wolverine.Kafka Wolverine.AzureServiceBus"
ALIASES = re.compile(r" \([^)]*(?:Order|Item|Paid)[^)]*\)")
SENDER = """
    public class Sender(IMessageBus bus)
    {
        Task A(Order order) => bus.PublishAsync(order).AsTask();
        Task B() => bus.SendAsync(new Item("a")).AsTask();
    }
"""


def started(rules: str) -> str:
    return f"""
        using Wolverine; using Wolverine.RabbitMQ; using Shop;
        builder.Host.UseWolverine(opts => {{ {rules} }});
    """


def read(folder: Path, rules: str, source: str = SENDER, **others: str) -> list[str]:
    """What is sent and received, without the further names of each message."""
    found = all_said(folder, LIBRARY, source, Program=started(rules), **others)
    return [ALIASES.sub("", said) for said in found]


def test_messages_go_where_start_up_code_routes_them(tmp_path: Path) -> None:
    rules = """
        opts.UseRabbitMq();
        opts.PublishMessage<Order>().ToRabbitExchange("shop.orders").UseDurableOutbox();
        opts.PublishAllMessages().ToKafkaTopic(Names.Orders);
        opts.Publish(rule => { rule.Message<Item>(); rule.ToAzureServiceBusQueue("items"); });
    """
    assert read(tmp_path, rules) == [
        f"-> items {WEB_ITEM_A}",
        f"-> orders {WEB_ITEM_A}",
        f"-> orders {WEB_ORDER}",
        f"-> shop.orders {WEB_ORDER}",
    ]


def test_rules_of_several_messages(tmp_path: Path) -> None:
    rules = """
        opts.Publish().MessagesFromNamespace("Shop.Events").ToRabbitTopics("events");
        opts.Publish(x => { x.MessagesImplementing<IEvent>(); x.ToRabbitRoutingKey("e", "key"); });
    """
    more = """
        namespace Shop.Events;
        [Topic("paid")] public record Paid(int Id);
        public record Sent(int Id) : Shop.IEvent;
    """
    source = """
        public interface IEvent { }
        public class Sender(IMessageBus bus)
        {
            Task A() => bus.PublishAsync(new Events.Paid(1)).AsTask();
            Task B() => bus.PublishAsync(new Events.Sent(1)).AsTask();
            Task C(Order order) => bus.PublishAsync(order).AsTask();
        }
    """
    assert all_said(tmp_path, LIBRARY, source, Program=started(rules), Events=more) == [
        f"-> Shop.Events.Sent (events, Sent, sent) {WEB_ORDER}",
        f"-> key (e, Shop.Events.Sent, Sent, sent) {WEB_ORDER}",
        f"-> paid (events, Shop.Events.Paid, Paid) {WEB_ORDER}",
    ]


def test_what_handlers_return_is_sent(tmp_path: Path) -> None:
    source = """
        public record Start(int Id);
        public static class StartHandler
        {
            public static (Order, Item?) Handle(Start start, IMessageBus bus)
                => (new Order(1), null);
        }
        public class NextHandler { public async Task<Item> HandleAsync(Order order) => new("a"); }
        public class Plain { public Item Handle(Order order) => new("a"); }
    """
    assert read(tmp_path, 'opts.PublishAllMessages().ToRabbitQueue("out");', source) == [
        f"-> out {WEB_ITEM}",
        f"-> out {WEB_ITEM}",
        f"-> out {WEB_ORDER}",
    ]


def test_listeners(tmp_path: Path) -> None:
    one = "public class OrderHandler { public void Handle(Order order) { } }"
    rules = 'opts.ListenToRabbitQueue("in");'
    assert read(tmp_path / "one", rules, one) == [f"<- in {READ_WEB_ORDER}"]
    two = f"{one} public class ItemConsumer {{ public void Consume(Item item) {{ }} }}"
    both = """
        opts.ListenToRabbitQueue("in").PreFetchCount(5);
        opts.ListenToKafkaTopic("raw").ProcessInline().DefaultIncomingMessage<Item>();
        opts.ListenToKafkaTopics("a", "b");
    """
    undetermined = "?messages of several types may come this way?"
    assert read(tmp_path / "two", both, two) == [
        f"<- a {undetermined}",
        f"<- b {undetermined}",
        f"<- in {undetermined}",
        f"<- raw {READ_WEB_ITEM}",
    ]


def test_names_that_are_made_of_types(tmp_path: Path) -> None:
    source = f"""
        {SENDER}
        [MessageIdentity("paid")] public record Paid(int Id);
        public class PaidHandler {{ public void Handle(Paid paid) {{ }} }}
        public class ItemHandler {{ public void Handle(Item item) {{ }} }}
    """
    told = read(tmp_path / "a", "opts.UseRabbitMq().UseConventionalRouting();", source)
    assert told == [
        f"-> Shop.Order {WEB_ORDER}",
        f"<- Shop.Item {READ_WEB_ITEM}",
        f"<- paid {READ_WEB_ORDER}",
    ]
    changed = "opts.UseRabbitMq().UseConventionalRouting(x => x.QueueNameForListener(t => t.Name));"
    why = "?start-up code changes how names are made of types"
    assert read(tmp_path / "b", changed, source) == [
        f"-> {why} {WEB_ORDER}",
        f"<- {why} {READ_WEB_ITEM}",
        f"<- {why} {READ_WEB_ORDER}",
    ]


def test_what_stays_in_the_process_is_no_channel(tmp_path: Path) -> None:
    handled = f"{SENDER} public class OrderHandler {{ public void Handle(Order order) {{ }} }}"
    assert read(tmp_path / "a", "opts.Policies.AutoApplyTransactions();", handled) == []
    rules = 'opts.PublishMessage<Item>().ToRabbitExchange("items");'
    assert read(tmp_path / "b", rules, handled) == [f"-> items {WEB_ITEM_A}"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    rules = """
        opts.Publish().MessagesFromAssembly(typeof(Library).Assembly).ToRabbitExchange("x");
        opts.PublishMessage<Item>().ToRabbitExchange(Library.Name());
    """
    assert read(tmp_path / "a", rules) == [
        f"-> ?a rule that cannot be followed may route the message {WEB_ORDER}",
        f"-> ?the address is not a constant that can be followed {WEB_ITEM_A}",
    ]
    other = 'opts.UseNewtonsoftForSerialization(); opts.PublishAllMessages().ToRabbitQueue("out");'
    assert read(tmp_path / "b", other) == [
        "-> out ?another serializer writes messages?",
        "-> out ?another serializer writes messages?",
    ]
    topic = """
        public class Sender(IMessageBus bus)
        { Task A(Order order) => bus.BroadcastToTopicAsync("named", order).AsTask(); }
    """
    assert read(tmp_path / "c", 'opts.PublishAllMessages().ToRabbitTopics("e");', topic) == [
        f"-> named {WEB_ORDER}"
    ]
