"""Kafka's own consumer, and Kafka Streams."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = (
    "org.apache.kafka.clients.consumer.* org.apache.kafka.common.TopicPartition"
    " org.apache.kafka.streams.StreamsBuilder org.apache.kafka.streams.kstream.*"
    " java.util.regex.Pattern"
)


def test_consumers(tmp_path: Path) -> None:
    source = """
        class Loop { static final String TOPIC = "text";
          void run(Properties settings) {
            KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings);
            consumer.subscribe(Collections.singletonList(TOPIC));
            while (true) {
              for (ConsumerRecord<String, String> record : consumer.poll(100)) {
                Order order = mapper.readValue(record.value(), Order.class); } } } }
        class Typed { private final Consumer<String, Item> consumer;
          void a() { consumer.subscribe(List.of("a", "b")); }
          void b() { consumer.subscribe(Pattern.compile("items-.*")); }
          void c() { consumer.assign(Arrays.asList(new TopicPartition("assigned", 0))); }
          void d(List<String> topics) { consumer.subscribe(topics); } }
        class Split { private KafkaConsumer<String, String> consumer;
          void start() { consumer.subscribe(List.of("split")); }
          void poll(String text) { Item item = mapper.readValue(text, Item.class); } }
        class Raw { private KafkaConsumer<String, byte[]> consumer; private Flow flow;
          void start() { consumer.subscribe(List.of("raw")); flow.subscribe("nothing"); } }
        """
    assert read(tmp_path, LIBRARY, source) == [
        "<- ?the address is not a constant that can be followed " + ITEM,
        f"<- a {ITEM}",
        f"<- assigned {ITEM}",
        f"<- b {ITEM}",
        f"<- items-.* (pattern) {ITEM}",
        "<- raw <what is made of the messages cannot be followed>",
        f"<- split {ITEM}",
        f"<- text {ORDER}",
    ]


def test_streams(tmp_path: Path) -> None:
    source = """
        class Topology {
          void build(StreamsBuilder builder) {
            KStream<String, Order> orders = builder.stream("orders");
            KTable<String, Item> items = builder.table("items", Consumed.with(null, null));
            orders.to("copy", Produced.with(null, null));
            orders.filter((k, v) -> true).mapValues(v -> new Item()).to("mapped");
            builder.stream("undetermined").to(Library.topic()); }
          void other(Mapper mapper) { mapper.map(1).to("nothing"); }
        }
        """
    assert read(tmp_path, LIBRARY, source) == [
        "-> ?the address is not a constant that can be followed"
        " <what the stream holds cannot be followed>",
        f"-> copy {ORDER}",
        "-> mapped <what the stream holds cannot be followed>",
        f"<- items {ITEM}",
        f"<- orders {ORDER}",
        "<- undetermined <what is made of the messages cannot be followed>",
    ]


def test_serdes_of_streams(tmp_path: Path) -> None:
    source = """
        class Flow { private JsonSerde<Item> items;
          void build(StreamsBuilder builder) {
            JsonSerde<Item> local = new JsonSerde<>(Item.class);
            builder.stream("a", Consumed.with(Serdes.String(), new JsonSerde<>(Order.class)))
              .mapValues(order -> new Item())
              .to("b", Produced.with(Serdes.String(), local));
            builder.stream("c", Consumed.with(Serdes.String(), items))
              .to("d", Produced.valueSerde(new JsonSerde<Order>()));
            builder.stream("e", Consumed.with(Serdes.String(), Serdes.Long()));
            builder.stream("f", Consumed.with(Serdes.String(), avro()));
            builder.stream("g", Consumed.with(Serdes.String(), Serdes.String()))
              .mapValues(text -> mapper.readValue(text, Order.class)); } }
        """
    serde = "org.springframework.kafka.support.serializer.JsonSerde"
    assert read(tmp_path, f"{LIBRARY} {serde}", source) == [
        f"-> b {ITEM}",
        f"-> d {ORDER}",
        f"<- a {ORDER}",
        f"<- c {ITEM}",
        "<- e <`Serdes.Long` is no JSON>",
        "<- f <what the serde reads and writes is undetermined>",
        f"<- g {ORDER}",
    ]
