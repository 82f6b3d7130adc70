"""Dapr."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import (
    READ_WEB_ITEM,
    READ_WEB_ORDER,
    WEB_ITEM,
    WEB_ORDER,
)
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "Dapr Dapr.Client Microsoft.AspNetCore.Mvc"


def test_published_events(tmp_path: Path) -> None:
    source = """
        public class P(DaprClient dapr, IDaprPublishSubscribeClient client)
        {
            Task A(Order order) => dapr.PublishEventAsync("pubsub", Names.Orders, order);
            Task B(Item item) => client.PublishEventAsync("pubsub", topicName: "items", data: item);
            Task C(Order order) => dapr.PublishEventAsync("pubsub", "object", (object)order);
            Task D() => dapr.PublishEventAsync("pubsub", "made", new { OrderId = 1 });
            Task E() => dapr.PublishEventAsync("pubsub", "empty");
            Task F(List<Item> items) => dapr.BulkPublishEventAsync("pubsub", "bulk", items);
            Task G(Order order) => dapr.PublishEventAsync("pubsub", Library.Name(), order);
            Task H(Other other, Order order) => other.PublishEventAsync("x", "y", order);
        }
        public interface Other { Task PublishEventAsync(string a, string b, Order order); }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "-> ?the address is not a constant that can be followed " + WEB_ORDER,
        "-> bulk ?several events are published at once?",
        "-> empty ?no payload is given?",
        f"-> items {WEB_ITEM}",
        "-> made {orderId!: 1}",
        f"-> object {WEB_ORDER}",
        f"-> orders {WEB_ORDER}",
    ]


def test_names_of_types_and_base_classes(tmp_path: Path) -> None:
    source = """
        public record Event { public int Id { get; init; } }
        public record Placed(string By) : Event;
        public class Bus(DaprClient dapr)
        {
            public Task Publish(Event data) =>
                dapr.PublishEventAsync("pubsub", data.GetType().Name, (object)data);
            public Task Typed<T>(T data) =>
                dapr.PublishEventAsync("pubsub", typeof(T).Name, data);
        }
        public class Caller(Bus bus)
        {
            Task A() => bus.Publish(new Placed("x"));
            Task B(Order order) => bus.Typed(order);
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> Order {WEB_ORDER}",
        "-> Placed {by: 'x', id: integer(int32)}",
    ]


def test_handlers_of_topics(tmp_path: Path) -> None:
    source = """
        public class C : ControllerBase
        {
            private const string Bus = "pubsub";
            [HttpPost("orders")] [Topic(Bus, Names.Orders)]
            public Task A(Order order, [FromServices] IService service, ILogger log) => null;
            [Topic(Bus, "enveloped")] public void B(CloudEvent<Item> item) { }
            [Topic(Bus, "unclear")] public void D(Order order, Item item) { }
        }
        [DaprTopic("pubsub", "handled")]
        public class H : ITopicHandler<Item>
        {
            public Task HandleAsync(Item item, TopicContext c, CancellationToken stop) => null;
        }
    """
    program = """
        using Shop;
        var app = WebApplication.Create(args);
        app.MapPost("/a", (Order order, DaprClient dapr) => Results.Ok()).WithTopic("pubsub", "a");
        app.MapPost("/b", [Topic("pubsub", "b")] (Item item) => Results.Ok()).WithName("b");
        app.MapPost("/c", Library.Handler).WithTopic("pubsub", "c");
    """
    assert read(tmp_path, LIBRARY, source, Program="using Dapr;\n" + program) == [
        f"<- a {READ_WEB_ORDER}",
        f"<- b {READ_WEB_ITEM}",
        "<- c ?the handler of the topic cannot be followed?",
        f"<- enveloped {READ_WEB_ITEM}",
        f"<- handled {READ_WEB_ITEM}",
        f"<- orders {READ_WEB_ORDER}",
        "<- unclear ?`D` does not say which message it takes?",
    ]


def test_events_that_are_record_structs_of_other_files(tmp_path: Path) -> None:
    source = """
        public class P(DaprClient dapr)
        {
            Task A(Moved moved) => dapr.PublishEventAsync("pubsub", "moved", moved);
            Task B(Left left) => dapr.PublishEventAsync("pubsub", "left", left);
        }
    """
    others = {
        "Moved": "namespace Shop; public readonly record struct Moved(int To);",
        "Left": "namespace Shop; public record class Left(int From);",
    }
    assert read(tmp_path, LIBRARY, source, **others) == [
        "-> left {from: integer(int32)}",
        "-> moved {to: integer(int32)}",
    ]


def test_options_of_the_client_are_not_followed(tmp_path: Path) -> None:
    source = """
        public class P(DaprClient dapr)
        { Task A(Order order) => dapr.PublishEventAsync("pubsub", "orders", order); }
    """
    setup = "services.AddDaprClient(b => b.UseJsonSerializationOptions(options));"
    assert read(tmp_path, LIBRARY, source, Setup=setup) == [
        "-> orders ?the options that are passed to the serializer cannot be followed?"
    ]
