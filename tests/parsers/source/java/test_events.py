"""What Spring applications send and receive over Kafka and RabbitMQ."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import java.util.*;
import org.springframework.kafka.annotation.*;
import org.springframework.kafka.core.*;
import org.springframework.amqp.rabbit.annotation.*;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.core.*;
import org.springframework.messaging.*;
import org.springframework.messaging.handler.annotation.*;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.beans.factory.annotation.Value;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
class Order { public long id; }
class Item { public int n; }
"""
ORDER = "{id: integer(int64)}"
ITEM = "{n: integer(int32)}"


def events(folder: Path, source: str, settings: str = "") -> list[str]:
    files = {"src/main/java/shop/E.java": HEAD + source}
    if settings:
        files["src/main/resources/application.yml"] = settings
    return Project(folder, files).events()


def test_kafka_listeners(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        class Topics { static final String ORDERS = "orders"; }
        class L {
          @KafkaListener(topics = {Topics.ORDERS, "${topics.more}"}) void a(Order order) {}
          @KafkaListener(topicPattern = "audit-.*") void b(ConsumerRecord<String, Order> record) {}
          @KafkaListener(topics = "batch") void c(List<Message<Item>> items, Acknowledgment ack) {}
          @KafkaListener(topics = "marked")
          void d(@Header("k") String key, @Payload Item item, String other) {}
          @KafkaListener(topics = "text") void e(String json) throws Exception {
            Order order = mapper.readValue(json, Order.class); }
          @KafkaListener(topics = "raw") void f(String json) {}
          @KafkaListener(topicPartitions = @TopicPartition(topic = "parts", partitions = "0"))
          @SendTo("replies") Item g(Order order) { return null; }
          @KafkaListeners({@KafkaListener(topics = "x"), @KafkaListener(topics = "y")})
          void h(Item item) {}
          @KafkaListener(topics = "#{@bean.topic}") void i(Item item) {}
        }
        """,
        "topics: {more: more-orders}\n",
    ) == [
        f"-> replies {ITEM}",
        "<- ?the address is an expression that is evaluated at run time " + ITEM,
        f"<- audit-.* (pattern) {ORDER}",
        f"<- batch {ITEM}",
        f"<- marked {ITEM}",
        f"<- more-orders {ORDER}",
        f"<- orders {ORDER}",
        f"<- parts {ORDER}",
        "<- raw <`f` takes the payload as text or bytes>",
        f"<- text {ORDER}",
        f"<- x {ITEM}",
        f"<- y {ITEM}",
    ]


def test_a_class_called_like_one_of_a_library(tmp_path: Path) -> None:
    source = """
        class Chat { static class Message { public String text; } }
        class L {
          @KafkaListener(topics = "chats") void a(Chat.Message message) {}
          @KafkaListener(topics = "others") void b(Generated.Message message) {}
        }
    """
    assert events(tmp_path, source) == [
        "<- chats {text: string~}",
        "<- others <type `Generated.Message` comes from a library>",
    ]


def test_a_listener_without_parameters_takes_anything(tmp_path: Path) -> None:
    source = """
        class L {
          @KafkaListener(topics = "ticks") void tick() { count++; }
          @KafkaListener(topics = "marked") void mark(@Header("k") String key) {}
        }
    """
    assert events(tmp_path, source) == [
        "<- marked <`mark` does not say what it takes>",
        "<- ticks anything~",
    ]


def test_kafka_listener_on_a_class(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        @KafkaListener(topics = "orders") class L {
          @KafkaHandler void order(Order order) {}
          @KafkaHandler(isDefault = true) void other(Object object) {}
          void helper(Item item) {}
        }
        """,
    ) == ["<- orders <`other` takes a payload of any type>", f"<- orders {ORDER}"]


def test_kafka_sends(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        class P {
          private KafkaTemplate<String, Object> template;
          private KafkaTemplate<String, Order> typed;
          private Producer<String, String> plain;
          @Value("${topics.orders}") private String topic;
          private final String given;
          P(@Value("${topics.items:items}") String name) { this.given = name; }
          void a(Order order) { template.send("one", order); }
          void b(Order order) { template.send("two", "key", order); }
          void c(Item item) { template.send(topic, 1, "key", item); }
          void d(Item item) { template.send(this.given, item); }
          void e(Object any) { typed.send("five", any); }
          void f(Order order) { template.send(new ProducerRecord<>("six", "key", order)); }
          void g(Order order) {
            Message<Order> message = MessageBuilder.withPayload(order)
                .setHeader(KafkaHeaders.TOPIC, "seven").setHeader("x", 1).build();
            template.send(message); }
          void h(Order order) throws Exception {
            String json = mapper.writeValueAsString(order);
            plain.send(new ProducerRecord<>("eight", json)); }
          void i() { template.send("nine", Map.of("id", 1)); }
          void j(Order order) { template.sendDefault(order); }
          void k(Order order) { other.send("not kafka", order); }
        }
        """,
        "topics: {orders: orders-v1}\nspring.kafka.template.default-topic: standard\n",
    ) == [
        f"-> eight {ORDER}",
        f"-> five {ORDER}",
        f"-> items {ITEM}",
        "-> nine {id!: 1}",
        f"-> one {ORDER}",
        f"-> orders-v1 {ITEM}",
        f"-> seven {ORDER}",
        f"-> six {ORDER}",
        f"-> standard {ORDER}",
        f"-> two {ORDER}",
    ]


def test_wrappers_send_what_their_callers_give(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        interface Bus { void publish(String topic, Object event); }
        class KafkaBus implements Bus {
          private KafkaTemplate<String, Object> template;
          public void publish(String topic, Object event) { template.send(topic, event); }
        }
        class A { private Bus bus; private KafkaBus own;
          void a(Order order) { bus.publish("orders", order); }
          void b() { own.publish("items", new Item()); }
          void c(Other other) { other.publish("nothing", 1); } }
        """,
    ) == [f"-> items {ITEM}", f"-> orders {ORDER}"]


def test_a_wrapper_gives_a_case_to_the_callers_that_come_to_it(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        class Kinds { static final String ORDER = "order"; }
        class Bus {
          private KafkaTemplate<String, Object> template;
          void publish(String kind, Object event) {
            if (Kinds.ORDER.equals(kind)) { template.send("orders", event); }
            else { template.send("items", event); }
          }
          void switched(String kind, Object event) {
            switch (kind) {
              case "order": case "old": template.send("a", event); break;
              default: template.send("b", event);
            }
          }
          void tried(String kind, Object event) {
            try {
              if (kind.equals("order")) { template.send("c", event); }
            } catch (RuntimeException e) { throw e; }
          }
        }
        class A { private Bus bus;
          void a(Order order) { bus.publish("order", order); }
          void b() { bus.publish("item", new Item()); }
          void c(Order order) { bus.switched("order", order); }
          void d() { bus.switched("item", new Item()); }
          void e(Order order) { bus.tried("order", order); }
          void f() { bus.tried("item", new Item()); } }
        """,
    ) == [
        f"-> a {ORDER}",
        f"-> b {ITEM}",
        f"-> c {ORDER}",
        f"-> items {ITEM}",
        f"-> orders {ORDER}",
    ]


def test_topics_of_enums_and_configuration_properties(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        enum Topic { ORDERS("orders-topic"); private final String name;
          Topic(String name) { this.name = name; } String getName() { return name; } }
        @ConfigurationProperties(prefix = "app.kafka") class Props {
          private Names names; public Names getNames() { return names; }
          static class Names { private String itemTopic;
            public String getItemTopic() { return itemTopic; } } }
        class P {
          private KafkaTemplate<String, Object> template; private Props props;
          void a(Order order) { template.send(Topic.ORDERS.getName(), order); }
          void b(Item item) { template.send(props.getNames().getItemTopic(), item); }
          void c(Item item) { template.send(Library.topic(), item); }
        }
        """,
        "app: {kafka: {names: {item-topic: items-topic}}}\n",
    ) == [
        "-> ?the address is not a constant that can be followed " + ITEM,
        f"-> items-topic {ITEM}",
        f"-> orders-topic {ORDER}",
    ]


def test_what_wrappers_are_given_by_wrappers_settings_and_enums(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        interface Bus { void publish(String topic, Object event); }
        class KafkaBus implements Bus { private KafkaTemplate<String, Object> template;
          public void publish(String topic, Object event) { template.send(topic, event); } }
        class Shop { private Bus bus; @Value("${topics.orders}") private String orders;
          void a(Order order) { bus.publish(orders, order); }
          void b(Item item) { emit("two-levels", item); }
          private void emit(String topic, Object what) { bus.publish(topic, what); } }
        class Texts { private KafkaTemplate<String, String> template;
          void send(String topic, String json) { template.send(topic, json); } }
        class Writer { private Texts texts; private ObjectMapper mapper;
          void a(Item item) throws Exception {
            String json = mapper.writeValueAsString(item); texts.send("written", json); } }
        enum Topic { ORDERS("of-enum"); private final String id; Topic(String name) { id = name; }
          String getId() { return id; } }
        enum Other { ITEMS("x"); private final String id; Other(String n) { this.id = n; }
          String getId() { return id; } }
        class OfEnums { private KafkaTemplate<String, Object> template;
          void a(Topic topic, Object what) { template.send(topic.getId(), what); }
          void b(Other topic, Object what) { template.send(topic.getId(), what); }
          void c(Other topic, Object what) { template.send(topic.name(), what); } }
        class User { private OfEnums sender;
          void a(Order order) { sender.a(Topic.ORDERS, order); }
          void b(Item item) { sender.b(Other.ITEMS, item); sender.c(Other.ITEMS, item); } }
        """,
        "topics: {orders: orders-topic}\n",
    ) == [
        f"-> ITEMS {ITEM}",
        f"-> of-enum {ORDER}",
        f"-> orders-topic {ORDER}",
        f"-> two-levels {ITEM}",
        f"-> written {ITEM}",
        f"-> x {ITEM}",
    ]


def test_base_classes_that_classes_below_fill_in(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        abstract class Producer<T> { protected final KafkaTemplate<String, Object> template;
          Producer(KafkaTemplate<String, Object> template) { this.template = template; }
          protected abstract String topic();
          public void publish(T event) { template.send(topic(), event); } }
        class OrderProducer extends Producer<Order> {
          OrderProducer(KafkaTemplate<String, Object> template) { super(template); }
          protected String topic() { return "orders"; } }
        abstract class Named<T> { private final String topic;
          private final KafkaTemplate<String, T> template;
          Named(KafkaTemplate<String, T> sender, String name) {
            this.template = sender; this.topic = name; }
          public void publish(T event) { template.send(topic, event); } }
        class Items extends Named<Item> {
          Items(KafkaTemplate<String, Item> template, @Value("${topics.items}") String topic) {
            super(template, topic); } }
        class Constant extends Named<Item> {
          Constant(KafkaTemplate<String, Item> template) { super(template, "constant"); } }
        interface Event { String topic(); }
        class Created implements Event { public long id;
          public String topic() { return "created"; } }
        class Bus { private KafkaTemplate<String, Object> template;
          void publish(Event event) { template.send(event.topic(), event); } }
        class Shop { private OrderProducer orders; private Items items; private Constant constant;
          private Bus bus;
          void a(Order order) { orders.publish(order); }
          void b(Item item) { items.publish(item); constant.publish(item); }
          void c() { bus.publish(new Created()); } }
        """,
        "topics: {items: items-topic}\n",
    ) == [
        f"-> constant {ITEM}",
        f"-> created {ORDER}",
        f"-> items-topic {ITEM}",
        f"-> orders {ORDER}",
    ]


def test_texts_that_other_functions_of_the_project_read(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        class L { private ObjectMapper mapper; private Handler handler; private Store store;
          @KafkaListener(topics = "any") void a(Message message) throws Exception {
            Order order = mapper.readValue(text(message), Order.class); }
          @KafkaListener(topics = "passed-on") void b(String text) { handler.handle(text); }
          @KafkaListener(topics = "told") void c(ConsumerRecord<String, String> record) {
            String text = record.value(); Order order = parse(text, Order.class); }
          @KafkaListener(topics = "other") void d(@Payload String text, @Header("id") String id) {
            store.load(id); }
          @KafkaListener(topics = "key") void e(String id) { store.load(id); }
          private String text(Message message) { return ""; }
          private <T> T parse(String json, Class<T> type) { return mapper.readValue(json, type); } }
        class Handler { private ObjectMapper mapper;
          void handle(String text) { read(text.trim()); }
          private void read(String text) { Item item = mapper.readValue(text, Item.class); } }
        class Store { private ObjectMapper mapper; private Cache cache;
          void load(String id) { Item item = mapper.readValue(cache.get(id), Item.class); } }
        """,
    ) == [
        f"<- any {ORDER}",
        "<- key <`e` takes the payload as text or bytes>",
        "<- other <`d` takes the payload as text or bytes>",
        f"<- passed-on {ITEM}",
        f"<- told {ORDER}",
    ]


def test_an_exchange_does_not_stand_for_a_key_that_is_undetermined(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        class P { private RabbitTemplate rabbit;
          void a(Order order) { rabbit.convertAndSend("shop", Library.key(), order); }
          void b(JsonNode node) { rabbit.convertAndSend("shop", "node", node.toString()); } }
        """,
    ) == [
        f"-> ?the address is not a constant that can be followed (shop) {ORDER}",
        "-> node (shop) <the payload is text that is sent as it is>",
    ]


def test_payloads_are_written_by_the_converters_own_mapper(tmp_path: Path) -> None:
    source = """
        class Event { public long orderId; }
        class P { private KafkaTemplate<String, Object> template;
          void a(Event event) { template.send("a", event); } }
        """
    naming = "spring.jackson.property-naming-strategy: SNAKE_CASE\n"
    assert events(tmp_path / "own", source, naming) == ["-> a {orderId: integer(int64)}"]
    shared = "class C { Object f(ObjectMapper m) { return new JsonSerializer<Event>(m); } }"
    shown = ["-> a {order_id: integer(int64)}"]
    assert events(tmp_path / "shared", source + shared, naming) == shown


def test_rabbit_listeners(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        class Config {
          @Bean Queue stockQueue() { return new Queue("stock", true); }
          @Bean TopicExchange shop() { return new TopicExchange("shop"); }
          @Bean Binding bind(Queue stockQueue, TopicExchange shop) {
            return BindingBuilder.bind(stockQueue).to(shop).with("stock.changed"); }
        }
        class L {
          @RabbitListener(queues = "orders") void a(Order order) {}
          @RabbitListener(queues = "#{stockQueue.name}") void b(Item item) {}
          @RabbitListener(queuesToDeclare = @Queue(name = "declared")) void c(Item item) {}
          @RabbitListener(bindings = @QueueBinding(value = @Queue("bound"),
            exchange = @Exchange(name = "events", type = "topic"), key = {"order.*", "#"}))
          void d(Message<Order> order) {}
          @RabbitListener(bindings = @QueueBinding(value = @Queue, key = "item.made",
            exchange = @Exchange("events")))
          void e(Item item) {}
        }
        @RabbitListener(queues = "many") class M { @RabbitHandler void a(Order order) {} }
        """,
    ) == [
        f"<- bound (order.*, events, events_order.*) {ORDER}",
        f"<- declared {ITEM}",
        f"<- item.made (events, events_item.made) {ITEM}",
        f"<- many {ORDER}",
        f"<- orders {ORDER}",
        f"<- stock (stock.changed, shop) {ITEM}",
    ]


def test_rabbit_sends(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        class P { private RabbitTemplate rabbit; private AmqpTemplate amqp;
          void a(Order order) { rabbit.convertAndSend("orders", order); }
          void b(Order order) { rabbit.convertAndSend("shop", "order.made", order); }
          void c(Item item) { amqp.convertAndSend("fanout", "", item); }
          void d(Item item) { rabbit.convertAndSend("plain", item, m -> m); }
          void e(Item item) { rabbit.convertAndSend(item); }
          void f(Order order) { rabbit.convertSendAndReceive("rpc", order); }
        }
        """,
        "spring.rabbitmq.template: {exchange: standard, routing-key: key}\n",
    ) == [
        f"-> fanout {ITEM}",
        f"-> key (standard) {ITEM}",
        f"-> order.made (shop) {ORDER}",
        f"-> orders (standard) {ORDER}",
        f"-> plain (standard) {ITEM}",
        f"-> rpc (standard) {ORDER}",
    ]


def test_springwolf_declares_what_no_call_shows(tmp_path: Path) -> None:
    assert events(
        tmp_path,
        """
        import io.github.springwolf.core.asyncapi.annotations.*;
        class P {
          @AsyncPublisher(operation = @AsyncOperation(channelName = "orders"))
          void send(Order order) { library.emit(order); }
          @AsyncListener(operation = @AsyncOperation(
            channelName = "items", payloadType = Item.class)) void take(byte[] bytes) {}
        }
        """,
    ) == [f"-> orders {ORDER}", f"<- items {ITEM}"]
