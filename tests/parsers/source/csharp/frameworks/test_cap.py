"""CAP."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER, READ_ITEM, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "DotNetCore.CAP"


def test_published_messages(tmp_path: Path) -> None:
    source = """
        public class P(ICapPublisher cap, IMediator mediator)
        {
            Task A(Order order) => cap.PublishAsync(Names.Orders, order);
            void B(Item item) => cap.Publish("items", item, callbackName: "done");
            Task C(Order order) => cap.PublishAsync(nameof(Order), contentObj: order);
            Task D(Item item) => cap.PublishDelayAsync(TimeSpan.FromSeconds(1), "later", item);
            Task E() => cap.PublishAsync("made", new { Id = 1 });
            Task F(Order order) => Wrapped("wrapped", order);
            Task Wrapped<T>(string name, T what) => cap.PublishAsync(name, what);
            Task G(Order order) => mediator.PublishAsync("in process", order);
            Task H(Order order) => cap.PublishAsync(Library.Name(), order);
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "-> ?the address is not a constant that can be followed " + ORDER,
        f"-> Order {ORDER}",
        f"-> items {ITEM}",
        f"-> later {ITEM}",
        "-> made {Id!: 1}",
        f"-> orders {ORDER}",
        f"-> wrapped {ORDER}",
    ]


def test_subscriptions(tmp_path: Path) -> None:
    source = """
        [CapSubscribe("shop")]
        public class L : ICapSubscribe
        {
            [CapSubscribe(Names.Orders)]
            public void A(Order order, [FromCap] CapHeader header, CancellationToken stop) { }
            [CapSubscribe("items", isPartial: true)] public Task B(Item item) => null;
            [CapSubscribe("one")] [CapSubscribe("all.*", Group = "g")] public void C(Item? item) { }
            [CapSubscribe("raw")] public void D(string text) { }
            [CapSubscribe("text")]
            public void E(string text) { var item = JsonSerializer.Deserialize<Item>(text); }
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"<- all.* {READ_ITEM}",
        f"<- one {READ_ITEM}",
        f"<- orders {READ_ORDER}",
        "<- raw ?`D` takes the message as it is?",
        f"<- shop.items {READ_ITEM}",
        f"<- text {READ_ITEM}",
    ]


def test_start_up_code_gives_a_prefix_and_options(tmp_path: Path) -> None:
    source = "public class P(ICapPublisher c) { void A(Order o) => c.Publish(Names.Orders, o); }"
    prefix = """
        var builder = WebApplication.CreateBuilder(args);
        builder.Services.AddCap(x => { x.UseRabbitMQ("x"); x.TopicNamePrefix = "v1"; });
    """
    assert read(tmp_path / "prefix", LIBRARY, source, Program=prefix) == [f"-> v1.orders {ORDER}"]
    options = """
        builder.Services.AddCap(x =>
        { x.JsonSerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.CamelCase; });
    """
    assert read(tmp_path / "options", LIBRARY, source, Program=options) == [
        "-> orders ?the options that are passed to the serializer cannot be followed?"
    ]
