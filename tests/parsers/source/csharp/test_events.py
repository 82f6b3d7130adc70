"""Events: Confluent.Kafka and MassTransit."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

MESSAGES = """
    namespace App;
    public enum Reason { Late, Wrong }
    public record Placed(int OrderId, Reason Reason, string? Note);
    public static class Topics { public const string Placed = "orders.placed"; }
    public static class Json
    {
        public static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
        { Converters = { new JsonStringEnumConverter<Reason>(JsonNamingPolicy.KebabCaseLower) } };
    }
"""
PASCAL = "{OrderId: integer(int32), Reason: 0|1, Note: string|null}"
WEB = "{orderId: integer(int32), reason: 'late'|'wrong', note: string|null}"
READ_WEB = "{orderId?: integer(int32), reason?: 'late'|'wrong', note?: string|null}"
READ_CAMEL = "{orderId?: integer(int32), reason?: 0|1, note?: string|null}"
CAMEL = "{orderId: integer(int32), reason: 0|1, note: string|null}"


def events(folder: Path, source: str, **others: str) -> list[str]:
    files = {"App.csproj": CSPROJ, "M.cs": MESSAGES, "E.cs": "namespace App;\n" + source}
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files).events()


def test_produced_messages(tmp_path: Path) -> None:
    source = """
        public class P(IProducer<string, string> producer, IProducer<Null, Placed> typed)
        {
            async Task A(Placed placed) => await producer.ProduceAsync(Topics.Placed,
                new Message<string, string> { Value = JsonSerializer.Serialize(placed) });
            void B(Placed placed)
            {
                var json = JsonSerializer.Serialize(placed, Json.Options);
                var message = new Message<string, string> { Key = "x", Value = json };
                producer.Produce(new TopicPartition("b", 1), message);
            }
            Task C(Placed p) => typed.ProduceAsync("c", new Message<Null, Placed> { Value = p });
            Task D() => typed.ProduceAsync("d", new() { Value = Encode(1) });
            Task E(string topic) => typed.ProduceAsync(topic, Make());
        }
    """
    assert events(tmp_path, source) == [
        "-> ?the address is not a constant that can be followed " + WEB,
        f"-> b {WEB}",
        f"-> c {WEB}",
        "-> d ?the result of `Encode` comes from a library?",
        f"-> orders.placed {PASCAL}",
    ]


def test_a_wrapper_is_followed_to_its_callers(tmp_path: Path) -> None:
    source = """
        public interface IBus { Task Publish<T>(string topic, T message); }
        public class Bus(IProducer<string, string> producer) : IBus
        {
            public Task Publish<T>(string topic, T message) => producer.ProduceAsync(topic,
                new Message<string, string>
                { Value = JsonSerializer.Serialize(message, Json.Options) });
        }
        public class Caller(IBus bus)
        {
            Task A(Placed placed) => bus.Publish(Topics.Placed, placed);
            Task B() => bus.Publish("other", new { Id = 1 });
        }
    """
    assert events(tmp_path, source) == [f"-> orders.placed {WEB}", "-> other {id!: 1}"]


def test_a_wrapper_gives_a_case_to_the_callers_that_come_to_it(tmp_path: Path) -> None:
    source = """
        public class Bus(IProducer<string, string> producer)
        {
            public Task Publish<T>(string kind, T message)
            {
                var text = JsonSerializer.Serialize(message);
                if (kind == Kinds.Paid)
                    return producer.ProduceAsync("paid", new() { Value = text });
                return producer.ProduceAsync("made", new() { Value = text });
            }
        }
        public static class Kinds { public const string Paid = "paid"; }
        public class Caller(Bus bus)
        {
            Task A() => bus.Publish("paid", new { Amount = 1 });
            Task B() => bus.Publish("made", new { Lines = "x" });
        }
    """
    assert events(tmp_path, source) == ["-> made {Lines!: 'x'}", "-> paid {Amount!: 1}"]


def test_consumed_messages(tmp_path: Path) -> None:
    source = """
        public class L : BackgroundService
        {
            protected override Task ExecuteAsync(CancellationToken stop)
            {
                using var consumer = new ConsumerBuilder<string, string>(config).Build();
                consumer.Subscribe(Topics.Placed);
                while (true)
                {
                    var result = consumer.Consume(stop);
                    var placed = JsonSerializer.Deserialize<Placed>(result.Value, Json.Options);
                }
            }
        }
        public class M(IConsumer<string, Placed> typed, IConsumer<Ignore, byte[]> raw)
        {
            void A() => typed.Subscribe(new[] { "a", "b" });
            void B() => raw.Subscribe("^raw\\\\..*");
            void C() => observable.Subscribe(x => 1);
        }
    """
    assert events(tmp_path, source) == [
        "<- ^raw\\..* ?what is made of the messages cannot be followed?",
        f"<- a {READ_WEB}",
        f"<- b {READ_WEB}",
        f"<- orders.placed {READ_WEB}",
    ]


def test_mass_transit(tmp_path: Path) -> None:
    source = """
        using MassTransit;
        [EntityName("orders.named")] public record Named(int Id);
        public interface ICancelled { int Id { get; } }
        public class C(IPublishEndpoint endpoint, IMediator mediator, ITopicProducer<Placed> topic)
            : IConsumer<Placed>
        {
            public Task Consume(ConsumeContext<Placed> context) =>
                context.Publish(new Named(context.Message.OrderId));
            Task A() => endpoint.Publish<ICancelled>(new { Id = 1 });
            Task B(Placed placed) => topic.Produce(placed);
            Task D() => mediator.Publish(new Named(1));
            Task E(object message) => endpoint.Publish(message);
        }
        public class Saga : MassTransitStateMachine<State>
        { public Event<Named> Seen { get; set; } }
    """
    assert events(tmp_path, source) == [
        "-> ?the type of the message is undetermined ?declared as object?~",
        "-> App:ICancelled (ICancelled, Cancelled, cancelled) {id-: integer(int32)}",
        f"-> App:Placed (Placed, placed) {CAMEL}",
        "-> orders.named {id: integer(int32)}",
        f"<- App:Placed (Placed, placed) {READ_CAMEL}",
        "<- orders.named {id?: integer(int32)}",
    ]


def test_names_that_start_up_code_gives_messages(tmp_path: Path) -> None:
    source = """
        using MassTransit;
        public class C : IConsumer<Placed> { }
        public record Other(int Id);
        public class D : IConsumer<Other> { }
    """
    program = """
        services.AddMassTransit(x =>
        {
            x.UsingRabbitMq((context, cfg) => cfg.Message<Placed>(m => m.SetEntityName("placed")));
            x.AddRider(r => r.UsingKafka((c, k) =>
                k.TopicEndpoint<Other>("others", "g", e => { })));
        });
    """
    assert events(tmp_path, source, Program="using App;\n" + program) == [
        "<- others {id?: integer(int32)}",
        f"<- placed {READ_CAMEL}",
    ]
