"""What brokers make of addresses."""

from __future__ import annotations

import pytest

from contract_scan.parsers.source.messaging.brokers import (
    AMQP,
    GOOGLE_PUBSUB,
    KAFKA,
    MQTT,
    NATS,
    Broker,
)


@pytest.mark.parametrize(
    ("broker", "address", "expected"),
    [
        (AMQP, "orders.*.created", True),
        (AMQP, "orders.#", True),
        (AMQP, "orders*", False),
        (NATS, "orders.>", True),
        (NATS, "orders.created", False),
        (MQTT, "sensors/+/readings", True),
        (MQTT, "sensors/a.+", False),
        (KAFKA, "orders.*", False),
    ],
)
def test_wildcards_are_whole_segments(broker: Broker, address: str, expected: bool) -> None:
    assert broker.is_pattern(address) is expected


@pytest.mark.parametrize(
    ("broker", "address", "expected"),
    [
        (GOOGLE_PUBSUB, "projects/shop/topics/orders", "orders"),
        (GOOGLE_PUBSUB, "projects/shop/subscriptions/orders", "orders"),
        (KAFKA, "a/b:c", "a/b:c"),
    ],
)
def test_contracts_list_the_last_part_of_a_resource(
    broker: Broker, address: str, expected: str
) -> None:
    assert broker.short_name(address) == expected
