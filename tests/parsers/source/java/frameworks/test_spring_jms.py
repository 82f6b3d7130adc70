"""Spring JMS."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = (
    "org.springframework.jms.annotation.JmsListener org.springframework.jms.core.*"
    " org.springframework.jms.support.converter.MappingJackson2MessageConverter"
    " org.springframework.messaging.handler.annotation.*"
    " org.springframework.beans.factory.annotation.Value jakarta.jms.*"
    " org.apache.activemq.command.ActiveMQQueue"
)


def test_listeners(tmp_path: Path) -> None:
    source = """
        class L {
          @JmsListener(destination = "${queues.orders}") void a(Order order) {}
          @JmsListener(destination = "items", containerFactory = "x") @SendTo("answers")
          Order b(@Payload Item item, @Header("x") String x) { return null; }
          @JmsListener(destination = "text") void c(String text) throws Exception {
            Item item = mapper.readValue(text, Item.class); }
          @JmsListener(destination = "raw") void d(Message message) {}
          @JmsListener(destination = "#{bean.queue}") void e(Item item) {}
        }
        """
    assert read(tmp_path, LIBRARY, source, yml="queues: {orders: orders-queue}\n") == [
        f"-> answers {ORDER}",
        "<- ?the address is an expression that is evaluated at run time " + ITEM,
        f"<- items {ITEM}",
        f"<- orders-queue {ORDER}",
        "<- raw <`d` takes a payload of any type>",
        f"<- text {ITEM}",
    ]


def test_sends(tmp_path: Path) -> None:
    source = """
        class P { private JmsTemplate jms; private JmsMessagingTemplate messaging;
          @Value("${queues.items}") private String items;
          void a(Order order) { jms.convertAndSend("orders", order); }
          void b(Item item) { messaging.convertAndSend(items, item); }
          void c(Order order) { jms.convertAndSend("processed", order, message -> message); }
          void d(Item item) { jms.convertAndSend(item); }
          void e(Order order) { jms.convertAndSend(new ActiveMQQueue("made"), order); }
          void f(Order order) {
            jms.send("created", s -> s.createTextMessage(mapper.writeValueAsString(order))); }
          void g(Item item) throws Exception {
            String json = mapper.writeValueAsString(item); jms.convertAndSend("json", json); }
          void h(Order order) { jms.convertAndSend(Library.name(), order); }
          private void publish(String queue, Object what) { jms.convertAndSend(queue, what); }
          void i(Item item) { publish("wrapped", item); }
          void j(Order order) { jms.send("elsewhere", creator); }
        }
        """
    settings = "queues: {items: items-queue}\nspring.jms.template.default-destination: standard\n"
    assert read(tmp_path, LIBRARY, source, yml=settings) == [
        "-> ?the address is not a constant that can be followed " + ORDER,
        f"-> created {ORDER}",
        "-> elsewhere <no payload is given>",
        f"-> items-queue {ITEM}",
        f"-> json {ITEM}",
        f"-> made {ORDER}",
        f"-> orders {ORDER}",
        f"-> processed {ORDER}",
        f"-> standard {ITEM}",
        f"-> wrapped {ITEM}",
    ]


def test_a_converter_may_be_given_the_applications_mapper(tmp_path: Path) -> None:
    source = """
        class Event { public long orderId; }
        class P { private JmsTemplate jms; void a(Event e) { jms.convertAndSend("a", e); } }
        """
    naming = "spring.jackson.property-naming-strategy: SNAKE_CASE\n"
    own = ["-> a {orderId: integer(int64)}"]
    assert read(tmp_path / "own", LIBRARY, source, yml=naming) == own
    shared = """
        class C { MappingJackson2MessageConverter converter(ObjectMapper mapper) {
          MappingJackson2MessageConverter made = new MappingJackson2MessageConverter();
          made.setObjectMapper(mapper); return made; } }
        """
    assert read(tmp_path / "shared", LIBRARY, source + shared, yml=naming) == [
        "-> a {order_id: integer(int64)}"
    ]
