"""Topics of Google Cloud Pub/Sub."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_topics_and_subscriptions(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { PubSub, Topic } from '@google-cloud/pubsub';
                interface Paid { id: string }
                const client = new PubSub();
                const TOPIC = process.env.TOPIC || 'orders';
                export async function run(paid: Paid, given: Topic) {
                  await client.topic(TOPIC).publishMessage({ json: paid });
                  const data = Buffer.from(JSON.stringify({ n: 1 }));
                  await client.topic('projects/shop/topics/mails').publishMessage({ data });
                  await client.topic('old', { batching: {} }).publish(data);
                  await client.topic('older').publishJSON({ o: 1 });
                  await given.publishMessage({ json: { g: 1 } });
                  const subscription = client.topic('orders').subscription('mine');
                  subscription.on('message', (message) => {
                    const paid: Paid = JSON.parse(message.data.toString());
                    message.ack();
                  });
                  client.subscription('alone').on('message', (message) => {
                    JSON.parse(message.data.toString()) as Paid;
                  });
                }
            """,
        },
    )
    assert project.events() == {
        "send orders: {id: string}",
        "send mails: {n: 1}",
        "send old: {n: 1}",
        "send older: {o: 1}",
        "send <the address is a topic name that is not constant here>: {g: 1}",
        "receive orders: {id: string}",
        "receive <the address is a topic of the subscription that is not constant here>: "
        "{id: string}",
    }


def test_topics_that_a_function_of_the_project_is_given(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                const { PubSub } = require('@google-cloud/pubsub');
                const client = new PubSub();
                async function publish(topicName, data) {
                  const topic = client.topic(topicName);
                  await topic.publishMessage({ data: Buffer.from(JSON.stringify(data)) });
                }
                exports.run = () => { publish('one', { a: 1 }); publish('two', { b: 1 }); };
            """,
        },
    )
    assert project.events() == {"send one: {a: 1}", "send two: {b: 1}"}
