"""SmallRye Reactive Messaging."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = (
    "org.eclipse.microprofile.reactive.messaging.* io.smallrye.mutiny.* "
    "io.smallrye.reactive.messaging.MutinyEmitter io.smallrye.reactive.messaging.annotations.*"
)


def test_methods(tmp_path: Path) -> None:
    source = """
        class L {
          static final String ITEMS = "items";
          @Incoming("orders") @Outgoing(ITEMS) Item a(Order order) { return null; }
          @Incoming("first") @Incoming("second") void b(Message<Order> message) {}
          @Incoming("third") Uni<Void> c(Item item) { return null; }
          @Outgoing("ticks") Multi<Order> d() { return null; }
          @Outgoing("messages") Multi<Message<Item>> e() { return null; }
          @Incoming("list") void f(List<Order> orders) {}
          @Incoming("batch") void g(List<Order> orders) {}
          @Incoming("text") void h(String text) { Item i = mapper.readValue(text, Item.class); }
          @Incoming("raw") void i(byte[] bytes) {}
        }
        """
    settings = """
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.topic=orders-topic
        %prod.mp.messaging.outgoing.items.topic=items-topic
        %test.mp.messaging.incoming.third.topic=never
        mp.messaging.incoming.batch.batch=true
        mp.messaging.incoming.first.topic=${nowhere}
        """
    assert read(tmp_path, LIBRARY, source, properties=settings) == [
        f"-> items-topic {ITEM}",
        f"-> messages {ITEM}",
        f"-> ticks {ORDER}",
        f"<- ?the property `nowhere` is set in no settings file {ORDER}",
        f"<- batch {ORDER}",
        f"<- list [{ORDER}~]",
        f"<- orders-topic {ORDER}",
        "<- raw <`i` takes the payload as text or bytes>",
        f"<- second {ORDER}",
        f"<- text {ITEM}",
        f"<- third {ITEM}",
    ]


def test_emitters_and_streams(tmp_path: Path) -> None:
    source = """
        class P {
          @Channel("orders") Emitter<Order> orders;
          @Inject @Channel("json") Emitter<String> json;
          @Channel("silent") Emitter<String> silent;
          @Channel("incoming") Multi<Item> items;
          @Channel("incoming-text") Multi<String> texts;
          private final MutinyEmitter<Item> emitter;
          P(@Channel("given") MutinyEmitter<Item> emitter) { this.emitter = emitter; }
          void a(Order order) { json.send(mapper.writeValueAsString(order)); }
        }
        """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> given {ITEM}",
        f"-> json {ORDER}",
        f"-> orders {ORDER}",
        "-> silent <`silent` gives the payload as text or bytes>",
        f"<- incoming {ITEM}",
        "<- incoming-text <`texts` does not say what it takes>",
    ]


def test_channels_within_the_application_are_left_out(tmp_path: Path) -> None:
    source = """
        class L {
          @Channel("inner") Emitter<Order> inner;
          @Incoming("inner") @Outgoing("outer") Item a(Order order) { return null; }
          @Incoming("outer") void b(Item item) {}
        }
        """
    settings = "mp.messaging.outgoing.outer.address=items\n"
    assert read(tmp_path, LIBRARY, source, properties=settings) == [f"-> items {ITEM}"]


def test_queues_and_exchanges(tmp_path: Path) -> None:
    source = """
        class L {
          @Incoming("orders") void a(Order order) {}
          @Outgoing("items") Item b() { return null; }
        }
        """
    settings = """
        mp.messaging:
          incoming.orders: {queue.name: orders-queue, exchange.name: shop, routing-keys: "a,#"}
          outgoing: {"items": {exchange.name: shop, default-routing-key: item.made}}
        """
    assert read(tmp_path, LIBRARY, source, yml=settings) == [
        f"-> items (shop, item.made) {ITEM}",
        f"<- orders-queue (shop, a) {ORDER}",
    ]


def test_json_objects_count_as_what_they_are_mapped_to(tmp_path: Path) -> None:
    source = """
        import io.vertx.core.json.JsonObject;
        class Service {
          <T> T decode(JsonObject content, Class<T> type) {
            T it = content.mapTo(type); return it; } }
        class L {
          @Inject Service service;
          @Incoming("orders") CompletionStage<Void> a(Message<JsonObject> message) {
            final var content = message.getPayload();
            try { var order = this.service.decode(content, Order.class); return message.ack(); }
            catch (Throwable error) { return message.nack(error); } }
          @Incoming("items") void b(JsonObject content) { Item i = content.mapTo(Item.class); }
          @Incoming("open") void c(JsonObject content) {}
        }
        """
    assert read(tmp_path, LIBRARY, source) == [
        f"<- items {ITEM}",
        "<- open <`c` takes a payload of any type>",
        f"<- orders {ORDER}",
    ]
