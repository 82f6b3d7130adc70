"""Subjects of NATS Streaming, and base classes of publishers and listeners."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

SUBJECTS = """
    export enum Subjects { Created = 'ticket:created', Cancelled = 'order:cancelled' }
    export interface Event { subject: Subjects; data: any }
    export interface Created { subject: Subjects.Created; data: { id: string; price: number } }
    export interface Cancelled { subject: Subjects.Cancelled; data: { ticketId: string } }
"""
BASES = """
    import { Message, Stan } from 'node-nats-streaming';
    import { Event } from './subjects';
    export abstract class Publisher<T extends Event> {
      abstract subject: T['subject'];
      constructor(protected client: Stan) {}
      publish(data: T['data']): Promise<void> {
        return new Promise((resolve, reject) => {
          this.client.publish(this.subject, JSON.stringify(data), (err) => {
            if (err) { return reject(err); }
            resolve();
          });
        });
      }
    }
    export abstract class Listener<T extends Event> {
      abstract subject: T['subject'];
      abstract group: string;
      abstract onMessage(data: T['data'], message: Message): void;
      constructor(protected client: Stan) {}
      listen() {
        const subscription = this.client.subscribe(this.subject, this.group);
        subscription.on('message', (message: Message) => {
          const parsed = this.parse(message);
          this.onMessage(parsed, message);
        });
      }
      parse(message: Message) {
        const data = message.getData();
        return typeof data === 'string' ? JSON.parse(data) : JSON.parse(data.toString('utf8'));
      }
    }
"""


def test_publish_and_subscribe(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import nats, { Message } from 'node-nats-streaming';
                const stan = nats.connect('shop', 'a', { url: 'http://x' });
                export function run() {
                  stan.publish('created', JSON.stringify({ id: 1 }));
                  const created = stan.subscribe('created', 'group');
                  const other = stan.subscribe('other');
                  created.on('message', (message: Message) => {
                    const data: { id: string } = JSON.parse(message.getData() as string);
                  });
                }
            """,
        },
    )
    assert project.events() == {
        "send created: {id: 1}",
        "receive created: {id: string}",
        "receive other: unknown",
    }


def test_classes_that_fill_in_a_base_class(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "subjects.ts": SUBJECTS,
            "bases.ts": BASES,
            "created.ts": """
                import { Listener, Publisher } from './bases';
                import { Subjects, Created, Cancelled } from './subjects';
                export class CreatedPublisher extends Publisher<Created> {
                  readonly subject = Subjects.Created;
                }
                export class CancelledPublisher extends Publisher<Cancelled> {
                  subject: Subjects.Cancelled = Subjects.Cancelled;
                }
                export class CreatedListener extends Listener<Created> {
                  subject: Subjects.Created = Subjects.Created;
                  group = 'orders';
                  async onMessage(data: Created['data'], message: Message) {}
                }
            """,
            "route.ts": """
                import { CreatedPublisher } from './created';
                import { wrapper } from './wrapper';
                export async function create(id: string) {
                  await new CreatedPublisher(wrapper.client).publish({ id, price: 1 });
                }
            """,
        },
    )
    assert project.events() == {
        "send ticket:created: {id: string, price: 1}",
        "send order:cancelled: {ticketId: string}",
        "receive ticket:created: {id: string, price: numeric}",
    }
    assert {use.origin.path for use in project.code.events} == {"created.ts", "route.ts"}


def test_a_base_class_that_no_class_fills_in(tmp_path: Path) -> None:
    project = Project(tmp_path, {"subjects.ts": SUBJECTS, "bases.ts": BASES})
    assert project.events() == {
        "send <the address is undetermined: it is not constant>: unknown",
        "receive <the address is undetermined: it is not constant>: unknown",
    }
