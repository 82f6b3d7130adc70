"""Queues of BullMQ and Bull."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_jobs_that_are_added(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "names.ts": "export enum Queues { Mail = 'mail' }",
            "a.ts": """
                import { Queue } from 'bullmq';
                import { Queues } from './names';
                interface Mail { to: string }
                export const mails = new Queue<Mail>(Queues.Mail, { connection: {} });
                export const send = (mail: Mail) => mails.add('welcome', mail, { delay: 1 });
                export const many = (to: string[]) =>
                  mails.addBulk(to.map((address) => ({ name: 'x', data: { address } })));
                export const tell = (given: Queue) => given.add('a', { b: 1 });
                const own = new Set<string>();
                own.add('nothing');
            """,
            "bull.js": """
                const Bull = require('bull');
                const videos = new Bull('videos');
                exports.encode = (file) => videos.add({ file, size: 1 });
                exports.named = () => videos.add('named', { n: 1 });
            """,
        },
    )
    assert project.events() == {
        "send mail: {to: string}",
        "send mail: {address: string}",
        "send <the address is a name of a given queue that is not constant here>: {b: 1}",
        "send videos: {file: unknown, size: 1}",
        "send videos: {n: 1}",
    }


def test_jobs_that_are_taken(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { Worker, Job } from 'bullmq';
                import { z } from 'zod';
                interface Mail { to: string }
                const Checked = z.object({ c: z.string() });
                new Worker('typed', async (job: Job<Mail>) => {});
                new Worker<Mail>('generic', async (job) => {});
                new Worker('cast', async (job) => { const mail = job.data as Mail; });
                new Worker('checked', async (job) => { const data = Checked.parse(job.data); });
                new Worker('passed', async (job) => handle(job.data));
                new Worker('untyped', async (job) => { job.data.x; });
                new Worker('file', './worker.js');
                function handle(mail: Mail) {}
            """,
            "bull.ts": """
                import Queue from 'bull';
                const videos = new Queue('videos');
                videos.process('named', 5, async (job: Queue.Job<{ file: string }>) => {});
            """,
        },
    )
    assert project.events() == {
        "receive typed: {to: string}",
        "receive generic: {to: string}",
        "receive cast: {to: string}",
        "receive checked: {c: string}",
        "receive passed: {to: string}",
        "receive untyped: {x?: anything}~",
        "receive file: unknown",
        "receive videos: {file: string}",
    }


def test_queues_of_nest(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "mail.service.ts": """
                import { InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq';
                import { Job, Queue } from 'bullmq';
                const MAIL = 'mail';
                export class MailService {
                  constructor(@InjectQueue(MAIL) private readonly queue: Queue) {}
                  send(to: string) { return this.queue.add('welcome', { to }); }
                }
                @Processor(MAIL)
                export class MailWorker extends WorkerHost {
                  async process(job: Job<{ to: string }>) { this.log(job); }
                  log(job: Job) {}
                }
            """,
            "old.ts": """
                import { Process, Processor } from '@nestjs/bull';
                import { Job } from 'bull';
                @Processor({ name: 'audio' })
                export class Audio {
                  @Process('transcode') transcode(job: Job<{ file: string }>) {}
                  helper() {}
                }
            """,
        },
    )
    assert project.events() == {
        "send mail: {to: string}",
        "receive mail: {to: string}",
        "receive audio: {file: string}",
    }
