"""Spring Cloud AWS."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = (
    "io.awspring.cloud.sqs.annotation.SqsListener io.awspring.cloud.sqs.operations.SqsTemplate"
    " io.awspring.cloud.sns.core.SnsTemplate"
    " org.springframework.cloud.aws.messaging.core.QueueMessagingTemplate"
    " org.springframework.messaging.Message org.springframework.messaging.support.MessageBuilder"
    " org.springframework.beans.factory.annotation.Value"
)


def test_listeners(tmp_path: Path) -> None:
    source = """
        class L {
          @SqsListener("orders") void a(Order order, Acknowledgement ack) {}
          @SqsListener(queueNames = {"${queues.items}", "more"}) void b(List<Item> items) {}
          @SqsListener(value = "https://sqs.eu-west-1.amazonaws.com/1/by-url")
          void c(Message<Order> message) {}
          @SqsListener("text") void d(String text) { Item i = mapper.readValue(text, Item.class); }
          @SqsListener("raw") void e(String text) {}
          @SqsListener("${queues.missing}") void f(Order order) {}
        }
        """
    assert read(tmp_path, LIBRARY, source, yml="queues: {items: items-queue}\n") == [
        f"<- ?the property `queues.missing` is set in no settings file {ORDER}",
        f"<- by-url {ORDER}",
        f"<- items-queue {ITEM}",
        f"<- more {ITEM}",
        f"<- orders {ORDER}",
        "<- raw <`e` takes the payload as text or bytes>",
        f"<- text {ITEM}",
    ]


def test_sends(tmp_path: Path) -> None:
    source = """
        class P {
          private SqsTemplate sqs; private SnsTemplate sns; private QueueMessagingTemplate old;
          @Value("${topics.items}") private String topic;
          void a(Order order) { sqs.send("orders", order); }
          void b(Item item) { sqs.send(to -> to.queue("fluent").payload(item).delaySeconds(1)); }
          void c(Order order) { sqs.sendAsync(order); }
          void d(Item item) { sns.sendNotification(topic, item, "subject"); }
          void e(Order order) { sns.convertAndSend("orders-topic", order); }
          void f(Item item) { old.convertAndSend("old", item); }
          void g(Order order) {
            sqs.send("message", MessageBuilder.withPayload(order).setHeader("a", 1).build()); }
          void h(Order order) { sqs.send(Library.name(), order); }
        }
        """
    settings = """
        topics: {items: "arn:aws:sns:eu-west-1:1:items-topic"}
        spring.cloud.aws.sqs.template.default-queue: standard
        """
    assert read(tmp_path, LIBRARY, source, yml=settings) == [
        "-> ?the address is not a constant that can be followed " + ORDER,
        f"-> fluent {ITEM}",
        f"-> items-topic {ITEM}",
        f"-> message {ORDER}",
        f"-> old {ITEM}",
        f"-> orders {ORDER}",
        f"-> orders-topic {ORDER}",
        f"-> standard {ORDER}",
    ]
