"""Base classes of the project around libraries of events, as the classes below fill them in."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER, READ_ITEM, READ_ORDER, events

KAFKA = "Confluent.Kafka System.Text.Json Microsoft.Extensions.Configuration"
RABBIT = "RabbitMQ.Client RabbitMQ.Client.Events System.Text System.Text.Json"
SEND = "new Message<string, string> { Value = JsonSerializer.Serialize(message) }"


def test_producers_of_kafka(tmp_path: Path) -> None:
    source = """
        public abstract class Producer<T>(IProducer<string, string> producer)
        {
            protected abstract string Topic { get; }
            public Task Publish(T message) => producer.ProduceAsync(Topic, SEND);
        }
        public class Orders(IProducer<string, string> p) : Producer<Order>(p)
        { protected override string Topic => "orders"; }
        public class Named<T>(IProducer<string, string> producer, string topic)
        { public Task Publish(T message) => producer.ProduceAsync(topic, SEND); }
        public class Items(IProducer<string, string> p) : Named<Item>(p, "items") { }
        public class Shop(Orders orders, Items items)
        {
            Task A(Order order) => orders.Publish(order);
            Task B(Item item) => items.Publish(item);
        }
    """.replace("SEND", SEND)
    assert events(tmp_path, KAFKA, source) == [f"-> items {ITEM}", f"-> orders {ORDER}"]


def test_consumers_of_kafka(tmp_path: Path) -> None:
    source = """
        public abstract class Consumer<T>
        {
            protected abstract string Topic { get; }
            protected abstract Task Handle(T message);
            public async Task Run(IConsumer<string, string> consumer)
            {
                consumer.Subscribe(Topic);
                var result = consumer.Consume();
                await Handle(JsonSerializer.Deserialize<T>(result.Message.Value));
            }
        }
        public class Orders : Consumer<Order>
        {
            protected override string Topic => "orders";
            protected override Task Handle(Order order) => Task.CompletedTask;
        }
    """
    assert events(tmp_path, KAFKA, source) == [f"<- orders {READ_ORDER}"]


def test_consumers_of_rabbitmq(tmp_path: Path) -> None:
    source = """
        public abstract class Consumer<T>
        {
            private readonly IModel channel;
            private readonly string queue;
            protected Consumer(IModel channel, string queue)
            {
                this.channel = channel;
                this.queue = queue;
            }
            public void Run()
            {
                var consumer = new AsyncEventingBasicConsumer(channel);
                consumer.Received += async (_, e) =>
                    Handle(JsonSerializer.Deserialize<T>(Encoding.UTF8.GetString(e.Body.ToArray())));
                channel.BasicConsume(queue, false, consumer);
            }
            protected abstract void Handle(T message);
        }
        public class Orders : Consumer<Order>
        {
            public Orders(IModel channel) : base(channel, Names.Orders) { }
            protected override void Handle(Order order) { }
        }
        public class Items(IModel channel) : Consumer<Item>(channel, "items")
        { protected override void Handle(Item item) { } }
    """
    assert events(tmp_path, RABBIT, source) == [f"<- items {READ_ITEM}", f"<- orders {READ_ORDER}"]


def test_addresses_that_events_and_settings_give(tmp_path: Path) -> None:
    source = """
        public interface IEvent { string Key { get; } }
        public record Placed(int Id) : IEvent { [JsonIgnore] public string Key => "placed"; }
        public class Bus(IModel channel)
        {
            public void Publish<T>(T message) where T : IEvent => channel.BasicPublish("shop",
                message.Key, null, JsonSerializer.SerializeToUtf8Bytes(message));
            public void Send(string key, object message) => channel.BasicPublish("shop", key, null,
                JsonSerializer.SerializeToUtf8Bytes(message));
        }
        public class Shop(Bus bus, IConfiguration configuration)
        {
            void A() => bus.Publish(new Placed(1));
            void B(Item item) => bus.Send(configuration["Keys:Items"], item);
        }
    """
    settings = '{"Keys": {"Items": "items-key"}}'
    usings = f"{RABBIT} Microsoft.Extensions.Configuration System.Text.Json.Serialization"
    assert events(tmp_path, usings, source, appsettings=settings) == [
        f"-> items-key (shop) {ITEM}",
        f"-> placed (shop) {ORDER}",
    ]
