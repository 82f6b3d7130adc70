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
