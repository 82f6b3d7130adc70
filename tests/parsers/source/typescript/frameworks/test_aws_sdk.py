"""SNS, SQS and EventBridge of the AWS SDK."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_commands_of_version_3(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "sends.ts": """
                import { SNSClient, PublishCommand } from '@aws-sdk/client-sns';
                import { SQSClient, SendMessageCommand, SendMessageBatchCommand }
                  from '@aws-sdk/client-sqs';
                import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
                interface Paid { id: string }
                type Id = number;
                const TOPIC = process.env.TOPIC_ARN ?? 'arn:aws:sns:eu-west-1:123456789012:orders';
                export async function run(sns: SNSClient, sqs: SQSClient, paid: Paid, ids: Id[]) {
                  await sns.send(new PublishCommand({
                    TopicArn: TOPIC, Message: JSON.stringify(paid) }));
                  await sns.send(new PublishCommand({ PhoneNumber: '1', Message: 'hello' }));
                  const params = {
                    QueueUrl: `https://sqs.${process.env.REGION}.amazonaws.com/1/mails`,
                    MessageBody: JSON.stringify({ to: paid.id }),
                  };
                  await sqs.send(new SendMessageCommand(params));
                  await sqs.send(new SendMessageBatchCommand({
                    QueueUrl: 'https://queue/1/batch',
                    Entries: ids.map((id) => ({ MessageBody: JSON.stringify({ id }) })),
                  }));
                  await new EventBridgeClient({}).send(new PutEventsCommand({
                    Entries: [{ Source: 'shop', DetailType: 'OrderPaid', EventBusName: 'main',
                                Detail: JSON.stringify(paid) }],
                  }));
                }
            """,
        },
    )
    assert project.events() == {
        "send orders: {id: string}",
        "send mails: {to: string}",
        "send batch: {id: numeric}",
        "send OrderPaid: {id: string}",
    }
    (event,) = [use for use in project.code.events if use.address == "OrderPaid"]
    assert event.aliases == ("shop/OrderPaid", "shop.OrderPaid", "main")


def test_clients_of_version_2_and_aggregated_clients(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                const AWS = require('aws-sdk');
                const sns = new AWS.SNS();
                const sqs = new AWS.SQS({ apiVersion: '2012-11-05' });
                exports.run = async (id) => {
                  await sns.publish({
                    TopicArn: 'arn:aws:sns:x:1:users', Message: JSON.stringify({ a: 1 }),
                  }).promise();
                  await sqs.sendMessage({
                    QueueUrl: process.env.QUEUE_URL, MessageBody: JSON.stringify({ b: 1 }),
                  }).promise();
                };
            """,
            "b.ts": """
                import { EventBridge } from '@aws-sdk/client-eventbridge';
                const bus = new EventBridge({});
                export const put = () => bus.putEvents({
                  Entries: [{ DetailType: 'Put', Detail: JSON.stringify({ c: 1 }) }] });
            """,
        },
    )
    assert project.events() == {
        "send users: {a: 1}",
        "send <the address is undetermined: it is not constant>: {b: 1}",
        "send Put: {c: 1}",
    }


def test_what_is_received(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { Consumer } from 'sqs-consumer';
                import { SQSClient, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
                interface Mail { to: string }
                Consumer.create({
                  queueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/mails',
                  handleMessage: async (message) => {
                    const mail = JSON.parse(message.Body) as Mail;
                  },
                }).start();
                export const poll = (client: SQSClient) =>
                  client.send(new ReceiveMessageCommand({ QueueUrl: 'https://x/1/polled' }));
                export async function loop(client: SQSClient) {
                  const url = 'https://x/1/looped';
                  const found = await client.send(new ReceiveMessageCommand({ QueueUrl: url }));
                  for (const m of found.Messages ?? []) { const mail: Mail = JSON.parse(m.Body); }
                }
                export async function handed(client: SQSClient) {
                  const url = 'https://x/1/handed';
                  const found = await client.send(new ReceiveMessageCommand({ QueueUrl: url }));
                  for (const m of found.Messages ?? []) take(m.Body);
                }
                function take(text: string) { const mail = JSON.parse(text) as Mail; }
            """,
        },
    )
    assert project.events() == {
        "receive mails: {to: string}",
        "receive polled: unknown",
        "receive looped: {to: string}",
        "receive handed: {to: string}",
    }
