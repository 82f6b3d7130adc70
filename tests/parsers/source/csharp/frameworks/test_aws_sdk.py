"""AWS SDK for .NET."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import ITEM, ORDER, READ_ITEM, READ_ORDER
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = (
    "Amazon.SQS Amazon.SQS.Model Amazon.SimpleNotificationService"
    " Amazon.SimpleNotificationService.Model Microsoft.Extensions.Configuration"
)


def test_sends(tmp_path: Path) -> None:
    source = """
        public class P(IAmazonSQS sqs, IAmazonSimpleNotificationService sns, IConfiguration config)
        {
            const string Url = "https://sqs.eu-west-1.amazonaws.com/1/orders";
            async Task A(Order order, CancellationToken stop)
            {
                var request = new SendMessageRequest
                { QueueUrl = Url, MessageBody = JsonSerializer.Serialize(order) };
                await sqs.SendMessageAsync(request, stop);
            }
            Task B(Item item) => sqs.SendMessageAsync("items", JsonSerializer.Serialize(item));
            Task C(Order order) => sns.PublishAsync(new PublishRequest
            {
                TopicArn = "arn:aws:sns:eu-west-1:1:orders-topic",
                Message = JsonSerializer.Serialize(order)
            });
            Task D(Item item) => sqs.SendMessageAsync(new SendMessageRequest(
                config["Queues:Items"], JsonConvert.SerializeObject(item)));
            async Task E(Order order)
            {
                var url = (await sqs.GetQueueUrlAsync("asked")).QueueUrl;
                await sqs.SendMessageAsync(url, JsonSerializer.Serialize(order));
            }
            Task Send<T>(string queue, T message) => sqs.SendMessageAsync(new SendMessageRequest
            { QueueUrl = queue, MessageBody = JsonSerializer.Serialize(message) });
            Task F(Item item) => Send("wrapped", item);
            Task G() => sns.PublishAsync(new PublishRequest { PhoneNumber = "1", Message = "x" });
            Task H(SendMessageRequest request) => sqs.SendMessageAsync(request, default);
            Task I(IBot bot) => bot.SendMessageAsync("no", "queue");
        }
    """
    settings = '{"Queues": {"Items": "items-queue"}}'
    assert read(tmp_path, LIBRARY, source, appsettings=settings) == [
        "-> ?the request is made elsewhere ?the request is made elsewhere?",
        f"-> asked {ORDER}",
        f"-> items {ITEM}",
        f"-> items-queue {ITEM}",
        f"-> orders {ORDER}",
        f"-> orders-topic {ORDER}",
        f"-> wrapped {ITEM}",
    ]


def test_batches(tmp_path: Path) -> None:
    source = """
        public class P(IAmazonSQS sqs, IAmazonSimpleNotificationService sns)
        {
            Task A(List<Order> orders)
            {
                var entries = orders.Select(order => new SendMessageBatchRequestEntry
                { Id = "1", MessageBody = JsonSerializer.Serialize(order) }).ToList();
                return sqs.SendMessageBatchAsync("orders", entries);
            }
            Task B(Item item) => sns.PublishBatchAsync(new PublishBatchRequest
            {
                TopicArn = "arn:aws:sns:eu-west-1:1:items",
                PublishBatchRequestEntries =
                [new PublishBatchRequestEntry { Message = JsonSerializer.Serialize(item) }]
            });
            Task C(List<SendMessageBatchRequestEntry> entries)
                => sqs.SendMessageBatchAsync("others", entries);
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> items {ITEM}",
        f"-> orders {ORDER}",
        "-> others ?the entries are made elsewhere?",
    ]


def test_polled_queues(tmp_path: Path) -> None:
    source = """
        public class L(IAmazonSQS sqs)
        {
            async Task A()
            {
                var answer = await sqs.ReceiveMessageAsync(
                    new ReceiveMessageRequest { QueueUrl = "orders", MaxNumberOfMessages = 1 });
                var order = JsonSerializer.Deserialize<Order>(answer.Messages[0].Body);
            }
            async Task B()
            {
                var answer = await sqs.ReceiveMessageAsync("items");
                var item = JsonSerializer.Deserialize<Item>(answer.Messages[0].Body);
            }
        }
        public class Raw(IAmazonSQS sqs) { Task A() => sqs.ReceiveMessageAsync("raw"); }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"<- items {READ_ITEM}",
        f"<- orders {READ_ORDER}",
        "<- raw ?what is made of the messages cannot be followed?",
    ]
