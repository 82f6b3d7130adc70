"""Amazon EventBridge."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER
from tests.parsers.source.csharp.frameworks.events import events as read


def test_entries(tmp_path: Path) -> None:
    source = """
        public class P(IAmazonEventBridge bridge, string later)
        {
            Task A(Order order) => bridge.PutEventsAsync(new PutEventsRequest
            {
                Entries =
                [
                    new PutEventsRequestEntry
                    {
                        Source = "shop",
                        EventBusName = "arn:aws:events:eu-west-1:1:event-bus/main",
                        DetailType = "OrderPlaced",
                        Detail = JsonSerializer.Serialize(order)
                    }
                ]
            });
            PutEventsRequestEntry Entry<T>(string type, T data) => new PutEventsRequestEntry
            { DetailType = type, Detail = JsonSerializer.Serialize(data) };
            PutEventsRequestEntry B(Item item) => Entry("ItemSeen", item);
            PutEventsRequestEntry C() => new PutEventsRequestEntry { DetailType = later };
        }
    """
    assert read(tmp_path, "Amazon.EventBridge Amazon.EventBridge.Model", source) == [
        "-> ?the address is not a constant that can be followed ?the entry has no detail?",
        f"-> ItemSeen {ITEM}",
        f"-> OrderPlaced (shop/OrderPlaced, shop.OrderPlaced, main) {ORDER}",
    ]
