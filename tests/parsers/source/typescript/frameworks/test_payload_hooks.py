"""Hooks of Fastify that run after the handler."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

APP = """
    import Fastify from 'fastify';
    import fp from 'fastify-plugin';
    import { compress } from 'elsewhere';
    const wrap = async (_request, _reply, payload) => ({ data: payload });
    const app = Fastify();
    app.register(async (part) => {
      part.get('/inside', async () => ({ n: 1 }));
      part.get('/text', async () => 'plain');
      part.addHook('preSerialization', wrap);
      part.register(async (below) => { below.get('/below', async () => ({ n: 1 })); });
    });
    app.register(async (part) => {
      part.register(fp(async (same) => { same.addHook('preSerialization', wrap); }));
      part.get('/shared', async () => ({ n: 1 }));
    });
    app.register(async (part) => {
      part.addHook('onSend', (_request, reply, sent, done) => { done(null, sent); });
      part.addHook('preSerialization', async (_request, reply) => { reply.header('y', '1'); });
      part.get('/kept', async () => ({ n: 1 }));
    });
    app.register(async (part) => {
      part.addHook('onSend', compress);
      part.get('/unseen', async () => ({ n: 1 }));
    });
    app.get('/own', { preSerialization: [wrap, wrap] }, async () => ({ n: 1 }));
    app.get('/outside', async () => ({ n: 1 }));
"""

EXPECTED = {
    "inside": "{data: {n: 1}}",
    "text": "'plain'",
    "below": "{data: {n: 1}}",
    "shared": "{data: {n: 1}}",
    "kept": "{n: 1}",
    "unseen": "unknown",
    "own": "{data: {data: {n: 1}}}",
    "outside": "{n: 1}",
}


def test_hooks_that_change_what_is_sent(tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.ts": APP})
    assert {path: project.responses(f"GET /{path}")["200*"] for path in EXPECTED} == EXPECTED
