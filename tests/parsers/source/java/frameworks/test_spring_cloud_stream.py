"""Spring Cloud Stream."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

BEANS = "java.util.function.* org.springframework.context.annotation.Bean"
STREAMS = (
    f"{BEANS} org.apache.kafka.streams.kstream.* reactor.core.publisher.Flux"
    " reactor.util.function.Tuple2 org.springframework.messaging.Message"
)
LIBRARY = (
    "org.springframework.cloud.stream.function.StreamBridge"
    " org.springframework.cloud.stream.annotation.*"
    " org.springframework.cloud.stream.messaging.*"
    " org.springframework.messaging.* org.springframework.messaging.support.MessageBuilder"
    " org.springframework.messaging.handler.annotation.SendTo"
    " org.springframework.beans.factory.annotation.Value"
)


def test_functions_are_bound_by_name(tmp_path: Path) -> None:
    source = """
        class Config {
          @Bean Function<Order, Item> price() { return order -> new Item(); }
          @Bean Consumer<Message<Item>> audit() { return item -> {}; }
          @Bean Supplier<Flux<Order>> poll() { return () -> null; }
          @Bean BiConsumer<Order, Map<String, Object>> both() { return (order, headers) -> {}; }
          @Bean("renamed") Consumer<Order> other() { return order -> {}; }
          @Bean Consumer<Order> unbound() { return order -> {}; }
          @Bean Comparator<Order> order() { return null; }
        }
        @Component class Handler implements Consumer<Item> {
          public void accept(Item item) {} }
        """
    settings = """
        spring.cloud:
          function.definition: price;audit;poll;both;renamed;handler
          stream:
            function.bindings: {audit-in-0: checks}
            bindings:
              price-in-0: {destination: "orders,${more.orders}"}
              price-out-0.destination: prices
              checks.destination: audits
              poll-out-0.destination: polled
              renamed-in-0.destination: ${nowhere}
        more: {orders: orders-v2}
        """
    assert read(tmp_path, STREAMS, source, yml=settings) == [
        f"-> polled {ORDER}",
        f"-> prices {ITEM}",
        f"<- ?the property `nowhere` is set in no settings file {ORDER}",
        f"<- audits {ITEM}",
        f"<- both-in-0 {ORDER}",
        f"<- handler-in-0 {ITEM}",
        f"<- orders {ORDER}",
        f"<- orders-v2 {ORDER}",
    ]


def test_composed_functions_have_one_input_and_one_output(tmp_path: Path) -> None:
    source = """
        class Config {
          @Bean Function<Order, String> first() { return null; }
          @Bean Function<String, Item> second() { return null; }
        }
        """
    settings = """
        spring.cloud.function.definition=first|second
        spring.cloud.stream.bindings.firstsecond-in-0.destination=orders
        spring.cloud.stream.bindings.[first|second-out-0].destination=items
        """
    assert read(tmp_path, STREAMS, source, properties=settings) == [
        f"-> items {ITEM}",
        f"<- orders {ORDER}",
    ]


def test_the_only_function_needs_no_definition(tmp_path: Path) -> None:
    one = "class Config { @Bean Consumer<Order> only() { return order -> {}; } }"
    build = "implementation 'org.springframework.cloud:spring-cloud-stream'"
    assert read(tmp_path / "one", BEANS, one, gradle=build) == [f"<- only-in-0 {ORDER}"]
    assert read(tmp_path / "unused", BEANS, one) == []
    two = "class More { @Bean Consumer<Item> more() { return item -> {}; } }"
    assert read(tmp_path / "two", BEANS, one + two, gradle=build) == []
    settings = "spring.cloud.stream.bindings.more-in-0.destination=items\n"
    assert read(tmp_path / "bound", BEANS, one + two, properties=settings) == [f"<- items {ITEM}"]


def test_streams_of_kafka(tmp_path: Path) -> None:
    source = """
        class Config {
          @Bean Function<KStream<String, Order>, Function<KTable<String, Item>,
            KStream<String, Item>>> join() { return null; }
          @Bean Function<KStream<String, Order>, KStream<String, Order>[]> split() { return null; }
          @Bean BiConsumer<KStream<String, Order>, KTable<String, Item>> both() { return null; }
          @Bean Function<Tuple2<Flux<Order>, Flux<Item>>, Flux<Item>> zip() { return null; }
          @Bean Consumer<KStream<String, Order>> match() { return null; }
        }
        """
    settings = """
        spring.cloud:
          function.definition: join;split;both;zip;match
          stream:
            bindings:
              split-out-1.destination: second
              match-in-0.destination: "orders-.*"
            kafka.streams.bindings.match-in-0.consumer.destinationIsPattern: true
        """
    assert read(tmp_path, STREAMS, source, yml=settings) == [
        f"-> join-out-0 {ITEM}",
        f"-> second {ORDER}",
        f"-> split-out-0 {ORDER}",
        f"-> zip-out-0 {ITEM}",
        f"<- both-in-0 {ORDER}",
        f"<- both-in-1 {ITEM}",
        f"<- join-in-0 {ORDER}",
        f"<- join-in-1 {ITEM}",
        f"<- orders-.* (pattern) {ORDER}",
        f"<- split-in-0 {ORDER}",
        f"<- zip-in-0 {ORDER}",
        f"<- zip-in-1 {ITEM}",
    ]


def test_lists_are_batches_where_settings_say_so(tmp_path: Path) -> None:
    source = """
        class Config {
          @Bean Consumer<List<Order>> whole() { return orders -> {}; }
          @Bean Function<List<Order>, List<Item>> batch() { return orders -> null; }
          @Bean Consumer<String> text() { return text -> mapper.readValue(text, Item.class); }
          @Bean Consumer<byte[]> raw() { return bytes -> {}; }
        }
        """
    settings = """
        spring.cloud:
          function.definition: whole;batch;text;raw
          stream.bindings.batch-in-0.consumer.batch-mode: true
        """
    assert read(tmp_path, STREAMS, source, yml=settings) == [
        f"-> batch-out-0 {ITEM}",
        f"<- batch-in-0 {ORDER}",
        "<- raw-in-0 <`raw` takes the payload as text or bytes>",
        f"<- text-in-0 {ITEM}",
        f"<- whole-in-0 [{ORDER}~]",
    ]


def test_a_header_may_send_a_message_elsewhere(tmp_path: Path) -> None:
    source = """
        class Config { @Bean Function<Order, Message<Item>> route() {
          return order -> MessageBuilder.withPayload(new Item())
            .setHeader("spring.cloud.stream.sendto.destination", "x").build(); } }
        """
    settings = "spring.cloud.function.definition=route\nspring.cloud.stream.x=y\n"
    assert read(tmp_path, STREAMS, source, properties=settings) == [
        f"-> ?the destination may be in a header of the message {ITEM}",
        f"<- route-in-0 {ORDER}",
    ]


def test_sends_through_a_bridge(tmp_path: Path) -> None:
    source = """
        class P { private StreamBridge bridge; @Value("${channel}") private String channel;
          void a(Order order) { bridge.send("orders-out-0", order); }
          void b(Item item) { bridge.send(channel, item); }
          void c(Order order) {
            bridge.send("direct", MessageBuilder.withPayload(order).setHeader("a", 1).build()); }
          void d(Order order) { bridge.send("typed", order, MimeTypeUtils.APPLICATION_JSON); }
          void e(Order order) { bridge.send("bound", "rabbit", order); }
          void f(Order order, String name) { bridge.send(Library.name(), order); }
          void g(Order order) { other.send("nothing", order); }
          private void send(String to, Object what) { bridge.send(to, what); }
          void h(Item item) { send("wrapped", item); }
        }
        """
    settings = """
        channel: items-out
        spring.cloud.stream.bindings: {orders-out-0: {destination: orders}}
        """
    assert read(tmp_path, LIBRARY, source, yml=settings) == [
        "-> ?the address is not a constant that can be followed " + ORDER,
        f"-> bound {ORDER}",
        f"-> direct {ORDER}",
        f"-> items-out {ITEM}",
        f"-> orders {ORDER}",
        f"-> typed {ORDER}",
        f"-> wrapped {ITEM}",
    ]


def test_listeners_and_channels_of_the_older_interfaces(tmp_path: Path) -> None:
    source = """
        interface Channels {
          String IN = "items-in";
          @Input(IN) SubscribableChannel items();
          @Output("orders-out") MessageChannel orders();
          @Output MessageChannel plain(); }
        class L { private Channels channels; private Source source;
          @StreamListener(Channels.IN) @SendTo("prices") Order a(Item item) { return null; }
          @StreamListener(target = Sink.INPUT) void b(@Payload Order order) {}
          @StreamListener void c(@Input("stream") KStream<String, Item> stream) {}
          void d(Order order) {
            channels.orders().send(MessageBuilder.withPayload(order).build()); }
          void e(Item item) { channels.plain().send(new GenericMessage<>(item)); }
          void f(Order order) { source.output().send(MessageBuilder.withPayload(order).build()); }
        }
        """
    settings = "spring.cloud.stream.bindings.items-in.destination=items\n"
    assert read(tmp_path, LIBRARY, source, properties=settings) == [
        f"-> orders-out {ORDER}",
        f"-> output {ORDER}",
        f"-> plain {ITEM}",
        f"-> prices {ORDER}",
        f"<- input {ORDER}",
        f"<- items {ITEM}",
        f"<- stream {ITEM}",
    ]
