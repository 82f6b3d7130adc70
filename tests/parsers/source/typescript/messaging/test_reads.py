"""Which keys handlers read of messages that they declare no type for."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.schema import Object
from tests.parsers.source.typescript.project import Project


def read(folder: Path, source: str) -> list[str]:
    """The keys that are read of the only message; `?` marks those that are in doubt."""
    project = Project(folder, {"app.js": source})
    (use,) = project.code.events
    if not isinstance(use.payload, Object):
        return [project.shape(use.payload)]
    named = [f"{f.name}: {project.shape(f.schema)}" for f in use.payload.fields]
    doubts = ["?" if field.undetermined_reason else "" for field in use.payload.fields]
    left = [f"… {use.payload.incomplete_reason}"] if use.payload.incomplete_reason else []
    return [*(doubt + name for doubt, name in zip(doubts, named, strict=True)), *left]


def kafka(body: str, beside: str = "") -> str:
    return f"""
        const {{ Kafka }} = require('kafkajs');
        const consumer = new Kafka({{}}).consumer({{ groupId: 'g' }});
        {beside}
        async function run() {{
          await consumer.subscribe({{ topic: 'orders' }});
          await consumer.run({{ eachMessage: async ({{ topic, message }}) => {{ {body} }} }});
        }}
    """


PARSED = "const o = JSON.parse(message.value.toString());"


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        (f"{PARSED} save(o.id, o['total']);", ["id: anything", "total: anything"]),
        (
            "const { id, by: { name }, note = '' } = JSON.parse(message.value); save(id, name);",
            ["id: anything", "by: {name?: anything}~", "note: anything"],
        ),
        (f"{PARSED} if (o.id) save(o.total);", ["?id: anything", "?total: anything"]),
        (f"{PARSED} if (o.id === 'a') save(o.note || 1);", ["id: anything", "?note: anything"]),
        (
            f"{PARSED} switch (o.kind) {{ case 'a': save(o.x); break; default: save(o.y); }}",
            ["kind: anything", "?x: anything", "?y: anything"],
        ),
        (
            f"{PARSED} for (const line of o.lines) save(line.sku.trim());",
            ["lines: [{sku?: string~}~]~"],
        ),
        (f"{PARSED} console.log(o); save(o.id);", ["id: anything"]),
        (
            f"{PARSED} insert(o); save(o.id);",
            ["id: anything", "… `insert` is given the whole of it"],
        ),
        (
            "let o; try { o = JSON.parse(message.value); } catch (e) { return; } save(o.id);",
            ["id: anything"],
        ),
    ],
)
def test_keys_that_are_read(tmp_path: Path, body: str, keys: list[str]) -> None:
    assert read(tmp_path, kafka(body)) == keys


@pytest.mark.parametrize(
    ("body", "beside"),
    [
        ("handle(JSON.parse(message.value));", "const handle = (o) => save(o.id);"),
        ("handle(message);", "function handle(m) { const o = JSON.parse(m.value); save(o.id); }"),
        ("const o = parse(message.value); save(o.id);", "const parse = (t) => JSON.parse(t);"),
        ("const o = JSON.parse(decoder.decode(message.value)); save(o.id);", ""),
    ],
)
def test_functions_that_the_message_is_handed_to(tmp_path: Path, body: str, beside: str) -> None:
    assert read(tmp_path, kafka(body, beside)) == ["id: anything"]


@pytest.mark.parametrize(
    "body",
    [
        "const a = JSON.parse(message.value); const b = JSON.parse(message.key); save(a.x, b.y);",
        "const o = JSON.parse(message.value); const inner = JSON.parse(o.Message); save(inner.id);",
        "save(message.value);",
    ],
)
def test_which_text_is_the_message_is_undetermined(tmp_path: Path, body: str) -> None:
    assert read(tmp_path, kafka(body)) == ["unknown"]


@pytest.mark.parametrize(
    "source",
    [
        """
        const { ServiceBusClient } = require('@azure/service-bus');
        const receiver = new ServiceBusClient('x').createReceiver('orders');
        receiver.subscribe({
          processMessage: async (m) => { save(m.body.id); await receiver.completeMessage(m); },
        });
        """,
        """
        const { Worker } = require('bullmq');
        new Worker('orders', async (job) => { const { id } = job.data; await save(id); });
        """,
        """
        const { Server } = require('socket.io');
        new Server(1).on('connection', (socket) => {
          socket.on('orders', ({ id }, callback) => { save(id); callback(); });
        });
        """,
    ],
)
def test_messages_that_a_library_has_parsed(tmp_path: Path, source: str) -> None:
    assert read(tmp_path, source) == ["id: anything"]
