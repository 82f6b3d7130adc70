"""Subjects of NATS."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_what_is_sent(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { connect, JSONCodec, StringCodec, NatsConnection } from 'nats';
                const jc = JSONCodec();
                const sc = StringCodec();
                interface Paid { id: string }
                export async function run(paid: Paid) {
                  const nc = await connect({ servers: 'x' });
                  nc.publish('orders.paid', jc.encode(paid));
                  nc.publish('orders.text', sc.encode(JSON.stringify({ n: 1 })));
                  nc.publish('orders.json', JSON.stringify({ m: 1 }));
                  await nc.request('ask', jc.encode({ q: 'x' }), { timeout: 1 });
                  nc.publish('empty');
                  const js = nc.jetstream();
                  await js.publish(`streams.${paid.id}.new`, jc.encode({ s: 1 }));
                }
                export class Bus {
                  constructor(private readonly nc: NatsConnection) {}
                  emit(subject: string, data: object) {
                    const message = jc.encode(data);
                    this.nc.publish(subject, message);
                  }
                }
                export const tell = (bus: Bus) => bus.emit('told', { t: 1 });
            """,
        },
    )
    assert project.events() == {
        "send orders.paid: {id: string}",
        "send orders.text: {n: 1}",
        "send orders.json: {m: 1}",
        "send ask: {q: 'x'}",
        "send empty: unknown",
        "send streams.{value}.new: {s: 1}",
        "send told: {t: 1}",
    }


def test_what_is_received(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { connect, JSONCodec } from 'nats';
                interface Paid { id: string }
                const nc = await connect();
                const jc = JSONCodec<Paid>();
                const sub = nc.subscribe('orders.*');
                (async () => {
                  for await (const m of sub) {
                    const paid = jc.decode(m.data) as Paid;
                  }
                })();
                nc.subscribe('typed', { callback: (error, message) => {
                  const typed = message.json<{ t: number }>();
                } });
                nc.subscribe('undetermined');
                const other = nc.subscribe('coded');
                (async () => { for await (const m of other) { const d = jc.decode(m.data); } })();
            """,
        },
    )
    assert project.events() == {
        "receive orders.*: {id: string}",
        "receive typed: {t: numeric}",
        "receive undetermined: unknown",
        "receive coded: {id: string}",
    }
    assert {use.address for use in project.code.events if use.pattern} == {"orders.*"}
