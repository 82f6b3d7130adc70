"""Channels of Redis."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_node_redis(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { createClient } from 'redis';
                interface Paid { id: string }
                const publisher = createClient({ url: 'redis://x' });
                const subscriber = publisher.duplicate();
                export async function run(paid: Paid, userId: string) {
                  await publisher.publish('orders', JSON.stringify(paid));
                  await publisher.publish(`users/${userId}/paid`, JSON.stringify({ n: 1 }));
                  await subscriber.subscribe('orders', (message) => {
                    const paid: Paid = JSON.parse(message);
                  });
                  await subscriber.pSubscribe('news.*', (message, channel) => {});
                  await subscriber.subscribe(['a', 'b'], (message) => {
                    const n = JSON.parse(message) as { n: number };
                  });
                }
            """,
        },
    )
    assert project.events() == {
        "send orders: {id: string}",
        "send users/{value}/paid: {n: 1}",
        "receive orders: {id: string}",
        "receive news.*: unknown",
        "receive a: {n: numeric}",
        "receive b: {n: numeric}",
    }
    assert {use.address for use in project.code.events if use.pattern} == {"news.*"}


def test_ioredis(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import Redis from 'ioredis';
                const one = new Redis();
                const two = new Redis();
                one.subscribe('paid', (error, count) => {});
                one.on('message', (channel, message) => {
                  const paid: { id: string } = JSON.parse(message);
                });
                two.subscribe('x', 'y');
                two.on('message', (channel, message) => { JSON.parse(message) as { z: 1 }; });
                export class Cache {
                  constructor(private readonly redis: Redis) {}
                  tell(what: { a: number }) {
                    return this.redis.publish('told', JSON.stringify(what));
                  }
                }
            """,
        },
    )
    assert project.events() == {
        "receive paid: {id: string}",
        "receive x: unknown",
        "receive y: unknown",
        "send told: {a: numeric}",
    }


def test_other_buses_are_no_channels_of_redis(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { createClient } from 'redis';
                import { bus } from './bus';
                createClient().get('x');
                bus.publish('inside', JSON.stringify({}));
            """,
            "bus.ts": "export const bus = { publish(topic: string, text: string) {} };",
        },
    )
    assert project.events() == set()


def test_clients_that_are_only_called_so(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                class Log {
                  constructor({ redisClient, cache }) { this._redisClient = redisClient; }
                  tell(id) {
                    this._redisClient.publish('log', JSON.stringify({ kind: 'created' }));
                    this.cache.publish('not-me', JSON.stringify({}));
                  }
                }
                module.exports = Log;
            """,
            "b.ts": """
                export async function run(redis: any) {
                  const other = redis.duplicate();
                  await redis.pSubscribe('expired.*', (key: string) => {});
                }
            """,
        },
    )
    assert project.events() == {"send log: {kind: 'created'}", "receive expired.*: unknown"}
