"""Azure Service Bus."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import (
    ITEM,
    ORDER,
    READ_ITEM,
    READ_ORDER,
    WEB_ORDER,
)
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "Azure.Messaging.ServiceBus Microsoft.Extensions.Configuration System.Text.Json"


def test_messages_of_senders(tmp_path: Path) -> None:
    source = """
        public class P(ServiceBusClient client, ServiceBusSender injected)
        {
            private readonly ServiceBusSender _items = client.CreateSender("items");
            async Task A(Order order)
            {
                var sender = client.CreateSender(Names.Orders);
                var message = new ServiceBusMessage(JsonSerializer.Serialize(order));
                await sender.SendMessageAsync(message);
            }
            async Task B(Item item)
            {
                var json = JsonSerializer.Serialize(item);
                ServiceBusMessage message = new(Encoding.UTF8.GetBytes(json)) { Subject = "x" };
                await _items.SendMessageAsync(message).ConfigureAwait(false);
            }
            async Task C(Order order)
            {
                await using ServiceBusSender sender = client.CreateSender("binary");
                await sender.ScheduleMessageAsync(
                    new ServiceBusMessage(BinaryData.FromObjectAsJson(order)), DateTimeOffset.Now);
            }
            async Task D(Order order)
            {
                var sender = client.CreateSender("object");
                await sender.SendMessageAsync(new ServiceBusMessage(new BinaryData(order)));
            }
            async Task E(Order order)
            {
                var sender = client.CreateSender("web");
                var options = new JsonSerializerOptions(JsonSerializerDefaults.Web);
                var message = new ServiceBusMessage
                { Body = BinaryData.FromString(JsonSerializer.Serialize(order, options)) };
                await sender.SendMessageAsync(message);
            }
            Task F(Order order) => injected.SendMessageAsync(
                new ServiceBusMessage(JsonSerializer.Serialize(order)));
            Task G(ITelegram bot) => bot.SendMessageAsync("no message of a bus");
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> ?what the sender was made for cannot be followed {ORDER}",
        f"-> binary {ORDER}",
        f"-> items {ITEM}",
        f"-> object {ORDER}",
        f"-> orders {ORDER}",
        f"-> web {WEB_ORDER}",
    ]


def test_batches(tmp_path: Path) -> None:
    source = """
        public class P(ServiceBusClient client)
        {
            async Task A(List<Order> orders)
            {
                var sender = client.CreateSender("batch");
                using ServiceBusMessageBatch batch = await sender.CreateMessageBatchAsync();
                foreach (var order in orders)
                {
                    batch.TryAddMessage(new ServiceBusMessage(JsonSerializer.Serialize(order)));
                }
                await sender.SendMessagesAsync(batch);
            }
            async Task B(List<Item> items)
            {
                var sender = client.CreateSender("list");
                var messages = items.Select(
                    item => new ServiceBusMessage(JsonSerializer.Serialize(item)));
                await sender.SendMessagesAsync(messages.ToList());
            }
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "-> batch ?what the message holds cannot be followed?",
        f"-> batch {ORDER}",
        f"-> list {ITEM}",
    ]


def test_names_of_settings(tmp_path: Path) -> None:
    source = """
        public class Bus { public string Topic { get; set; } public Deep Deep { get; set; } }
        public class Deep { public string Queue { get; set; } }
        public class Start
        {
            void A(IServiceCollection services, IConfiguration configuration)
            {
                services.Configure<Bus>(configuration.GetSection("Messaging:Bus"));
            }
        }
        public class P
        {
            private readonly ServiceBusSender _one, _two, _three;
            private readonly Bus _bus;
            public P(ServiceBusClient client, IConfiguration configuration, IOptions<Bus> options)
            {
                _bus = options.Value;
                _one = client.CreateSender(configuration["Queues:One"]!);
                _two = client.CreateSender(configuration.GetValue<string>("Queues:Two") ?? "two");
                _three = client.CreateSender(configuration.GetSection("Queues")["Missing"]);
            }
            ServiceBusMessage Made() => new(JsonSerializer.Serialize(new Order(1)));
            Task A(Order order) => _one.SendMessageAsync(new(JsonSerializer.Serialize(order)));
            Task B(Order order) => _two.SendMessageAsync(new(JsonSerializer.Serialize(order)));
            Task C(Order order) => _three.SendMessageAsync(new(JsonSerializer.Serialize(order)));
            Task D(ServiceBusClient client, Order order) => client.CreateSender(_bus.Topic)
                .SendMessageAsync(new(JsonSerializer.Serialize(order)));
            Task E(ServiceBusClient client, Order order) => client.CreateSender(_bus.Deep.Queue)
                .SendMessageAsync(new(JsonSerializer.Serialize(order)));
        }
    """
    settings = """
        { // what holds everywhere
          "Queues": { "One": "queue-one", },
          "Messaging": { "Bus": { "Topic": "topic", "Deep": { "Queue": "deep" } } } }
    """
    usings = f"{LIBRARY} Microsoft.Extensions.Options"
    assert read(tmp_path, usings, source, appsettings=settings) == [
        f"-> ?the setting `Queues:Missing` is in no appsettings.json {ORDER}",
        f"-> deep {ORDER}",
        f"-> queue-one {ORDER}",
        f"-> topic {ORDER}",
        f"-> two {ORDER}",
    ]


def test_wrappers_are_followed_to_their_callers(tmp_path: Path) -> None:
    source = """
        public abstract record Event(Guid Key);
        public record Placed(Guid Key, int Id) : Event(Key);
        public record Paid(Guid Key) : Event(Key);
        public interface IBus { Task Send<T>(T data, string queue); Task Publish(Event data); }
        public class Bus(ServiceBusClient client) : IBus
        {
            public async Task Send<T>(T data, string queue)
            {
                var message = new ServiceBusMessage(JsonSerializer.Serialize(data));
                await client.CreateSender(queue).SendMessageAsync(message);
            }
            public async Task Publish(Event data)
            {
                var sender = client.CreateSender(data.GetType().Name);
                await sender.SendMessageAsync(
                    new ServiceBusMessage(JsonSerializer.Serialize(data, data.GetType())));
            }
        }
        public class Outbox(IBus bus) { public Task Add(Event data) => bus.Publish(data); }
        public class Caller(IBus bus, Outbox outbox)
        {
            Task A(Order order) => bus.Send(order, "wrapped");
            Task B(bool paid) => outbox.Add(paid ? new Paid(default) : new Placed(default, 1));
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "-> Paid {Key: string(uuid)}",
        "-> Placed {Key: string(uuid), Id: integer(int32)}",
        f"-> wrapped {ORDER}",
    ]


def test_processors_and_receivers(tmp_path: Path) -> None:
    source = """
        public class L
        {
            private readonly ServiceBusProcessor _orders, _items;
            public L(ServiceBusClient client)
            {
                _orders = client.CreateProcessor("orders");
                _items = client.CreateProcessor("items", "subscription");
                _orders.ProcessMessageAsync += OnOrder;
                _items.ProcessMessageAsync += async args =>
                {
                    await Take(args.Message.Body.ToString());
                };
            }
            Task OnOrder(ProcessMessageEventArgs args)
            {
                var order = JsonSerializer.Deserialize<Order>(args.Message.Body);
                return Task.CompletedTask;
            }
            Task Take(string text) => Task.FromResult(JsonSerializer.Deserialize<Item>(text));
        }
        public class M(ServiceBusClient client)
        {
            async Task A()
            {
                var receiver = client.CreateReceiver("received");
                var message = await receiver.ReceiveMessageAsync();
                var item = message.Body.ToObjectFromJson<Item>();
            }
        }
        public class N(ServiceBusClient client, Other other)
        {
            async Task A() { var receiver = client.CreateReceiver("raw"); }
            async Task B() { var receiver = other.CreateReceiver("of something else"); }
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"<- items {READ_ITEM}",
        f"<- orders {READ_ORDER}",
        "<- raw ?what is made of the messages cannot be followed?",
        f"<- received {READ_ITEM}",
    ]
