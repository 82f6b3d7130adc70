"""Messages of kafkajs, NestJS microservices and amqplib."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

SHARED = """
    export interface OrderPlaced { id: string; total: number }
    export const TOPICS = { ORDERS: 'orders.placed', USERS: 'users' } as const;
"""
PLACED = "{id: string, total: numeric}"


def test_kafkajs_producers_and_consumers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "shared.ts": SHARED,
            "producer.ts": """
                import { Kafka } from 'kafkajs';
                import { OrderPlaced, TOPICS } from './shared';
                const producer = new Kafka({ clientId: 'x' }).producer();
                export async function place(order: OrderPlaced, ids: number[]) {
                  const value = JSON.stringify(order);
                  await producer.send({ topic: TOPICS.ORDERS, messages: [{ key: 'k', value }] });
                  await producer.sendBatch({ topicMessages: [
                    { topic: 'batch',
                      messages: ids.map((id) => ({ value: JSON.stringify({ id }) })) },
                  ] });
                  await producer.send({ topic: process.env.TOPIC, messages: [{ value }] });
                  await producer.send({ topic: 'nothing', messages: [] });
                }
            """,
            "consumer.ts": """
                import { Kafka } from 'kafkajs';
                import { OrderPlaced } from './shared';
                const consumer = new Kafka({}).consumer({ groupId: 'g' });
                export async function run() {
                  await consumer.subscribe({ topic: 'orders.placed', fromBeginning: true });
                  await consumer.run({ eachMessage: async ({ message }) => {
                    const order = JSON.parse(message.value!.toString()) as OrderPlaced;
                  } });
                }
            """,
            "pattern.ts": """
                import { Kafka } from 'kafkajs';
                const consumer = new Kafka({}).consumer({ groupId: 'g' });
                consumer.subscribe({ topics: ['a', /b-.*/] });
            """,
        },
    )
    assert project.events() == {
        f"send orders.placed: {PLACED}",
        "send batch: {id: numeric}",
        f"send <the address is undetermined: it is not constant>: {PLACED}",
        f"receive orders.placed: {PLACED}",
        "receive a: unknown",
        "receive <the address is a regular expression /b-.*/>: unknown",
    }


def test_wrappers_of_the_project_are_seen_through(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "shared.ts": SHARED,
            "bus.ts": """
                import { Producer } from 'kafkajs';
                export class Bus {
                  constructor(private producer: Producer) {}
                  async publish<T extends object>(topic: string, event: T) {
                    await this.producer.send({
                      topic, messages: [{ value: JSON.stringify({ ...event, at: new Date() }) }],
                    });
                  }
                }
            """,
            "service.ts": """
                import { Bus } from './bus';
                import { TOPICS, OrderPlaced } from './shared';
                export class Service {
                  constructor(private readonly bus: Bus) {}
                  async run(order: OrderPlaced) {
                    await this.bus.publish('users.created', { id: 1 });
                    await this.bus.publish(TOPICS.USERS, order);
                  }
                }
            """,
        },
    )
    assert project.events() == {
        "send users.created: {id: 1, at: string(date-time)}",
        "send users: {id: string, total: numeric, at: string(date-time)}",
    }
    assert {use.origin.path for use in project.code.events} == {"service.ts"}


def test_a_wrapper_gives_a_case_to_the_callers_that_come_to_it(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "bus.ts": """
                import { Producer } from 'kafkajs';
                export interface Bus { emit(kind: string, event: any): Promise<void> }
                export class KafkaBus implements Bus {
                  constructor(private producer: Producer) {}
                  async emit(kind: string, event: any) {
                    const messages = [{ value: JSON.stringify(event) }];
                    if (kind === 'paid') {
                      await this.producer.send({ topic: 'orders.paid', messages });
                    } else if (kind === 'made') {
                      await this.producer.send({ topic: 'orders.made', messages });
                    }
                  }
                }
            """,
            "service.ts": """
                import { Bus } from './bus';
                export class Service {
                  constructor(private readonly bus: Bus) {}
                  async run(kind: string) {
                    await this.bus.emit('paid', { amount: 1 });
                    await this.bus.emit('made', { lines: 'x' });
                  }
                }
            """,
        },
    )
    assert project.events() == {
        "send orders.paid: {amount: 1}",
        "send orders.made: {lines: 'x'}",
    }


def test_nestjs_microservices(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "shared.ts": SHARED,
            "orders.controller.ts": """
                import { ClientKafka, ClientProxy, Ctx, EventPattern, MessagePattern, Payload }
                  from '@nestjs/microservices';
                import { Controller, Inject } from '@nestjs/common';
                import { OrderPlaced, TOPICS } from './shared';
                @Controller()
                export class Orders {
                  constructor(
                    @Inject('K') private readonly kafka: ClientKafka, private rmq: ClientProxy) {}
                  @EventPattern(TOPICS.ORDERS)
                  async placed(@Payload() data: OrderPlaced, @Ctx() context: any) {
                    this.kafka.emit('shipped', { key: data.id, value: { orderId: data.id } });
                  }
                  @MessagePattern({ role: 'math', cmd: 'sum' }) sum(data: number[]): number {
                    this.rmq.send({ cmd: 'ask' }, { n: data.length });
                    return 1;
                  }
                  @EventPattern('untyped') untyped(data) {}
                }
            """,
        },
    )
    assert project.events() == {
        f"receive orders.placed: {PLACED}",
        "send shipped: {orderId: string}",
        'receive {"cmd":"sum","role":"math"}: [numeric]',
        'send {"cmd":"ask"}: {n: integer}',
        "receive untyped: unknown",
    }
    spoken = {use.address: use.protocols for use in project.code.events if use.protocols}
    assert spoken == {"shipped": ("kafka",)}


def test_amqplib(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "shared.ts": SHARED,
            "queue.ts": """
                import amqp from 'amqplib';
                import { OrderPlaced } from './shared';
                import { z } from 'zod';
                const Paid = z.object({ orderId: z.string() });
                export async function main() {
                  const connection = await amqp.connect('x');
                  const channel = await connection.createChannel();
                  channel.publish('ex', 'order.paid', Buffer.from(JSON.stringify({ id: 1 })));
                  channel.publish('fanout', '', Buffer.from('plain'));
                  channel.sendToQueue('jobs', Buffer.from(JSON.stringify({ a: 'b' })));
                  const { queue } = await channel.assertQueue('', { exclusive: true });
                  await channel.bindQueue(queue, 'ex', 'order.*');
                  channel.consume(queue, (message) => {
                    const order: OrderPlaced = JSON.parse(message.content.toString());
                  });
                  channel.consume('jobs', onJob);
                  channel.consume('paid', (message) => {
                    Paid.parse(JSON.parse(message.content.toString()));
                  });
                }
                function onJob(message: any) { handle(JSON.parse(message.content.toString())) }
                function handle(job: { a: string }) {}
            """,
        },
    )
    assert project.events() == {
        "send order.paid: {id: 1}",
        "send fanout: 'plain'",
        "send jobs: {a: 'b'}",
        f"receive order.*: {PLACED}",
        "receive jobs: {a: string}",
        "receive paid: {orderId: string}",
    }
    assert {use.address for use in project.code.events if use.pattern} == {"order.*"}
    assert {use.address: use.aliases for use in project.code.events if use.aliases} == {
        "order.paid": ("ex", "ex/order.paid")
    }


def test_a_wrapper_of_the_project_around_amqplib(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "queue.ts": """
                import amqplib, { type Channel } from 'amqplib';
                export const QUEUES = { EMAIL: 'email.send' } as const;
                declare function open(): Promise<Channel>;
                export const publish = <T>({ queue, payload }: { queue: string; payload: T }) =>
                  open().then((ch) => ch.sendToQueue(queue, Buffer.from(JSON.stringify(payload))));
                interface Options<T> { queue: string; handler: (payload: T) => void }
                export const consume = <T = unknown>(options: Options<T>) =>
                  open().then((ch) => {
                    const { queue, handler } = options;
                    ch.consume(queue, (message) => {
                      let parsed: unknown;
                      try { parsed = JSON.parse(message.content.toString()) } catch { return }
                      handler(parsed as T);
                    });
                  });
            """,
            "mailer.ts": """
                import { publish, QUEUES } from './queue';
                export interface Email { to: string }
                export function send(to: string) {
                  return publish<Email>({ queue: QUEUES.EMAIL, payload: { to } });
                }
            """,
            "worker.ts": """
                import { consume, QUEUES } from './queue';
                import type { Email } from './mailer';
                const onEmail = (email: Email) => {};
                export function start() { consume({ queue: QUEUES.EMAIL, handler: onEmail }) }
            """,
        },
    )
    assert project.events() == {"send email.send: {to: string}", "receive email.send: {to: string}"}
    assert {use.origin.path for use in project.code.events} == {"mailer.ts", "worker.ts"}


def test_channels_of_other_libraries_are_no_channels_of_amqplib(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import amqp from 'amqplib';
                import { connect } from 'some-broker';
                const client = connect('x');
                client.publish('topic', 'message', {});
                class Bus { publish(a: string, b: string, c: object) {} }
                new Bus().publish('a', 'b', {});
            """
        },
    )
    assert project.events() == set()


def test_consumers_of_one_file_are_told_apart(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "kafka.ts": "import { Kafka } from 'kafkajs'; export const kafka = new Kafka({});",
            "consumers.ts": """
                import { kafka } from './kafka';
                const one = kafka.consumer({ groupId: '1' });
                const two = kafka.consumer({ groupId: '2' });
                export async function start() {
                  await one.subscribe({ topic: 'a' });
                  await one.run({ eachMessage: async ({ message }) => {
                    const a: { a: string } = JSON.parse(String(message.value));
                  } });
                  await two.subscribe({ topics: ['b'] });
                  await two.run({ eachMessage: async ({ message }) => handle(message) });
                }
                function handle(message: any) { JSON.parse(message.value) as { b: number } }
            """,
        },
    )
    assert project.events() == {"receive a: {a: string}", "receive b: {b: numeric}"}
