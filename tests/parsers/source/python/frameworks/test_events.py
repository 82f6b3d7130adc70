"""Events: what is sent where and what is received, for each broker library."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.parsers.source.python.project import events, exchanged, project

MODELS = """
    from pydantic import BaseModel, ConfigDict
    class OrderCreated(BaseModel):
        model_config = ConfigDict(alias_generator=str.upper)
        id: int
    class OrderPaid(BaseModel):
        event_type: str = "order.paid"
        amount: str
    """


def test_confluent_kafka(tmp_path: Path) -> None:
    source = """
        import json
        from confluent_kafka import Consumer, Producer
        from models import OrderCreated
        TOPIC = "orders"
        producer = Producer({})
        def created(order: OrderCreated):
            producer.produce(TOPIC, value=order.model_dump_json().encode("utf-8"), key=b"1")
            producer.produce(topic="raw", value=json.dumps({"id": 1, "name": "x"}))
        class Reader:
            def __init__(self):
                self.consumer = Consumer({})
            def run(self):
                self.consumer.subscribe([TOPIC, "others"])
                message = self.consumer.poll(1.0)
                self.handle(json.loads(message.value()))
            def handle(self, data):
                return OrderCreated(**data)
        """
    assert exchanged(tmp_path, "confluent-kafka", source, models=MODELS) == [
        "send orders OrderCreated: {id<ID>: integer}",
        "send raw: {id: integer[1], name: string['x']}",
        "receive orders OrderCreated: {ID: integer}",
        "receive others OrderCreated: {ID: integer}",
    ]


def test_kafka_python(tmp_path: Path) -> None:
    source = """
        import json
        from kafka import KafkaConsumer, KafkaProducer
        from models import OrderPaid
        producer = KafkaProducer(value_serializer=lambda v: json.dumps(v).encode())
        def send(): producer.send("paid", {"amount": "1"})
        def client(socket): socket.send("paid", {})
        def read():
            consumer = KafkaConsumer("paid", "late", group_id="x")
            for message in consumer:
                OrderPaid.model_validate_json(message.value)
        """
    assert exchanged(tmp_path, "kafka-python", source, models=MODELS) == [
        "send paid: {amount: string['1']}",
        "receive late OrderPaid: {event_type=: string, amount: string}",
        "receive paid OrderPaid: {event_type=: string, amount: string}",
    ]


def test_aiokafka_behind_a_wrapper_in_another_file(tmp_path: Path) -> None:
    source = """
        from bus import Bus
        from models import OrderCreated, OrderPaid
        class Orders:
            def __init__(self, bus: Bus):
                self.bus = bus
            async def create(self):
                await self.bus.emit("orders.created", OrderCreated(id=1))
            async def pay(self, order: OrderPaid):
                await self.bus.emit(topic="orders.paid", event=order)
        """
    bus = """
        from aiokafka import AIOKafkaProducer
        from pydantic import BaseModel
        class Bus:
            def __init__(self) -> None:
                self._producer: AIOKafkaProducer | None = None
            async def emit(self, topic: str, event: BaseModel) -> None:
                payload = event.model_dump_json(by_alias=True).encode()
                await self._producer.send_and_wait(topic, payload)
        """
    assert exchanged(tmp_path, "aiokafka", source, bus=bus, models=MODELS) == [
        "send orders.created OrderCreated: {ID: integer}",
        "send orders.paid OrderPaid: {event_type=: string, amount: string}",
    ]


def test_a_wrapper_gives_a_case_to_the_callers_that_come_to_it(tmp_path: Path) -> None:
    source = """
        import json, pika
        PAID = "paid"
        channel = pika.BlockingConnection().channel()
        def publish(kind, content, note=""):
            if note == "skip":
                return
            if kind == PAID:
                channel.basic_publish(exchange="", routing_key="a", body=json.dumps(content))
            elif kind in ("made", "done"):
                channel.basic_publish(exchange="", routing_key="b", body=json.dumps(content))
        def open_case(kind, content):
            if kind == PAID:
                channel.basic_publish(exchange="", routing_key="c", body=json.dumps(content))
        def run(kind):
            publish(PAID, {"amount": 1})
            publish("made", {"lines": "x"})
            publish("paid", {"never": 1}, note="skip")
            open_case(kind, {"perhaps": 1})
        """
    doubt = "unknown: which case of the function around it the call comes to is undetermined"
    assert exchanged(tmp_path, "pika", source) == [
        "send a: {amount: integer[1]}",
        "send b: {lines: string['x']}",
        f"send c: {doubt}",
    ]


def test_aio_pika_queues_that_a_function_gives(tmp_path: Path) -> None:
    source = """
        from queues import Broker, declare, plain
        async def take(message):
            print(json.loads(message.body)["id"])
        async def run(broker: Broker, settings):
            queue = await declare(broker, "orders", ("orders.made", "orders.*"))
            await queue.consume(take)
            other = await plain(broker)
            await other.consume(take)
            third = await declare(broker, "orders", settings.keys)
            await third.consume(take)
            await settings.consume(take)
        """
    queues = """
        import aio_pika
        class Broker:
            channel: aio_pika.Channel
            exchange: aio_pika.Exchange
        async def declare(broker: Broker, name, keys):
            queue = await broker.channel.declare_queue(name)
            for key in keys:
                await queue.bind(broker.exchange, routing_key=key)
            return queue
        async def plain(broker: Broker):
            return await broker.channel.declare_queue("plain")
        """
    taken = "{id: anything}~"
    found = exchanged(
        tmp_path, "aio-pika", "import json\n" + textwrap.dedent(source), queues=queues
    )
    assert found == [
        f"receive orders.**: {taken}",
        f"receive orders.made: {taken}",
        f"receive plain: {taken}",
        f"receive  (its address is not constant): {taken}",
    ]


def test_pika(tmp_path: Path) -> None:
    source = """
        import json, pika
        from models import OrderPaid
        connection = pika.BlockingConnection()
        channel = connection.channel()
        def on_paid(ch, method, properties, body):
            OrderPaid.model_validate(json.loads(body))
        channel.queue_bind(queue="billing", exchange="orders", routing_key="order.*")
        channel.basic_consume(queue="billing", on_message_callback=on_paid)
        channel.basic_consume("plain", lambda ch, method, properties, body: None)
        def publish(key, data):
            channel.basic_publish(exchange="orders", routing_key=key, body=json.dumps(data))
        def run(name):
            publish("order.paid", {"amount": "1"})
            publish(f"order.{name}", {})
            channel.basic_publish("fanout", "", b"x")
        """
    assert exchanged(tmp_path, "pika", source, models=MODELS) == [
        "receive order.** OrderPaid: {event_type=: string, amount: string}",
        "receive plain: unknown: the handler validates the message with no model",
        "send order.paid: {amount: string['1']}",
        "send order.{}: {}",
        "send fanout: unknown: bytes",
    ]


def test_aio_pika_publishers_and_consumers_as_base_classes(tmp_path: Path) -> None:
    source = """
        from bus import Consumer, Publisher
        from models import OrderPaid
        class Paid(Consumer):
            def __init__(self):
                super().__init__(queue_name="billing.paid", keys=["order.paid", "order.#"])
            async def handle(self, data):
                OrderPaid.model_validate(data)
        async def pay(publisher: Publisher):
            await publisher.publish(OrderPaid(amount="1"))
        """
    bus = """
        import json
        from typing import Protocol
        import aio_pika
        from aio_pika.abc import AbstractChannel, AbstractExchange
        class Event(Protocol):
            @property
            def event_type(self) -> str: ...
            def model_dump_json(self) -> str: ...
        class Publisher:
            def __init__(self):
                self._exchange: AbstractExchange | None = None
            async def publish(self, event: Event) -> None:
                message = aio_pika.Message(body=event.model_dump_json().encode())
                await self._exchange.publish(message, routing_key=event.event_type)
        class Consumer:
            def __init__(self, queue_name: str, keys: list[str]):
                self._queue_name = queue_name
                self._keys = tuple(keys)
            async def run(self, channel: AbstractChannel, exchange, dead):
                dlq = await channel.declare_queue(self._queue_name + ".dlq")
                await dlq.bind(dead, routing_key=self._queue_name)
                queue = await channel.declare_queue(self._queue_name)
                for key in self._keys:
                    await queue.bind(exchange, routing_key=key)
                await queue.consume(self._on_message)
            async def _on_message(self, message):
                await self.handle(json.loads(message.body))
                await self._channel.default_exchange.publish(message, routing_key=self._queue_name)
            async def handle(self, data):
                raise NotImplementedError
        """
    assert exchanged(tmp_path, "aio-pika", source, bus=bus, models=MODELS) == [
        "receive order.#* OrderPaid: {event_type=: string, amount: string}",
        "receive order.paid OrderPaid: {event_type=: string, amount: string}",
        "send order.paid OrderPaid: {event_type=: string['order.paid'], amount: string['1']}",
    ]


def test_base_classes_that_classes_below_fill_in(tmp_path: Path) -> None:
    source = """
        import json
        from abc import ABC, abstractmethod
        import pika
        from pydantic import BaseModel
        class Order(BaseModel):
            id: int
        class Item(BaseModel):
            name: str
        class Publisher(ABC):
            key: str
            def __init__(self, channel: pika.channel.Channel):
                self.channel = channel
            def publish(self, message: BaseModel):
                body = message.model_dump_json()
                self.channel.basic_publish(exchange="", routing_key=self.key, body=body)
        class OrderPublisher(Publisher):
            key = "order.created"
        class ItemPublisher(Publisher):
            key = "item.created"
            def send(self, item: Item):
                self.publish(item)
        def run(channel, order: Order):
            OrderPublisher(channel).publish(order)
        class Consumer(ABC):
            queue: str
            def start(self, channel: pika.channel.Channel):
                channel.basic_consume(queue=self.queue, on_message_callback=self._take)
            def _take(self, channel, method, properties, body):
                self.handle(json.loads(body))
            @abstractmethod
            def handle(self, data: dict): ...
        class OrderConsumer(Consumer):
            queue = "orders"
            def handle(self, data: dict):
                order = Order(**data)
        class ItemConsumer(Consumer):
            queue = "items"
            def handle(self, data: dict):
                print(data["name"])
        """
    assert exchanged(tmp_path, "pika", source) == [
        "send item.created Item: {name: string}",
        "send order.created Order: {id: integer}",
        "receive orders Order: {id: integer}",
        "receive items: {name: anything}~",
    ]


def test_events_that_are_kept_before_they_are_sent(tmp_path: Path) -> None:
    source = """
        from models import OrderPaid
        async def pay(outbox):
            outbox.add(OrderPaid(amount="1"))
            outbox.add(event_type="order.lost", payload={"id": 1})
        """
    worker = """
        import aio_pika
        async def forward(exchange, entry):
            message = aio_pika.Message(body=entry.payload_json.encode())
            await exchange.publish(message, routing_key=entry.event_type)
        """
    assert exchanged(tmp_path, "aio-pika", source, worker=worker, models=MODELS) == [
        "send order.paid OrderPaid: {event_type=: string['order.paid'], amount: string['1']}",
        "send order.lost: {id: integer[1]}",
    ]


def test_addresses_that_are_undetermined(tmp_path: Path) -> None:
    source = """
        from confluent_kafka import Producer
        producer = Producer({})
        def send(data): producer.produce(choose(), data)
        """
    assert exchanged(tmp_path, "confluent-kafka", source) == [
        "send  (its address is not constant): unknown: parameter `data` has no declared type"
    ]


def test_faststream_takes_classes_of_the_project_for_messages(tmp_path: Path) -> None:
    source = """
        from faststream.kafka import KafkaBroker
        from faststream.kafka.annotations import KafkaMessage
        from pydantic import BaseModel
        class EmailMessage(BaseModel):
            subject: str
        broker = KafkaBroker("localhost")
        @broker.subscriber("mails")
        async def send(raw: KafkaMessage, body: EmailMessage): ...
        """
    found = exchanged(tmp_path, "FastStream", source)
    assert found == ["receive mails EmailMessage: {subject: string}"]


def test_faststream(tmp_path: Path) -> None:
    source = """
        from typing import Annotated
        from faststream import Context, FastStream, Logger
        from faststream.kafka import KafkaBroker, KafkaRouter
        from faststream.rabbit import RabbitBroker, RabbitExchange, RabbitQueue
        from models import OrderCreated, OrderPaid
        broker = KafkaBroker("localhost")
        router = KafkaRouter(prefix="v1.")
        rabbit = RabbitBroker()
        to_done = broker.publisher("done")
        @broker.subscriber("orders", "more", group_id="x")
        @broker.publisher("paid")
        async def handle(logger: Logger, order: OrderCreated) -> OrderPaid: ...
        @router.subscriber("items")
        async def items(body: list[OrderPaid], key: Annotated[str, Context("key")]): ...
        @to_done
        async def done() -> dict[str, int]: ...
        @rabbit.subscriber(RabbitQueue("billing", routing_key="order.paid"), RabbitExchange("x"))
        async def billing(body): ...
        async def send():
            await broker.publish(OrderCreated(id=1), "created")
            await rabbit.publish({"id": 1}, queue="raw")
            await to_done.publish({"n": 1})
        """
    found = exchanged(tmp_path, "FastStream", source, models=MODELS)
    assert sorted(found) == [
        "receive more OrderCreated: {ID: integer}",
        "receive order.paid: unknown: parameter `body` has no declared type",
        "receive orders OrderCreated: {ID: integer}",
        "receive v1.items: [{event_type=: string, amount: string}]",
        "send created OrderCreated: {ID: integer}",
        "send done: {*: integer}",
        "send done: {n: integer[1]}",
        "send paid OrderPaid: {event_type=: string, amount: string}",
        "send raw: {id: integer[1]}",
    ]


@pytest.mark.parametrize(
    ("framework", "source"),
    [
        (
            "pika",
            """
            import pika, json
            class Publisher:
                def __init__(self):
                    self.exchange = "shop.orders"
                def send(self, channel, order: dict):
                    channel.basic_publish(self.exchange, "order.paid", json.dumps(order))
                def fan_out(self, channel):
                    channel.basic_publish("shop.all", "", b"x")
            """,
        ),
        (
            "aio-pika",
            """
            import aio_pika
            async def send(channel: aio_pika.Channel):
                exchange = await channel.declare_exchange("shop.orders", durable=True)
                await exchange.publish(aio_pika.Message(b"{}"), routing_key="order.paid")
                every = await channel.declare_exchange("shop.all")
                await every.publish(aio_pika.Message(b"x"), routing_key="")
            """,
        ),
    ],
)
def test_exchanges_are_further_names_of_what_is_sent(
    tmp_path: Path, framework: str, source: str
) -> None:
    found = events(project(tmp_path, {"app.py": source}), framework)
    assert [(use.address, use.aliases) for use in found] == [
        ("order.paid", ("shop.orders", "shop.orders/order.paid")),
        ("shop.all", ()),
    ]
