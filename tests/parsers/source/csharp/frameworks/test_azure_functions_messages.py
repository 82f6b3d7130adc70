"""Azure Functions: messages."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.frameworks.events import (
    ITEM,
    ORDER,
    READ_ITEM,
    READ_ORDER,
)
from tests.parsers.source.csharp.frameworks.events import events as read

LIBRARY = "Microsoft.Azure.Functions.Worker System.Text.Json"


def test_triggers(tmp_path: Path) -> None:
    source = """
        public class F
        {
            [Function("a")] public void A(
                [ServiceBusTrigger("orders", Connection = "x")] Order order, ILogger log) { }
            [Function("b")] public void B(
                [ServiceBusTrigger("%Topics:Items%", "sub")] ServiceBusReceivedMessage message)
            {
                var item = JsonSerializer.Deserialize<Item>(message.Body);
            }
            [Function("c")] public void C([QueueTrigger(queueName: "batch")] Item[] items) { }
            [Function("d")] public void D([EventHubTrigger("%Missing%")] Order order) { }
            [Function("e")] public void E([KafkaTrigger("Brokers", "stream")] Order order) { }
            [Function("f")] public void F1([RabbitMQTrigger("raw")] string text) { }
        }
    """
    settings = '{"Values": {"Topics__Items": "items"}}'
    assert read(tmp_path, LIBRARY, source, local_settings=settings) == [
        f"<- ?the setting `Missing` is in no settings file {READ_ORDER}",
        f"<- batch {READ_ITEM}",
        f"<- items {READ_ITEM}",
        f"<- orders {READ_ORDER}",
        "<- raw ?`F1` takes the message as it is?",
        f"<- stream {READ_ORDER}",
    ]


def test_outputs(tmp_path: Path) -> None:
    source = """
        public class F
        {
            [Function("a")] [ServiceBusOutput("orders", Connection = "x")]
            public Task<Order> A() => null;
            [Function("b")] [QueueOutput("many")] public List<Item> B() => null;
            [FunctionName("c")] [return: ServiceBus("returned")] public Item C() => null;
            [FunctionName("d")] public void D(
                [ServiceBus("collected")] IAsyncCollector<Order> orders,
                [Queue("raw")] out string text) { }
            [Function("e")] public Several E() => null;
        }
        public class Several
        {
            [ServiceBusOutput("one")] public Item Message { get; set; }
            public HttpResponseData Response { get; set; }
        }
    """
    assert read(tmp_path, LIBRARY, source) == [
        f"-> collected {ORDER}",
        f"-> many {ITEM}",
        f"-> one {ITEM}",
        f"-> orders {ORDER}",
        "-> raw ?`D` gives the message as it is?",
        f"-> returned {ITEM}",
    ]


def test_attributes_of_other_libraries_with_these_names_are_no_outputs(tmp_path: Path) -> None:
    source = """
        public interface IScanner { [Queue("low")] Task Scan(int id); }
        public class Functions
        {
            [FunctionName("a")] public void A([Queue("raw")] out string text) { }
        }
    """
    assert read(tmp_path, "Hangfire", source) == ["-> raw ?`A` gives the message as it is?"]


def test_functions_without_a_name_are_told_by_the_library(tmp_path: Path) -> None:
    source = """
        public class Jobs { [return: Queue("done")] public static Item Run() => null; }
    """
    assert read(tmp_path, "Microsoft.Azure.WebJobs", source) == [f"-> done {ITEM}"]
