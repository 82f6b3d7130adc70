"""nats-py: core NATS and JetStream."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import exchanged


def test_subjects_are_published_to(tmp_path: Path) -> None:
    source = """
        import json
        import nats
        from nats.aio.client import Client as NATS
        from nats.aio.msg import Msg
        SUBJECT = "orders.created"
        async def run(order_id):
            nc = await nats.connect("nats://x")
            await nc.publish(SUBJECT, json.dumps({"id": 1}).encode())
            await nc.publish(f"orders.{order_id}.paid", b"{}")
            answer = await nc.request("stock.check", json.dumps({"sku": "x"}).encode(), timeout=1)
            js = nc.jetstream()
            await js.publish(subject="orders.kept", payload=json.dumps({"k": "x"}).encode())
        async def answer(msg: Msg, nc: NATS, subject):
            await nc.publish(msg.reply, b"done")
            await nc.publish(subject, b"x")
        class Publisher:
            def __init__(self):
                self.nc = NATS()
            async def send(self, subject: str, data: dict):
                await self.nc.publish(subject, json.dumps(data).encode())
        async def use(publisher: Publisher):
            await publisher.send("orders.wrapped", {"w": "x"})
        """
    assert exchanged(tmp_path, "nats-py", source) == [
        "send orders.created: {id: integer[1]}",
        "send orders.{}.paid: unknown: bytes",
        "send stock.check: {sku: string['x']}",
        "send orders.kept: {k: string['x']}",
        "send  (its address is not constant): unknown: bytes",
        "send orders.wrapped: {w: string['x']}",
    ]


def test_subjects_are_subscribed_to(tmp_path: Path) -> None:
    source = """
        import json
        import nats
        async def on_created(msg):
            data = json.loads(msg.data.decode())
            print(data["orderId"])
        async def run():
            nc = await nats.connect()
            js = nc.jetstream()
            await nc.subscribe("orders.created", cb=on_created)
            await nc.subscribe("orders.*", "workers", on_created)
            await js.subscribe("kept.>", durable="x", cb=on_created)
        class Worker:
            def __init__(self):
                self.js = None
            async def connect(self):
                self.js = (await nats.connect()).jetstream()
            async def pull(self, subject="orders.late"):
                sub = await self.js.pull_subscribe(subject, "durable")
                for msg in await sub.fetch(10):
                    print(json.loads(msg.data)["late"])
        """
    found = exchanged(tmp_path, "nats-py", source)
    assert found == [
        "receive orders.created: {orderId: anything}~",
        "receive orders.**: {orderId: anything}~",
        "receive kept.>*: {orderId: anything}~",
        "receive orders.late: {late: anything}~",
    ]


def test_other_clients_are_not_read(tmp_path: Path) -> None:
    source = """
        import nats
        from faststream.rabbit import RabbitBroker
        broker = RabbitBroker()
        async def send(): await broker.publish({"a": 1}, "queue")
        """
    assert exchanged(tmp_path, "nats-py", source) == []
