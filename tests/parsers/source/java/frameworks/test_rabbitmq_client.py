"""RabbitMQ's Java client."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = "com.rabbitmq.client.*"


def test_published_messages(tmp_path: Path) -> None:
    source = """
        class P { static final String QUEUE = "orders"; private Channel channel;
          void a(Order order) throws Exception {
            byte[] body = mapper.writeValueAsBytes(order);
            channel.basicPublish("", QUEUE, null, body); }
          void b(Item item) throws Exception { String json = mapper.writeValueAsString(item);
            channel.basicPublish("shop", "item.made", true, null, json.getBytes("UTF-8")); }
          void c(Item item) throws Exception {
            channel.basicPublish("fanout", "", null, mapper.writeValueAsString(item).getBytes()); }
          void d(String text) { channel.basicPublish("", "text", null, text.getBytes()); }
          void send(String queue, Object what) throws Exception {
            channel.basicPublish("", queue, null, mapper.writeValueAsBytes(what)); }
          void e(Order order) throws Exception { send("wrapped", order); }
        }
        """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> fanout {ITEM}",
        f"-> item.made (shop) {ITEM}",
        f"-> orders {ORDER}",
        "-> text <the payload is text that is sent as it is>",
        f"-> wrapped {ORDER}",
    ]


def test_consumed_queues(tmp_path: Path) -> None:
    source = """
        class L { private Channel channel;
          void a() throws Exception {
            channel.queueBind("orders", "shop", "order.made");
            channel.basicConsume("orders", true, (tag, delivery) -> {
              Order order = mapper.readValue(delivery.getBody(), Order.class); }, tag -> {}); }
          void b() throws Exception {
            String queue = channel.queueDeclare().getQueue();
            channel.queueBind(queue, "shop", "item.made");
            channel.basicConsume(queue, true, (tag, delivery) -> {
              Item item = mapper.readValue(delivery.getBody(), Item.class); }, tag -> {}); }
        }
        class Raw { private Channel channel;
          void a() { channel.basicConsume("raw", false, consumer); } }
        """
    assert read(tmp_path, LIBRARY, source) == [
        f"<- item.made (shop) {ITEM}",
        f"<- orders (order.made, shop) {ORDER}",
        "<- raw <what is made of the messages cannot be followed>",
    ]
