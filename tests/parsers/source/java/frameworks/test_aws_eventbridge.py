"""Amazon EventBridge."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.frameworks.events import ITEM, ORDER
from tests.parsers.source.java.frameworks.events import events as read

LIBRARY = (
    "software.amazon.awssdk.services.eventbridge.EventBridgeClient"
    " software.amazon.awssdk.services.eventbridge.model.*"
)


def test_entries(tmp_path: Path) -> None:
    source = """
        class P { private EventBridgeClient client;
          static final String TYPE = "OrderCreated";
          void a(Order order) {
            PutEventsRequestEntry entry = PutEventsRequestEntry.builder()
              .source("shop").detailType(TYPE).detail(mapper.writeValueAsString(order))
              .eventBusName("bus").build();
            client.putEvents(PutEventsRequest.builder().entries(entry).build()); }
          void b(Item item) { client.putEvents(r -> r.entries(e -> e
            .detailType("ItemAdded").detail(mapper.writeValueAsString(item)))); }
          void c(Item item) { new PutEventsRequestEntry().withDetailType("Old")
            .withDetail(mapper.writeValueAsString(item)); }
          void d(String type, Object detail) { put(type, mapper.writeValueAsString(detail)); }
          void put(String type, String text) {
            PutEventsRequestEntry.builder().detailType(type).detail(text).build(); }
        }
        """
    assert read(tmp_path, LIBRARY, source) == [
        "-> ?the address is not a constant that can be followed <it is declared as `Object`>",
        f"-> ItemAdded {ITEM}",
        f"-> Old {ITEM}",
        f"-> OrderCreated (bus, shop, bus/OrderCreated, shop/OrderCreated, bus.OrderCreated, "
        f"shop.OrderCreated) {ORDER}",
    ]
