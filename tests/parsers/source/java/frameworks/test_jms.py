"""JMS without a framework."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = "jakarta.jms.* jakarta.ejb.* jakarta.annotation.Resource"


def test_producers(tmp_path: Path) -> None:
    source = """
        class P {
          static final String ITEMS = "items";
          @Resource(lookup = "java:/jms/queue/injected") private Queue queue;
          private JMSContext context; private MessageProducer kept; private Session session;
          P(Session session) { kept = session.createProducer(session.createTopic("kept")); }
          void a(Order order) throws Exception {
            Queue to = session.createQueue("orders");
            MessageProducer producer = session.createProducer(to);
            TextMessage message = session.createTextMessage(mapper.writeValueAsString(order));
            producer.send(message); }
          void b(Item item) throws Exception {
            MessageProducer producer = session.createProducer(null);
            TextMessage message = session.createTextMessage();
            message.setText(mapper.writeValueAsString(item));
            producer.send(session.createQueue(ITEMS), message); }
          void c(Order order) {
            context.createProducer().send(queue, mapper.writeValueAsString(order)); }
          void other(Mailer mailer) { mailer.send("no message"); }
        }
        class K { private MessageProducer kept; private Session session;
          K(Session session) { kept = session.createProducer(session.createTopic("kept")); }
          void d(Item item) { kept.send(session.createObjectMessage(item)); } }
        """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> injected {ORDER}",
        f"-> items {ITEM}",
        f"-> kept {ITEM}",
        f"-> orders {ORDER}",
    ]


def test_consumers_and_message_driven_beans(tmp_path: Path) -> None:
    source = """
        class C { void a(Session session) {
          MessageConsumer consumer = session.createConsumer(session.createQueue("orders"));
          TextMessage message = (TextMessage) consumer.receive();
          Order order = mapper.readValue(message.getText(), Order.class); } }
        @MessageDriven(activationConfig = {
          @ActivationConfigProperty(propertyName = "destinationType", propertyValue = "Queue"),
          @ActivationConfigProperty(
            propertyName = "destinationLookup", propertyValue = "java:/queue/items") })
        class Bean implements MessageListener { public void onMessage(Message message) {
          Item item = mapper.readValue(((TextMessage) message).getText(), Item.class); } }
        @MessageDriven class Open implements MessageListener {
          public void onMessage(Message message) {} }
        """
    assert read(tmp_path, LIBRARY, source) == [
        "<- ?no destination is given <what is made of the messages cannot be followed>",
        f"<- items {ITEM}",
        f"<- orders {ORDER}",
    ]


def test_what_is_undetermined(tmp_path: Path) -> None:
    source = """
        class P { void a(MessageProducer producer, Message message) { producer.send(message); }
          void b(Session session, Destination to) { session.createConsumer(to); } }
        """
    assert read(tmp_path, LIBRARY, source) == [
        "-> ?the destination is given elsewhere <no payload is given>",
        "<- ?the destination is made elsewhere <what is made of the messages cannot be followed>",
    ]
