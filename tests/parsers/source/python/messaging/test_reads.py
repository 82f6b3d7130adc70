"""What a handler reads of a message by its keys."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from contract_scan.ir.schema import Object
from tests.parsers.source.python.project import events, project, shape

ABSENT = "unknown: the handler validates the message with no model"


def received(tmp_path: Path, handler: str, others: str = "") -> str:
    """The payload that a handler of a queue takes a message for."""
    source = (
        "import json\nimport pika\n"
        + textwrap.dedent(others)
        + "channel = pika.BlockingConnection().channel()\n"
        + textwrap.dedent(handler)
        + "\nchannel.basic_consume('orders', handle)\n"
    )
    program = project(tmp_path, {"app.py": source})
    (use,) = events(program, "pika")
    return shape(program, use.payload)


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        # An index needs the key, `.get` and `in` do not.
        (
            """
            def handle(ch, method, properties, body):
                data = json.loads(body.decode("utf-8"))
                print(data["orderId"], data.get("note"), data.pop("total"), "vip" in data)
            """,
            "{orderId: anything, note-: anything, total: anything, vip-: anything}~",
        ),
        # Parts of parts, items of lists.
        (
            """
            def handle(ch, method, properties, body):
                order = json.loads(body)["order"]
                for line in order["lines"][:9]:
                    sku = line["sku"]
                names = [tag["name"] for tag in order.get("tags") or []]
                first = order["addresses"][0]["city"]
            """,
            "{order: {lines: [{sku: anything}~]~, tags-: [{name: anything}~]~, "
            "addresses: [{city: anything}~]~}~}~",
        ),
        # What is handed on is followed, also through a method and a function that parses.
        (
            """
            def parse(raw): return json.loads(raw)
            def store(order, note=None): print(order["id"], note["by"])
            def handle(ch, method, properties, body):
                data = parse(body)
                store(data, note=data["note"])
            """,
            "{note: {by: anything}~, id: anything}~",
        ),
        # Keys that are constants of the project.
        (
            """
            KEY = "orderId"
            def handle(ch, method, properties, body):
                print(json.loads(body)[KEY])
            """,
            "{orderId: anything}~",
        ),
        # What is written into the message is not read of it.
        (
            """
            def handle(ch, method, properties, body):
                data = json.loads(body)
                data["seen"] = True
                data["stamp"]["at"] = data["at"]
            """,
            "{stamp: anything, at: anything}~",
        ),
        # Inside `try` is as sure as before it.
        (
            """
            def handle(ch, method, properties, body):
                try:
                    data = json.loads(body)
                    print(data["id"])
                except ValueError:
                    print(body["never"])
            """,
            "{id: anything}~",
        ),
    ],
)
def test_keys_that_are_read(tmp_path: Path, handler: str, expected: str) -> None:
    assert received(tmp_path, handler) == expected


def test_what_is_read_in_some_cases_only_is_in_doubt(tmp_path: Path) -> None:
    handler = """
        def handle(ch, method, properties, body):
            data = json.loads(body)
            if data["type"] == "paid":
                print(data["amount"])
            elif data["type"] == "created":
                print(data["lines"][0]["sku"], data["type"])
        """
    assert received(tmp_path, handler) == "{type: anything, amount-: anything, lines-: anything}~"
    program = project(tmp_path, {})
    (use,) = events(program, "pika")
    assert isinstance(use.payload, Object)
    assert [(field.name, field.undetermined_reason) for field in use.payload.fields] == [
        ("type", ""),
        ("amount", "the handler reads `amount` in some cases only"),
        ("lines", "the handler reads `lines` in some cases only"),
    ]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("library.process(data)", "{id: anything, ... `process` is given the whole of it}~"),
        ("queue.put(data)", "{id: anything, ... `put` is given the whole of it}~"),
        ("unwritten(data)", "{id: anything, ... `unwritten` is given the whole of it}~"),
        ("library.all()[0](data)", "{id: anything, ... a function is given the whole of it}~"),
        ("log.info('got %s', data)", "{id: anything}~"),
        ("library.process(data['id'])", "{id: anything}~"),
        ("stored(data)", "{id: anything, name: anything}~"),
    ],
)
def test_what_is_given_the_whole_message_and_cannot_be_read(
    tmp_path: Path, rest: str, expected: str
) -> None:
    others = """
        import library, queue
        def unwritten(data): raise NotImplementedError
        def stored(data): print(data["name"])
        """
    handler = f"""
        def handle(ch, method, properties, body):
            data = json.loads(body)
            print(data["id"])
            {rest}
        """
    assert received(tmp_path, handler, others) == expected


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ('if data["type"] != "paid": return', "type: anything, amount-: anything"),
        (
            'if data.get("type") not in ("paid", "late"): raise ValueError',
            "type-: anything, amount-: anything",
        ),
        ('if data["user"] is None: return', "user: anything, amount: anything"),
        ('if "amount" not in data: return', "amount: anything"),
        ('if not data.get("user"): return', "user-: anything, amount: anything"),
        ('if data["type"] == "test": print()', "type: anything, amount: anything"),
    ],
)
def test_what_comes_after_a_test_of_the_kind_is_of_that_kind(
    tmp_path: Path, guard: str, expected: str
) -> None:
    handler = f"""
        def handle(ch, method, properties, body):
            data = json.loads(body)
            {guard}
            print(data["amount"])
        """
    assert received(tmp_path, handler) == f"{{{expected}}}~"


@pytest.mark.parametrize(
    "handler",
    [
        # Nothing is read.
        "def handle(ch, method, properties, body): print(json.loads(body))",
        # Two texts are parsed: which is the message?
        """
        def handle(ch, method, properties, body):
            a, b = json.loads(body)["x"], json.loads(properties.text)["y"]
        """,
        # What is parsed did not come with the message.
        """
        def handle(ch, method, properties, body):
            settings = json.loads(open("settings.json").read())
            print(settings["url"])
        """,
    ],
)
def test_handlers_of_which_nothing_can_be_told(tmp_path: Path, handler: str) -> None:
    assert received(tmp_path, handler) == ABSENT


@pytest.mark.parametrize(
    ("framework", "source"),
    [
        (
            "kafka-python",
            """
            import json
            from kafka import KafkaConsumer
            def run():
                consumer = KafkaConsumer("orders", value_deserializer=json.loads)
                for message in consumer:
                    order = message.value
                    print(order["id"], message.value.get("note"), message.key["never"])
            """,
        ),
        (
            "kafka-python",
            """
            import json
            from kafka import KafkaConsumer
            for message in KafkaConsumer("orders", value_deserializer=json.loads):
                print(message.value["id"], message.value.get("note"))
            """,
        ),
        (
            "confluent-kafka",
            """
            from confluent_kafka import DeserializingConsumer
            def store(message): print(message.value()["id"], message.value().get("note"))
            def run():
                consumer = DeserializingConsumer({})
                consumer.subscribe(["orders"])
                message = consumer.poll(1)
                store(message)
            """,
        ),
    ],
)
def test_messages_that_a_library_has_parsed(tmp_path: Path, framework: str, source: str) -> None:
    (use,) = events(project(tmp_path, {"app.py": source}), framework)
    program = project(tmp_path, {"app.py": source})
    assert shape(program, use.payload) == "{id: anything, note-: anything}~"
