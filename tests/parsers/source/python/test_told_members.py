"""Values of members that tests have asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import exchanged

SOURCE = """
import json
from enum import Enum
import redis
from pydantic import BaseModel

class Status(str, Enum):
    OPEN = "open"
    PAID = "paid"

class Order(BaseModel):
    id: str
    status: Status

r = redis.Redis()

def send(order: Order):
"""


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("if order.status == Status.PAID:\n  r.publish('a', order.model_dump_json())", "['paid']"),
        ("if order.status != 'paid':\n  return\n r.publish('a', order.json())", "['paid']"),
        ("if order.status is not Status.PAID:\n  r.publish('a', order.json())", "['open']"),
        (
            "if order.status == 'open':\n"
            "  order.status = Status.PAID\n  r.publish('a', order.json())",
            "['open', 'paid']",
        ),
    ],
)
def test_what_is_left_of_an_enum(tmp_path: Path, body: str, left: str) -> None:
    found = exchanged(tmp_path, "redis-py", f"{SOURCE} {body}\n")
    assert found == [f"send a Order: {{id: string, status: string{left}}}"]
