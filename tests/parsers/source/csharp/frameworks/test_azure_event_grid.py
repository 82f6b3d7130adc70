"""Azure Event Grid."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER
from tests.parsers.source.csharp.frameworks.events import events as read


def test_events_that_are_made(tmp_path: Path) -> None:
    source = """
        public class P(EventGridPublisherClient client)
        {
            Task A(Order order) => client.SendEventAsync(
                new EventGridEvent("orders/1", "Shop.OrderPlaced", "1.0", order));
            Task B(Item item) => client.SendEventsAsync(new[]
            { new CloudEvent("/shop", "shop.item.seen", new BinaryData(item)) });
            Task Send(string type, object data) => client.SendEventAsync(
                new EventGridEvent(subject: "x", dataVersion: "1", eventType: type, data: data));
            Task C(Order order) => Send("Shop.Sent", order);
            Task D() => client.SendEventAsync(new CloudEvent("/shop", Type(), Data()));
        }
    """
    assert read(tmp_path, "Azure.Messaging Azure.Messaging.EventGrid", source) == [
        "-> ?the address is not a constant that can be followed "
        "?the result of `Data` comes from a library?",
        f"-> Shop.OrderPlaced {ORDER}",
        f"-> Shop.Sent {ORDER}",
        f"-> shop.item.seen {ITEM}",
    ]
