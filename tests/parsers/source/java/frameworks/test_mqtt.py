"""MQTT: Eclipse Paho and HiveMQ's client."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

PAHO = "org.eclipse.paho.client.mqttv3.*"
HIVEMQ = "com.hivemq.client.mqtt.mqtt5.*"


def test_paho_publishes(tmp_path: Path) -> None:
    source = """
        class P { static final String TOPIC = "orders"; private IMqttClient client;
          void a(Order order) throws Exception {
            MqttMessage message = new MqttMessage(mapper.writeValueAsBytes(order));
            message.setQos(1);
            client.publish(TOPIC, message); }
          void b(Item item) throws Exception {
            client.publish("items", mapper.writeValueAsString(item).getBytes(), 1, false); }
          void c(String shop, Order order) throws Exception {
            MqttMessage message = new MqttMessage();
            message.setPayload(mapper.writeValueAsBytes(order));
            client.publish("shops/" + shop + "/orders", message); }
          void d(MqttMessage message) throws Exception { client.publish("given", message); }
          void send(String topic, Object what) throws Exception {
            client.publish(topic, new MqttMessage(mapper.writeValueAsBytes(what))); }
          void e(Item item) throws Exception { send("wrapped", item); }
        }
        """
    assert read(tmp_path, PAHO, source) == [
        "-> given <what the message holds cannot be followed>",
        f"-> items {ITEM}",
        f"-> orders {ORDER}",
        f"-> shops/{{}}/orders {ORDER}",
        f"-> wrapped {ITEM}",
    ]


def test_paho_subscribes(tmp_path: Path) -> None:
    source = """
        class L implements MqttCallback { private MqttClient client;
          void start() throws Exception { client.setCallback(this); client.subscribe("a/#", 1); }
          public void messageArrived(String topic, MqttMessage message) throws Exception {
            Order order = mapper.readValue(message.getPayload(), Order.class); } }
        """
    assert read(tmp_path, PAHO, source) == [f"<- a/# {ORDER}"]


def test_paho_listeners_and_shared_callbacks(tmp_path: Path) -> None:
    source = """
        class L { private MqttAsyncClient client;
          void a() throws Exception {
            client.subscribe("items", 1, (topic, message) -> {
              Item item = mapper.readValue(message.getPayload(), Item.class); }); }
          void b() throws Exception { client.subscribe(new String[] {"b", "c"}); } }
        """
    shared = "<several topics share one callback>"
    assert read(tmp_path, PAHO, source) == [f"<- b {shared}", f"<- c {shared}", f"<- items {ITEM}"]


def test_hivemq(tmp_path: Path) -> None:
    source = """
        class C { private Mqtt5AsyncClient client;
          void a(Order order) throws Exception {
            client.publishWith().topic("orders").qos(MqttQos.AT_LEAST_ONCE)
              .payload(mapper.writeValueAsBytes(order)).send(); }
          void b() {
            client.subscribeWith().topicFilter("items/+").callback(publish -> {
              Item item = mapper.readValue(publish.getPayloadAsBytes(), Item.class); }).send(); } }
        """
    assert read(tmp_path, HIVEMQ, source) == [f"-> orders {ORDER}", f"<- items/+ {ITEM}"]


def test_other_publishers_are_no_clients(tmp_path: Path) -> None:
    source = """
        class Bus { void publish(String name, Object what) {} }
        class P { private Bus bus; void a(Order order) { bus.publish("orders", order); } }
        """
    assert read(tmp_path, PAHO, source) == []


def test_paho_wrappers_that_are_handed_what_takes_the_messages(tmp_path: Path) -> None:
    source = """
        class Client { private MqttClient client;
          void subscribe(String topic, java.util.function.Consumer<String> handler)
              throws Exception { handlers.put(topic, handler); client.subscribe(topic, 1); } }
        class View { private Client client;
          void start() throws Exception {
            client.subscribe("orders", this::take);
            client.subscribe("items", text -> { Item item = mapper.readValue(text, Item.class); });
            client.subscribe("plain", text -> {}); }
          void take(String text) throws Exception {
            Order order = mapper.readValue(text, Order.class); } }
        """
    assert read(tmp_path, PAHO, source) == [
        f"<- items {ITEM}",
        f"<- orders {ORDER}",
        "<- plain <what is made of the messages cannot be followed>",
    ]
