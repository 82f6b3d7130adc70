"""Google Cloud Pub/Sub, by Spring's template and by the client library."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

SPRING = (
    "com.google.cloud.spring.pubsub.core.PubSubTemplate com.google.cloud.spring.pubsub.support.*"
    " org.springframework.beans.factory.annotation.Value"
)
CLIENT = "com.google.cloud.pubsub.v1.* com.google.pubsub.v1.* com.google.protobuf.ByteString"


def test_the_template_of_spring(tmp_path: Path) -> None:
    source = """
        class P {
          private PubSubTemplate template;
          @Value("${topics.items}") private String items;
          void a(Order order) { template.publish("orders", order); }
          void b(Item item) { template.publish(items, mapper.writeValueAsString(item), Map.of()); }
          void send(String topic, Object what) { template.publish(topic, what); }
          void c(Item item) { send("projects/p/topics/wrapped", item); }
        }
        class L {
          private PubSubTemplate template;
          void d() { template.subscribeAndConvert("typed", m -> m.ack(), Order.class); }
          void e() { template.subscribe("read", m -> {
            Item item = mapper.readValue(m.getPubsubMessage().getData().toStringUtf8(), Item.class);
            m.ack(); }); }
        }
        class Other { void publish(String a, Object b) {} void f() { publish("no", "topic"); } }
        """
    why = "?the topic of subscription `{}` is not in the code"
    assert read(tmp_path, SPRING, source, yml="topics: {items: items-topic}\n") == [
        f"-> items-topic {ITEM}",
        f"-> orders {ORDER}",
        f"-> wrapped {ITEM}",
        f"<- {why.format('read')} (read) {ITEM}",
        f"<- {why.format('typed')} (typed) {ORDER}",
    ]


def test_clients(tmp_path: Path) -> None:
    source = """
        class P {
          private Publisher given;
          void a(Order order) throws Exception {
            Publisher publisher = Publisher.newBuilder(TopicName.of("p", "orders")).build();
            ByteString data = ByteString.copyFromUtf8(mapper.writeValueAsString(order));
            PubsubMessage message = PubsubMessage.newBuilder().setData(data).build();
            publisher.publish(message); }
          void b(Item item) { given.publish(PubsubMessage.newBuilder()
            .setData(ByteString.copyFromUtf8(mapper.writeValueAsString(item))).build()); }
          void c() {
            MessageReceiver receiver = (PubsubMessage m, AckReplyConsumer reply) -> {
              Item item = mapper.readValue(m.getData().toStringUtf8(), Item.class); reply.ack(); };
            Subscriber.newBuilder(ProjectSubscriptionName.of("p", "mine"), receiver).build(); }
        }
        """
    assert read(tmp_path, CLIENT, source) == [
        f"-> ?what the client was made for cannot be followed {ITEM}",
        f"-> orders {ORDER}",
        f"<- ?the topic of subscription `mine` is not in the code (mine) {ITEM}",
    ]
