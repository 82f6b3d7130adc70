"""Topics of node-rdkafka."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_producers_and_consumers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import Kafka from 'node-rdkafka';
                interface Paid { id: string }
                const producer = new Kafka.Producer({});
                producer.on('ready', () => {});
                export const send = (paid: Paid) =>
                  producer.produce('orders', null, Buffer.from(JSON.stringify(paid)), paid.id);
                const consumer = new Kafka.KafkaConsumer({}, {});
                consumer.on('ready', () => { consumer.subscribe(['orders']); consumer.consume(); });
                consumer.on('data', (data) => {
                  const paid: Paid = JSON.parse(data.value.toString());
                });
                const other = new Kafka.KafkaConsumer({}, {});
                other.subscribe(['a', /^b/]);
                other.on('data', (data) => { JSON.parse(data.value.toString()) as Paid; });
            """,
        },
    )
    assert project.events() == {
        "send orders: {id: string}",
        "receive orders: {id: string}",
        "receive a: unknown",
        "receive <the address is a regular expression /^b/>: unknown",
    }
