"""ffc-messaging: queues and topics that settings name."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

SETTINGS = """
    const messageQueue = { host: process.env.HOST };
    const paid = { ...messageQueue, address: process.env.PAID || 'orders-paid', type: 'topic' };
    module.exports = {
      paid,
      fresh: { ...messageQueue, address: 'billing', topic: 'orders-new', type: 'subscription' },
      other: { ...messageQueue, address: process.env.OTHER, type: 'queue' },
    };
"""


def test_senders_and_receivers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "config.js": SETTINGS,
            "a.js": """
                const { MessageSender, MessageBatchSender, MessageReceiver }
                  = require('ffc-messaging');
                const config = require('./config');
                const create = (order) => ({ body: { id: 'a', order }, type: 'paid', source: 's' });
                async function send() {
                  const sender = new MessageSender(config.paid);
                  await sender.sendMessage(create(1));
                  await sender.closeConnection();
                  const batch = new MessageBatchSender(config.paid);
                  await batch.sendBatchMessages([{ body: { n: 2 } }]);
                  await new MessageSender(config.other).sendMessage({ body: { n: 3 } });
                }
                let receiver;
                async function start() {
                  const action = (message) => take(message, receiver);
                  receiver = new MessageReceiver(config.fresh, action);
                  await receiver.subscribe();
                }
                async function take(message, receiver) {
                  const { id } = message.body;
                  await save(id);
                  await receiver.completeMessage(message);
                }
            """,
        },
    )
    assert project.events() == {
        "send orders-paid: {id: 'a', order: 1}",
        "send orders-paid: {n: 2}",
        "send <the address is undetermined: it is not constant>: {n: 3}",
        "receive orders-new: {id?: anything}~",
    }
