"""RabbitMQ.Client."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER, READ_ITEM, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "RabbitMQ.Client RabbitMQ.Client.Events System.Text System.Text.Json"


def test_published_messages(tmp_path: Path) -> None:
    source = """
        public class P(IModel channel, IChannel modern)
        {
            void A(Order order)
            {
                var body = Encoding.UTF8.GetBytes(JsonSerializer.Serialize(order));
                channel.BasicPublish("", Names.Orders, null, body);
            }
            void B(Order order) => channel.BasicPublish(exchange: "shop", routingKey: "order.made",
                basicProperties: null, body: JsonSerializer.SerializeToUtf8Bytes(order));
            void C(Item item) => channel.BasicPublish("fanout", string.Empty, true, null,
                Encoding.UTF8.GetBytes(JsonConvert.SerializeObject(item)));
            async Task D(Item item, CancellationToken stop) => await modern.BasicPublishAsync(
                "shop", "item.made", JsonSerializer.SerializeToUtf8Bytes(item), stop);
            void E(string x) => channel.BasicPublish("", "text", null, Encoding.UTF8.GetBytes(x));
            void F(Order order) => Send("wrapped", order);
            void Send<T>(string queue, T message) => channel.BasicPublish("", queue, null,
                Encode(message));
            byte[] Encode<T>(T message)
            {
                var json = JsonSerializer.Serialize(message);
                return Encoding.UTF8.GetBytes(json);
            }
            void G(Order order) => channel.BasicPublish("", Library.Name(), null,
                JsonSerializer.SerializeToUtf8Bytes(order));
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "-> ?the address is not a constant that can be followed " + ORDER,
        f"-> fanout {ITEM}",
        f"-> item.made (shop) {ITEM}",
        f"-> order.made (shop) {ORDER}",
        f"-> orders {ORDER}",
        "-> text ?how the payload is serialised cannot be followed?",
        f"-> wrapped {ORDER}",
    ]


def test_consumed_queues(tmp_path: Path) -> None:
    source = """
        public class L(IModel channel)
        {
            void A()
            {
                channel.QueueBind("orders", "shop", "order.made");
                var consumer = new EventingBasicConsumer(channel);
                consumer.Received += (model, args) =>
                {
                    var text = Encoding.UTF8.GetString(args.Body.ToArray());
                    var order = JsonSerializer.Deserialize<Order>(text);
                };
                channel.BasicConsume(queue: "orders", autoAck: true, consumer: consumer);
            }
        }
        public class M(IChannel channel)
        {
            async Task A()
            {
                var declared = await channel.QueueDeclareAsync();
                await channel.QueueBindAsync(declared.QueueName, "shop", "item.made");
                var consumer = new AsyncEventingBasicConsumer(channel);
                consumer.ReceivedAsync += Take;
                await channel.BasicConsumeAsync(declared.QueueName, true, consumer);
            }
            Task Take(object sender, BasicDeliverEventArgs args)
            {
                var item = JsonSerializer.Deserialize<Item>(args.Body.Span);
                return Task.CompletedTask;
            }
        }
        public class N(IModel channel)
        {
            void A() => channel.BasicConsume("raw", true, consumer);
            void B(string name) => channel.BasicConsume(name, true, consumer);
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        "<- ?the address is not a constant that can be followed"
        " ?what is made of the messages cannot be followed?",
        f"<- item.made (shop) {READ_ITEM}",
        f"<- orders (order.made, shop) {READ_ORDER}",
        "<- raw ?what is made of the messages cannot be followed?",
    ]
