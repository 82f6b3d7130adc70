"""Kinds of messages that a handler tells apart by a constant."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.parsers.source.python.project import events, project, shape

MODELS = """
    from pydantic import BaseModel
    class Paid(BaseModel):
        amount: int
    class Created(BaseModel):
        lines: list[str]
"""


def kinds(tmp_path: Path, handler: str, others: str = "") -> dict[str, str]:
    """What a handler of a queue takes each kind of message for."""
    source = (
        "import json\nimport pika\n"
        + textwrap.dedent(others)
        + "channel = pika.BlockingConnection().channel()\n"
        + textwrap.dedent(handler)
        + "\nchannel.basic_consume('orders', handle)\n"
    )
    program = project(tmp_path, {"app.py": source})
    (use,) = events(program, "pika")
    return {kind.name: shape(program, kind.payload) for kind in use.kinds}


@pytest.mark.parametrize(
    "handler",
    [
        """
        def handle(ch, method, properties, body):
            data = json.loads(body)
            if data["type"] == "paid":
                print(data["amount"])
            elif "created" == data["type"]:
                print(data["lines"])
        """,
        # A kind that leaves takes no part in what comes after it.
        """
        def handle(ch, method, properties, body):
            data = json.loads(body)
            kind = str(data["type"])
            if kind == "paid":
                print(data["amount"])
                return
            if kind != "created":
                raise ValueError(kind)
            print(data["lines"])
        """,
        """
        def handle(ch, method, properties, body):
            data = json.loads(body)
            match data["type"]:
                case "paid":
                    print(data["amount"])
                case "created" | "made":
                    if data["type"] == "created":
                        print(data["lines"])
                case _:
                    print(data["never"])
        """,
        # Through functions, constants, lists and what `and`, `or` and `not` make of the tests.
        """
        PAID, KNOWN = "paid", ("paid", "created")
        def handle(ch, method, properties, body):
            data = json.loads(body)
            if data["type"] not in KNOWN:
                return
            dispatch(data["type"], data)
        def dispatch(kind, content):
            if kind == PAID and not kind == "created":
                paid(content)
            elif kind.startswith("cre") or kind == "other":
                print(content["lines"])
        def paid(content):
            print(content["amount"])
        """,
        # By a table of functions.
        """
        def paid(content):
            print(content["amount"])
        def created(content):
            print(content["lines"])
        HANDLERS = {"paid": paid, "created": created}
        def handle(ch, method, properties, body):
            data = json.loads(body)
            HANDLERS[data["type"]](data)
        """,
        """
        def paid(content):
            print(content["amount"])
        def created(content):
            print(content["lines"])
        HANDLERS = {"paid": paid, "created": created}
        def handle(ch, method, properties, body):
            data = json.loads(body)
            take = HANDLERS.get(data["type"])
            if take is None:
                return
            take(data)
        """,
    ],
)
def test_each_kind_by_its_own_keys(tmp_path: Path, handler: str) -> None:
    found = kinds(tmp_path, handler)
    assert {name: found[name] for name in ("paid", "created")} == {
        "paid": "{type: anything, amount: anything}~",
        "created": "{type: anything, lines: anything}~",
    }


@pytest.mark.parametrize(
    "handler",
    [
        """
        def handle(ch, method, properties, body):
            data = json.loads(body)
            if data["type"] == "paid":
                Paid.model_validate(data)
            elif data["type"] == "created":
                Created(**data)
        """,
        """
        MODELS = {"paid": Paid, "created": Created}
        def handle(ch, method, properties, body):
            data = json.loads(body)
            model = MODELS.get(data["type"])
            model.model_validate(data)
        """,
        """
        def parsed(model, data):
            return model.model_validate(data)
        def handle(ch, method, properties, body):
            data = json.loads(body)
            if data["type"] == "paid":
                return parsed(Paid, data)
            if data["type"] == "created":
                return parsed(Created, data)
        """,
    ],
)
def test_each_kind_by_the_model_it_is_made_into(tmp_path: Path, handler: str) -> None:
    assert kinds(tmp_path, handler, MODELS) == {
        "paid": "{amount: integer}",
        "created": "{lines: [string]}",
    }


def test_kinds_that_are_told_by_the_address(tmp_path: Path) -> None:
    handler = """
        def handle(ch, method, properties, body):
            if method.routing_key == "orders.paid":
                print(json.loads(body)["amount"])
            elif method.routing_key == "orders.gone":
                print("gone")
            else:
                print(json.loads(body)["lines"])
        """
    assert kinds(tmp_path, handler) == {"orders.paid": "{amount: anything}~"}


def test_a_kind_of_which_nothing_is_read_may_be_anything(tmp_path: Path) -> None:
    handler = """
        def handle(ch, method, properties, body):
            data = json.loads(body)
            event = data.pop("event")
            if event == "paid":
                print("paid")
            elif event == "created":
                library.store(data)
        """
    assert kinds(tmp_path, handler, "import library\n") == {
        "paid": "{event: anything}~",
        "created": "{event: anything, ... `store` is given the whole of it}~",
    }


def test_what_cannot_be_decided_stays_in_doubt(tmp_path: Path) -> None:
    handler = """
        def handle(ch, method, properties, body):
            data = json.loads(body)
            if data["type"] == "paid" and ch.is_open:
                print(data["amount"])
            elif data["type"] in ch.known:
                print(data["lines"])
        """
    assert kinds(tmp_path, handler) == {
        "paid": "{type: anything, amount-: anything, lines-: anything}~"
    }


def test_what_every_way_reads_is_read_in_any_case(tmp_path: Path) -> None:
    source = """
        import json
        import pika
        channel = pika.BlockingConnection().channel()
        def handle(ch, method, properties, body):
            data = json.loads(body)
            if ch.is_open:
                print(data["id"], data["name"], data.get("note"), data["open"])
            elif ch.is_closed:
                print(data["id"], data.get("name"), data.get("note"))
            else:
                raise ValueError
        channel.basic_consume('orders', handle)
        """
    program = project(tmp_path, {"app.py": textwrap.dedent(source)})
    (use,) = events(program, "pika")
    assert shape(program, use.payload) == (
        "{id: anything, name-: anything, note-: anything, open-: anything}~"
    )


def test_what_only_some_kinds_read_behind_a_test_is_not_read_in_any_case(tmp_path: Path) -> None:
    source = """
        import json
        import pika
        channel = pika.BlockingConnection().channel()
        def handle(ch, method, properties, body):
            for line in body.splitlines():
                data = json.loads(line)
                if data["type"] != "paid":
                    continue
                print(data["amount"])
        channel.basic_consume('orders', handle)
        """
    program = project(tmp_path, {"app.py": textwrap.dedent(source)})
    (use,) = events(program, "pika")
    assert shape(program, use.payload) == "{type: anything, amount-: anything}~"


def test_keys_that_a_loop_over_constants_reads(tmp_path: Path) -> None:
    source = """
        import json
        import pika
        channel = pika.BlockingConnection().channel()
        def handle(ch, method, properties, body):
            data = json.loads(body)
            for key in ("id", "name"):
                print(data[key])
            for key in ("note", "kind"):
                if key in data:
                    print(data[key])
            for key in ("a", "b"):
                data.get(key)
        channel.basic_consume('orders', handle)
        """
    program = project(tmp_path, {"app.py": textwrap.dedent(source)})
    (use,) = events(program, "pika")
    assert shape(program, use.payload) == (
        "{id: anything, name: anything, note-: anything, kind-: anything, "
        "a-: anything, b-: anything}~"
    )
