"""Queues and topics of Azure Service Bus."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_senders_and_receivers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { ServiceBusClient, ServiceBusMessage, ServiceBusSender }
                  from '@azure/service-bus';
                interface Paid { id: string }
                const client = new ServiceBusClient('x');
                export async function run(paid: Paid, given: ServiceBusSender) {
                  const sender = client.createSender('orders');
                  await sender.sendMessages({ body: paid, contentType: 'application/json' });
                  await sender.sendMessages([{ body: { a: 1 } }, { body: { b: 1 } }]);
                  const batch = await sender.createMessageBatch();
                  batch.tryAddMessage({ body: { c: 1 } });
                  await sender.sendMessages(batch);
                  await given.sendMessages({ body: { g: 1 } });
                  const receiver = client.createReceiver('orders', 'subscription');
                  receiver.subscribe({
                    processMessage: async (message) => { const paid = message.body as Paid; },
                    processError: async () => {},
                  });
                  client.createReceiver('untyped').subscribe({ processMessage: async (m) => {} });
                }
            """,
        },
    )
    given = "queue or topic of a given sender or receiver"
    assert project.events() == {
        "send orders: {id: string}",
        "send orders: {a: 1}",
        "send orders: {b: 1}",
        "send orders: {c: 1}",
        f"send <the address is a {given} that is not constant here>: {{g: 1}}",
        "receive orders: {id: string}",
        "receive untyped: unknown",
    }
