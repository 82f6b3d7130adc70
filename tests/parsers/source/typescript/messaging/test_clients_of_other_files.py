"""Clients that one file makes and another one uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project


@pytest.mark.parametrize(
    ("client", "use"),
    [
        (
            "import { createClient } from 'redis'; export const client = createClient();",
            "client.publish('orders', JSON.stringify({ id }))",
        ),
        (
            "import { connect, NatsConnection } from 'nats'; export let client: NatsConnection;",
            "client.publish('orders', JSON.stringify({ id }))",
        ),
        (
            "import mqtt from 'mqtt'; export const client = mqtt.connect('x');",
            "client.publish('orders', JSON.stringify({ id }))",
        ),
        (
            "import { Queue } from 'bullmq'; export const client = new Queue('orders');",
            "client.add('made', { id })",
        ),
        (
            "import { PubSub } from '@google-cloud/pubsub'; export const client = new PubSub();",
            "client.topic('orders').publishMessage({ json: { id } })",
        ),
        (
            "import { ServiceBusClient } from '@azure/service-bus';"
            "export const client = new ServiceBusClient('x').createSender('orders');",
            "client.sendMessages({ body: { id } })",
        ),
    ],
)
def test_what_is_sent(tmp_path: Path, client: str, use: str) -> None:
    source = f"import {{ client }} from './client'; export const send = (id: number) => {use};"
    project = Project(tmp_path, {"client.ts": client, "a.ts": source})
    assert project.events() == {"send orders: {id: numeric}"}


def test_clients_of_the_project_itself(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "redis.ts": "import { createClient } from 'redis'; export const r = createClient();",
            "bus.ts": "export const client = { publish(name: string, text: string) {} };",
            "a.ts": "import { client } from './bus'; client.publish('orders', 'text');",
        },
    )
    assert project.events() == set()
