"""Clients that one file makes and another one uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import exchanged


@pytest.mark.parametrize(
    ("library", "client", "use"),
    [
        (
            "kafka-python",
            "from kafka import KafkaProducer\ndef make(): return KafkaProducer()",
            'make().send("orders", json.dumps({"id": 1}))',
        ),
        (
            "MQTT",
            "import paho.mqtt.client as mqtt\nmake = mqtt.Client()",
            'make.publish("orders", json.dumps({"id": 1}))',
        ),
        (
            "FastStream",
            "from faststream.rabbit import RabbitBroker\nmake = RabbitBroker()",
            'await make.publish({"id": 1}, queue="orders")',
        ),
    ],
)
def test_what_is_sent(tmp_path: Path, library: str, client: str, use: str) -> None:
    source = f"import json\nfrom clients import make\nasync def send():\n    {use}\n"
    assert exchanged(tmp_path, library, source, clients=client) == ["send orders: {id: integer[1]}"]
