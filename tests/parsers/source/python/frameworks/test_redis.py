"""Redis: channels and streams."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import exchanged

MODELS = """
    from pydantic import BaseModel
    class Order(BaseModel):
        id: int
    """


def test_channels_are_published_to(tmp_path: Path) -> None:
    source = """
        import json, os
        import redis
        import redis.asyncio as aioredis
        from redis import Redis
        from pydantic_settings import BaseSettings
        from models import Order
        class Settings(BaseSettings):
            paid: str = "orders.paid"
        settings = Settings()
        r = redis.Redis(host="x")
        CHANNEL = os.environ.get("CHANNEL", "orders.lost")
        def send(order: Order, user_id):
            r.publish("orders.created", order.model_dump_json())
            r.publish(settings.paid, json.dumps({"id": 1}))
            r.publish(CHANNEL, "gone")
            r.publish(f"users:{user_id}:orders", json.dumps({"n": "x"}))
            r.publish(os.environ["ELSEWHERE"], json.dumps({"n": "x"}))
            pipe = r.pipeline()
            pipe.publish("orders.piped", json.dumps({"p": True}))
        class Bus:
            def __init__(self, client: Redis | None):
                self._client = client
            async def emit(self, channel, event):
                await self._client.publish(channel, json.dumps(event))
        async def run(bus: Bus):
            await bus.emit("orders.wrapped", {"w": "x"})
        async def untyped(redis, other):
            await redis.publish("orders.untyped", json.dumps({"u": "x"}))
            await other.publish("mqtt", "x")
            connection = aioredis.from_url("redis://")
            await connection.publish("orders.async", json.dumps({"a": "x"}))
        """
    assert exchanged(tmp_path, "redis-py", source, models=MODELS) == [
        "send orders.created Order: {id: integer}",
        "send orders.paid: {id: integer[1]}",
        "send orders.lost: unknown: the message is a text",
        "send users:{}:orders: {n: string['x']}",
        "send  (its address is not constant): {n: string['x']}",
        "send orders.piped: {p: boolean[True]}",
        "send orders.wrapped: {w: string['x']}",
        "send orders.untyped: {u: string['x']}",
        "send orders.async: {a: string['x']}",
    ]


def test_channels_are_subscribed_to(tmp_path: Path) -> None:
    source = """
        import json
        import redis
        from models import Order
        r = redis.from_url("redis://")
        def listen():
            p = r.pubsub(ignore_subscribe_messages=True)
            p.subscribe("orders.created", "orders.paid")
            for message in p.listen():
                if message["type"] == "message":
                    data = json.loads(message["data"])
                    print(data["orderId"], data.get("note"))
        def poll():
            p = r.pubsub()
            p.psubscribe("orders.*")
            while True:
                message = p.get_message(timeout=1)
                if message is None:
                    continue
                Order.model_validate_json(message["data"])
        def on_paid(message):
            print(json.loads(message["data"])["id"])
        NAME = "orders.named"
        def handlers():
            p = r.pubsub()
            p.subscribe(**{"orders.kept": on_paid, NAME: on_paid})
            p.subscribe(lost=lambda message: None)
        """
    found = exchanged(tmp_path, "redis-py", source, models=MODELS)
    assert found == [
        "receive orders.created: {orderId: anything, note-: anything}~",
        "receive orders.paid: {orderId: anything, note-: anything}~",
        "receive orders.** Order: {id: integer}",
        "receive orders.kept: {id: anything}~",
        "receive orders.named: {id: anything}~",
        "receive lost: unknown: the handler validates the message with no model",
    ]


def test_streams(tmp_path: Path) -> None:
    source = """
        import json
        from redis.asyncio import Redis
        redis = Redis()
        STREAM = "orders"
        async def add(order):
            await redis.xadd(STREAM, {"data": json.dumps({"id": 1})})
            await redis.xadd("plain", {"id": 1, "name": "x"}, maxlen=5)
            await redis.xadd("mixed", {"type": "a", "body": json.dumps(order)})
        async def read():
            answer = await redis.xreadgroup("group", "me", {STREAM: ">"}, count=1)
            for stream, messages in answer:
                for id, fields in messages:
                    print(json.loads(fields[b"data"])["id"])
        async def tail(streams):
            await redis.xread({"plain": "$"}, block=0)
            await redis.xread(streams)
        """
    found = exchanged(tmp_path, "redis-py", source)
    texts = "unknown: a stream holds text, whatever was written"
    assert [line.replace(texts, "text?") for line in found] == [
        "send orders: {id: integer[1]}",
        "send plain: {id: text?, name: string['x']}",
        "send mixed: unknown: field `body` of the stream's entry may hold the message as text",
        "receive orders: {id: anything}~",
        "receive plain: unknown: the handler validates the message with no model",
        "receive  (its address is not constant): "
        "unknown: the handler validates the message with no model",
    ]


def test_lists_and_other_libraries_are_no_channels(tmp_path: Path) -> None:
    source = """
        import redis, zmq
        r = redis.Redis()
        def run(socket: zmq.Socket, signals):
            r.lpush("jobs", "x")
            r.brpop("jobs")
            socket.subscribe("redis")
            signals.publish("redis", {})
        """
    assert exchanged(tmp_path, "redis-py", source) == []
