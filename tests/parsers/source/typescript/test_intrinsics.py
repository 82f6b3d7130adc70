"""What well-known calls and properties of JavaScript give."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

HEALTH = """
    import express from 'express';
    import os from 'node:os';
    import { rate } from 'library';
    const app = express();
    app.get('/health', (req, res) => {
      res.json({
        uptime: process.uptime(),
        version: process.version,
        pid: process.pid,
        memory: process.memoryUsage().heapUsed,
        host: os.hostname(),
        processors: os.cpus().length,
        load: os.loadavg(),
        share: rate.used / rate.total,
        sum: rate.used + rate.total,
        other: rate.version,
      });
    });
"""


def test_what_a_server_tells_of_itself(tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.ts": HEALTH})
    assert project.responses("GET /health") == {
        "200*": "{uptime: numeric, version: string, pid: integer, memory: integer, host: string, "
        "processors: integer, load: [numeric], share: numeric, sum: unknown, other: unknown}"
    }


def test_what_maps_and_sets_hold(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import express from 'express';
                interface Engine { groups(): Promise<Group[]> }
                interface Group { id: string }
                class Service {
                  private engines: Map<string, Engine> = new Map();
                  private counts = new Map<string, number>();
                  engine(id: string) {
                    const found = this.engines.get(id);
                    if (!found) throw new Error(id);
                    return found;
                  }
                  groups(id: string) { return this.engine(id).groups(); }
                  all() { return [...this.counts.values()]; }
                }
                const service = new Service();
                const names: Map<string, Group> = new Map();
                const known = new Map([['a', { up: true }]]);
                const tags = new Set<string>();
                const app = express();
                app.get('/a', async (req, res) => {
                  res.json({ a: await service.groups('x'), b: service.all(), c: names.get('y'),
                    d: Array.from(known.values()), e: [...tags.values()] });
                });
            """
        },
    )
    assert project.responses("GET /a") == {
        "200*": "{a: [{id: string}], b: [numeric], c~: {id: string}, d: [{up: True}], e: [string]}"
    }


def test_what_a_promise_made_by_hand_is_resolved_with(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                const express = require('express');
                const later = () => new Promise((resolve, reject) => {
                  setTimeout(() => { if (now()) reject(1); else resolve({ id: 1 }) }, 1);
                });
                const handed = () => new Promise((resolve) => { setTimeout(resolve, 1) });
                const never = () => new Promise(() => { throw new Error('x') });
                const app = express();
                app.get('/a', async (req, res) => { res.json(await later()) });
                app.get('/b', async (req, res) => { res.json(await handed()) });
                app.get('/c', async (req, res) => { res.json(await never()) });
            """
        },
    )
    assert project.responses("GET /a") == {"200*": "{id: 1}"}
    assert project.responses("GET /b") == {"200*": "unknown"}
    assert project.responses("GET /c") == {"200*": "unknown"}


def test_what_other_services_answer(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import express from 'express';
                import axios from 'axios';
                interface Rate { value: number }
                const api = axios.create({});
                const app = express();
                app.get('/a', async (req, res) => {
                  const { data } = await axios.get<Rate>('x');
                  const second = await api.post<Rate[]>('x', {});
                  const third = await axios.get('x');
                  res.json({ a: data, b: second.data[0], c: third.data });
                });
            """
        },
    )
    assert project.responses("GET /a") == {
        "200*": "{a: {value: numeric}, b: {value: numeric}, c: unknown}"
    }


def test_parts_of_addresses_are_texts(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                import { links, URL as Other } from 'library';
                const app = express();
                const next = (request, page: number) => {
                  const url = new URL(request.url, 'http://localhost');
                  url.searchParams.set('page', String(page));
                  return url.pathname + url.search;
                };
                app.get('/links', (req, res) => {
                  res.json({
                    next: next(req, 2),
                    host: new URL(req.url).host,
                    other: links.host,
                    named: new Other(req.url).host,
                  });
                });
            """
        },
    )
    assert project.responses("GET /links") == {
        "200*": "{next: string, host: string, other: unknown, named: unknown}"
    }
