"""NATS: `jnats`, the client for Java."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

NATS = "io.nats.client.*"


def test_publishes(tmp_path: Path) -> None:
    source = """
        class P { private final io.nats.client.Connection nats = io.nats.client.Nats.connect();
          private final io.nats.client.JetStream stream = nats.jetStream();
          void a(Order order) throws Exception {
            nats.publish("orders", mapper.writeValueAsBytes(order)); }
          void b(String id, Item item) throws Exception {
            stream.publish("items." + id, mapper.writeValueAsBytes(item)); }
          void c(Item item) throws Exception {
            byte[] bytes = mapper.writeValueAsBytes(item);
            nats.request("asked", bytes, java.time.Duration.ofSeconds(1)); }
          void send(String subject, Object what) throws Exception {
            nats.publish(subject, mapper.writeValueAsBytes(what)); }
          void d(Item item) throws Exception { send("wrapped", item); }
          void e(io.nats.client.Message asked, Item item) throws Exception {
            nats.publish(asked.getReplyTo(), mapper.writeValueAsBytes(item)); }
        }
        """
    assert read(tmp_path, NATS, source) == [
        f"-> asked {ITEM}",
        f"-> items.{{}} {ITEM}",
        f"-> orders {ORDER}",
        f"-> wrapped {ITEM}",
    ]


def test_handlers_of_subscriptions_and_of_dispatchers(tmp_path: Path) -> None:
    source = """
        class L { private final io.nats.client.Connection nats = io.nats.client.Nats.connect();
          void start() throws Exception {
            io.nats.client.Dispatcher all = nats.createDispatcher(this::order);
            all.subscribe("orders.*");
            all.subscribe("items", message -> {
              Item item = mapper.readValue(message.getData(), Item.class); });
            io.nats.client.Dispatcher each = nats.createDispatcher(message -> {
              switch (message.getSubject()) {
                case "a" -> System.out.println(mapper.readValue(message.getData(), Order.class));
                default -> System.out.println(mapper.readValue(message.getData(), Item.class));
              } });
            each.subscribe("a");
            each.subscribe("b"); }
          private void order(io.nats.client.Message message) throws Exception {
            Order order = mapper.readValue(message.getData(), Order.class); } }
        """
    assert read(tmp_path, NATS, source) == [
        f"<- a {ORDER}",
        f"<- b {ITEM}",
        f"<- items {ITEM}",
        f"<- orders.* (pattern) {ORDER}",
    ]


def test_messages_that_are_fetched(tmp_path: Path) -> None:
    source = """
        class L { private final io.nats.client.Connection nats = io.nats.client.Nats.connect();
          void run() throws Exception {
            io.nats.client.Subscription orders = nats.subscribe("orders");
            Order order = mapper.readValue(orders.nextMessage(100).getData(), Order.class); } }
        """
    assert read(tmp_path, NATS, source) == [f"<- orders {ORDER}"]


def test_other_publishers_are_no_clients(tmp_path: Path) -> None:
    source = """
        class Bus { void publish(String name, byte[] bytes) { } void subscribe(String name) { } }
        class P { private final Bus bus = new Bus();
          void a(Order order) throws Exception {
            bus.publish("orders", mapper.writeValueAsBytes(order)); bus.subscribe("orders"); } }
        """
    assert read(tmp_path, NATS, source) == []
