"""Azure Service Bus: queues and topics."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import exchanged


def test_senders(tmp_path: Path) -> None:
    source = """
        import json, os
        from azure.servicebus import ServiceBusClient, ServiceBusMessage, ServiceBusSender
        client = ServiceBusClient.from_connection_string("x")
        QUEUE = "orders"
        def run(rows):
            with client.get_queue_sender(queue_name=QUEUE) as sender:
                sender.send_messages(ServiceBusMessage(json.dumps({"id": 1})))
                sender.send_messages([ServiceBusMessage(json.dumps({"many": "x"}))])
                batch = sender.create_message_batch()
                batch.add_message(ServiceBusMessage(body=json.dumps({"b": "x"})))
                sender.send_messages(batch)
            topic = client.get_topic_sender("orders-paid")
            topic.schedule_messages(ServiceBusMessage(json.dumps({"t": "x"})), 1)
            client.get_queue_sender(os.environ["QUEUE"]).send_messages(ServiceBusMessage("x"))
        def handed(sender: ServiceBusSender, other):
            sender.send_messages(ServiceBusMessage(json.dumps({"h": "x"})))
            other.send_messages(["x"])
        """
    assert exchanged(tmp_path, "Azure Service Bus", source) == [
        "send orders: {id: integer[1]}",
        "send orders: {many: string['x']}",
        "send orders: {b: string['x']}",
        "send orders-paid: {t: string['x']}",
        "send  (its address is not constant): unknown: the message is a text",
        "send  (the queue or topic of the sender is not seen here): {h: string['x']}",
    ]


def test_wrappers_of_the_project(tmp_path: Path) -> None:
    source = """
        from bus import Bus
        async def use(bus: Bus):
            await bus.send("orders-wrapped", {"w": "x"})
        """
    bus = """
        import json
        from azure.servicebus.aio import ServiceBusClient
        from azure.servicebus import ServiceBusMessage
        class Bus:
            def __init__(self, client: ServiceBusClient):
                self.client = client
            async def send(self, topic, data):
                async with self.client.get_topic_sender(topic_name=topic) as sender:
                    message = ServiceBusMessage(json.dumps(data), content_type="application/json")
                    await sender.send_messages(message)
        """
    assert exchanged(tmp_path, "Azure Service Bus", source, bus=bus) == [
        "send orders-wrapped: {w: string['x']}"
    ]


def test_receivers(tmp_path: Path) -> None:
    source = """
        import json
        from azure.servicebus import ServiceBusClient
        client = ServiceBusClient("host", None)
        def queue():
            with client.get_queue_receiver(queue_name="orders") as receiver:
                for message in receiver:
                    print(json.loads(str(message))["orderId"])
        def topic():
            receiver = client.get_subscription_receiver("orders-paid", "billing")
            for message in receiver.receive_messages(max_wait_time=5):
                print(json.loads(str(message)).get("amount"))
        """
    found = exchanged(tmp_path, "Azure Service Bus", source)
    assert found == [
        "receive orders: {orderId: anything}~",
        "receive orders-paid: {amount-: anything}~",
    ]
